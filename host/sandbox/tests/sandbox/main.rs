//! The sandbox through its public interface, with real components.

mod hostile;
mod support;
