//! What a source makes public at its top, by name: as far as one sees it in the text, without a compiler.
//! Methods and what other languages call public are not looked for.

use regex::Regex;
use std::sync::LazyLock;

/// The endings of a language, and how it makes a name public.
struct Language {
    endings: &'static [&'static str],
    public: LazyLock<Regex>,
}

macro_rules! expression {
    ($text:literal) => {
        LazyLock::new(|| Regex::new($text).expect("a constant, which a test compiles"))
    };
}

static LANGUAGES: [Language; 4] = [
    Language {
        endings: &["rs"],
        public: expression!(
            r"(?m)^pub (?:async |const |unsafe )*(?:fn|struct|enum|trait|type|const|static) (\w+)"
        ),
    },
    Language {
        endings: &["py"],
        public: expression!(r"(?m)^(?:async )?(?:def|class) ([A-Za-z]\w*)"),
    },
    Language {
        endings: &["js", "mjs", "jsx", "ts", "mts", "tsx"],
        public: expression!(
            r"(?m)^export (?:default )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)"
        ),
    },
    Language {
        endings: &["go"],
        public: expression!(r"(?m)^(?:func|type) ([A-Z]\w*)"),
    },
];

/// Where a program begins: nobody calls it, and no design names it.
const ENTRY: &str = "main";

/// The names, in their order.
pub fn of(path: &str, text: &str) -> Vec<String> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let language = LANGUAGES.iter().find(|one| one.endings.contains(&ending));
    let found = language.into_iter().flat_map(|one| {
        let all = one.public.captures_iter(text);
        all.filter_map(|found| Some(found.get(1)?.as_str().to_owned()))
    });
    found.filter(|name| name != ENTRY).collect()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn what_stands_at_the_top_and_is_public() {
        let cases: [(&str, &str, &[&str]); 4] = [
            (
                "a.rs",
                "pub fn one() {}\nfn two() {}\npub(crate) fn three() {}\npub async fn four() {}\nimpl A {\n    pub fn five() {}\n}\npub struct Six;\n",
                &["one", "four", "Six"],
            ),
            (
                "a.py",
                "def one():\n    def two(): pass\ndef _three(): pass\nclass Four:\n    def five(self): pass\ndef main(): pass\n",
                &["one", "Four"],
            ),
            (
                "a.ts",
                "export function one() {}\nfunction two() {}\nexport default class Three {}\nexport const four = 1;\n",
                &["one", "Three", "four"],
            ),
            (
                "a.go",
                "func One() {}\nfunc two() {}\nfunc (a A) Three() {}\ntype Four struct{}\n",
                &["One", "Four"],
            ),
        ];
        for (path, text, wanted) in cases {
            assert_eq!(of(path, text), wanted, "{path}");
        }
        assert!(of("a.md", "pub fn one() {}\n").is_empty());
    }
}
