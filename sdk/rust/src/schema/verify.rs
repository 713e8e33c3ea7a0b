//! What an author writes at an argument, held against its type while the author's crate compiles.

use super::node::equal;

/// What a type's values are, as far as bounds and defaults concern it.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A whole number.
    Integer {
        /// The least.
        min: i128,
        /// The greatest.
        max: i128,
    },
    /// Any number.
    Number,
    /// True or false.
    Bool,
    /// A list of such values.
    List(&'static Kind),
    /// An object with any keys.
    Map,
    /// A struct, or any JSON.
    Other,
}

/// A number as the author wrote it.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// Its value, if it is whole.
    pub whole: Option<i128>,
    /// Its value.
    pub float: f64,
}

/// The limits of one argument.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The least number.
    pub min: Option<Number>,
    /// The greatest number.
    pub max: Option<Number>,
    /// Least and greatest number of characters, items or members.
    pub length: Option<(usize, Option<usize>)>,
    /// Whether a pattern or format is set, which only texts have.
    pub shape: bool,
}

/// A default as the author wrote it.
#[derive(Debug, Clone, Copy)]
pub enum Literal {
    /// No JSON: the type's own `Default`.
    Type,
    /// `true` or `false`.
    Bool,
    /// A text.
    Text(&'static str),
    /// A number.
    Number(Number),
    /// An array.
    List(&'static [Literal]),
    /// An object without members.
    Map,
}

/// Refuses, at compile time, limits and a default that do not fit the type.
#[allow(clippy::panic, reason = "a compile error in our words")]
pub const fn verify(kind: Kind, limits: &Limits, default: Option<&Literal>) {
    if !bound_fits(kind, limits.min) || !bound_fits(kind, limits.max) {
        panic!("`min` and `max` must be values of the argument's type, which must be a number");
    }
    if let (Some(min), Some(max)) = (limits.min, limits.max)
        && min.float > max.float
    {
        panic!("`min` is greater than `max`");
    }
    if let Some((min, max)) = limits.length {
        if !matches!(kind, Kind::Text | Kind::List(_) | Kind::Map) {
            panic!("`length` is for strings, lists and maps");
        }
        if let Some(max) = max
            && min > max
        {
            panic!("`length` is an empty range");
        }
    }
    if limits.shape && !matches!(kind, Kind::Text) {
        panic!("`pattern` and `format` are for strings");
    }
    if let Some(default) = default {
        if !fits(kind, default) {
            panic!("`default` is no value of the argument's type");
        }
        if let Literal::Number(number) = default
            && !within(*number, limits)
        {
            panic!("`default` is outside of `min` and `max`");
        }
    }
}

const fn bound_fits(kind: Kind, bound: Option<Number>) -> bool {
    match bound {
        None => true,
        Some(number) => matches!(kind, Kind::Integer { .. } | Kind::Number) && number_fits(kind, number),
    }
}

const fn number_fits(kind: Kind, number: Number) -> bool {
    match (kind, number.whole) {
        (Kind::Integer { min, max }, Some(whole)) => min <= whole && whole <= max,
        (Kind::Number | Kind::Other, _) => true,
        _ => false,
    }
}

const fn within(number: Number, limits: &Limits) -> bool {
    let above = match limits.min {
        Some(min) => number.float >= min.float,
        None => true,
    };
    let below = match limits.max {
        Some(max) => number.float <= max.float,
        None => true,
    };
    above && below
}

const fn fits(kind: Kind, literal: &Literal) -> bool {
    match (kind, literal) {
        (Kind::Choice(names), Literal::Text(text)) => {
            let mut rest = names;
            while let [first, others @ ..] = rest {
                if equal(first, text) {
                    return true;
                }
                rest = others;
            }
            false
        }
        (Kind::List(item), Literal::List(items)) => {
            let mut rest = *items;
            while let [first, others @ ..] = rest {
                if !fits(*item, first) {
                    return false;
                }
                rest = others;
            }
            true
        }
        (_, Literal::Number(number)) => number_fits(kind, *number),
        (Kind::Text, Literal::Text(_))
        | (Kind::Bool, Literal::Bool)
        | (Kind::Map, Literal::Map)
        | (Kind::Text | Kind::Bool | Kind::Integer { .. } | Kind::Number | Kind::List(_) | Kind::Map, Literal::Type) => {
            true
        }
        _ => false,
    }
}

/// The JSON of a type's `Default`.
pub const fn zero(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "\"\"",
        Kind::Integer { .. } => "0",
        Kind::Number => "0.0",
        Kind::Bool => "false",
        Kind::List(_) => "[]",
        Kind::Map => "{}",
        Kind::Choice(_) | Kind::Other => "null",
    }
}

/// The keyword of a least or greatest length.
pub const fn length_keyword(kind: Kind, least: bool) -> &'static str {
    match (kind, least) {
        (Kind::List(_), true) => "minItems",
        (Kind::List(_), false) => "maxItems",
        (Kind::Map, true) => "minProperties",
        (Kind::Map, false) => "maxProperties",
        (_, true) => "minLength",
        (_, false) => "maxLength",
    }
}
