//! Answers that came with the call itself.

use super::exchange::Misfit;
use super::question::{Question, QuestionKind, unknown};
use crate::call::{Answer, Issue, Request, RequestKind};

/// What of `early` counts, and what does not fit.
///
/// They count when the tool asks for just these, and never for an approval.
pub(super) fn take(
    early: &[Answer],
    requests: &[Request],
    questions: &[(String, Option<Question>)],
) -> (Vec<Answer>, Vec<Misfit>) {
    let nobody_asks = |unknown: crate::UnknownName| {
        let message = unknown.to_string();
        Misfit { id: unknown.name, issues: vec![Issue { path: String::new(), message }] }
    };
    let mut misfits: Vec<Misfit> = unknown(early, questions).map(nobody_asks).collect();
    let mut answers = Vec::new();
    if !is_just(early, requests) {
        return (answers, misfits);
    }
    for question in questions.iter().filter_map(|(_, question)| question.as_ref()) {
        let given = early.iter().find(|answer| answer.id == question.id);
        let approval = matches!(question.kind, QuestionKind::Approval { .. });
        let Some(given) = given.filter(|_| !approval) else { continue };
        match question.judge(given.reply.clone()) {
            Ok(reply) => answers.push(Answer { id: question.id.clone(), reply }),
            Err(issues) => misfits.push(Misfit { id: question.id.clone(), issues }),
        }
    }
    (answers, misfits)
}

/// Whether `early` answers all questions but approvals, and nothing else.
fn is_just(early: &[Answer], requests: &[Request]) -> bool {
    let mut asked: Vec<&str> = requests
        .iter()
        .filter(|request| !matches!(request.kind, RequestKind::Approval(_)))
        .map(|request| request.id.as_str())
        .collect();
    let approval = |id: &str| requests.iter().any(|request| request.id == id) && !asked.contains(&id);
    let mut given: Vec<&str> = early.iter().map(|answer| answer.id.as_str()).filter(|id| !approval(id)).collect();
    asked.sort_unstable();
    given.sort_unstable();
    !given.is_empty() && asked == given
}
