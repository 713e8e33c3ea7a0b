//! `hermes:tools`: calls of other tools.
//!
//! The caller lives in the task that awaits the call and the guest on the guests' threads, so requests go from here over a
//! channel. What is called takes the path of every call; here is only what concerns the guest that calls.

use std::sync::Arc;

use hermes_core::{Caller, Content, Fault, LimitKind, Outcome, Output, Power, ToolRequest};
use hermes_manifest::Manifest;
use tokio::sync::{mpsc, oneshot};
use wasmtime::component::HasData;

use crate::bindings::tools as wit;
use crate::convert::Size;
use crate::limits::{Exceeded, Refusals, amount, cut};
use crate::places::Place;

/// What a guest asks of its caller.
pub(crate) enum Asked {
    List(oneshot::Sender<Vec<Arc<Manifest>>>),
    Call(Vec<ToolRequest>, oneshot::Sender<Vec<Outcome>>),
}

/// The guest's end of the way to its caller.
pub(crate) type Desk = mpsc::Sender<Asked>;

/// The caller's end. A guest waits for each answer, so one request is under way at most.
pub(crate) struct Inbox(Option<mpsc::Receiver<Asked>>);

/// Both ends, for a call with this power. Without other tools to call there is nothing to ask.
pub(crate) fn desk(power: &Power) -> (Option<Desk>, Inbox) {
    if power.tools.is_empty() {
        return (None, Inbox(None));
    }
    let (desk, inbox) = mpsc::channel(1);
    (Some(desk), Inbox(Some(inbox)))
}

impl Inbox {
    /// The next request; none ever when the guest cannot ask any more.
    pub(crate) async fn next(&mut self) -> Asked {
        match &mut self.0 {
            Some(inbox) => match inbox.recv().await {
                Some(asked) => asked,
                None => std::future::pending().await,
            },
            None => std::future::pending().await,
        }
    }
}

impl Asked {
    /// Has `caller` answer, while the guest waits in its place. Dropping the future cancels the calls.
    pub(crate) async fn answer(self, caller: &dyn Caller, place: &Place) {
        // Who no longer waits for the answer needs none.
        match self {
            Self::List(reply) => {
                let _ = reply.send(caller.tools());
            }
            Self::Call(requests, reply) => {
                let waits = place.wait();
                let outcomes = caller.call(requests).await;
                drop(waits);
                let _ = reply.send(outcomes);
            }
        }
    }
}

/// What one call may do with other tools.
pub(crate) struct Tools {
    power: Arc<Power>,
    refusals: Refusals,
    calls_left: u64,
    desk: Option<Desk>,
}

impl HasData for Tools {
    type Data<'a> = &'a mut Tools;
}

impl Tools {
    pub(crate) fn new(power: Arc<Power>, refusals: Refusals, desk: Option<Desk>) -> Self {
        Self { calls_left: power.limits.calls, power, refusals, desk }
    }

    /// What needs no asking: may this call be made at all?
    fn admit(&mut self, request: wit::Request) -> Result<ToolRequest, Outcome> {
        let wit::Request { tool, args } = request;
        match self.calls_left.checked_sub(1) {
            Some(left) => self.calls_left = left,
            None => return Err(self.limit(LimitKind::Calls)),
        }
        if !self.power.tools.contains(tool.as_str()) {
            self.refusals.denied("tools", &tool);
            return Err(Outcome::Denied { capability: "tools".to_owned(), target: cut(&tool) });
        }
        if args.len() as u64 > self.power.limits.args {
            return Err(self.limit(LimitKind::Args));
        }
        self.refusals.went_on();
        Ok(ToolRequest { tool, args })
    }

    fn limit(&self, kind: LimitKind) -> Outcome {
        self.refusals.limit(kind);
        Outcome::Limit { kind, detail: amount(kind, &self.power.limits) }
    }

    async fn ask<T>(&self, ask: impl FnOnce(oneshot::Sender<T>) -> Asked) -> wasmtime::Result<Option<T>> {
        let Some(desk) = &self.desk else { return Ok(None) };
        let (reply, answer) = oneshot::channel();
        // Only a call that nobody awaits any more has no other end; it is about to be dropped.
        desk.send(ask(reply)).await.map_err(|_| wasmtime::Error::msg("nobody awaits the call"))?;
        Ok(Some(answer.await?))
    }

    fn answer(&self, outcome: Outcome, size: &mut Size<'_>) -> Result<wit::Answer, wit::Refusal> {
        match outcome {
            Outcome::Done(output) => answer(output, size).map_err(|fault| {
                self.refusals.limit(LimitKind::Output);
                refusal(&fault.into())
            }),
            Outcome::Limit { kind: kind @ (LimitKind::Depth | LimitKind::Calls), .. } => {
                // They count what this call did: who fails for them was stopped by them.
                self.refusals.limit(kind);
                Err(refusal(&outcome))
            }
            outcome => Err(refusal(&outcome)),
        }
    }
}

impl wit::Host for Tools {
    async fn list(&mut self) -> wasmtime::Result<Vec<wit::Listed>> {
        let manifests = self.ask(Asked::List).await?.unwrap_or_default();
        let granted = manifests.iter().filter(|manifest| self.power.tools.contains(&manifest.name));
        Ok(granted.filter_map(|manifest| listed(manifest)).collect())
    }

    async fn call(&mut self, request: wit::Request) -> wasmtime::Result<Result<wit::Answer, wit::Refusal>> {
        let answers = self.batch(vec![request]).await?;
        Ok(answers.into_iter().next().unwrap_or_else(|| Err(refusal(&unanswered()))))
    }

    async fn batch(&mut self, requests: Vec<wit::Request>) -> wasmtime::Result<Vec<Result<wit::Answer, wit::Refusal>>> {
        let power = Arc::clone(&self.power);
        let limits = &power.limits;
        if requests.len() as u64 > limits.calls {
            // Each would have to be refused by itself, and there is no end to how many there are.
            let kind = LimitKind::Calls;
            return Err(Exceeded { kind, detail: amount(kind, limits) }.into());
        }
        let mut sent = Vec::new();
        let refused: Vec<_> =
            requests.into_iter().map(|request| self.admit(request).map(|request| sent.push(request)).err()).collect();
        let outcomes = if sent.is_empty() {
            Vec::new()
        } else {
            self.ask(|reply| Asked::Call(sent, reply)).await?.unwrap_or_default()
        };
        let mut outcomes = outcomes.into_iter();
        let mut size = Size::new(limits);
        let answers = refused.into_iter().map(|refused| {
            let outcome = refused.or_else(|| outcomes.next()).unwrap_or_else(unanswered);
            self.answer(outcome, &mut size)
        });
        Ok(answers.collect())
    }
}

fn unanswered() -> Outcome {
    Outcome::HostError("a call of another tool was not answered".to_owned())
}

/// A hook is none of the tools that can be called.
fn listed(manifest: &Manifest) -> Option<wit::Listed> {
    Some(wit::Listed {
        name: manifest.name.to_string(),
        description: manifest.description.clone(),
        schema: manifest.schema()?.as_value().to_string(),
        output_schema: manifest.output_schema().map(|schema| schema.as_value().to_string()),
        read_only: manifest.annotations.read_only,
    })
}

fn refusal(outcome: &Outcome) -> wit::Refusal {
    let asks = || {
        let error = "the tool asks a question, which no tool can answer";
        serde_json::json!({"error": error, "kind": outcome.name()})
    };
    wit::Refusal { outcome: outcome.name().to_owned(), error: outcome.error().unwrap_or_else(asks).to_string() }
}

fn answer(output: Output, size: &mut Size<'_>) -> Result<wit::Answer, Fault> {
    let content = output.content.into_iter().map(|piece| {
        Ok(match piece {
            Content::Text(text) => wit::Content::Text(size.text(text)?),
            Content::Image(media) => wit::Content::Image(self::media(media, size)?),
            Content::Audio(media) => wit::Content::Audio(self::media(media, size)?),
            Content::Embedded(blob) => wit::Content::Embedded(wit::Blob {
                uri: size.text(blob.uri)?,
                mime: size.optional(blob.mime)?,
                text: size.optional(blob.text)?,
                data: blob.data.map(|data| size.bytes(data)).transpose()?,
            }),
            Content::Link(link) => wit::Content::Link(wit::Link {
                uri: size.text(link.uri)?,
                name: size.text(link.name)?,
                mime: size.optional(link.mime)?,
            }),
        })
    });
    let content = content.collect::<Result<_, Fault>>()?;
    Ok(wit::Answer { content, structured: size.optional(output.structured.map(|value| value.to_string()))? })
}

fn media(media: hermes_core::Media, size: &mut Size<'_>) -> Result<wit::Media, Fault> {
    Ok(wit::Media { mime: size.text(media.mime)?, data: size.bytes(media.data)? })
}
