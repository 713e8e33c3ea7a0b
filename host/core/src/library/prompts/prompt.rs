//! One prompt, and what comes of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hermes_manifest::ToolsetName;
use serde_json::Value;

use super::super::completion::{Completion, complete};
use super::super::name::{EntryName, shortened};
use super::super::template::{MAX_RENDERED, Rendering, TooLong};
use super::body::{Part, Shown};
use crate::ask::{Form, Question, QuestionKind};
use crate::call::{Blob, Content, Issue, Reply};
use crate::nearest::UnknownName;

/// Most unknown arguments that are told.
const MAX_UNKNOWN: usize = 8;
/// The id of the question that a prompt asks.
const QUESTION: &str = "ask";

/// A prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Its name; the file's without its ending where the file says none.
    pub name: EntryName,
    /// What people read in place of the name.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Its arguments, in the order of the file.
    pub arguments: Vec<Argument>,
    /// The toolset to whose sessions it is shown; `None` for every session.
    pub toolset: Option<ToolsetName>,
    /// The file.
    pub file: PathBuf,
    pub(super) form: Option<Form>,
    pub(super) parts: Vec<Part>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: EntryName,
    /// What people read in place of the name.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether the prompt needs it; what is left out is empty.
    pub required: bool,
    /// Values to choose from when someone types. Others are taken too.
    pub values: Vec<String>,
}

/// What comes of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum Rendered {
    /// What the model is given.
    Messages(Vec<Message>),
    /// What has to be answered first: the prompt is asked for again, with the same arguments and the answer.
    Ask(Question),
}

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Why nothing comes of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The session sees no such prompt.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The arguments are wrong, and where.
    #[error("{}", .0.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Issue>),
    /// The prompt needs an answer, and there is none.
    #[error("the prompt needs an answer that was not given")]
    Unanswered,
    /// With these arguments the text is too long.
    #[error("with these arguments the prompt is longer than {MAX_RENDERED} bytes")]
    TooLong,
}

impl From<TooLong> for PromptError {
    fn from(TooLong: TooLong) -> Self {
        Self::TooLong
    }
}

impl Prompt {
    /// The messages with these arguments. A prompt that asks needs an answer as well: without one, or with one that does not fit,
    /// its question comes.
    ///
    /// # Errors
    ///
    /// When arguments are missing or unknown, nobody gives an answer, or the text becomes too long.
    pub fn render(&self, arguments: &BTreeMap<String, String>, answer: Option<Reply>) -> Result<Rendered, PromptError> {
        let issues = self.issues(arguments);
        if !issues.is_empty() {
            return Err(PromptError::Invalid(issues));
        }
        let mut answers = serde_json::Map::new();
        if let Some(form) = &self.form {
            let question = Question { id: QUESTION.to_owned(), kind: QuestionKind::Form(form.clone()) };
            match answer.map(|reply| question.judge(reply)) {
                Some(Ok(Reply::Accepted(text))) => {
                    // What was judged is an object.
                    if let Ok(Value::Object(given)) = serde_json::from_str(&text) {
                        answers = given;
                    }
                }
                Some(Ok(Reply::Declined | Reply::Cancelled | Reply::Nobody)) => return Err(PromptError::Unanswered),
                None | Some(Err(_)) => return Ok(Rendered::Ask(question)),
            }
        }
        let mut rendering = Rendering::new(|name: &str| {
            let argument = arguments.get(name).map(String::as_str);
            argument.or_else(|| answers.get(name)?.as_str()).unwrap_or_default()
        });
        let mut messages = Vec::with_capacity(self.parts.len());
        for Part { role, shown } in &self.parts {
            let content = match shown {
                Shown::Text(text) => Content::Text(rendering.text(text)?),
                Shown::Media(content) => content.clone(),
                Shown::Document { uri, document } => {
                    let uri = rendering.text(uri)?;
                    if url::Url::parse(&uri).is_err() {
                        let message = format!("{:?} is no URI: expected one such as `docs://style`", shortened(&uri));
                        return Err(PromptError::Invalid(vec![Issue { path: String::new(), message }]));
                    }
                    Content::Embedded(Blob { uri, ..document.clone() })
                }
            };
            messages.push(Message { role: *role, content });
        }
        Ok(Rendered::Messages(messages))
    }

    /// Values of an argument that begin as someone typed.
    ///
    /// # Errors
    ///
    /// When there is no such argument.
    pub fn complete(&self, argument: &str, prefix: &str) -> Result<Completion, UnknownName> {
        let values = self.arguments.iter().map(|known| (known.name.as_str(), known.values.as_slice()));
        complete(values, argument, prefix)
    }

    /// What is wrong with arguments: those that are missing, and the first that are unknown.
    fn issues(&self, arguments: &BTreeMap<String, String>) -> Vec<Issue> {
        let issue =
            |name: &str, message| Issue { path: format!("/{}", name.replace('~', "~0").replace('/', "~1")), message };
        let names = || self.arguments.iter().map(|argument| argument.name.as_str());
        let missing =
            self.arguments.iter().filter(|known| known.required && !arguments.contains_key(known.name.as_str()));
        let missing =
            missing.map(|known| issue(known.name.as_str(), format!("the argument `{}` is required", known.name)));
        let unknown = arguments.keys().filter(|name| !names().any(|known| known == name.as_str())).take(MAX_UNKNOWN);
        let unknown =
            unknown.map(|name| issue(&shortened(name), UnknownName::new("argument", name, names()).to_string()));
        missing.chain(unknown).collect()
    }
}
