//! What tokens cost: a data file, and the user's own prices over it.
//!
//! Nothing is guessed: a model that nobody has priced has no price, and a run without a price would
//! be a run without a budget.

mod read;

use std::collections::BTreeMap;

/// Micro-dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rates {
    /// Tokens that the model reads.
    pub input: u64,
    /// Tokens that it reads from the provider's cache.
    pub cached: u64,
    /// Tokens that the provider puts into its cache.
    pub written: u64,
    /// Tokens that it writes.
    pub output: u64,
}

/// What is known about one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    /// The usual rates.
    pub rates: Rates,
    /// Other rates for requests that read more than so many tokens.
    pub long: Option<(u64, Rates)>,
    /// The model's window in tokens, if known.
    pub window: Option<u64>,
    /// The most that one answer is asked for, if known.
    pub max_output: Option<u64>,
}

/// The tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// All that were read, cached or not.
    pub input: u64,
    /// Of those, the ones from the cache.
    pub cached: u64,
    /// Of those, the ones that were put into the cache.
    pub written: u64,
    /// All that were written.
    pub output: u64,
}

impl Price {
    /// The cost of one request in micro-dollars, rounded up.
    pub fn cost(&self, tokens: Tokens) -> u64 {
        let rates = match self.long {
            Some((over, long)) if tokens.input > over => long,
            _ => self.rates,
        };
        let fresh = tokens
            .input
            .saturating_sub(tokens.cached.saturating_add(tokens.written));
        let parts = [
            (fresh, rates.input),
            (tokens.cached, rates.cached),
            (tokens.written, rates.written),
            (tokens.output, rates.output),
        ];
        let sum: u128 = parts
            .iter()
            .map(|(count, rate)| u128::from(*count) * u128::from(*rate))
            .sum();
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// A table of prices that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; write [model] with input, cached and output: whole micro-dollars per million tokens")]
pub struct PriceError(String);

/// Prices by model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The table that comes with the program.
    pub fn embedded() -> Self {
        // A test reads it, so that a wrong file does not get this far.
        Self::parse(include_str!("prices.toml")).unwrap_or_default()
    }

    /// No prices at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// A table like the embedded one.
    ///
    /// # Errors
    /// Names the model and the key that is wrong.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        read::table(text).map(Self)
    }

    /// This table with another one over it.
    #[must_use]
    pub fn with_overrides(mut self, over: Prices) -> Self {
        self.0.extend(over.0);
        self
    }

    /// This table with one price over it.
    #[must_use]
    pub fn with(mut self, model: impl Into<String>, price: Price) -> Self {
        self.0.insert(model.into(), price);
        self
    }

    /// A model's price: by its whole name, or by its name without a date at the end.
    pub fn find(&self, model: &str) -> Option<Price> {
        let exact = self.0.get(model);
        exact.or_else(|| self.0.get(undated(model)?)).copied()
    }
}

/// `gpt-5-2026-04-01` and `claude-opus-5-20260724` without their dates.
fn undated(model: &str) -> Option<&str> {
    let name = model.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let date = model.get(name.len()..)?;
    if ends_with_date(date, &[8]) {
        model.get(..model.len() - "-20260401".len())
    } else if ends_with_date(date, &[4, 2, 2]) {
        model.get(..model.len() - "-2026-04-01".len())
    } else {
        None
    }
}

fn ends_with_date(text: &str, widths: &[usize]) -> bool {
    let mut groups = text.rsplit('-');
    widths
        .iter()
        .rev()
        .all(|width| groups.next().is_some_and(|group| group.len() == *width))
        && groups.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_read_whole() {
        let prices = Prices::parse(include_str!("prices.toml")).unwrap();
        assert_eq!(prices, Prices::embedded());
        for (model, price) in &prices.0 {
            let Rates {
                input,
                cached,
                output,
                ..
            } = price.rates;
            assert!(cached <= input && input < output && output > 0, "{model}");
            assert!(
                price.window.is_some() && price.max_output.is_some(),
                "{model}"
            );
        }
    }

    #[test]
    fn cost_is_exact_and_rounded_up() {
        let price = Prices::embedded().find("claude-haiku-5-5").unwrap();
        let tokens = Tokens {
            input: 1_000,
            cached: 400,
            written: 100,
            output: 10,
        };
        // 500 fresh at 0.1, 400 cached at 0.01, 100 written at 0.125, 10 out at 0.5: 71.5.
        assert_eq!(price.cost(tokens), 72);
        let long = Tokens {
            input: 200_000,
            ..Tokens::default()
        };
        assert_eq!(price.cost(long), 100_000);
        let huge = Tokens {
            input: u64::MAX,
            output: u64::MAX,
            ..Tokens::default()
        };
        assert_eq!(price.cost(huge), u64::MAX);
    }

    #[test]
    fn dates_are_left_out_and_nothing_else_is() {
        let prices = Prices::embedded();
        for model in [
            "claude-opus-5-20260724",
            "gpt-5-2026-04-01",
            "gpt-4.1-2025-04-14",
            "gpt-5",
        ] {
            assert!(prices.find(model).is_some(), "{model}");
        }
        for model in [
            "gpt-5-turbo",
            "gpt-55",
            "gpt-5-1",
            "",
            "2026-04-01",
            "llama3",
        ] {
            assert!(prices.find(model).is_none(), "{model}");
        }
    }

    #[test]
    fn faults_are_named_and_overrides_win() {
        let cases = [
            ("x = 1", "`x` is not a table"),
            ("[x]\ninput = 1", "`x` has no `output`"),
            (
                "[x]\ninput = -1\noutput = 1",
                "`x.input` is not a whole number from 0",
            ),
            (
                "[x]\ninput = 1\noutput = 1\nout = 1",
                "`x` has an unknown key `out`",
            ),
        ];
        for (text, expected) in cases {
            let error = Prices::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let own = Prices::parse("[gpt-5]\ninput = 7\noutput = 9").unwrap();
        let prices = Prices::embedded().with_overrides(own);
        assert_eq!(prices.find("gpt-5").unwrap().rates.cached, 7);
        assert!(prices.find("gpt-5-mini").is_some());
    }
}
