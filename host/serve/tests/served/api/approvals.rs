//! What waits for the operator, and who decides.

use hermes_serve::api::{Approval, ApprovalKind};
use hermes_serve::http::Access;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{error, openapi, post};
use crate::world::{Served, World};

fn approval(tool: &str, kind: ApprovalKind) -> Approval {
    Approval {
        id: format!("id-{tool}"),
        kind,
        tool: tool.to_owned(),
        version: "1.0.0".to_owned(),
        digest: "sha256:00".to_owned(),
        question: vec![format!("{tool} asks for more")],
        lacks: vec!["http=https://a GET".to_owned()],
        command: format!("hermes-host approve {tool}"),
    }
}

async fn listed(served: &Served) -> Vec<Value> {
    let body = served.client().at("/v1/approvals").send(Method::GET, "").await.json().await;
    openapi::check("get", "/v1/approvals", 200, &body);
    body["approvals"].as_array().unwrap().clone()
}

async fn decide(served: &Served, id: &str, allow: bool) -> Value {
    let mut answer = post(&served.client(), "/v1/approvals", json!({"id": id, "allow": allow}).to_string()).await;
    let body = answer.json().await;
    assert_eq!(answer.status, StatusCode::OK, "{body}");
    openapi::check("post", "/v1/approvals", 200, &body);
    body
}

#[tokio::test]
async fn what_waits_is_told_and_approved_once() {
    let world = World::new();
    *world.desk.0.lock().unwrap() = vec![approval("a", ApprovalKind::Grant), approval("b", ApprovalKind::Held)];
    let served = world.serve().await;
    let waiting = listed(&served).await;
    assert_eq!((&waiting[0]["kind"], &waiting[1]["kind"]), (&json!("grant"), &json!("held")));
    let declined = decide(&served, "id-a", false).await;
    assert_eq!(declined, json!({"tool": "a", "outcome": "declined", "granted": []}));
    assert_eq!(listed(&served).await.len(), 2, "it waits on");
    let granted = decide(&served, "id-a", true).await;
    assert_eq!(granted, json!({"tool": "a", "outcome": "granted", "granted": ["http=https://a GET"]}));
    assert_eq!(decide(&served, "id-b", true).await["outcome"], "admitted");
    let again = post(&served.client(), "/v1/approvals", json!({"id": "id-a", "allow": true}).to_string()).await;
    assert_eq!(error(again).await.0, 404);
}

#[tokio::test]
async fn many_who_approve_the_same_approve_it_once() {
    let world = World::new();
    *world.desk.0.lock().unwrap() = vec![approval("a", ApprovalKind::Grant)];
    let served = world.serve().await;
    let decisions = (0..8).map(|_| async {
        let body = json!({"id": "id-a", "allow": true}).to_string();
        post(&served.client(), "/v1/approvals", body).await.status.as_u16()
    });
    let mut statuses = futures_util::future::join_all(decisions).await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    assert!(statuses[1..].iter().all(|status| [404, 500].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn without_a_token_what_waits_is_seen_and_nothing_is_approved() {
    let world = World::new();
    *world.desk.0.lock().unwrap() = vec![approval("a", ApprovalKind::Grant)];
    let served = world.serve_with(|config| config.access = Access::Anyone).await;
    assert_eq!(listed(&served).await.len(), 1);
    for allow in [true, false] {
        let answer = post(&served.client(), "/v1/approvals", json!({"id": "id-a", "allow": allow}).to_string()).await;
        assert_eq!(error(answer).await.1, "forbidden");
    }
    assert_eq!(listed(&served).await.len(), 1);
}

#[tokio::test]
async fn a_decision_says_what_it_is_about() {
    let served = World::new().serve().await;
    for (body, place) in [
        ("{}", "id"),
        (r#"{"id": "x"}"#, "allow"),
        (r#"{"id": "x", "allow": "yes"}"#, "allow"),
        (r#"{"id": "x", "allow": true, "all": true}"#, "all"),
    ] {
        let (status, kind, message) = error(post(&served.client(), "/v1/approvals", body).await).await;
        assert_eq!((status, kind.as_str()), (400, "malformed"));
        assert!(message.contains(place), "{message}");
    }
}
