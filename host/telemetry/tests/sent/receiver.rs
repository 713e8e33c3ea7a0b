//! A collector of OTLP over HTTP, as far as tests need one: it reads requests by the official messages, and answers as it is told.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What a collector makes of a request.
#[derive(Clone)]
#[allow(dead_code, reason = "each crate of tests uses its own")]
pub(crate) enum Answer {
    /// It takes all spans.
    Takes,
    /// It takes all but so many.
    Refuses(i64),
    /// This status, and more lines of a head.
    Status(String),
    /// None, and the connection stays open.
    Never,
}

/// What came.
#[derive(Default)]
pub(crate) struct Seen {
    /// The heads of requests, in lower case but for the first line.
    pub(crate) heads: Vec<String>,
    /// The bodies of requests.
    pub(crate) bodies: Vec<Vec<u8>>,
    pub(crate) spans: Vec<Span>,
    /// The attributes of what sent them.
    pub(crate) resource: BTreeMap<String, String>,
}

#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Receiver {
    /// Answers the first requests so, in order, and takes the spans of all others.
    pub(crate) fn start(answers: &[Answer]) -> Self {
        Self::with(answers, None)
    }

    pub(crate) fn with(answers: &[Answer], tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let receiver = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let answers = Arc::new(Mutex::new(VecDeque::from(answers.to_vec())));
        let server = receiver.clone();
        // The thread ends with the test's process: it owns nothing that outlives it.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (server, answers, tls) = (server.clone(), Arc::clone(&answers), tls.clone());
                let next = move || answers.lock().unwrap().pop_front().unwrap_or(Answer::Takes);
                thread::spawn(move || match tls {
                    None => server.serve(stream, next),
                    Some(tls) => server.serve(StreamOwned::new(ServerConnection::new(tls).unwrap(), stream), next),
                });
            }
        });
        receiver
    }

    fn serve(&self, stream: impl Read + Write, next: impl FnOnce() -> Answer) -> Option<()> {
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let (first, rest) = head.split_once("\r\n")?;
        let head = format!("{first}\r\n{}", rest.to_lowercase());
        let length = head.split_once("content-length: ")?.1.split_once("\r\n")?.0.parse().ok()?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let answer = next();
        self.tell(head, body, &answer);
        let (status, body) = match answer {
            Answer::Takes => ("200 OK".to_owned(), Vec::new()),
            Answer::Refuses(rejected_spans) => {
                let partial = ExportTracePartialSuccess { rejected_spans, error_message: "no".to_owned() };
                ("200 OK".to_owned(), ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec())
            }
            Answer::Status(status) => (status, b"not a message".to_vec()),
            Answer::Never => loop {
                thread::park();
            },
        };
        let stream = stream.get_mut();
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).ok()?;
        stream.write_all(&body).ok()?;
        stream.flush().ok()
    }

    fn tell(&self, head: String, body: Vec<u8>, answer: &Answer) {
        let mut seen = self.seen.0.lock().unwrap();
        seen.heads.push(head);
        if matches!(answer, Answer::Takes | Answer::Refuses(_)) {
            let message = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
            for sender in message.resource_spans {
                seen.resource = texts(&sender.resource.unwrap().attributes);
                seen.spans.extend(sender.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
        seen.bodies.push(body);
        self.seen.1.notify_all();
    }

    /// Waits until it is so, and returns what `then` makes of it.
    pub(crate) fn until<T>(&self, is_so: impl Fn(&Seen) -> bool, then: impl FnOnce(&Seen) -> T) -> T {
        let seen = self.seen.0.lock().unwrap();
        let (seen, late) = self.seen.1.wait_timeout_while(seen, Duration::from_secs(60), |seen| !is_so(seen)).unwrap();
        assert!(!late.timed_out(), "{:#?} {:#?}", seen.heads, seen.spans);
        then(&seen)
    }

    /// The spans, once there are so many.
    pub(crate) fn spans(&self, number: usize) -> Vec<Span> {
        self.until(|seen| seen.spans.len() >= number, |seen| seen.spans.clone())
    }

    /// Looks at what has come until now.
    pub(crate) fn now<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        self.until(|_| true, look)
    }
}

/// Attributes as text.
pub(crate) fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &any_value::Value| match value {
        any_value::Value::StringValue(text) => text.clone(),
        any_value::Value::IntValue(number) => number.to_string(),
        any_value::Value::DoubleValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let value = |attribute: &KeyValue| text(attribute.value.as_ref().unwrap().value.as_ref().unwrap());
    attributes.iter().map(|attribute| (attribute.key.clone(), value(attribute))).collect()
}

/// An id as Trace Context writes it.
pub(crate) fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
