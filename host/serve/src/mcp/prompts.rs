//! Prompts, and what they ask first.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hermes_core::ask::Question;
use hermes_core::library::{Library, Message, Prompt as FilePrompt, PromptError, Rendered, Role as Speaker};
use hermes_core::{Reply, UnknownName};
use hermes_manifest::ClientFeature;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::handler::Mcp;
use super::{ask, content, session};

/// How long a client of an older revision may take for an answer.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often such a client is asked when its answers do not fit.
const MAX_ROUNDS: usize = 8;

/// The prompts, in the order of names.
pub(super) fn all<'a>(library: Library<'a>) -> impl Iterator<Item = Prompt> + use<'a> {
    library.prompts().map(|prompt| {
        let arguments = prompt.arguments.iter().map(|argument| {
            let mut listed = PromptArgument::new(argument.name.as_str()).with_required(argument.required);
            listed.title.clone_from(&argument.title);
            listed.description.clone_from(&argument.description);
            listed
        });
        let arguments = (!prompt.arguments.is_empty()).then(|| arguments.collect());
        let mut listed = Prompt::new(prompt.name.as_str(), prompt.description.as_deref(), arguments);
        listed.title.clone_from(&prompt.title);
        listed
    })
}

impl Mcp {
    /// Gives what comes of a prompt, after its question was answered if it has one.
    pub(super) async fn prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let catalog = self.server.host.registry().catalog();
        let library = catalog.library(&self.session.view);
        let prompt = library.prompt(&params.name).map_err(|unknown: UnknownName| refused(&unknown.into()))?;
        let arguments = texts(params.arguments.unwrap_or_default())?;
        let render = |answer| prompt.render(&arguments, answer).map_err(|error| refused(&error));
        let question = match render(None)? {
            Rendered::Messages(messages) => return Ok(complete(prompt, &messages)),
            Rendered::Ask(question) => question,
        };
        let given = ask::answers(params.input_responses).into_iter().find(|answer| answer.id == question.id);
        if let Some(answer) = given
            && let Rendered::Messages(messages) = render(Some(answer.reply))?
        {
            return Ok(complete(prompt, &messages));
        }
        let needed = BTreeSet::from([ClientFeature::Elicitation]);
        if !needed.is_subset(&ask::features(context.client_capabilities().as_ref())) {
            return Err(ErrorData::missing_required_client_capability(ask::capabilities(&needed)));
        }
        if session::is_modern(&context) {
            return Ok(ask::prompted(&question).into());
        }
        for _ in 0..MAX_ROUNDS {
            let reply = self.elicit(&question, &context).await?;
            if let Rendered::Messages(messages) = render(Some(reply))? {
                return Ok(complete(prompt, &messages));
            }
        }
        Err(refused(&PromptError::Unanswered))
    }

    /// Asks a client of an older revision. That counts as one of its calls: its session is in use meanwhile.
    async fn elicit(&self, question: &Question, context: &RequestContext<RoleServer>) -> Result<Reply, ErrorData> {
        let busy = || ErrorData::internal_error("too many calls of this client run; try again later", None);
        let _place = self.lease.place().ok_or_else(busy)?;
        let _running = self.server.calls.token();
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Ok(Reply::Cancelled),
            () = self.lease.gone.cancelled() => Ok(Reply::Cancelled),
            reply = ask::ask_one(&context.peer, question, PATIENCE) => Ok(reply),
        }
    }
}

fn complete(prompt: &FilePrompt, messages: &[Message]) -> GetPromptResponse {
    let mut result = GetPromptResult::new(messages.iter().map(message).collect());
    result.description.clone_from(&prompt.description);
    result.into()
}

fn message(message: &Message) -> PromptMessage {
    let role = match message.role {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
    };
    PromptMessage::new(role, content::block(&message.content))
}

fn refused(error: &PromptError) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

/// Arguments as the protocol has them: each a string.
fn texts(arguments: JsonObject) -> Result<BTreeMap<String, String>, ErrorData> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        _ => {
            let shown: String = name.chars().take(64).collect();
            Err(ErrorData::invalid_params(format!("the argument `{shown}`: expected a string"), None))
        }
    };
    arguments.into_iter().map(text).collect()
}
