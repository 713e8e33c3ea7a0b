//! `--trace`: each step and the whole, what hooks and the tool wrote, and how they crashed.

use hermes_core::{HookReport, LogLine, LogStream, Refusal, Report, Step};

use crate::printer::{Printer, escape};

pub(super) fn trace(report: &Report, printer: Printer) {
    for traced in &report.trace {
        let verdict = if traced.passed { "" } else { "  ended here" };
        printer.note(&format!("{:>10}  {:>9.1?}{verdict}", traced.step.name(), traced.took));
    }
    let Report { took, cpu, .. } = report;
    printer.note(&format!("{:>10}  {took:>9.1?}, {cpu:.1?} of it in guest code", "total"));
    let hooks = |step| report.hooks.iter().filter(move |hook: &&HookReport| hook.step == step);
    for hook in hooks(Step::Before) {
        written(&format!("{}: ", hook.hook), &hook.log, hook.log_dropped, printer);
    }
    written("", &report.log, report.log_dropped, printer);
    for hook in hooks(Step::After) {
        written(&format!("{}: ", hook.hook), &hook.log, hook.log_dropped, printer);
    }
    for refusal in &report.refusals {
        let refused = match refusal {
            Refusal::Denied { capability, target } => format!("{capability} {target}"),
            Refusal::Limit(kind) => format!("limit {kind}"),
        };
        printer.note(&format!("{:>10}  {}", "refused", escape(&refused, false)));
    }
    for hook in &report.hooks {
        if let Some(detail) = &hook.detail {
            printer.note(&escape(&format!("{}: {detail}", hook.hook), true));
        }
    }
    if let Some(detail) = report.outcome.author_detail() {
        printer.note(&escape(detail, true));
    }
}

/// What a guest wrote, each line with whose it is.
fn written(whose: &str, log: &[LogLine], dropped: u64, printer: Printer) {
    for line in log {
        let stream = match line.stream {
            LogStream::Stdout => "stdout",
            LogStream::Stderr => "stderr",
            LogStream::Debug => "debug",
            LogStream::Info => "info",
            LogStream::Warn => "warn",
            LogStream::Error => "error",
        };
        printer.note(format!("{stream:>10}  {whose}{}", escape(&line.text, false)).trim_end());
    }
    if dropped > 0 {
        printer.note(&format!("{:>10}  {whose}{dropped} B dropped: the log's limit was reached", "log"));
    }
}
