//! Diagnostics of the host itself, on stderr only: stdout belongs to results and protocols.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use crate::settings::{LogFilter, LogFormat};

/// Starts logging, as `telemetry.log` and `telemetry.log_format` say. Whoever reads JSON keeps it, so it says when; lines for people are
/// read as they come, or kept by what adds the time.
///
/// rmcp logs whole requests, so it stays at errors: arguments must not reach the log. What its service calls errors are clients that
/// went before they were answered, which happens every day.
pub(crate) fn init(filter: &LogFilter, format: LogFormat) {
    let filter = EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::WARN.into())
        .parse_lossy(filter.as_str());
    let quiet = ["rmcp=error", "rmcp::service=off"].into_iter().filter_map(|directive| directive.parse().ok());
    let filter = quiet.fold(filter, EnvFilter::add_directive);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).without_time().init(),
        LogFormat::Json => log.json().init(),
    }
}
