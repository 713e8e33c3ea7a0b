//! The `Range` of a request (RFC 9110, section 14), as far as it is one part.

use http::{HeaderMap, header};

/// Which bytes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All: a client may always get the whole.
    Whole,
    /// From the first to the last, both included; there are such bytes.
    Part { first: u64, last: u64 },
    /// None that there are.
    Unsatisfiable,
}

impl Wanted {
    /// What a request wants of `total` bytes. What is no range of bytes, or several, means the whole.
    pub(super) fn of(headers: &HeaderMap, total: u64) -> Self {
        // A condition on a validator, of which there are none here, never holds.
        if headers.contains_key(header::IF_RANGE) {
            return Self::Whole;
        }
        let said = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
        said.and_then(|said| Self::parse(said, total)).unwrap_or(Self::Whole)
    }

    fn parse(said: &str, total: u64) -> Option<Self> {
        let (unit, range) = said.split_once('=')?;
        let (first, last) = range.trim().split_once('-')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        let end = total.checked_sub(1);
        if first.is_empty() {
            let most = number(last)?;
            return Some(match end {
                Some(end) if most > 0 => Self::Part { first: total.saturating_sub(most), last: end },
                _ => Self::Unsatisfiable,
            });
        }
        let first = number(first)?;
        let last = if last.is_empty() { u64::MAX } else { number(last)? };
        if last < first {
            return None;
        }
        Some(match end {
            Some(end) if first <= end => Self::Part { first, last: last.min(end) },
            _ => Self::Unsatisfiable,
        })
    }
}

/// Digits alone; more than fit are more than there are bytes.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_range_is_one_part_or_the_whole() {
        let part = |first, last| Wanted::Part { first, last };
        for (said, total, expected) in [
            ("bytes=0-3", 10, part(0, 3)),
            ("Bytes=5-", 10, part(5, 9)),
            ("bytes=5-99", 10, part(5, 9)),
            ("bytes=-4", 10, part(6, 9)),
            ("bytes=-99", 10, part(0, 9)),
            ("bytes=9-9", 10, part(9, 9)),
            ("bytes=0-99999999999999999999999", 10, part(0, 9)),
            ("bytes=10-", 10, Wanted::Unsatisfiable),
            ("bytes=-0", 10, Wanted::Unsatisfiable),
            ("bytes=0-0", 0, Wanted::Unsatisfiable),
            ("bytes=-1", 0, Wanted::Unsatisfiable),
            ("bytes=3-2", 10, Wanted::Whole),
            ("bytes=0-1,3-4", 10, Wanted::Whole),
            ("bytes=+1-2", 10, Wanted::Whole),
            ("bytes=-", 10, Wanted::Whole),
            ("lines=1-2", 10, Wanted::Whole),
            ("nonsense", 10, Wanted::Whole),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, HeaderValue::from_static(said));
            assert_eq!(Wanted::of(&headers, total), expected, "{said} of {total}");
            headers.insert(header::IF_RANGE, HeaderValue::from_static("\"x\""));
            assert_eq!(Wanted::of(&headers, total), Wanted::Whole, "{said} on a condition");
        }
    }
}
