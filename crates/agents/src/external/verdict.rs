//! From what an agent said and what the system saw to a reply. The system comes first: our own kill,
//! then processes that survived, then the agent's word about its end, then the exit code.
//!
//! No result is taken from an agent that was killed, that failed by its own word, or that never said
//! that it was done.

use super::answer::last_object;
use super::dialect::{End, Heard};
use super::trouble::Trouble;
use crate::agent::Reply;
use crate::command::{failure, killed_class, survivors};
use crate::home::Home;
use crate::result::{self, Judged};
use kernel::outcome::{Class, Usage};
use sandbox::Ended;

/// The reply of an attempt whose process has ended.
pub(crate) fn judge(heard: &Heard, ended: &Ended, home: &Home<'_>) -> Reply {
    let reply = match failed(heard, ended, home) {
        Some(trouble) => of(&trouble),
        None => answered(heard, home).reply,
    };
    complete(reply, heard, home)
}

/// The reply of an attempt of which only the log is left: it had ended if it said so.
pub(crate) fn recovered(heard: &Heard, home: &Home<'_>) -> Option<Reply> {
    let reply = match heard.end.as_ref()? {
        End::Failed(trouble) => of(trouble),
        End::Finished => {
            let answered = answered(heard, home);
            // A broken file may be half of one that was being written.
            if answered.from == From::File && answered.reply.class != Class::Done {
                return None;
            }
            answered.reply
        }
    };
    Some(complete(reply, heard, home))
}

fn failed(heard: &Heard, ended: &Ended, home: &Home<'_>) -> Option<Trouble> {
    if let Some(killed) = ended.killed {
        let reason = match &heard.trouble {
            None => killed.to_string(),
            Some(trouble) => format!("{killed}; its last trouble: {}", trouble.reason),
        };
        return Some(Trouble::new(killed_class(killed), reason));
    }
    if let Some(reason) = survivors(ended) {
        return Some(Trouble::new(Class::Crashed, reason));
    }
    let by_exit = failure(ended).filter(|_| !ended.dismissed);
    match (&heard.end, by_exit) {
        (Some(End::Failed(trouble)), _) => Some(trouble.clone()),
        (Some(End::Finished), None) => None,
        (Some(End::Finished), Some((_, reason))) => Some(Trouble::new(
            Class::Crashed,
            format!("it said that it was done, and then: {reason}"),
        )),
        (None, by_exit) => Some(unfinished(heard, ended, by_exit, home)),
    }
}

/// It ended without a word about its end.
fn unfinished(
    heard: &Heard,
    ended: &Ended,
    by_exit: Option<(Class, String)>,
    home: &Home<'_>,
) -> Trouble {
    if let Some(trouble) = &heard.trouble {
        return trouble.clone();
    }
    let Some((class, reason)) = by_exit else {
        return match home.read() {
            None => Trouble::new(Class::Crashed, "it left no result"),
            Some(_) => Trouble::new(
                Class::Crashed,
                "it left a result, and its events have no end: it was cut off",
            ),
        };
    };
    // Some agents complain about a missing key on standard error alone.
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let complaint = stderr.lines().rev().take(20).find_map(|line| {
        let trouble = Trouble::judge(None, line);
        matches!(trouble.class, Class::Auth | Class::Quota).then_some(trouble)
    });
    complaint.unwrap_or_else(|| Trouble::new(class, reason))
}

/// Where a result was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    File,
    Message,
}

struct Answered {
    reply: Reply,
    from: From,
}

/// The result of an agent that said it was done: its file if it left one, else its last message.
fn answered(heard: &Heard, home: &Home<'_>) -> Answered {
    if home.read().is_some() {
        return Answered {
            reply: home.reply(),
            from: From::File,
        };
    }
    let Some(object) = last_object(&heard.message) else {
        let reason = match heard.message.trim() {
            "" => {
                "`result` is missing: it ended without a last message; expected one JSON object at the end"
            }
            _ => {
                "`result` is missing: its last message has no JSON object; expected one at the end"
            }
        };
        return Answered {
            reply: Reply::bare(Class::InvalidResult, reason),
            from: From::Message,
        };
    };
    let Judged { result, usage } = result::judge_bytes(object.as_bytes(), home.shape);
    let reply = match result {
        Ok(value) => Reply {
            result: Some(value),
            ..Reply::bare(Class::Done, "it left a valid result")
        },
        Err(fault) => Reply::bare(Class::InvalidResult, fault.to_string()),
    };
    Answered {
        reply: Reply { usage, ..reply },
        from: From::Message,
    }
}

/// What every reply carries. The agent's own count of its cost, which the model cannot write,
/// goes before what the result says.
fn complete(mut reply: Reply, heard: &Heard, home: &Home<'_>) -> Reply {
    if heard.usage != Usage::default() {
        reply.usage = heard.usage;
    } else if reply.usage == Usage::default() {
        reply.usage = home.read().map(|judged| judged.usage).unwrap_or_default();
    }
    if reply.class == Class::InvalidResult && heard.denials > 0 {
        let denied = heard.denials;
        reply.reason = format!("{}; {denied} of its tool calls were refused", reply.reason);
    }
    reply.session.clone_from(&heard.session);
    reply
}

fn of(trouble: &Trouble) -> Reply {
    Reply {
        retry_after: trouble.retry_after,
        ..Reply::bare(trouble.class, trouble.reason.clone())
    }
}
