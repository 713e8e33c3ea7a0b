//! The addresses of kept results: `hermes://results/{id}{?offset,limit,line,lines}`.

use std::fmt;
use std::str::FromStr;

use super::owner::hex;
use super::pager::Range;

/// The id of a kept result. It is no path and cannot be guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId(pub(super) u128);

/// The address of a kept result, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultUri {
    /// Which.
    pub id: ResultId,
    /// Which part.
    pub range: Range,
}

/// A text that is no address of a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// An address of something else.
    #[error("expected `{TEMPLATE}`")]
    Other,
    /// An id that none can have.
    #[error("expected an id of 32 hexadecimal digits")]
    Id,
    /// A parameter that is not known, or twice.
    #[error("`{0}`: expected `offset` and `limit`, or `line` and `lines`, each once")]
    Parameter(String),
    /// A value that is no number.
    #[error("`{0}`: expected a whole number")]
    Number(String),
}

const TEMPLATE: &str = "hermes://results/{id}{?offset,limit,line,lines}";
const PREFIX: &str = "hermes://results/";
/// Lines of a page when the address does not say.
const LINES: u64 = 500;

impl ResultUri {
    /// The template of the addresses (RFC 6570).
    pub const TEMPLATE: &str = TEMPLATE;

    /// The address of the whole.
    pub fn whole(id: ResultId) -> Self {
        Self { id, range: Range::Whole }
    }
}

impl fmt::Display for ResultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for ResultId {
    type Err = UriError;

    fn from_str(text: &str) -> Result<Self, UriError> {
        hex(text).map(Self).ok_or(UriError::Id)
    }
}

impl fmt::Display for ResultUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.id)?;
        match self.range {
            Range::Whole => Ok(()),
            Range::Bytes { offset, limit: None } => write!(f, "?offset={offset}"),
            Range::Bytes { offset, limit: Some(limit) } => write!(f, "?offset={offset}&limit={limit}"),
            Range::Lines { line, lines } => write!(f, "?line={line}&lines={lines}"),
        }
    }
}

impl FromStr for ResultUri {
    type Err = UriError;

    fn from_str(text: &str) -> Result<Self, UriError> {
        let rest = text.strip_prefix(PREFIX).ok_or(UriError::Other)?;
        let (id, query) = rest.split_once('?').map_or((rest, None), |(id, query)| (id, Some(query)));
        let id = id.parse()?;
        let (mut offset, mut limit, mut line, mut lines) = (None, None, None, None);
        for pair in query.into_iter().flat_map(|query| query.split('&')) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let place = match name {
                "offset" => &mut offset,
                "limit" => &mut limit,
                "line" => &mut line,
                "lines" => &mut lines,
                _ => return Err(UriError::Parameter(name.to_owned())),
            };
            let number = value.parse::<u64>().map_err(|_| UriError::Number(name.to_owned()))?;
            if place.replace(number).is_some() {
                return Err(UriError::Parameter(name.to_owned()));
            }
        }
        let range = match (offset, limit, line, lines) {
            (None, None, None, None) => Range::Whole,
            (offset, limit, None, None) => Range::Bytes { offset: offset.unwrap_or(0), limit },
            (None, None, line, lines) => Range::Lines { line: line.unwrap_or(1), lines: lines.unwrap_or(LINES) },
            (_, _, Some(_), _) => return Err(UriError::Parameter("line".to_owned())),
            (_, _, None, Some(_)) => return Err(UriError::Parameter("lines".to_owned())),
        };
        Ok(Self { id, range })
    }
}
