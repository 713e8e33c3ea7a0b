//! The description of the API, against what it answers.

use std::sync::LazyLock;

use http::Method;
use serde_json::{Value, json};

use crate::world::World;

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../src/api/openapi.json")).unwrap());

fn valid(schema: &Value, body: &Value) {
    let mut whole =
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "components": DOCUMENT["components"]});
    whole["allOf"] = json!([schema]);
    let validator = jsonschema::validator_for(&whole).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?} in {body}");
}

/// Whether a body is what a named schema says.
pub(super) fn conforms(name: &str, body: &Value) {
    valid(&json!({"$ref": format!("#/components/schemas/{name}")}), body);
}

/// Whether the body of an answer is what is said of it.
pub(super) fn check(method: &str, path: &str, status: u16, body: &Value) {
    let answer = &DOCUMENT["paths"][path][method]["responses"][status.to_string()];
    let schema = &answer["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{method} {path} {status} is not described");
    valid(schema, body);
}

#[tokio::test]
async fn the_description_is_served_and_every_path_in_it_is_there() {
    let served = World::new().serve().await;
    let client = served.client();
    assert_eq!(client.at("/openapi.json").send(Method::GET, "").await.json().await, *DOCUMENT);
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let path = path.replace("{id}", "x");
        for method in item.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let status = client.at(&path).send(method.clone(), "").await.status;
            assert_ne!(status, 405, "{method} {path}");
            assert!(
                item[method.as_str().to_lowercase()]["responses"][status.as_str()].is_object(),
                "{method} {path} {status}"
            );
        }
    }
    for path in ["/v1/approvals", "/healthz", "/readyz"] {
        let body = client.at(path).send(Method::GET, "").await.json().await;
        check("get", path, 200, &body);
    }
}
