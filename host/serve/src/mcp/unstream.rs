//! Answers of one message as JSON. rmcp streams whatever it answers in a session, and clients bound what one event may hold, not what
//! an answer of JSON may.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::{StreamExt as _, stream};
use http::{HeaderValue, header};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::{Instant, timeout_at};

/// How long an answer may take to be one of JSON. Whoever waits longer sees the stream begin.
const QUICK: Duration = Duration::from_secs(1);

/// The members that tell a response from other messages.
#[derive(Deserialize)]
struct Head {
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The same answer, as JSON where its first message is its last. Whatever else comes first is passed on as it comes: a notification, a
/// request, a sign that the connection lives, or nothing for a while.
pub(super) async fn whole(response: Response) -> Response {
    let streamed =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes() == b"text/event-stream");
    if !streamed {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let mut rest = body.into_data_stream();
    let mut read = Vec::new();
    let mut end = 0;
    let late = Instant::now() + QUICK;
    let broken = loop {
        if let Some(event) = next(&read, &mut end) {
            match event {
                // What lets a client come back for the answer.
                Event::Priming => continue,
                Event::Message(data) if is_response(&data) => {
                    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                    parts.headers.remove(header::CACHE_CONTROL);
                    return Response::from_parts(parts, Body::from(data));
                }
                Event::Message(_) | Event::Comment => break None,
            }
        }
        match timeout_at(late, rest.next()).await {
            Ok(Some(Ok(more))) => read.extend_from_slice(&more),
            Ok(Some(Err(error))) => break Some(Err(error)),
            Ok(None) | Err(_) => break None,
        }
    };
    let first = stream::iter([Ok(Bytes::from(read))].into_iter().chain(broken));
    Response::from_parts(parts, Body::from_stream(first.chain(rest)))
}

enum Event {
    /// It has no data.
    Priming,
    Comment,
    Message(Vec<u8>),
}

/// The event that begins at `end`, which is then where it ends; none while it is not whole (WHATWG server-sent events, with the line
/// breaks that rmcp writes).
fn next(read: &[u8], end: &mut usize) -> Option<Event> {
    let rest = read.get(*end..)?;
    let length = rest.windows(2).position(|pair| pair == b"\n\n")?;
    let event = rest.get(..length)?;
    *end += length + 2;
    let lines: Vec<&[u8]> = event.split(|byte| *byte == b'\n').collect();
    if lines.iter().all(|line| line.starts_with(b":")) {
        return Some(Event::Comment);
    }
    let data = lines.iter().filter_map(|line| line.strip_prefix(b"data:"));
    let data: Vec<&[u8]> = data.map(|data| data.strip_prefix(b" ").unwrap_or(data)).collect();
    let data = data.join(&b'\n');
    Some(if data.is_empty() { Event::Priming } else { Event::Message(data) })
}

fn is_response(data: &[u8]) -> bool {
    let head = serde_json::from_slice::<Head>(data);
    head.is_ok_and(|head| head.method.is_none() && (head.result.is_some() || head.error.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn unstreamed(chunks: &[&'static str]) -> (String, String) {
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| Ok::<_, std::io::Error>(Bytes::from_static(chunk.as_bytes()))).collect();
        let mut response = Response::new(Body::from_stream(stream::iter(chunks)));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        let response = whole(response).await;
        let kind = response.headers()[header::CONTENT_TYPE].to_str().expect("a type").to_owned();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        (kind, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn one_message_is_json_and_more_are_passed_on_as_they_came() {
        const PRIMING: &str = "id: 0\nretry: 3000\ndata: \n\n";
        const ANSWER: &str = "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
        const PROGRESS: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n";
        let json = ("application/json".to_owned(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}".to_owned());
        assert_eq!(unstreamed(&[ANSWER]).await, json);
        assert_eq!(unstreamed(&[PRIMING, ANSWER]).await, json);
        assert_eq!(
            unstreamed(&["id: 0\nda", "ta: \n", "\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"re", "sult\":{}}\n\n"])
                .await,
            json
        );
        for streamed in [
            &[PRIMING, PROGRESS, ANSWER][..],
            &[PROGRESS, ANSWER],
            &[": alive\n\n", ANSWER],
            &[PRIMING],
            &[],
            &["data: no json\n\n"],
            &["data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n"],
            &["data: cut off"],
        ] {
            assert_eq!(unstreamed(streamed).await, ("text/event-stream".to_owned(), streamed.concat()));
        }
    }
}
