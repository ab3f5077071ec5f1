//! Numbers as mathematics sees them: `1` and `1.0` are one value, and `0.0075` is a multiple of
//! `0.0001` although no float says so.

use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Floats beyond this are not turned into integers; all of them are whole, and compared as floats.
const WHOLE: f64 = 1e37;

/// The number as an integer, where it is one.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    let whole = number.as_i64().map(i128::from);
    let whole = whole.or_else(|| number.as_u64().map(i128::from));
    whole.or_else(|| {
        let float = number.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole, and within the range"
        )]
        (float.fract() == 0.0 && float.abs() < WHOLE).then_some(float as i128)
    })
}

/// Is it whole, however it is written?
pub(crate) fn is_integer(number: &Number) -> bool {
    integer(number).is_some() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

pub(crate) fn compare(one: &Number, other: &Number) -> Ordering {
    if let (Some(one), Some(other)) = (integer(one), integer(other)) {
        return one.cmp(&other);
    }
    let (one, other) = (one.as_f64(), other.as_f64());
    one.partial_cmp(&other).unwrap_or(Ordering::Equal)
}

/// A value as a text that is the same exactly for values that are the same.
pub(crate) fn normal(value: &Value) -> String {
    match value {
        Value::Number(number) => match integer(number) {
            Some(whole) => whole.to_string(),
            None => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(normal).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let member = |(name, value): (&String, &Value)| format!("{name:?}:{}", normal(value));
            let members: Vec<String> = members.into_iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

/// A number as it is written: digits, and a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: u128,
    power: i32,
}

impl Decimal {
    /// None for more digits than fit, which no JSON number that was read has.
    pub(crate) fn of(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let text = text.trim_start_matches('-');
        let (mantissa, power) = match text.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power.parse().ok()?),
            None => (text, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let part = part.trim_end_matches('0');
        let digits = format!("{whole}{part}").parse().ok()?;
        let power = power - i32::try_from(part.len()).ok()?;
        Some(Self { digits, power })
    }

    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Is this a whole number of times the other, which is not zero?
    pub(crate) fn is_multiple_of(self, other: Self) -> bool {
        let mut rest = self.digits;
        if self.power >= other.power {
            // Digit by digit, so that `1e308` needs no more room than `10`.
            rest %= other.digits;
            for _ in other.power..self.power {
                if rest == 0 {
                    break;
                }
                let Some(next) = rest.checked_mul(10) else {
                    return false;
                };
                rest = next % other.digits;
            }
            return rest == 0;
        }
        // The other is the coarser one: what is left of its zeros must be zeros here as well.
        for _ in self.power..other.power {
            if !rest.is_multiple_of(10) {
                return false;
            }
            rest /= 10;
            if rest == 0 {
                return true;
            }
        }
        rest.is_multiple_of(other.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn multiple(value: Value, of: Value) -> bool {
        let decimal = |value: &Value| Decimal::of(value.as_number().unwrap()).unwrap();
        decimal(&value).is_multiple_of(decimal(&of))
    }

    #[test]
    fn multiples_are_exact() {
        for (value, of, expected) in [
            (json!(10), json!(2), true),
            (json!(7), json!(2), false),
            (json!(0), json!(3), true),
            (json!(-9), json!(3), true),
            (json!(4.5), json!(1.5), true),
            (json!(35), json!(1.5), false),
            (json!(0.0075), json!(0.0001), true),
            (json!(0.00751), json!(0.0001), false),
            (json!(12_391_239_123_u64), json!(1e-8), true),
            (json!(1e308), json!(0.123456789), false),
            (json!(1e308), json!(0.5), true),
            (json!(0.5), json!(1e308), false),
            (json!(300), json!(1e2), true),
            (json!(350), json!(1e2), false),
            (json!(1e-7), json!(1), false),
        ] {
            assert_eq!(
                multiple(value.clone(), of.clone()),
                expected,
                "{value} of {of}"
            );
        }
    }

    #[test]
    fn the_same_value_has_one_text() {
        for (one, other) in [
            (json!(1), json!(1.0)),
            (json!(-0.0), json!(0)),
            (
                json!({"a": [1.0, 2], "b": 1e2}),
                json!({"b": 100, "a": [1, 2.0]}),
            ),
        ] {
            assert_eq!(normal(&one), normal(&other));
        }
        for (one, other) in [
            (json!(true), json!(1)),
            (json!("1"), json!(1)),
            (json!(false), json!(null)),
            (
                json!(9_007_199_254_740_993_u64),
                json!(9_007_199_254_740_992_u64),
            ),
            (json!({"a": 1}), json!({"a": 1, "b": null})),
            (json!(["a,b"]), json!(["a", "b"])),
        ] {
            assert_ne!(normal(&one), normal(&other));
        }
    }

    #[test]
    fn large_numbers_are_compared_as_they_are() {
        let compare = |one: Value, other: Value| {
            compare(one.as_number().unwrap(), other.as_number().unwrap())
        };
        assert_eq!(
            compare(
                json!(9_007_199_254_740_993_u64),
                json!(9_007_199_254_740_992_u64)
            ),
            Ordering::Greater
        );
        assert_eq!(compare(json!(1e300), json!(u64::MAX)), Ordering::Greater);
        assert_eq!(compare(json!(1.5), json!(2)), Ordering::Less);
        assert_eq!(compare(json!(-1), json!(-1.0)), Ordering::Equal);
    }
}
