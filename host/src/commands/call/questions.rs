//! Questions of a tool, answered by flags, by a person at the terminal, or by a later command.

use std::time::Duration;

use hermes_core::ask::{Asked, Field, FieldKind, Form, Question, QuestionKind};
use hermes_core::{Answer, Reply, Session};
use hermes_manifest::ClientFeature;
use serde_json::{Map, Value, json};

use crate::cli::CallArgs;
use crate::failure::Failure;
use crate::printer::{Printer, escape, quoted};
use crate::terminal;

/// How often a field is asked for before its form counts as cancelled.
const TRIES: usize = 3;

/// Whoever answers for this command.
pub(super) struct Person {
    given: Vec<Answer>,
    yes: bool,
    deny: bool,
    printer: Printer,
}

impl Person {
    /// Reads the answers that were given as flags.
    pub(super) fn new(args: &CallArgs, printer: Printer) -> Result<Self, Failure> {
        let given = args.answer.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>()?;
        let mut ids: Vec<&str> = given.iter().map(|answer: &Answer| answer.id.as_str()).collect();
        ids.sort_unstable();
        if let Some([twice, _]) = ids.windows(2).find(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(Failure::usage(format!("--answer: {} is answered twice", quoted(twice))));
        }
        Ok(Self { given, yes: args.yes, deny: args.deny, printer })
    }

    /// The answers that were given as flags.
    pub(super) fn given(&self) -> &[Answer] {
        &self.given
    }

    /// What can be asked here: a person, now or by a later command; no model, and no client.
    pub(super) fn session(&self, session: Session) -> Session {
        let client = [ClientFeature::Elicitation, ClientFeature::ElicitationUrl].into();
        Session { client, approves: true, ..session }
    }

    /// The answers to all questions; nothing where nobody is here to give one.
    pub(super) fn ask(&self, asked: &Asked) -> Result<Option<Vec<Answer>>, Failure> {
        for misfit in &asked.misfits {
            let issues = misfit.issues.iter().map(|issue| match issue.path.as_str() {
                "" => issue.message.clone(),
                path => format!("{path}: {}", issue.message),
            });
            let issues = issues.collect::<Vec<_>>().join("; ");
            self.printer.note(&escape(&format!("the answer to {} does not fit: {issues}", misfit.id), false));
        }
        let mut answers = Vec::new();
        for question in &asked.questions {
            let reply = match &question.kind {
                _ if self.deny => Reply::Declined,
                QuestionKind::Approval { .. } if self.yes => Reply::Accepted("{}".to_owned()),
                _ if !terminal::is_interactive() || self.printer.json() => return Ok(None),
                QuestionKind::Form(form) => self.fill_in(form)?,
                QuestionKind::Url(link) => {
                    self.say(&format!("{}\n  {}", link.name, link.uri));
                    self.agree("Have you done that? [y/N] ")?
                }
                QuestionKind::Approval { message } => {
                    self.say(message);
                    self.agree("Allow it? [y/N] ")?
                }
                QuestionKind::Other { .. } => Reply::Nobody,
            };
            answers.push(Answer { id: question.id.clone(), reply });
        }
        Ok(Some(answers))
    }

    fn say(&self, text: &str) {
        self.printer.note(&escape(text, true));
    }

    fn agree(&self, question: &str) -> Result<Reply, Failure> {
        let line = terminal::line(question, false, self.printer)?;
        Ok(match line.as_deref().map(|line| line.trim().to_lowercase()).as_deref() {
            Some("y" | "yes") => Reply::Accepted("{}".to_owned()),
            Some(_) => Reply::Declined,
            None => Reply::Cancelled,
        })
    }

    fn fill_in(&self, form: &Form) -> Result<Reply, Failure> {
        self.say(&form.message);
        let mut filled = Map::new();
        for field in &form.fields {
            match self.field(field)? {
                Some(Some(value)) => {
                    filled.insert(field.name.clone(), value);
                }
                Some(None) => {}
                None => return Ok(Reply::Cancelled),
            }
        }
        Ok(Reply::Accepted(Value::Object(filled).to_string()))
    }

    /// The value of a field, which may stay out; nothing when the person went away.
    fn field(&self, field: &Field) -> Result<Option<Option<Value>>, Failure> {
        if let Some(description) = &field.description {
            self.say(&format!("  {description}"));
        }
        let label = escape(field.title.as_ref().unwrap_or(&field.name), false);
        let question = format!("  {label}{}: ", escape(&hint(field), false));
        for _ in 0..TRIES {
            let Some(line) = terminal::line(&question, false, self.printer)? else { return Ok(None) };
            match field.typed(&line) {
                Ok(value) => return Ok(Some(value)),
                Err(expected) => self.say(&format!("  {expected}")),
            }
        }
        Ok(None)
    }
}

/// What a field takes, in brackets.
fn hint(field: &Field) -> String {
    let choices = |choices: &[hermes_core::ask::Choice]| {
        choices.iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>().join(" | ")
    };
    let takes = match &field.kind {
        FieldKind::Flag => "yes | no".to_owned(),
        FieldKind::Choice(of) => choices(of),
        FieldKind::Choices { from, .. } => format!("some of {}, with commas between", choices(from)),
        FieldKind::Text { .. } | FieldKind::Number { .. } | FieldKind::Integer { .. } => String::new(),
    };
    let empty = match &field.default {
        Some(Value::String(default)) => format!("Enter: {default}"),
        Some(default) => format!("Enter: {default}"),
        None if !field.required => "Enter skips".to_owned(),
        None => String::new(),
    };
    let parts: Vec<String> = [takes, empty].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

fn parse(text: &str) -> Result<Answer, Failure> {
    let expected = || Failure::usage(format!("--answer {}: expected ID=JSON, ID=decline or ID=cancel", quoted(text)));
    let (id, answer) = text.split_once('=').ok_or_else(expected)?;
    let reply = match answer {
        "decline" => Reply::Declined,
        "cancel" => Reply::Cancelled,
        json => match serde_json::from_str::<Value>(json) {
            Ok(_) => Reply::Accepted(json.to_owned()),
            Err(error) => {
                return Err(expected().hint(format!("what follows `{}=` is no JSON: {error}", escape(id, false))));
            }
        },
    };
    Ok(Answer { id: id.to_owned(), reply })
}

/// The questions for programs, as the contract has them for every protocol.
pub(super) fn json(asked: &Asked) -> Value {
    json!({
        "handle": asked.handle,
        "expires_s": asked.expires.as_secs(),
        "requests": asked.questions.iter().map(row).collect::<Vec<_>>(),
    })
}

fn row(question: &Question) -> Value {
    let id = &question.id;
    match &question.kind {
        QuestionKind::Form(form) => json!({"id": id, "kind": "form", "message": form.message, "schema": form.schema()}),
        QuestionKind::Url(link) => json!({"id": id, "kind": "url", "message": link.name, "url": link.uri}),
        QuestionKind::Approval { message } => json!({"id": id, "kind": "approval", "message": message}),
        QuestionKind::Other { method, .. } => json!({"id": id, "kind": "other", "message": method.as_str()}),
    }
}

/// The questions for people.
pub(super) fn describe(asked: &Asked) -> String {
    let lines = asked.questions.iter().map(|question| {
        let message = match &question.kind {
            QuestionKind::Form(form) => form.message.clone(),
            QuestionKind::Url(link) => format!("{} {}", link.name, link.uri),
            QuestionKind::Approval { message } => message.clone(),
            QuestionKind::Other { method, .. } => method.as_str().to_owned(),
        };
        format!("{}: {}", escape(&question.id, false), escape(&message, true).replace('\n', "\n  "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What to do about them: `command`, which made the call, goes on with it.
pub(super) fn answer_with(asked: &Asked, command: &str) -> String {
    let answers = asked.questions.iter().map(|question| {
        let example = match &question.kind {
            QuestionKind::Form(form) => example(form),
            QuestionKind::Url(_) | QuestionKind::Approval { .. } | QuestionKind::Other { .. } => json!({}),
        };
        format!("--answer {}", quoted(&format!("{}={example}", question.id)))
    });
    let answers = answers.collect::<Vec<_>>().join(" ");
    let patience = Duration::from_secs(asked.expires.as_secs());
    format!("answer within {patience:?} with {command} --resume {} {answers}", asked.handle)
}

fn example(form: &Form) -> Value {
    let fields = form.fields.iter().map(|field| {
        let value = match (&field.default, &field.kind) {
            (Some(default), _) => default.clone(),
            (None, FieldKind::Text { .. }) => json!("…"),
            (None, FieldKind::Number { .. } | FieldKind::Integer { .. }) => json!(0),
            (None, FieldKind::Flag) => json!(true),
            (None, FieldKind::Choice(of)) => json!(of.first().map(|choice| choice.value.as_str())),
            (None, FieldKind::Choices { .. }) => json!([]),
        };
        (field.name.clone(), value)
    });
    Value::Object(fields.collect())
}
