//! The timestamps of an allowed_signers file: `YYYYMMDD[HHMM[SS]][Z]`, as seconds since 1970.
//!
//! OpenSSH reads one without `Z` in the time zone of the machine. This refuses to: the approvers
//! file is shared, and an audit elsewhere must come to the same answer. Without `Z` it is UTC too.

use kernel::Time;

/// Seconds since 1970, or nothing if the text is no such timestamp.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let digits = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (date, clock) = digits.split_at_checked(8)?;
    let clock = match clock.len() {
        0 => "000000".to_owned(),
        4 => format!("{clock}00"),
        6 => clock.to_owned(),
        _ => return None,
    };
    let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
    let (hour, minute, second) = (&clock[..2], &clock[2..4], &clock[4..]);
    Time::parse(&format!(
        "{year}-{month}-{day}T{hour}:{minute}:{second}.000Z"
    ))
    .map(|time| time.0 / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form() {
        for (text, expected) in [
            ("19700102", Some(86_400)),
            ("19700102Z", Some(86_400)),
            ("197001020001", Some(86_460)),
            ("19700102000102Z", Some(86_462)),
            ("1970010200010", None),
            ("19701302", None),
            ("19700230Z", None),
            ("1970", None),
            ("", None),
            ("Z", None),
            ("1970-01-02", None),
            ("+1970010", None),
            ("1970010é", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
