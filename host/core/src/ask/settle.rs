//! What answers settle of a call that waits.

use super::exchange::{MAX_ROUNDS, Misfit};
use super::question::Question;
use super::store::WaitingCall;
use crate::call::{Answer, Reply, Request, Resume};

/// Adds to a call what `answers` settle of it, and returns those that do not fit.
pub(super) fn settle(
    call: &mut WaitingCall,
    questions: &[(String, Option<Question>)],
    answers: &[Answer],
) -> Vec<Misfit> {
    let last = call.rounds >= MAX_ROUNDS;
    let mut misfits = Vec::new();
    for (id, question) in questions {
        if call.answers.iter().any(|answer| answer.id == *id) {
            continue;
        }
        let given = answers.iter().find(|answer| answer.id == *id).map(|answer| answer.reply.clone());
        let reply = match (question, given) {
            // Its token is no longer honoured.
            (None, _) => Reply::Nobody,
            (Some(_), None) if last => Reply::Cancelled,
            (Some(_), None) => continue,
            (Some(question), Some(given)) => match question.judge(given) {
                Ok(reply) => reply,
                Err(_) if last || call.misfits.contains(id) => Reply::Cancelled,
                Err(issues) => {
                    misfits.push(Misfit { id: id.clone(), issues });
                    continue;
                }
            },
        };
        call.answers.push(Answer { id: id.clone(), reply });
    }
    misfits
}

/// The questions that no answer settles yet.
pub(super) fn open(questions: &[(String, Option<Question>)], answers: &[Answer]) -> Vec<Question> {
    let open = questions.iter().filter(|(id, _)| !answers.iter().any(|answer| answer.id == *id));
    open.filter_map(|(_, question)| question.clone()).collect()
}

/// The answers in the order of the requests.
pub(super) fn resume(requests: &[Request], state: Vec<u8>, mut answers: Vec<Answer>) -> Resume {
    answers.sort_by_key(|answer| requests.iter().position(|request| request.id == answer.id));
    Resume { state, answers }
}
