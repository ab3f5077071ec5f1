//! Durations as people write them in workflows and milestones: `90s`, `20m`, `2h`.

/// Milliseconds, or none if the text is not a duration.
pub fn parse_millis(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let millis = number.parse::<u64>().ok()?.checked_mul(factor)?;
    (millis > 0).then_some(millis)
}

#[cfg(test)]
mod tests {
    use super::parse_millis;

    #[test]
    fn reads_whole_units_only() {
        assert_eq!(parse_millis("90s"), Some(90_000));
        assert_eq!(parse_millis("2h"), Some(7_200_000));
        for bad in ["", "5", "s", "1.5h", "0s", "5 days", "-1s"] {
            assert_eq!(parse_millis(bad), None, "{bad}");
        }
    }
}
