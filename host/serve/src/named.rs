//! What every protocol lets a request name: its session, its task, and the trace that it is part of.

/// Characters of a name from outside.
const MAX_NAME: usize = 256;
/// Bytes of a field of the trace context, as its specification wants at least.
const MAX_TRACE: usize = 512;

/// Checks the name of a session or task, which stands under `what`.
///
/// # Errors
///
/// When no session can have it, in words for who sent it.
pub(crate) fn name(what: &str, name: &str) -> Result<String, String> {
    if name.is_empty() || name.chars().nth(MAX_NAME).is_some() || name.chars().any(char::is_control) {
        return Err(format!("`{what}`: expected 1 to {MAX_NAME} characters, none of them a control character"));
    }
    Ok(name.to_owned())
}

/// The trace that a request is part of (W3C Trace Context), by the values of its fields. What no header could hold is left out.
pub(crate) fn trace<'a>(value: impl Fn(&'static str) -> Option<&'a str>) -> Vec<(String, String)> {
    let plain = |value: &&str| value.len() <= MAX_TRACE && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let field = |name| Some((String::from(name), value(name).filter(plain)?.to_owned()));
    ["traceparent", "tracestate", "baggage"].into_iter().filter_map(field).collect()
}
