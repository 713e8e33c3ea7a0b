//! Completing what someone types.

use serde_json::{Value, json};

use crate::world::World;

#[tokio::test]
async fn arguments_are_completed_from_the_values_of_their_files() {
    let many: Vec<String> = (0..150).map(|number| format!("v{number:03}")).collect();
    let prompt = format!("+++\narguments = [{{ name = \"lang\", values = {} }}]\n+++\n{{{{lang}}}}\n", json!(many));
    let page = "+++\nuri = \"docs://{lang}\"\narguments = [{ name = \"lang\", values = [\"Rust\", \"ruby\", \"c\"] }]\n+++\nx\n";
    let served = World::new().prompt("p.md", prompt).resource("page.md", page).serve().await;
    let session = served.client().session().await;
    assert!(session.info["result"]["capabilities"]["completions"].is_object());
    let of_prompt = json!({"type": "ref/prompt", "name": "p"});
    let of_resource = json!({"type": "ref/resource", "uri": "docs://{lang}"});
    let kept = json!({"type": "ref/resource", "uri": "hermes://results/{id}{?offset,limit,line,lines}"});
    for (whose, argument, typed, expected) in [
        (&of_prompt, "lang", "v00", json!({"values": &many[..10], "total": 10, "hasMore": false})),
        (&of_prompt, "lang", "", json!({"values": &many[..100], "total": 150, "hasMore": true})),
        (&of_resource, "lang", "RU", json!({"values": ["Rust", "ruby"], "total": 2, "hasMore": false})),
        (&of_resource, "lang", "x", json!({"values": [], "total": 0, "hasMore": false})),
        (&kept, "id", "0", json!({"values": [], "total": 0, "hasMore": false})),
        (&of_prompt, "long", "v", Value::Null),
        (&json!({"type": "ref/prompt", "name": "q"}), "lang", "v", Value::Null),
        (&json!({"type": "ref/resource", "uri": "docs://x"}), "lang", "v", Value::Null),
        (&json!({"type": "ref/tool", "name": "t"}), "lang", "v", Value::Null),
    ] {
        let params = json!({"ref": whose, "argument": {"name": argument, "value": typed}});
        let modern = served.client().modern("completion/complete", params.clone()).await.result().await;
        let legacy = session.ask(1, "completion/complete", params.clone()).await.result().await;
        for answer in [modern, legacy] {
            assert_eq!(answer["result"]["completion"], expected, "{params}: {answer}");
            let code = if expected.is_null() { json!(-32602) } else { Value::Null };
            assert_eq!(answer["error"]["code"], code, "{params}: {answer}");
        }
    }
}
