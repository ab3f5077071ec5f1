//! The criteria of rule F14.1, and changing the model.

use crate::support::{Folder, NOW, entry};
use index::embed::{BuiltIn, Embedder, criteria};
use index::{IndexError, Ranking, SearchRequest};

/// A model of our choice.
struct Fake {
    dimensions: usize,
    tokens: usize,
    filled: usize,
    seed: f32,
}

const FIT: Fake = Fake {
    dimensions: 256,
    tokens: 512,
    filled: 256,
    seed: 1.0,
};

impl Embedder for Fake {
    fn spec(&self) -> String {
        "fake".into()
    }
    fn identity(&self) -> String {
        format!("fake/{}", self.seed)
    }
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    fn tokens(&self) -> Option<usize> {
        Some(self.tokens)
    }
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
        let vector = |text: &String| {
            let sum: u32 = text.bytes().map(u32::from).sum();
            (0..self.dimensions)
                .map(|at| match at < self.filled {
                    true => ((at as f32 + 1.0) * (sum as f32 + self.seed)).sin() + 2.0,
                    false => 0.0,
                })
                .collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn s14_1_the_criteria_are_checked() {
    assert!(criteria::check(&FIT).is_ok());
    for (model, criterion) in [
        (Fake { filled: 100, ..FIT }, 1),
        (Fake { tokens: 511, ..FIT }, 2),
        (
            Fake {
                dimensions: 255,
                filled: 255,
                ..FIT
            },
            3,
        ),
        (
            Fake {
                dimensions: 1537,
                filled: 1537,
                ..FIT
            },
            3,
        ),
    ] {
        let error = criteria::check(&model).unwrap_err();
        assert_eq!(error.code(), "embedder_unfit");
        assert!(
            matches!(error, IndexError::EmbedderUnfit { criterion: found, .. } if found == criterion),
            "{error}"
        );
        let folder = Folder::new();
        let added = folder.open().add(&[entry("MM-1", "one")], &model, NOW);
        assert_eq!(added.unwrap_err().code(), "embedder_unfit");
    }
    // It claims to take 512 tokens, but does not read them.
    struct Short;
    impl Embedder for Short {
        fn spec(&self) -> String {
            "short".into()
        }
        fn identity(&self) -> String {
            "short".into()
        }
        fn dimensions(&self) -> usize {
            256
        }
        fn tokens(&self) -> Option<usize> {
            None
        }
        fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
            let cut: Vec<String> = texts
                .iter()
                .map(|text| text.chars().take(600).collect())
                .collect();
            FIT.embed(&cut)
        }
    }
    let error = criteria::check(&Short).unwrap_err();
    assert!(
        matches!(error, IndexError::EmbedderUnfit { criterion: 2, .. }),
        "{error}"
    );
    let widest = Fake {
        dimensions: 1536,
        filled: 1536,
        ..FIT
    };
    assert!(criteria::check(&widest).is_ok());
}

/// Criterion 1 in form: nearly no zeros, also for one short word. It is still made of a bag of
/// words, which the module's own words say.
#[test]
fn s14_1_criterion_1_the_built_in_embedder_is_dense() {
    let texts = ["x", "Parse a date", "日本"].map(str::to_owned);
    for vector in BuiltIn.embed(&texts).unwrap() {
        let zeros = vector.iter().filter(|x| **x == 0.0).count();
        assert!(zeros * 20 < vector.len(), "{zeros} zeros");
    }
}

/// Criterion 2: what comes after 512 tokens, and far after, still counts.
#[test]
fn s14_1_criterion_2_the_built_in_embedder_reads_long_texts_to_the_end() {
    let filler: String = (0..5_000).map(|at| format!("filler{} ", at % 50)).collect();
    let texts = [
        format!("{filler} parse dates"),
        format!("{filler} draw circles"),
    ];
    let vectors = BuiltIn.embed(&texts).unwrap();
    assert_ne!(vectors[0], vectors[1]);
    assert!(BuiltIn.tokens() >= Some(512));
}

#[test]
fn s14_1_criterion_3_the_built_in_embedder_has_384_dimensions() {
    assert_eq!(BuiltIn.dimensions(), 384);
    assert_eq!(BuiltIn.embed(&["x".into()]).unwrap()[0].len(), 384);
    assert!(criteria::check(&BuiltIn).is_ok());
}

#[test]
fn the_built_in_embedder_puts_like_texts_near_each_other() {
    let near = |a: &str, b: &str| -> f32 {
        let vectors = BuiltIn.embed(&[a.to_owned(), b.to_owned()]).unwrap();
        vectors[0].iter().zip(&vectors[1]).map(|(x, y)| x * y).sum()
    };
    let query = "parse dates from strings";
    let same = near(query, "Parsing of a date string");
    let other = near(query, "send an email to a customer");
    assert!(same > other + 0.2, "{same} {other}");
    // It has learnt nothing: the words must be alike.
    assert!(near("automobile", "car vehicle") < 0.3);
    // The same on every machine, for ever: stored vectors are compared with new ones.
    let first = &BuiltIn.embed(&["proof".into()]).unwrap()[0][..4];
    let signs: Vec<bool> = first.iter().map(|x| *x > 0.0).collect();
    assert_eq!(signs, [true, false, false, true]);
}

#[test]
fn s14_1_another_model_is_refused_until_all_is_embedded_anew() {
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1", "parse dates"), entry("MM-2", "draw circles")]);
    let mut other = folder.open();
    let request = SearchRequest::new("parse dates");
    other.search(&request, Ranking::Fused, &BuiltIn).unwrap();
    let wrong = index.search(&request, Ranking::Fused, &FIT).unwrap_err();
    assert_eq!(wrong.code(), "embedder_changed");
    let wrong = index.add(&[entry("MM-3", "x")], &FIT, NOW).unwrap_err();
    assert_eq!(wrong.code(), "embedder_changed");

    assert_eq!(index.reindex(&FIT, NOW).unwrap(), 2);
    assert_eq!(index.embedder_spec().unwrap().as_deref(), Some("fake"));
    assert_eq!(index.stats().unwrap().dimensions, Some(256));
    index.add(&[entry("MM-3", "x")], &FIT, NOW).unwrap();
    assert_eq!(
        index.search(&request, Ranking::Fused, &FIT).unwrap().len(),
        3
    );
    // The other handle notices as well.
    let wrong = other
        .search(&request, Ranking::Fused, &BuiltIn)
        .unwrap_err();
    assert_eq!(wrong.code(), "embedder_changed");
    assert_eq!(
        other.search(&request, Ranking::Fused, &FIT).unwrap().len(),
        3
    );
    // Nothing of the old model is left, and everything of the new one is guarded.
    let raw = folder.raw();
    let count: i64 = raw
        .query_row("SELECT count(*) FROM embedding", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 3);
    assert!(raw.execute_batch("DELETE FROM embedding").is_err());
}

#[test]
fn a_failed_reindex_changes_nothing() {
    struct Failing;
    impl Embedder for Failing {
        fn spec(&self) -> String {
            "failing".into()
        }
        fn identity(&self) -> String {
            "failing".into()
        }
        fn dimensions(&self) -> usize {
            256
        }
        fn tokens(&self) -> Option<usize> {
            Some(512)
        }
        fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
            // Good for the check of three texts, then not a number.
            let good = FIT.embed(texts)?;
            Ok(match texts.len() {
                3 => good,
                _ => vec![vec![f32::NAN; 256]; texts.len()],
            })
        }
    }
    let folder = Folder::new();
    let mut index = folder.with(&[entry("MM-1", "parse dates"), entry("MM-2", "draw circles")]);
    let error = index.reindex(&Failing, NOW).unwrap_err();
    assert_eq!(error.code(), "embedder_failed");
    let hits = index.search(&SearchRequest::new("parse"), Ranking::Fused, &BuiltIn);
    assert_eq!(hits.unwrap().len(), 2);
}

#[test]
fn reindex_covers_every_segment() {
    let folder = Folder::new();
    let entries: Vec<_> = (0..1100)
        .map(|at| entry(&format!("MM-{at}"), &format!("purpose{at}")))
        .collect();
    let mut index = folder.with(&entries);
    index.reindex(&FIT, NOW).unwrap();
    index.reindex(&BuiltIn, NOW).unwrap();
    for at in [0, 1023, 1024, 1099] {
        let request = SearchRequest::new(format!("purpose{at}"));
        let hits = index.search(&request, Ranking::Semantic, &BuiltIn).unwrap();
        assert_eq!(hits[0].entry, entries[at]);
    }
}
