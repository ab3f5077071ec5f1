//! The share of lines that tests reach, from what a coverage command prints or writes. An unknown
//! format has no number.

/// Lines reached, in hundredths of a percent: whole numbers compare exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coverage(pub u32);

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02} %", self.0 / 100, self.0 % 100)
    }
}

/// The number in the output of `cargo llvm-cov`, coverage.py, `go tool cover -func`, jest and
/// vitest, tarpaulin, or in an lcov file; none if there is none.
pub fn coverage(output: &str) -> Option<Coverage> {
    const WAYS: [fn(&str) -> Option<Coverage>; 6] =
        [lcov, llvm_cov, coverage_py, go, istanbul, tarpaulin];
    WAYS.iter().find_map(|way| way(output))
}

/// `87.5` or `87.5%`.
fn percent(text: &str) -> Option<Coverage> {
    let text = text.trim().trim_end_matches('%').trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let whole: u32 = whole.parse().ok().filter(|whole| *whole <= 100)?;
    let hundredths: String = fraction.chars().chain("00".chars()).take(2).collect();
    Some(Coverage(whole * 100 + hundredths.parse::<u32>().ok()?)).filter(|found| found.0 <= 10_000)
}

fn ratio(hit: u64, all: u64) -> Option<Coverage> {
    let hundredths = hit.checked_mul(10_000)?.checked_div(all)?;
    u32::try_from(hundredths).ok().map(Coverage)
}

/// The last line of a table that begins with `start`.
fn total<'a>(output: &'a str, start: &str) -> Option<&'a str> {
    output
        .lines()
        .rfind(|line| line.trim_start().starts_with(start))
}

/// `LF:` lines found and `LH:` lines hit, for each file.
fn lcov(output: &str) -> Option<Coverage> {
    if !output.lines().any(|line| line == "end_of_record") {
        return None;
    }
    let sum = |start: &str| -> Option<u64> {
        let numbers = output.lines().filter_map(|line| line.strip_prefix(start));
        numbers
            .map(|number| number.trim().parse::<u64>().ok())
            .sum()
    };
    ratio(sum("LH:")?, sum("LF:")?)
}

/// `TOTAL  10 2 80.00%  4 1 75.00%  20 5 75.00%  0 0 -`: regions, functions, lines, branches.
fn llvm_cov(output: &str) -> Option<Coverage> {
    let words: Vec<&str> = total(output, "TOTAL ")?.split_whitespace().collect();
    // Behind the word come groups of three; the third group is lines.
    let lines = words.get(9)?;
    lines.ends_with('%').then(|| percent(lines))?
}

/// `TOTAL  20  5  75%`.
fn coverage_py(output: &str) -> Option<Coverage> {
    let last = total(output, "TOTAL ")?.split_whitespace().last()?;
    last.ends_with('%').then(|| percent(last))?
}

/// `total:  (statements)  75.0%`, or `coverage: 75.0% of statements` where there is one package.
fn go(output: &str) -> Option<Coverage> {
    if let Some(line) = total(output, "total:") {
        return percent(line.split_whitespace().last()?);
    }
    let mut said = output.lines().filter_map(|line| {
        line.split_once("coverage: ")?
            .1
            .split_once(" of statements")
    });
    let (number, _) = said.next()?;
    // Several packages have no common number here.
    said.next().is_none().then(|| percent(number))?
}

/// `All files | 80 | 50 | 75 | 82.5 |`: statements, branches, functions, lines.
fn istanbul(output: &str) -> Option<Coverage> {
    let line = total(output, "All files")?;
    percent(line.split('|').nth(4)?)
}

/// `75.00% coverage, 15/20 lines covered`.
fn tarpaulin(output: &str) -> Option<Coverage> {
    let line = output
        .lines()
        .rfind(|line| line.contains("% coverage, ") && line.ends_with("lines covered"))?;
    percent(line.split("% coverage").next()?.split_whitespace().last()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_gives_its_lines() {
        for (output, hundredths) in [
            (
                "Filename  Regions  Missed Regions  Cover  Functions  Missed Functions  Executed  Lines  Missed Lines  Cover  Branches  Missed Branches  Cover\nsrc/lib.rs  10 2 80.00% 4 1 75.00% 20 5 75.00% 0 0 -\nTOTAL       10 2 80.00% 4 1 75.00% 40 5 87.50% 0 0 -\n",
                8750,
            ),
            (
                "Name    Stmts   Miss  Cover\n-----\na.py  20 5 75%\n-----\nTOTAL 20 5 75%\n",
                7500,
            ),
            ("a.go:3: Add 100.0%\ntotal:  (statements)  66.7%\n", 6670),
            ("ok  \ta\t0.1s\tcoverage: 83.3% of statements\n", 8330),
            (
                "File | % Stmts | % Branch | % Funcs | % Lines | Uncovered\nAll files |  80 |  50 |  75 |  82.5 |\n a.js | 1 | 1 | 1 | 1 | 2\n",
                8250,
            ),
            (
                "|| src/lib.rs: 15/20\n75.00% coverage, 15/20 lines covered\n",
                7500,
            ),
            (
                "SF:a\nLF:10\nLH:5\nend_of_record\nSF:b\nLF:10\nLH:10\nend_of_record\n",
                7500,
            ),
        ] {
            assert_eq!(coverage(output), Some(Coverage(hundredths)), "{output}");
        }
        assert_eq!(Coverage(8205).to_string(), "82.05 %");
    }

    #[test]
    fn what_is_unknown_has_no_number() {
        for output in [
            "",
            "100%",
            "TOTAL",
            "TOTAL many",
            "total: (statements) -3%",
            "total: (statements) 101%",
            "coverage: 80.0% of statements\ncoverage: 90.0% of statements\n",
            "LF:0\nLH:0\nend_of_record\n",
            "LF:x\nLH:1\nend_of_record\n",
        ] {
            assert_eq!(coverage(output), None, "{output:?}");
        }
    }
}
