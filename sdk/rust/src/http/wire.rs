//! Exchanges over `wasi:http`.

use super::{Request, Response};
use crate::bindings::tool::wasi::http::outgoing_handler;
use crate::bindings::tool::wasi::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingResponse, Method, OutgoingBody, OutgoingRequest, Scheme,
};
use crate::bindings::tool::wasi::io::streams::{InputStream, OutputStream, StreamError};
use crate::task::ready;
use crate::{Error, Result};

/// Bytes that one read asks for.
const CHUNK: u64 = 64 * 1024;

/// Sends `request` and reads the whole response.
pub(super) async fn exchange(request: &Request) -> Result<Response> {
    let outgoing = prepare(request)?;
    let body = outgoing.body().map_err(|()| malformed(request, "the body"))?;
    let answer = outgoing_handler::handle(outgoing, None).map_err(|code| failure(request, &code))?;
    // A server may answer, and a host may refuse, before all is sent; what counts is the answer.
    let _ = send_body(body, request.bytes()).await;
    ready(answer.subscribe()).await;
    let response = match answer.get() {
        Some(Ok(Ok(response))) => response,
        Some(Ok(Err(code))) => return Err(failure(request, &code)),
        Some(Err(())) | None => return Err(Error::unavailable(format_args!("{}: no answer", request.target()))),
    };
    let mut whole = Response::new(response.status(), Vec::new()).answering(request.target());
    for (name, value) in response.headers().entries() {
        whole.headers.push((name.to_ascii_lowercase(), String::from_utf8_lossy(&value).into_owned()));
    }
    whole.body = receive_body(request, &response).await?;
    Ok(whole)
}

fn prepare(request: &Request) -> Result<OutgoingRequest> {
    let fields = Fields::new();
    for (name, value) in request.headers() {
        fields.append(name, value.as_bytes()).map_err(|_| malformed(request, &format!("header `{name}`")))?;
    }
    let outgoing = OutgoingRequest::new(fields);
    let url = request.url().split('#').next().unwrap_or_default();
    let (scheme, rest) = url.split_once("://").ok_or_else(|| malformed(request, "the URL, which has no scheme"))?;
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return Err(malformed(request, "the URL, whose scheme is neither http nor https")),
    };
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let path = if path.starts_with('?') { format!("/{path}") } else { path.to_owned() };
    outgoing.set_method(&method(request.method())).map_err(|()| malformed(request, "the method"))?;
    outgoing.set_scheme(Some(&scheme)).map_err(|()| malformed(request, "the scheme"))?;
    outgoing.set_authority(Some(authority)).map_err(|()| malformed(request, "the host"))?;
    outgoing.set_path_with_query(Some(&path)).map_err(|()| malformed(request, "the path"))?;
    Ok(outgoing)
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "PATCH" => Method::Patch,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        other => Method::Other(other.to_owned()),
    }
}

fn malformed(request: &Request, part: &str) -> Error {
    Error::failed(format_args!("{}: {part} is malformed; percent-encode what is not plain", request.target()))
}

/// What the host reports, in the tool's terms: a missing grant, or a server that cannot be reached.
fn failure(request: &Request, code: &ErrorCode) -> Error {
    match code {
        ErrorCode::HttpRequestDenied | ErrorCode::DestinationIpProhibited => Error::denied("http", request.grant()),
        ErrorCode::HttpRequestUriInvalid | ErrorCode::HttpRequestMethodInvalid => {
            malformed(request, "the URL or method")
        }
        other => Error::unavailable(format_args!("{}: {}", request.target(), plain(other))),
    }
}

/// The reasons that people meet, in words; the rest by the name that WASI gives them.
fn plain(code: &ErrorCode) -> String {
    let words = match code {
        ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => "there is no server of this name",
        ErrorCode::DnsTimeout => "looking up the name took too long",
        ErrorCode::DestinationUnavailable | ErrorCode::ConnectionRefused => "the server does not accept connections",
        ErrorCode::ConnectionTerminated => "the server closed the connection",
        ErrorCode::ConnectionTimeout | ErrorCode::ConnectionReadTimeout | ErrorCode::ConnectionWriteTimeout => {
            "the server took too long"
        }
        ErrorCode::ConnectionLimitReached => "too many requests at one time",
        ErrorCode::TlsCertificateError | ErrorCode::TlsProtocolError | ErrorCode::TlsAlertReceived(_) => {
            "no secure connection: the server's certificate or TLS is not accepted"
        }
        ErrorCode::HttpResponseBodySize(_) => "the answer is too large",
        ErrorCode::HttpResponseTimeout => "the answer took too long",
        other => return format!("{other:?}").trim_start_matches("ErrorCode::").to_owned(),
    };
    words.to_owned()
}

async fn send_body(body: OutgoingBody, bytes: &[u8]) -> Option<()> {
    if !bytes.is_empty() {
        let stream = body.write().ok()?;
        write_all(&stream, bytes).await.ok()?;
    }
    OutgoingBody::finish(body, None).ok()
}

async fn write_all(stream: &OutputStream, mut bytes: &[u8]) -> Result<(), StreamError> {
    while !bytes.is_empty() {
        let room = usize::try_from(stream.check_write()?).unwrap_or(usize::MAX);
        if room == 0 {
            ready(stream.subscribe()).await;
            continue;
        }
        let (now, later) = bytes.split_at(room.min(bytes.len()));
        stream.write(now)?;
        bytes = later;
    }
    stream.flush()?;
    ready(stream.subscribe()).await;
    stream.check_write().map(|_| ())
}

async fn receive_body(request: &Request, response: &IncomingResponse) -> Result<Vec<u8>> {
    let incomplete = || Error::unavailable(format_args!("{}: the answer broke off", request.target()));
    let body: IncomingBody = response.consume().map_err(|()| incomplete())?;
    let stream: InputStream = body.stream().map_err(|()| incomplete())?;
    let mut bytes = Vec::new();
    loop {
        match stream.read(CHUNK) {
            Ok(chunk) if chunk.is_empty() => ready(stream.subscribe()).await,
            Ok(chunk) => bytes.extend(chunk),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(StreamError::LastOperationFailed(_)) => return Err(incomplete()),
        }
    }
}
