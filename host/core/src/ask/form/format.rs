//! How a text is written: the formats that MCP allows in forms.

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `name@host`.
    Email,
    /// An absolute URL.
    Uri,
    /// `2026-12-01`.
    Date,
    /// `2026-12-01T12:00:00Z`, as RFC 3339 has it.
    DateTime,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Email, Self::Uri, Self::Date, Self::DateTime];

    /// The word in schemas.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    /// What is expected, in words.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address, such as `name@example.com`",
            Self::Uri => "a URL, such as `https://example.com/`",
            Self::Date => "a date, such as `2026-12-01`",
            Self::DateTime => "a date and time, such as `2026-12-01T12:00:00Z`",
        }
    }

    /// Whether `text` is written so.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => url::Url::parse(text).is_ok(),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
        }
    }
}

/// What a person could mean by an address. Whether mail arrives there, only mail can tell.
fn is_email(text: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    !text.contains(odd)
        && text.rsplit_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !name.contains('@') && host.split('.').all(|part| !part.is_empty())
        })
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    match (digits(year, 4), digits(month, 2), digits(day, 2)) {
        (Some(year), Some(month), Some(day)) => (1..=days(year, month)).contains(&day),
        _ => false,
    }
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't', ' ']) else { return false };
    let time = if let Some(time) = rest.strip_suffix(['Z', 'z']) {
        time
    } else if let Some((time, offset)) = rest.rsplit_once(['+', '-']) {
        let offset = offset.split_once(':').map(|(hours, minutes)| (digits(hours, 2), digits(minutes, 2)));
        if !matches!(offset, Some((Some(0..=23), Some(0..=59)))) {
            return false;
        }
        time
    } else {
        return false;
    };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = clock.split(':').map(|part| digits(part, 2));
    let clock = (parts.next(), parts.next(), parts.next(), parts.next());
    // The 61st second is a leap second.
    is_date(date)
        && matches!(clock, (Some(Some(0..=23)), Some(Some(0..=59)), Some(Some(0..=60)), None))
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn digits(text: &str, length: usize) -> Option<u32> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for (format, text, fits) in [
            (Format::Email, "a@b.c", true),
            (Format::Email, "ä@b", true),
            (Format::Email, "a@b@c", false),
            (Format::Email, "@b", false),
            (Format::Email, "a b@c", false),
            (Format::Email, "a@b..c", false),
            (Format::Uri, "https://example.com/x?y", true),
            (Format::Uri, "/relative", false),
            (Format::Date, "2024-02-29", true),
            (Format::Date, "2026-02-29", false),
            (Format::Date, "1900-02-29", false),
            (Format::Date, "2026-13-01", false),
            (Format::Date, "2026-1-1", false),
            (Format::Date, "2026-01-01-01", false),
            (Format::DateTime, "2026-12-01T23:59:60Z", true),
            (Format::DateTime, "2026-12-01t00:00:00.123+05:30", true),
            (Format::DateTime, "2026-12-01T24:00:00Z", false),
            (Format::DateTime, "2026-12-01T00:00:00", false),
            (Format::DateTime, "2026-12-01T00:00:00.Z", false),
            (Format::DateTime, "2026-12-01T00:00Z", false),
            (Format::DateTime, "2026-12-01", false),
        ] {
            assert_eq!(format.fits(text), fits, "{text}");
        }
    }
}
