//! What is new in a component that waits for approval, for people.

use hermes_core::Difference;

/// One change a line, indented.
pub(super) fn describe(difference: &Difference) -> String {
    difference.to_string().lines().map(|line| format!("  {line}\n")).collect()
}
