//! `--trace`: each step, what the tool wrote, and how it crashed.

use hermes_core::{LogStream, Refusal, Report};

use crate::printer::{Printer, escape};

pub(super) fn trace(report: &Report, printer: Printer) {
    for traced in &report.trace {
        let verdict = if traced.passed { "" } else { "  ended here" };
        printer.note(&format!("{:>10}  {:>9.1?}{verdict}", traced.step.name(), traced.took));
    }
    for line in &report.log {
        let stream = match line.stream {
            LogStream::Stdout => "stdout",
            LogStream::Stderr => "stderr",
            LogStream::Debug => "debug",
            LogStream::Info => "info",
            LogStream::Warn => "warn",
            LogStream::Error => "error",
        };
        printer.note(&format!("{stream:>10}  {}", escape(&line.text, false)));
    }
    if report.log_dropped > 0 {
        printer.note(&format!("{:>10}  {} bytes dropped: the log's limit was reached", "log", report.log_dropped));
    }
    for refusal in &report.refusals {
        let refused = match refusal {
            Refusal::Denied { capability, target } => format!("{capability} {target}"),
            Refusal::Limit(kind) => format!("limit {kind}"),
        };
        printer.note(&format!("{:>10}  {}", "refused", escape(&refused, false)));
    }
    printer.note(&format!("{:>10}  {:>9.1?}", "cpu", report.cpu));
    if let Some(detail) = report.outcome.author_detail() {
        printer.note(&escape(detail, true));
    }
}
