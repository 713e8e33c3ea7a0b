//! `approvals`: what waits for an approval, and the answer to it.

use std::sync::Arc;

use hermes_serve::api::{Approval, ApprovalDesk as _};
use serde_json::json;

use crate::approval::Desk;
use crate::cli::ApprovalsAction;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape};
use crate::settings::{Current, Settings};

pub(super) fn approvals(action: &ApprovalsAction, settings: Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let host = match action {
        ApprovalsAction::List => open::host_to_look_at(&settings)?,
        ApprovalsAction::Allow { .. } | ApprovalsAction::Deny { .. } => open::host(&settings)?,
    };
    let desk = Desk::new(Arc::new(host), Current::new(Arc::new(settings)));
    match action {
        ApprovalsAction::List => list(&desk.waiting(), printer)?,
        ApprovalsAction::Allow { id } => {
            let approval = find(&desk, id)?;
            desk.allow(&approval).map_err(Failure::work)?;
            tell(&approval, true, printer)?;
        }
        ApprovalsAction::Deny { id } => tell(&find(&desk, id)?, false, printer)?,
    }
    Ok(ExitStatus::Done)
}

fn list(waiting: &[Approval], printer: Printer) -> Result<(), Failure> {
    if printer.json() {
        let rows: Vec<_> = waiting.iter().map(Approval::json).collect();
        return Ok(printer.value(&json!(rows))?);
    }
    if waiting.is_empty() {
        printer.note("nothing waits for approval");
        return Ok(());
    }
    let told = waiting.iter().map(|approval| {
        let question = approval.question.iter().map(|line| format!("  {line}\n"));
        format!("{}\n{}", approval.id, question.collect::<String>())
    });
    printer.text(&escape(&told.collect::<Vec<_>>().join("\n"), true))?;
    printer.note("hint: hermes-host approvals allow ID, or deny ID");
    Ok(())
}

fn find(desk: &Desk, id: &str) -> Result<Approval, Failure> {
    desk.waiting().into_iter().find(|approval| approval.id == id).ok_or_else(|| {
        let unknown =
            format!("nothing waits under `{}`: it was decided, or it asks for something else now", escape(id, false));
        Failure::usage(unknown).hint("hermes-host approvals list")
    })
}

fn tell(approval: &Approval, allowed: bool, printer: Printer) -> Result<(), Failure> {
    if printer.json() {
        return Ok(printer.value(&approval.decided(allowed))?);
    }
    let outcome = approval.outcome(allowed);
    let waits = if allowed { "" } else { "; it waits on, and serves nobody" };
    Ok(printer.text(&format!("{}: {outcome}{waits}", approval.tool))?)
}
