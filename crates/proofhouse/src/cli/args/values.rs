//! Values of flags, read. Each error is a text, and that text is the answer: clap prints it to the
//! person who wrote the flag.

use sandbox::Endpoint;
use std::time::Duration;

/// `FIELD=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as FIELD=VALUE")?;
    if key.trim().is_empty() {
        return Err("the field before `=` is empty".to_owned());
    }
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// `NAME=CAP`.
pub(super) fn cap(text: &str) -> Result<(String, u64), String> {
    let (key, value) = pair(text)?;
    let value = value.trim().replace('_', "").parse();
    Ok((key, value.map_err(|_| "the cap must be a whole number")?))
}

/// `30s`, `5m`, `1h`, `250ms`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let wrong = || "write it as 30s, 5m, 1h or 250ms".to_owned();
    let at = text
        .find(|letter: char| !letter.is_ascii_digit())
        .ok_or_else(wrong)?;
    let number: u64 = text[..at].parse().map_err(|_| wrong())?;
    let millis = match &text[at..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    match number.checked_mul(millis) {
        Some(0) | None => Err("it must be more than nothing, and less than for ever".to_owned()),
        Some(millis) => Ok(Duration::from_millis(millis)),
    }
}

/// `512M`, `2G`, `64K`, `1000`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let wrong = || "write it as 512M, 2G, 64K or a number of bytes".to_owned();
    let at = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..at].parse().map_err(|_| wrong())?;
    let unit = match &text[at..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).ok_or_else(wrong)
}

/// `host:port`.
pub(super) fn endpoint(text: &str) -> Result<Endpoint, String> {
    Endpoint::read(text, None).ok_or_else(|| "write it as HOST:PORT".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sizes_and_endpoints_are_read() {
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("7"), Ok(7));
        assert_eq!(endpoint("[::1]:80"), Ok(Endpoint::new("::1", 80)));
        for text in ["", "30", "s", "30 s", "-1s", "0s", "99999999999999999999h"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["", "M", "1T", "99999999999999999999"] {
            assert!(size(text).is_err(), "{text}");
        }
        for text in ["host", ":80", "host:port", "host:70000"] {
            assert!(endpoint(text).is_err(), "{text}");
        }
    }
}
