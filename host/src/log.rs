//! Diagnostics of the host itself, on stderr only: stdout belongs to results and protocols.

use std::io;

use tracing_subscriber::EnvFilter;

/// Starts logging. `HERMES_TELEMETRY_LOG` sets what is shown, such as `debug` or `hermes_sandbox=trace`; default: warnings.
///
/// rmcp logs whole requests, so it stays at errors: arguments must not reach the log.
pub(crate) fn init() {
    let filter = EnvFilter::builder()
        .with_env_var("HERMES_TELEMETRY_LOG")
        .with_default_directive(tracing::level_filters::LevelFilter::WARN.into())
        .from_env_lossy();
    let filter = match "rmcp=error".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).without_time().init();
}
