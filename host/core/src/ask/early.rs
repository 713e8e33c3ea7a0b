//! Answers that came with the call itself.

use super::exchange::Misfit;
use super::question::{Question, QuestionKind, strays};
use crate::call::{Answer, Request, RequestKind};

/// What of `early` counts, and what does not fit.
///
/// They count when they answer all that the tool asks, and never for an approval.
pub(super) fn take(
    early: &[Answer],
    requests: &[Request],
    questions: &[(String, Option<Question>)],
) -> (Vec<Answer>, Vec<Misfit>) {
    let mut misfits: Vec<Misfit> = strays(early, questions).collect();
    let mut answers = Vec::new();
    if !answer_all(early, requests) {
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

/// Whether `early` answers every question but approvals, each once. What nobody asked is told, and does not spoil the rest: the protocol
/// wants servers to go on without it.
fn answer_all(early: &[Answer], requests: &[Request]) -> bool {
    let mut asked = requests.iter().filter(|request| !matches!(request.kind, RequestKind::Approval(_))).peekable();
    asked.peek().is_some() && asked.all(|request| early.iter().filter(|answer| answer.id == request.id).count() == 1)
}
