//! Moments as the documents have them: ISO 8601, with or without a fraction and an offset. It
//! refuses to reckon with them: nothing here needs to know which of two is later.

/// What a message says that it should be.
pub const FORM: &str = "an ISO 8601 moment such as `2026-11-15T02:25:27Z`";

/// `2026-11-15`, `2026-11-15T02:25:27`, with a fraction, with `Z` or `+01:00`.
pub fn is_moment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((date, rest)) = bytes.split_at_checked(10) else {
        return false;
    };
    is_date(date) && (rest.is_empty() || is_time(rest))
}

/// The digits at these places, as a number.
fn number(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + u32::from(byte - b'0'))
    })
}

fn is_date(date: &[u8]) -> bool {
    if date[4] != b'-' || date[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) =
        (number(&date[..4]), number(&date[5..7]), number(&date[8..]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=longest).contains(&day)
}

fn is_time(rest: &[u8]) -> bool {
    let Some((time, rest)) = rest.split_at_checked(9) else {
        return false;
    };
    let separated = matches!(time[0], b'T' | b't' | b' ') && time[3] == b':' && time[6] == b':';
    let within =
        |from: usize, most: u32| number(&time[from..from + 2]).is_some_and(|number| number <= most);
    // 60 is a leap second.
    if !separated || !within(1, 23) || !within(4, 59) || !within(7, 60) {
        return false;
    }
    let rest = match rest {
        [b'.' | b',', fraction @ ..] => {
            let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        other => other,
    };
    match rest {
        [] | [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] | [b'+' | b'-', h1, h2, m1, m2] => {
            number(&[*h1, *h2]).is_some_and(|hours| hours <= 23)
                && number(&[*m1, *m2]).is_some_and(|minutes| minutes <= 59)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_moment;

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
