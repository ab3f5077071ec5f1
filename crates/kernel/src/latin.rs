//! Letters of other scripts as Latin ones, so that a run is named after its sentence in whatever language it
//! is written: a name is typed again and again, and read in lists. It is no orthography: each letter has one
//! spelling, and what has none (ideographs, emoji) is left out.

/// Letters in small, and what is written for each.
const SPELT: [(&str, &str); 9] = [
    // Cyrillic, with what Ukrainian, Belarusian, Serbian and Macedonian have besides.
    (
        "абвгдеёзийклмнопрстуфхыэіїґўјєђћњљ",
        "a b v g d e e z i y k l m n o p r s t u f h y e i i g u j e d c n l",
    ),
    ("жцчшщюяџ", "zh ts ch sh sch yu ya dz"),
    ("ъьʼ", "_ _ _"),
    // Greek.
    (
        "αβγδεζηικλμνξοπρσςτυφωάέήίόύώϊϋ",
        "a v g d e z i i k l m n x o p r s s t y f o a e i i o y o i y",
    ),
    ("θχψ", "th ch ps"),
    // Latin letters with marks.
    (
        "àáâãåāăąçćčďđèéêëēėęěğģìíîïīįıķĺļľłñńņňòóôõőōŕřśşšșţťțùúûůűūųýÿźżž",
        "a a a a a a a a c c c d d e e e e e e e e g g i i i i i i i k l l l l n n n n o o o o o o r r s s s s t t t u u u u u u u y y z z z",
    ),
    ("äöüß", "ae oe ue ss"),
    ("æøœ", "ae oe oe"),
    ("ðþ", "d th"),
];

/// How a letter is written; none where it has no spelling here. Letters that only soften another are
/// written as nothing.
pub fn spelt(letter: char) -> Option<&'static str> {
    let small: String = letter.to_lowercase().collect();
    for (letters, words) in SPELT {
        if let Some(at) = letters.chars().position(|known| small.starts_with(known)) {
            return words.split(' ').nth(at).map(|word| match word {
                "_" => "",
                word => word,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_has_its_spelling() {
        for (letters, words) in SPELT {
            assert_eq!(
                letters.chars().count(),
                words.split(' ').count(),
                "{letters}"
            );
        }
        let text = |text: &str| {
            text.chars()
                .map(|one| spelt(one).unwrap_or("-"))
                .collect::<String>()
        };
        assert_eq!(text("Щука"), "schuka");
        assert_eq!(text("Öl"), "oe-");
        assert_eq!(text("世🎉"), "--");
    }
}
