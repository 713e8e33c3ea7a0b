//! How a secret may be used.

use serde::{Deserialize, Serialize};

/// The terms on which a tool gets a secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecretGrant {
    /// Whether the tool gets the value itself. Without it a tool gets nothing until an egress client replaces placeholders.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expose: bool,
}
