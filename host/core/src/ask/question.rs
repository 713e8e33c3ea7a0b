//! What a tool asks, read once, and who can be asked what.

use serde_json::Value;

use super::exchange::Misfit;
use super::form::{Form, FormError};
use crate::call::{Answer, Issue, Link, Reply, Request, RequestKind};
use crate::nearest::UnknownName;

/// Most questions at once.
const MAX_QUESTIONS: usize = 32;
/// Most bytes of a question's id.
const MAX_ID: usize = 128;
/// Most bytes of a page's address and name.
const MAX_LINK: usize = 8 << 10;

/// One question, as callers are asked it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Unique within the call.
    pub id: String,
    /// What kind of question.
    pub kind: QuestionKind,
}

/// The kinds of question.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionKind {
    /// A form to fill in.
    Form(Form),
    /// A page to open; the link's name is what the reader sees.
    Url(Link),
    /// Whether the host may do something, in the host's words.
    Approval {
        /// What it would do.
        message: String,
    },
    /// Another method of the client's; the answer is its whole result.
    Other {
        /// Which.
        method: ClientMethod,
        /// Its parameters.
        params: Value,
    },
}

/// What a tool may ask of the client's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientMethod {
    /// A message of the client's model.
    CreateMessage,
    /// The folders that the client works in.
    ListRoots,
}

impl ClientMethod {
    /// The method's name in MCP.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CreateMessage => "sampling/createMessage",
            Self::ListRoots => "roots/list",
        }
    }
}

/// What a caller can be asked. The rest is answered `nobody` in their place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Askable {
    /// Forms.
    pub form: bool,
    /// Pages to open.
    pub url: bool,
    /// Approvals.
    pub approval: bool,
    /// `sampling/createMessage`.
    pub sampling: bool,
    /// `roots/list`.
    pub roots: bool,
}

impl Askable {
    /// Nobody is there.
    pub const NOTHING: Self = Self { form: false, url: false, approval: false, sampling: false, roots: false };

    pub(super) fn can(self, question: &Question) -> bool {
        match &question.kind {
            QuestionKind::Form(_) => self.form,
            QuestionKind::Url(_) => self.url,
            QuestionKind::Approval { .. } => self.approval,
            QuestionKind::Other { method: ClientMethod::CreateMessage, .. } => self.sampling,
            QuestionKind::Other { method: ClientMethod::ListRoots, .. } => self.roots,
        }
    }
}

/// What a tool asked against the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// Too many at once.
    #[error("it asked {0} questions at once; at most {MAX_QUESTIONS} are allowed")]
    TooMany(usize),
    /// An id that is empty or too long.
    #[error("the id of a question is empty or longer than {MAX_ID} bytes")]
    Id,
    /// Two questions with one id.
    #[error("two questions have the id `{0}`")]
    Twice(String),
    /// A form that is none.
    #[error("question `{id}`: {error}")]
    Form {
        /// The question.
        id: String,
        /// Why.
        error: FormError,
    },
    /// An address that nobody should open.
    #[error("question `{0}`: expected a page's http or https address and a name for it")]
    Url(String),
    /// Parameters that are no JSON object.
    #[error("question `{0}`: expected the method's parameters as a JSON object")]
    Params(String),
}

/// Reads questions. `approval` words the question behind a token; a token without words is nobody's to grant.
///
/// Each question comes with its request's id; `None` is one that no caller can be asked.
pub(super) fn read(
    requests: &[Request],
    approval: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(String, Option<Question>)>, QuestionError> {
    if requests.len() > MAX_QUESTIONS {
        return Err(QuestionError::TooMany(requests.len()));
    }
    let mut questions: Vec<(String, Option<Question>)> = Vec::new();
    for request in requests {
        if request.id.is_empty() || request.id.len() > MAX_ID {
            return Err(QuestionError::Id);
        }
        if questions.iter().any(|(id, _)| *id == request.id) {
            return Err(QuestionError::Twice(request.id.clone()));
        }
        let kind = read_one(request, approval)?;
        questions.push((request.id.clone(), kind.map(|kind| Question { id: request.id.clone(), kind })));
    }
    Ok(questions)
}

/// Answers to questions that nobody asked.
pub(super) fn strays<'a>(
    answers: &'a [Answer],
    questions: &'a [(String, Option<Question>)],
) -> impl Iterator<Item = Misfit> + 'a {
    let strays = answers.iter().filter(|answer| !questions.iter().any(|(id, _)| *id == answer.id));
    let asked = || questions.iter().filter_map(|(_, question)| Some(question.as_ref()?.id.as_str()));
    strays.take(MAX_QUESTIONS).map(move |answer| {
        // No question's id is longer, and what it takes to compare is for us to say.
        let id: String = answer.id.chars().take(MAX_ID).collect();
        let message = UnknownName::new("question", &id, asked()).to_string();
        Misfit { id, issues: vec![Issue { path: String::new(), message }] }
    })
}

fn read_one(
    request: &Request,
    approval: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<QuestionKind>, QuestionError> {
    let id = || request.id.clone();
    Ok(match &request.kind {
        RequestKind::Form { message, schema } => {
            let form = Form::parse(message, schema).map_err(|error| QuestionError::Form { id: id(), error })?;
            Some(QuestionKind::Form(form))
        }
        RequestKind::Url(link) => {
            let fits = |text: &str| !text.is_empty() && text.len() <= MAX_LINK;
            let page = url::Url::parse(&link.uri).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            if !page || !fits(&link.uri) || !fits(&link.name) || link.uri.chars().any(char::is_control) {
                return Err(QuestionError::Url(id()));
            }
            Some(QuestionKind::Url(link.clone()))
        }
        RequestKind::Approval(token) => approval(token).map(|message| QuestionKind::Approval { message }),
        RequestKind::Other { method, params } => {
            let params = if params.is_empty() { "{}" } else { params };
            let params = serde_json::from_str(params).ok().filter(Value::is_object);
            let params = params.ok_or_else(|| QuestionError::Params(id()))?;
            let methods = [ClientMethod::CreateMessage, ClientMethod::ListRoots];
            let method = methods.into_iter().find(|known| known.as_str() == method);
            method.map(|method| QuestionKind::Other { method, params })
        }
    })
}

impl Question {
    /// Bytes that it takes, roughly: its texts, and what holds them. A form holds its schema twice, as it was written and as it was
    /// read.
    pub(super) fn size(&self) -> usize {
        let asks = match &self.kind {
            QuestionKind::Form(form) => form.message.len() + 2 * form.schema().to_string().len(),
            QuestionKind::Url(link) => link.uri.len() + link.name.len() + link.mime.as_ref().map_or(0, String::len),
            QuestionKind::Approval { message } => message.len(),
            QuestionKind::Other { params, .. } => params.to_string().len(),
        };
        size_of::<Self>() + self.id.len() + asks
    }

    /// The reply as the tool gets it, or why it does not fit.
    pub(crate) fn judge(&self, reply: Reply) -> Result<Reply, Vec<Issue>> {
        let Reply::Accepted(text) = reply else { return Ok(reply) };
        match &self.kind {
            // The consent is the answer; what a client adds to it means nothing.
            QuestionKind::Url(_) | QuestionKind::Approval { .. } => {
                let said = serde_json::from_str::<Value>(&text).unwrap_or_default();
                // The result of a method that nobody was asked is no consent.
                if said.get("roots").is_some() || said.get("role").is_some() {
                    let message = "expected an answer to the question".to_owned();
                    return Err(vec![Issue { path: String::new(), message }]);
                }
                Ok(Reply::Accepted("{}".to_owned()))
            }
            QuestionKind::Form(form) => {
                let answer = form.check(&parse(&text)?)?;
                Ok(Reply::Accepted(Value::Object(answer).to_string()))
            }
            QuestionKind::Other { method, .. } => {
                let (key, fits): (_, fn(&Value) -> bool) = match method {
                    ClientMethod::CreateMessage => ("content", |content| content.is_object() || content.is_array()),
                    ClientMethod::ListRoots => ("roots", Value::is_array),
                };
                match parse(&text)?.get(key) {
                    Some(value) if fits(value) => Ok(Reply::Accepted(text)),
                    _ => Err(vec![Issue {
                        path: format!("/{key}"),
                        message: format!("expected the whole result of {}", method.as_str()),
                    }]),
                }
            }
        }
    }
}

fn parse(text: &str) -> Result<Value, Vec<Issue>> {
    serde_json::from_str(text)
        .map_err(|cause| vec![Issue { path: String::new(), message: format!("expected JSON: {cause}") }])
}
