//! Inputs that nobody would write, for everything that reads what others wrote. They are made from samples by
//! cutting, doubling, nesting and swapping, and are the same on every machine: a number names each.
//!
//! It finds what panics, what overflows a stack, and what breaks a promise that the caller asserts. It does not
//! learn from what the reader does: who wants that takes the same targets to a fuzzer with coverage.

use crate::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// So many inputs for each reader, in place of the suite's few.
pub const MANY: &str = "PROOFHOUSE_FUZZ";
/// This input alone.
pub const ONE: &str = "PROOFHOUSE_FUZZ_ONE";

/// No input is longer.
const LONGEST: usize = 64 * 1024;

/// What every reader might trip over.
const WORDS: [&[u8]; 22] = [
    b"\0",
    b"\r\n",
    b"\n\n",
    b"\xff\xfe",
    b"\xc3\x28",
    "\u{feff}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{1f469}\u{200d}\u{1f680}".as_bytes(),
    "é".as_bytes(),
    b"18446744073709551616",
    b"-1",
    b"1e999",
    b"NaN",
    b"{",
    b"[",
    b"]]>",
    b"<!--",
    b"```",
    b"\"",
    b"\\u0000",
    b"../",
];

/// A reader, and samples of what it reads.
pub struct Fuzz<'a> {
    pub name: &'a str,
    pub samples: &'a [&'a [u8]],
    /// How many inputs the suite tries.
    pub usual: u64,
}

impl Fuzz<'_> {
    /// Hands every input to the reader.
    ///
    /// # Panics
    /// Where the reader does, with the input and how to see it again.
    pub fn run(&self, reader: &dyn Fn(&[u8])) {
        let numbers = match (number(ONE), number(MANY)) {
            (Some(one), _) => one..one + 1,
            (None, many) => 0..many.unwrap_or(self.usual),
        };
        let mut bytes = 0;
        for number in numbers.clone() {
            let input = self.input(number);
            bytes += input.len();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| reader(&input))) {
                eprintln!(
                    "fuzz {}: input {number} of {} bytes breaks it; {ONE}={number} shows it again:\n{}",
                    self.name,
                    input.len(),
                    input[..input.len().min(2_000)].escape_ascii()
                );
                resume_unwind(panic);
            }
        }
        let count = numbers.end - numbers.start;
        println!("fuzz {}: {count} executions, {bytes} bytes", self.name);
    }

    /// The input of this number. The samples themselves come first.
    fn input(&self, number: u64) -> Vec<u8> {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(sample) = self.samples.get(at) {
            return sample.to_vec();
        }
        let mut random = Random::stream(number, self.name);
        let mut input = random
            .pick(self.samples)
            .map_or_else(Vec::new, |one| one.to_vec());
        for _ in 0..=random.below(4) {
            self.change(&mut input, &mut random);
            input.truncate(LONGEST);
        }
        input
    }

    fn change(&self, input: &mut Vec<u8>, random: &mut Random) {
        let from = at(random, input.len());
        let to = from + at(random, (input.len() - from).min(64));
        match random.below(9) {
            0 => input.truncate(from),
            1 => drop(input.drain(from..to)),
            2 => {
                if let Some(byte) = input.get_mut(from) {
                    *byte ^= 1 << random.below(8);
                }
            }
            3 => {
                let word = random.pick(&WORDS).copied().unwrap_or_default();
                input.splice(from..from, word.iter().copied());
            }
            4 => {
                let word = random.pick(&WORDS).copied().unwrap_or_default();
                input.splice(from..to, word.iter().copied());
            }
            // Deep, wide or long.
            5 => {
                let times = 1 << random.below(12);
                let piece = input[from..to].repeat(times);
                input.splice(from..from, piece.into_iter().take(LONGEST));
            }
            6 => {
                let word = random.pick(&WORDS).copied().unwrap_or_default();
                let piece = word.repeat(1 << random.below(13));
                input.splice(from..from, piece.into_iter().take(LONGEST));
            }
            // A piece of another sample, or of this one elsewhere.
            7 => {
                let other = random.pick(self.samples).copied().unwrap_or_default();
                let begins = at(random, other.len());
                input.truncate(from);
                input.extend_from_slice(&other[begins..]);
            }
            _ => {
                let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
                let (one, other) = (at(random, lines.len()), at(random, lines.len()));
                let mut lines = lines;
                if one < lines.len() && other < lines.len() {
                    lines.swap(one, other);
                }
                *input = lines.join(&b'\n');
            }
        }
    }
}

/// A place in so many, the end among them.
fn at(random: &mut Random, length: usize) -> usize {
    usize::try_from(random.below(length as u64 + 1)).unwrap_or(0)
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.trim().parse();
    Some(number.unwrap_or_else(|_| panic!("{name}={text}: not a whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn inputs_are_the_same_every_time_and_unlike_each_other() {
        let seen = |times: u64| {
            let inputs = RefCell::new(Vec::new());
            let fuzz = Fuzz {
                name: "own",
                samples: &[b"one\ntwo\n", b"{\"three\": [3]}"],
                usual: times,
            };
            for number in 0..times {
                inputs.borrow_mut().push(fuzz.input(number));
            }
            inputs.into_inner()
        };
        let inputs = seen(300);
        assert_eq!(inputs, seen(300));
        assert_eq!(inputs[0], b"one\ntwo\n");
        let unlike: std::collections::BTreeSet<&Vec<u8>> = inputs.iter().collect();
        assert!(unlike.len() > 200, "{}", unlike.len());
        assert!(inputs.iter().any(|one| one.len() > 1_000));
        assert!(inputs.iter().all(|one| one.len() <= LONGEST));
    }

    #[test]
    fn what_breaks_is_told() {
        let fuzz = Fuzz {
            name: "broken",
            samples: &[b"a"],
            usual: 10,
        };
        let broke = catch_unwind(AssertUnwindSafe(|| {
            fuzz.run(&|input| assert!(input == b"a", "another one"));
        }));
        assert!(broke.is_err());
    }
}
