//! What a running call tells about itself: progress, and lines in its log.

/// Tells how far the call is: `done` of `total`, in any unit; `done` must rise.
///
/// ```
/// # use hermes_tool::progress;
/// progress::report(3.0, 10.0, "page 3");
/// progress::report(42.0, None, None);
/// ```
pub fn report<'a>(done: f64, total: impl Into<Option<f64>>, message: impl Into<Option<&'a str>>) {
    let (total, message) = (total.into(), message.into());
    #[cfg(target_family = "wasm")]
    crate::bindings::tool::hermes::progress::progress::report(done, total, message);
    #[cfg(not(target_family = "wasm"))]
    {
        let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
        line(&format!("progress: {done}{total} {}", message.unwrap_or_default()));
    }
}

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For the author.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is odd.
    Warn,
    /// Something went wrong.
    Error,
}

/// Writes a line to the call's log; [`log!`](crate::log) formats it.
pub fn log(level: Level, message: &str) {
    #[cfg(target_family = "wasm")]
    {
        use crate::bindings::tool::hermes::progress::progress as wire;
        let level = match level {
            Level::Debug => wire::Level::Debug,
            Level::Info => wire::Level::Info,
            Level::Warn => wire::Level::Warn,
            Level::Error => wire::Level::Error,
        };
        wire::log(level, message);
    }
    #[cfg(not(target_family = "wasm"))]
    line(&format!("{level:?}: {message}"));
}

#[cfg(not(target_family = "wasm"))]
#[allow(clippy::print_stderr, reason = "natively the log is what `cargo test` shows")]
fn line(text: &str) {
    eprintln!("{text}");
}
