//! Decimal numbers as text, exact.

use serde_json::{Number, Value};

/// A finite decimal number: `digits` times ten to the power of `scale`, without zeros at either end of `digits`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    scale: i64,
}

impl Decimal {
    /// Reads a number as it is written in JSON, with white space around it, a `+` before it or zeros in front allowed.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_ascii();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let negative = mantissa.starts_with('-');
        let mantissa = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let scale =
            i64::from(exponent) - i64::try_from(fraction.len()).ok()? + i64::try_from(all.len() - digits.len()).ok()?;
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), scale: 0 });
        }
        Some(Self { negative, digits: digits.to_owned(), scale })
    }

    /// The number as an integer of 64 bits, if it is one.
    pub(super) fn integer(&self) -> Option<Value> {
        /// Digits of the largest one.
        const MOST: usize = 20;
        let zeros = usize::try_from(self.scale).ok().filter(|zeros| zeros + self.digits.len() <= MOST)?;
        let sign = if self.negative { "-" } else { "" };
        let text = format!("{sign}{}{}", if self.digits.is_empty() { "0" } else { &self.digits }, "0".repeat(zeros));
        let number = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
        number.ok().map(Value::Number)
    }

    /// The number, if an integer of 64 bits or a float means exactly what stands there.
    pub(super) fn number(&self) -> Option<Value> {
        self.integer().or_else(|| {
            let sign = if self.negative { "-" } else { "" };
            let float: f64 = format!("{sign}{}e{}", self.digits, self.scale).parse().ok()?;
            let number = Number::from_f64(float)?;
            (Self::parse(&number.to_string()).as_ref() == Some(self)).then_some(Value::Number(number))
        })
    }
}
