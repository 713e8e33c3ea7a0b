//! `POST /v1/calls/{id}/answers`: a call that asked goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use hermes_core::CallRequest;
use http::HeaderMap;
use serde::Deserialize;

use super::asked::{self, Answered};
use super::calls::{Identified, owner};
use super::object::Object;
use super::request::{Body, segment};
use super::{Api, reply, session};
use crate::http::{HttpError, Principal, Stopped};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    handle: String,
    answers: BTreeMap<String, Object<Answered>>,
}

pub(super) async fn answer(
    State(api): State<Arc<Api>>,
    Extension(principal): Extension<Principal>,
    Extension(stopped): Extension<Stopped>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body<Answers>,
) -> Result<Response, HttpError> {
    let id = segment(path)?;
    let Answers { handle, answers } = body.value;
    let owner = owner(&principal);
    let call = api.waiting.find(owner, &id, &handle).ok_or_else(|| {
        let error = HttpError::not_found("no call of this token with this id waits under this handle");
        error.hint("the question may be too old: call the tool again")
    })?;
    let request = CallRequest {
        handle: Some(handle),
        answers: asked::answers(answers),
        meta: session::trace(&headers),
        ..CallRequest::new(call.tool, call.args)
    };
    let run = api.run(owner, call.session, vec![Identified { id, request }]);
    reply::of(run, &headers, &stopped).await
}
