//! A moment as data: milliseconds since 1970 in UTC, its RFC 3339 form, and whether a text is a moment
//! at all. The one place for dates, by hand: a hundred lines, and no time zone is ever looked up.
//! There is no `now` here.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub u64);

impl Time {
    /// Milliseconds from `earlier` to here; zero if a clock went backwards.
    pub fn since(self, earlier: Time) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Parses exactly the form that [`Time`] prints: `2026-11-15T02:25:27.123Z`.
    pub fn parse(text: &str) -> Option<Time> {
        let b = text.as_bytes();
        if b.len() != 24 || b[23] != b'Z' || b[10] != b'T' || b[19] != b'.' {
            return None;
        }
        if b[4] != b'-' || b[7] != b'-' || b[13] != b':' || b[16] != b':' {
            return None;
        }
        let number = |range: std::ops::Range<usize>| number(&b[range]);
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        let millis = number(20..23)?;
        if year < 1970 || !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        if !is_day(year, month, day) {
            return None;
        }
        let days = days_from_civil(year, month, day);
        Some(Time(
            (days * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000 + millis,
        ))
    }
}

/// What a message says that a moment should be.
pub const MOMENT: &str = "an ISO 8601 moment such as `2026-11-15T02:25:27Z`";

/// Is this ISO 8601: a date, or a date and a time, with or without a fraction, `Z` or an offset?
pub fn is_moment(text: &str) -> bool {
    let Some((date, rest)) = text.as_bytes().split_at_checked(10) else {
        return false;
    };
    let part = |from: usize, to: usize| number(&date[from..to]).unwrap_or(0);
    let dated = date[4] == b'-'
        && date[7] == b'-'
        && number(&date[..4]).is_some()
        && is_day(part(0, 4), part(5, 7), part(8, 10));
    dated && (rest.is_empty() || is_clock(rest))
}

/// The digits as a number; none if there is anything else.
fn number(bytes: &[u8]) -> Option<u64> {
    bytes.iter().try_fold(0, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        Some(sum * 10 + digit)
    })
}

fn is_day(year: u64, month: u64, day: u64) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let longest = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=longest).contains(&day)
}

/// `T02:25:27`, a fraction, `Z` or `+01:00`.
fn is_clock(rest: &[u8]) -> bool {
    let Some((time, rest)) = rest.split_at_checked(9) else {
        return false;
    };
    let within = |two: &[u8], most: u64| number(two).is_some_and(|number| number <= most);
    let separated = matches!(time[0], b'T' | b't' | b' ') && time[3] == b':' && time[6] == b':';
    // 60 is a leap second.
    if !separated || !within(&time[1..3], 23) || !within(&time[4..6], 59) || !within(&time[7..], 60)
    {
        return false;
    }
    let rest = match rest {
        [b'.' | b',', fraction @ ..] => {
            let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
            match digits {
                0 => return false,
                _ => &fraction[digits..],
            }
        }
        other => other,
    };
    match rest {
        [] | [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] | [b'+' | b'-', h1, h2, m1, m2] => {
            within(&[*h1, *h2], 23) && within(&[*m1, *m2], 59)
        }
        _ => false,
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0 / 1_000, self.0 % 1_000);
        let (year, month, day) = civil_from_days(seconds / 86_400);
        let rest = seconds % 86_400;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{millis:03}Z",
            rest / 3_600,
            rest % 3_600 / 60,
            rest % 60
        )
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Time::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("not an RFC 3339 time in UTC: {text:?}"))
        })
    }
}

// Days are counted in 400-year eras that begin in March, so that the leap day is an era year's last
// day and needs no special case (the method is Howard Hinnant's, public domain).
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (shifted / 400, shifted % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day.saturating_sub(1);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let (era, of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_parses_the_same_moment() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_794_709_527_123, "2026-11-15T02:25:27.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] {
            assert_eq!(Time(millis).to_string(), text);
            assert_eq!(Time::parse(text), Some(Time(millis)));
        }
    }

    #[test]
    fn refuses_what_it_would_not_print() {
        for text in [
            "2026-11-15T02:25:27Z",
            "2026-02-30T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-11-15T24:00:00.000Z",
            "2026-11-15 02:25:27.000Z",
            "",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    #[test]
    fn iso_8601_and_nothing_else() {
        for good in [
            "2026-11-15",
            "2026-11-15T02:25:27Z",
            "2026-11-15T02:25:27",
            "2024-02-29T23:59:60.123456+01:00",
            "2026-11-15T02:25:27-0330",
        ] {
            assert!(is_moment(good), "{good}");
        }
        for bad in [
            "",
            "now",
            "2026-11-15T",
            "2026-11-15T02:25",
            "2026-02-30",
            "2026-13-01",
            "2026-11-15T25:00:00Z",
            "2026-11-15T02:25:27.Z",
            "2026-11-15T02:25:27Z ",
            "２026-11-15",
            "2026-11-15T02:25:27+1:00",
        ] {
            assert!(!is_moment(bad), "{bad}");
        }
    }
}
