//! One question to the model, with a few quick retries and its cost.
//!
//! Longer waiting is the machine's job: it has a journal and a timer. Here, nothing waits for more
//! than seconds.

use crate::bounds::Bounds;
use crate::failure::Failure;
use crate::http::{Body, Client, Post};
use crate::prices::{Price, Tokens};
use crate::sse::Sse;
use crate::tool_loop::prompt;
use crate::wire::{Entry, Message, Request, ToolSpec, Wire};
use kernel::outcome::{Class, Usage};
use serde_json::Value;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Retries inside one attempt.
const QUICK_RETRIES: u32 = 2;
/// A provider that wants more patience than this gets it from the machine.
const QUICK_WAIT: Duration = Duration::from_secs(5);

/// After so many a wait does not grow any more.
const MOST_DOUBLINGS: u32 = 8;
/// A token is about this many bytes.
const BYTES_PER_TOKEN: u64 = 3;

/// A model that can be asked.
pub(crate) struct Model {
    pub(crate) wire: &'static dyn Wire,
    pub(crate) client: Client,
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    pub(crate) name: String,
    pub(crate) price: Price,
    pub(crate) window: u64,
    pub(crate) max_output: u64,
    pub(crate) backoff: Duration,
    /// What its last words must be, where a provider can be told.
    pub(crate) schema: Option<Value>,
    pub(crate) bounds: Bounds,
}

/// What came of a question. Failed tries cost too.
pub(super) struct Asked {
    pub(super) message: Result<Message, Failure>,
    pub(super) usage: Usage,
}

impl Model {
    /// Asks for the next message of the conversation.
    pub(super) fn ask(
        &mut self,
        system: &str,
        entries: &[Entry],
        tools: &[ToolSpec],
        note: &mut dyn FnMut(&str),
    ) -> Asked {
        let schema = self.schema.clone();
        let request = Request {
            model: &self.name.clone(),
            system,
            entries,
            tools,
            schema: schema.as_ref(),
            max_output: self.max_output,
        };
        self.patiently(&request, note)
    }

    /// Asks for a summary of older turns.
    pub(super) fn summarise(&mut self, text: &str) -> Asked {
        // Half of the window, at about three bytes a token: the rest is for the answer.
        let room = usize::try_from(self.window / 2 * 3).unwrap_or(usize::MAX);
        let entries = [Entry::User(super::park::shorten(text, room))];
        let request = Request {
            model: &self.name.clone(),
            system: prompt::SUMMARISE,
            entries: &entries,
            tools: &[],
            schema: None,
            max_output: self.max_output.min(4_000),
        };
        self.patiently(&request, &mut |_| {})
    }

    fn patiently(&mut self, request: &Request<'_>, note: &mut dyn FnMut(&str)) -> Asked {
        let mut usage = Usage::default();
        let mut tried = 0;
        loop {
            let outcome = self.once(request);
            let tokens = match &outcome {
                Ok(message) => message.tokens,
                Err(failure) => failure.tokens,
            };
            add(&mut usage, tokens, &self.price);
            let failure = match outcome {
                Ok(message) => {
                    return Asked {
                        message: Ok(message),
                        usage,
                    };
                }
                Err(failure) => failure,
            };
            let wait = wait(failure.retry_after, self.backoff, tried, chance());
            if failure.class != Class::Transient || tried >= QUICK_RETRIES || wait > QUICK_WAIT {
                return Asked {
                    message: Err(failure),
                    usage,
                };
            }
            tried += 1;
            note(&format!(
                "{}; quick retry {tried} of {QUICK_RETRIES}",
                failure.reason
            ));
            if let Err(ended) = self.bounds.wait(wait) {
                return Asked {
                    message: Err(ended),
                    usage,
                };
            }
        }
    }

    fn once(&mut self, request: &Request<'_>) -> Result<Message, Failure> {
        let body = self.wire.body(request).to_string();
        let sent = body.len();
        let post = Post {
            url: self.url.clone(),
            headers: self.wire.headers(self.key.as_deref()),
            body: Body::Json(body),
        };
        let mut heard = 0;
        let mut reader = self.wire.reader();
        let mut stream = Sse::default();
        let posted = self.client.post(post, &mut |bytes| {
            heard += bytes.len();
            let events = stream.push(bytes);
            let events = events.map_err(|_| {
                Failure::new(Class::Crashed, "the provider sent an event without end")
            })?;
            events.iter().try_for_each(|event| reader.event(event))
        });
        let tokens = counted(reader.tokens(), sent, heard);
        match posted.and_then(|()| reader.finish()) {
            Ok(message) => Ok(Message { tokens, ..message }),
            Err(failure) => Err(Failure { tokens, ..failure }),
        }
    }
}

/// The provider's count, or an estimate from the bytes where it gives none: an answer that nobody
/// counted is not free.
fn counted(tokens: Tokens, sent: usize, heard: usize) -> Tokens {
    if heard == 0 || tokens != Tokens::default() {
        return tokens;
    }
    Tokens {
        input: sent as u64 / BYTES_PER_TOKEN,
        // Most of a stream is wrapping.
        output: heard as u64 / BYTES_PER_TOKEN / 10,
        ..tokens
    }
}

fn add(usage: &mut Usage, tokens: Tokens, price: &Price) {
    usage.input_tokens = usage.input_tokens.saturating_add(tokens.input);
    usage.cached_tokens = usage.cached_tokens.saturating_add(tokens.cached);
    usage.output_tokens = usage.output_tokens.saturating_add(tokens.output);
    usage.micro_dollars = usage.micro_dollars.saturating_add(price.cost(tokens));
}

/// What the provider asked for, to the letter; else our own back-off.
fn wait(asked: Option<Duration>, first: Duration, tried: u32, seed: u64) -> Duration {
    asked.unwrap_or_else(|| backoff(first, tried, seed))
}

/// Twice as long each time, and up to half as long again, so that many do not come back at once.
fn backoff(first: Duration, tried: u32, seed: u64) -> Duration {
    let base = first.saturating_mul(1 << tried.min(MOST_DOUBLINGS));
    let share = u32::try_from(seed % 512).unwrap_or(0);
    base.saturating_add(base.saturating_mul(share) / 1024)
}

/// A fresh hasher has a random seed: enough for spreading, and no dependency.
fn chance() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_nobody_counted_is_estimated() {
        let known = Tokens {
            input: 5,
            ..Tokens::default()
        };
        assert_eq!(counted(known, 3_000, 900), known);
        let guess = Tokens {
            input: 1_000,
            output: 30,
            ..Tokens::default()
        };
        assert_eq!(counted(Tokens::default(), 3_000, 900), guess);
        assert_eq!(counted(Tokens::default(), 3_000, 0), Tokens::default());
    }

    #[test]
    fn waits_grow_and_stay_bounded() {
        let first = Duration::from_millis(100);
        let cap = first * (1 << MOST_DOUBLINGS) * 3 / 2;
        for tried in 0..40 {
            let base = first * (1 << tried.min(MOST_DOUBLINGS));
            for seed in (0..1_000).chain([u64::MAX, u64::MAX - 511]) {
                let wait = backoff(first, tried, seed);
                assert!(wait >= base && wait < base * 3 / 2, "{wait:?}");
                assert!(wait <= cap, "{wait:?}");
            }
        }
        assert_eq!(backoff(Duration::ZERO, 40, 7), Duration::ZERO);
        assert_eq!(backoff(Duration::MAX, 40, 511), Duration::MAX);
    }

    #[test]
    fn one_seed_gives_one_wait_and_two_give_two() {
        let first = Duration::from_millis(100);
        let waits: BTreeSet<Duration> = (0..512).map(|seed| backoff(first, 3, seed)).collect();
        assert_eq!(waits.len(), 512, "every seed has a wait of its own");
        assert_eq!(backoff(first, 3, 77), backoff(first, 3, 77));
        // Chance itself: that hundred draws are all the same has no chance.
        assert!((0..100).map(|_| chance()).collect::<BTreeSet<_>>().len() > 1);
    }

    #[test]
    fn what_the_provider_asks_for_is_kept_to_the_letter() {
        let first = Duration::from_millis(100);
        for asked in [Duration::ZERO, Duration::from_secs(7), Duration::MAX] {
            for (tried, seed) in [(0, 0), (5, 511), (40, u64::MAX)] {
                assert_eq!(wait(Some(asked), first, tried, seed), asked);
            }
        }
        assert_eq!(wait(None, first, 2, 9), backoff(first, 2, 9));
    }
}
