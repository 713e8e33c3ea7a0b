//! The fixtures of the conformance suite are prompts and resources that say what its scenarios ask for.

use std::path::Path;

use hermes_core::library::{Prompts, Rendered, Resources};
use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{Reply, Toolsets, View};

use super::{common, held, render, said};

#[test]
fn prompts_and_resources_are_the_suites() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/home");
    let (prompts, resources) = (Prompts::load(&home.join("prompts")), Resources::load(&home.join("resources")));
    assert_eq!((prompts.refused(), resources.refused()), (&[][..], &[][..]));
    let registry = common::registry(Trust::in_memory(TrustPolicy::Folder));
    let toolsets = ["conformance.toml", "changing.toml"].map(|name| home.join("toolsets").join(name));
    let toolsets = toolsets.map(|file| (file.clone(), std::fs::read_to_string(file).unwrap()));
    let texts = toolsets.iter().map(|(file, text)| (file.clone(), text.as_str()));
    registry.set_toolsets(Toolsets::build(texts, &Default::default()).unwrap());
    registry.set_prompts(prompts);
    let catalog = registry.set_resources(resources);
    let view: View = "conformance".parse().unwrap();
    let library = catalog.library(&view);
    let get = |name: &str, arguments: &[(&str, &str)], answer| render(library.prompt(name).unwrap(), arguments, answer);

    assert!(library.prompts().all(|prompt| prompt.description.is_some()));
    assert_eq!(said(get("test_simple_prompt", &[], None)), [r#"user: "This is a simple prompt for testing.""#]);
    assert_eq!(
        said(get("test_prompt_with_arguments", &[("arg1", "hello"), ("arg2", "world")], None)),
        [r#"user: "Prompt with arguments: arg1='hello', arg2='world'""#]
    );
    assert_eq!(
        said(get("test_prompt_with_embedded_resource", &[("resourceUri", "test://example-resource")], None)),
        [
            "user: test://example-resource text/plain Embedded resource content for testing.",
            r#"user: "Please process the embedded resource above.""#,
        ]
    );
    let image = said(get("test_prompt_with_image", &[], None));
    assert!(image[0].starts_with("user: image image/png "));
    assert_eq!(image[1..], [r#"user: "Please analyze the image above.""#]);
    assert!(matches!(get("test_input_required_result_prompt", &[], None), Ok(Rendered::Ask(_))));
    let answer = Some(Reply::Accepted(r#"{"context": "test context"}"#.to_owned()));
    assert_eq!(
        said(get("test_input_required_result_prompt", &[], answer)),
        [r#"user: "Please work in this context: test context""#]
    );
    let completion = library.prompt("test_prompt_with_arguments").unwrap().complete("arg1", "par").unwrap();
    assert_eq!(completion.values, ["paris", "park", "party"]);

    for (uri, expected) in [
        ("test://static-text", "test://static-text text/plain This is the content of the static text resource."),
        (
            "test://template/123/data",
            r#"test://template/123/data application/json {"id":"123","templateTest":true,"data":"Data for ID: 123"}"#,
        ),
        ("test://watched-resource", "test://watched-resource text/plain This resource can be watched."),
    ] {
        assert_eq!(held(&library.read(uri).unwrap()), expected);
    }
    assert!(
        held(&library.read("test://static-binary").unwrap()).starts_with("test://static-binary image/png [137, 80")
    );
    assert!(library.read("test://nonexistent-resource-for-conformance-testing").is_err());
    assert!(library.resources().all(|resource| resource.description.is_some()));
}
