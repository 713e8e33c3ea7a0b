//! The query of a request's URL: known parameters, each once.

use hermes_core::nearest;
use http::Uri;
use url::form_urlencoded;

use super::request::malformed;
use crate::http::HttpError;

/// The values of `names`, in their order.
///
/// # Errors
///
/// When there are other parameters, or one twice.
pub(super) fn read<const N: usize>(uri: &Uri, names: [&str; N]) -> Result<[Option<String>; N], HttpError> {
    let mut values = [const { None }; N];
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        let mut places = names.iter().zip(&mut values);
        let Some((_, place)) = places.find(|(known, _)| **known == name) else { return Err(unknown(&name, &names)) };
        if place.replace(value.into_owned()).is_some() {
            return Err(malformed(format!("`{name}` is there twice; several names are separated by commas")));
        }
    }
    Ok(values)
}

/// A number, or the default.
///
/// # Errors
///
/// When it is none, or not from 1 to `most`.
pub(super) fn limit(value: Option<&str>, default: usize, most: usize) -> Result<usize, HttpError> {
    let Some(value) = value else { return Ok(default) };
    let limit = value.parse().ok().filter(|limit| (1..=most).contains(limit));
    limit.ok_or_else(|| malformed(format!("`limit`: expected a number from 1 to {most}, got {value:?}")))
}

/// Where a page begins.
///
/// # Errors
///
/// When no page says so.
pub(super) fn cursor(value: Option<&str>) -> Result<Option<u64>, HttpError> {
    // As many digits as no number of 64 bits is too small for.
    let digits = |value: &&str| (1..=18).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    let read = |value: &str| Some(value).filter(digits)?.parse().ok();
    let wrong = || malformed("`cursor`: expected what the page before says under `next`");
    value.map(|value| read(value).ok_or_else(wrong)).transpose()
}

fn unknown(name: &str, names: &[&str]) -> HttpError {
    let error = malformed(format!("there is no parameter `{name}`: expected {}", names.join(", ")));
    match nearest(name, names.iter().copied()) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error,
    }
}
