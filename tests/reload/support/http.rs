//! HTTP/1.1 as a client speaks it, blocking, with nothing hidden.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Instant;

use serde_json::Value;

use super::MOST;

/// One connection, for one request after another.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    common: String,
}

/// An answer that was read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Its lines, names in lower case.
    head: Vec<String>,
    pub(crate) body: String,
}

/// An answer whose body comes bit by bit, as messages. Dropping it closes the connection.
pub(crate) struct Stream {
    connection: Connection,
    read: String,
}

/// Breaks a connection, from any thread.
pub(crate) struct Cut(TcpStream);

impl Connection {
    pub(crate) fn open(address: SocketAddr, token: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(MOST)).unwrap();
        stream.set_nodelay(true).unwrap();
        let common = format!("Host: {address}\r\nAuthorization: Bearer {token}");
        Self { stream: BufReader::new(stream), common }
    }

    pub(crate) fn cut(&self) -> Cut {
        Cut(self.stream.get_ref().try_clone().unwrap())
    }

    /// Sends `GET /path` or the like; `headers` are lines.
    pub(crate) fn send(&mut self, what: &str, headers: &[String], body: &str) {
        let mut head = format!("{what} HTTP/1.1\r\n{}\r\nContent-Length: {}", self.common, body.len());
        for header in headers {
            head.push_str("\r\n");
            head.push_str(header);
        }
        self.stream.get_mut().write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    }

    pub(crate) fn ask(&mut self, what: &str, headers: &[String], body: &str) -> Answer {
        self.send(what, headers, body);
        self.receive()
    }

    /// The whole answer.
    pub(crate) fn receive(&mut self) -> Answer {
        let (status, head) = self.head();
        let mut body = Vec::new();
        if is_chunked(&head) {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
        } else {
            let length = value(&head, "content-length").map_or(0, |length| length.parse().unwrap());
            body.resize(length, 0);
            self.stream.read_exact(&mut body).unwrap();
        }
        Answer { status, head, body: String::from_utf8(body).unwrap() }
    }

    /// The messages of an answer that goes on.
    pub(crate) fn stream(mut self) -> Stream {
        let (status, head) = self.head();
        assert!(status == 200 && is_chunked(&head), "no stream: {status} {head:?}");
        Stream { connection: self, read: String::new() }
    }

    fn head(&mut self) -> (u16, Vec<String>) {
        let status = self.line();
        let status = status.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {status:?}")).parse().unwrap();
        let mut head = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { return (status, head) };
            head.push(format!("{}: {}", name.to_lowercase(), value.trim()));
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The next piece of a body; `None` at its end.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line(), 16).ok()?;
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).ok()?;
        chunk.truncate(length);
        (length > 0).then_some(chunk)
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        value(&self.head, name)
    }

    /// The body of an answer that is well.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Stream {
    /// The next message; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let late = Instant::now() + MOST;
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
                self.read = rest.to_owned();
                if let Ok(message) = serde_json::from_str(&data) {
                    return Some(message);
                }
            }
            // A stream that only shows that it lives tells nothing.
            assert!(Instant::now() < late, "nothing is told");
            let chunk = self.connection.chunk()?;
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The first message from here on that is so.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let late = Instant::now() + MOST;
        loop {
            let message = self.next().unwrap_or_else(|| panic!("the stream ended before: {what}"));
            if is_so(&message) {
                return message;
            }
            assert!(Instant::now() < late, "{what}");
        }
    }

    /// Looks, and looks again after each message, until it is so.
    pub(crate) fn until_seen(&mut self, what: &str, is_so: impl Fn() -> bool) {
        if !is_so() {
            self.until(what, |_| is_so());
        }
    }

    pub(crate) fn cut(&self) -> Cut {
        self.connection.cut()
    }
}

impl Cut {
    /// Closes it as a client does that ends.
    pub(crate) fn close(self) {
        // The other end may have closed it already.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Ends a connection with a reset, as the system does for a client that crashed with bytes unread.
pub(crate) fn reset(connection: Connection) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let _context = runtime.enter();
    let stream = connection.stream.into_inner();
    stream.set_nonblocking(true).unwrap();
    tokio::net::TcpStream::from_std(stream).unwrap().set_zero_linger().unwrap();
}

fn value<'a>(head: &'a [String], name: &str) -> Option<&'a str> {
    head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn is_chunked(head: &[String]) -> bool {
    value(head, "transfer-encoding") == Some("chunked")
}
