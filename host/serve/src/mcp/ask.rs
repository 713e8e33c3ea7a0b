//! Questions of a tool as the protocol asks them: by a result that wants input since 2026-07-28, by requests to the client before.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use hermes_core::ask::{Asked, ClientMethod, Question, QuestionKind};
use hermes_core::{Answer, Reply};
use hermes_manifest::ClientFeature;
use rmcp::model::{
    ClientCapabilities, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ElicitationSchema,
    InputRequest, InputRequests, InputRequiredResult, InputResponses,
};
use rmcp::{Peer, RoleServer};
use serde_json::{Map, Value, json};

use super::form;

/// What a client can do for a tool that asks.
pub(super) fn features(capabilities: Option<&ClientCapabilities>) -> BTreeSet<ClientFeature> {
    let Some(capabilities) = capabilities else { return BTreeSet::new() };
    let elicitation = capabilities.elicitation.as_ref();
    // An empty capability is from before there were two kinds, and means forms.
    let forms = elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
    let urls = elicitation.is_some_and(|elicitation| elicitation.url.is_some());
    [
        (forms, ClientFeature::Elicitation),
        (urls, ClientFeature::ElicitationUrl),
        (capabilities.sampling.is_some(), ClientFeature::Sampling),
        (capabilities.roots.is_some(), ClientFeature::Roots),
    ]
    .into_iter()
    .filter_map(|(able, feature)| able.then_some(feature))
    .collect()
}

/// What a client would have to declare to be able to do these.
pub(super) fn capabilities(features: &BTreeSet<ClientFeature>) -> ClientCapabilities {
    let has = |feature| features.contains(&feature);
    let forms = has(ClientFeature::Elicitation).then(Default::default);
    let urls = has(ClientFeature::ElicitationUrl).then(Default::default);
    let mut capabilities = ClientCapabilities::default();
    if forms.is_some() || urls.is_some() {
        let mut elicitation = ElicitationCapability::default();
        (elicitation.form, elicitation.url) = (forms, urls);
        capabilities.elicitation = Some(elicitation);
    }
    capabilities.sampling = has(ClientFeature::Sampling).then(Default::default);
    capabilities.roots = has(ClientFeature::Roots).then(Default::default);
    capabilities
}

/// The result that asks, and that the client repeats its call with.
pub(super) fn input_required(asked: &Asked) -> InputRequiredResult {
    let requests: InputRequests =
        asked.questions.iter().filter_map(|question| Some((question.id.clone(), request(question)?))).collect();
    InputRequiredResult::new(Some(requests), Some(asked.handle.clone()))
}

/// The result that asks before a prompt says anything. Nothing is kept meanwhile: the client repeats all that counts.
pub(super) fn prompted(question: &Question) -> InputRequiredResult {
    let requests: InputRequests = request(question).map(|request| (question.id.clone(), request)).into_iter().collect();
    InputRequiredResult::new(Some(requests), None)
}

/// Answers to what the protocol has no words for, such as parameters that are not the method's.
pub(super) fn unasked(asked: &Asked) -> Vec<Answer> {
    let unasked = asked.questions.iter().filter(|question| request(question).is_none());
    unasked.map(|question| Answer { id: question.id.clone(), reply: Reply::Nobody }).collect()
}

/// What a client sends back, as answers. Each is the result of the request that was asked; the host knows which it was. What is no
/// such result is no answer: it is asked for again.
pub(super) fn answers(responses: Option<InputResponses>) -> Vec<Answer> {
    let responses = responses.unwrap_or_default();
    responses.into_iter().filter_map(|(id, response)| Some(Answer { id, reply: reply(response)? })).collect()
}

fn reply(response: Value) -> Option<Reply> {
    // What a user was asked has an action; what a model or the client itself answered counts whole. Anything else is no consent.
    let is_result = response.get("roots").is_some() || response.get("role").is_some();
    if is_result && response.get("action").is_none() {
        return Some(Reply::Accepted(response.to_string()));
    }
    serde_json::from_value::<ElicitResult>(response).ok().map(elicited)
}

fn elicited(result: ElicitResult) -> Reply {
    match result.action {
        ElicitationAction::Accept => {
            Reply::Accepted(result.content.unwrap_or_else(|| Value::Object(Map::new())).to_string())
        }
        ElicitationAction::Decline => Reply::Declined,
        _ => Reply::Cancelled,
    }
}

/// A question as the protocol words it; its form is one that the host has read, so that it always fits.
fn request(question: &Question) -> Option<InputRequest> {
    let (method, params) = match &question.kind {
        QuestionKind::Other { method, params } => (method.as_str(), params.clone()),
        _ => ("elicitation/create", serde_json::to_value(elicitation(question)?).ok()?),
    };
    serde_json::from_value(json!({ "method": method, "params": params })).ok()
}

fn elicitation(question: &Question) -> Option<ElicitRequestParams> {
    let form = |message: &str, requested_schema| ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema,
    };
    match &question.kind {
        QuestionKind::Form(asked) => Some(form(&asked.message, form::schema(asked)?)),
        QuestionKind::Approval { message } => Some(form(message, ElicitationSchema::new(BTreeMap::new()))),
        QuestionKind::Url(link) => Some(ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: link.name.clone(),
            url: link.uri.clone(),
            elicitation_id: question.id.clone(),
        }),
        QuestionKind::Other { .. } => None,
    }
}

/// Asks a client of an older revision, one question after another, in the task of its call: the link to the client's stream is
/// lost in any other.
pub(super) async fn ask(peer: &Peer<RoleServer>, asked: &Asked) -> Vec<Answer> {
    let until = Instant::now() + asked.expires;
    let mut answers = Vec::with_capacity(asked.questions.len());
    for question in &asked.questions {
        let reply = ask_one(peer, question, until.saturating_duration_since(Instant::now())).await;
        answers.push(Answer { id: question.id.clone(), reply });
    }
    answers
}

/// Asks one question, for at most `patience`.
pub(super) async fn ask_one(peer: &Peer<RoleServer>, question: &Question, patience: Duration) -> Reply {
    if let QuestionKind::Other { method, params } = &question.kind {
        let answered = tokio::time::timeout(patience, other(peer, *method, params)).await;
        return answered.ok().flatten().map_or(Reply::Cancelled, |result| Reply::Accepted(result.to_string()));
    }
    let Some(params) = elicitation(question) else { return Reply::Nobody };
    let answered = peer.create_elicitation_with_timeout(params, Some(patience)).await;
    answered.map_or(Reply::Cancelled, elicited)
}

#[expect(deprecated, reason = "the revisions that ask this way have these requests; the later ones do not")]
async fn other(peer: &Peer<RoleServer>, method: ClientMethod, params: &Value) -> Option<Value> {
    match method {
        ClientMethod::CreateMessage => {
            let params = serde_json::from_value(params.clone()).ok()?;
            serde_json::to_value(peer.create_message(params).await.ok()?).ok()
        }
        ClientMethod::ListRoots => serde_json::to_value(peer.list_roots().await.ok()?).ok(),
    }
}
