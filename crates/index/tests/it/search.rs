//! Rule F14.3: the order of filters, status, ranking and `top_k`, and the shape of results.

use crate::support::{Folder, NOW, entry, reference, tagged};
use index::embed::BuiltIn;
use index::{
    AppendOnlyCodeIndex, CodeIndexEntry, Hit, IoSummary, Ranking, Replacement, SearchRequest,
};

fn typed(key: &str, inputs: &[&str], outputs: &[&str]) -> CodeIndexEntry {
    let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
    CodeIndexEntry {
        io_summary: IoSummary {
            inputs: list(inputs),
            outputs: list(outputs),
            ..IoSummary::default()
        },
        ..entry(key, "convert a value")
    }
}

fn keys(hits: &[Hit]) -> Vec<String> {
    hits.iter()
        .map(|hit| hit.entry.module_id.to_string())
        .collect()
}

fn search(index: &mut AppendOnlyCodeIndex, request: &SearchRequest) -> Vec<String> {
    let mut keys = keys(&index.search(request, Ranking::Fused, &BuiltIn).unwrap());
    keys.sort();
    keys
}

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

#[test]
fn s14_3_the_request_has_the_documents_members_and_defaults() {
    let request = SearchRequest::read(&serde_json::json!({"query": "slugs"})).unwrap();
    assert_eq!(request, SearchRequest::new("slugs"));
    assert!(!request.include_inactive);
    assert_eq!(request.top_k, 10);
    let unknown = serde_json::json!({"query": "slugs", "limit": 3});
    assert!(SearchRequest::read(&unknown).is_err());
}

#[test]
fn s14_3_each_filter_needs_one_match_and_all_filters_count() {
    let folder = Folder::new();
    let mut one = typed("MM-1", &["text: string"], &["number"]);
    one.tags = strings(&["parse", "text"]);
    let mut two = typed("MM-2", &["bytes"], &["value: number"]);
    two.tags = strings(&["parse"]);
    let three = typed("MM-3", &["string"], &["string"]);
    let mut index = folder.with(&[one, two, three]);
    let ask = |tags: &[&str], inputs: &[&str], outputs: &[&str]| SearchRequest {
        tags: strings(tags),
        input_types: strings(inputs),
        output_types: strings(outputs),
        ..SearchRequest::new("convert")
    };
    for (request, expected) in [
        (ask(&[], &[], &[]), &["MM-1", "MM-2", "MM-3"][..]),
        (ask(&["parse"], &[], &[]), &["MM-1", "MM-2"]),
        (ask(&["text", "other"], &[], &[]), &["MM-1"]),
        (ask(&["par"], &[], &[]), &[]),
        (ask(&[], &["string"], &[]), &["MM-1", "MM-3"]),
        (ask(&[], &["text: string"], &[]), &["MM-1"]),
        (
            ask(&[], &["string", "bytes"], &["number"]),
            &["MM-1", "MM-2"],
        ),
        (ask(&["parse"], &["bytes"], &["number"]), &["MM-2"]),
        (ask(&["text"], &["bytes"], &[]), &[]),
        (ask(&[], &["number"], &[]), &[]),
    ] {
        assert_eq!(search(&mut index, &request), expected, "{request:?}");
    }
}

/// A filter applied after ranking would lose the one match among many better ones.
#[test]
fn s14_3_filters_and_status_come_before_ranking() {
    let folder = Folder::new();
    let mut entries: Vec<CodeIndexEntry> = (0..300)
        .map(|at| entry(&format!("MM-{at}"), "parse a date from a string"))
        .collect();
    entries.push(tagged("MM-rare", "draw a circle on a canvas", &["rare"]));
    entries.push(tagged("MM-old", "draw a circle on a canvas", &["rare"]));
    let mut index = folder.with(&entries);
    index
        .deprecate(&reference("MM-old@1.0.0"), &Replacement::None, "old", NOW)
        .unwrap();
    let request = SearchRequest {
        tags: strings(&["rare"]),
        top_k: 1,
        ..SearchRequest::new("parse a date from a string")
    };
    for ranking in [Ranking::Fused, Ranking::Semantic] {
        let hits = index.search(&request, ranking, &BuiltIn).unwrap();
        assert_eq!(keys(&hits), ["MM-rare"], "{ranking:?}");
    }
}

#[test]
fn s14_3_results_are_whole_entries_with_scores_in_order() {
    let folder = Folder::new();
    let purposes = [
        "parse an ISO date from a string",
        "format a date as text",
        "parse a number",
        "send an email",
        "resize an image",
    ];
    let entries: Vec<CodeIndexEntry> = purposes
        .iter()
        .enumerate()
        .map(|(at, purpose)| entry(&format!("MM-{at}"), purpose))
        .collect();
    let mut index = folder.with(&entries);
    let request = SearchRequest::new("parse a date");
    let hits = index.search(&request, Ranking::Semantic, &BuiltIn).unwrap();
    // No threshold: all are returned, however far.
    assert_eq!(hits.len(), 5);
    assert_eq!(hits[0].entry, entries[0]);
    for pair in hits.windows(2) {
        assert!(pair[0].similarity_score >= pair[1].similarity_score);
    }
    for ranking in [Ranking::Fused, Ranking::Semantic, Ranking::Lexical] {
        let hits = index.search(&request, ranking, &BuiltIn).unwrap();
        assert_eq!(hits[0].entry, entries[0], "{ranking:?}");
        for hit in &hits {
            assert!((0.0..=1.0).contains(&hit.similarity_score), "{hit:?}");
            assert!((0.0..=1.0).contains(&hit.rank_score), "{hit:?}");
        }
        assert!(
            hits.windows(2)
                .all(|pair| pair[0].rank_score >= pair[1].rank_score)
        );
    }
    let json = serde_json::to_value(&hits[0]).unwrap();
    for member in [
        "module_id",
        "version",
        "io_summary",
        "status",
        "superseded_by",
        "notes",
    ] {
        assert!(json.get(member).is_some(), "{member}");
    }
    assert!(json["similarity_score"].is_f64());
}

#[test]
fn s14_3_top_k_is_kept() {
    let folder = Folder::new();
    let entries: Vec<CodeIndexEntry> = (0..30)
        .map(|at| entry(&format!("MM-{at}"), "parse a date"))
        .collect();
    let mut index = folder.with(&entries);
    for (top_k, expected) in [(1, 1), (10, 10), (30, 30), (1000, 30)] {
        let request = SearchRequest {
            top_k,
            ..SearchRequest::new("date")
        };
        let hits = index.search(&request, Ranking::Fused, &BuiltIn).unwrap();
        assert_eq!(hits.len(), expected);
    }
    for (request, field) in [
        (
            SearchRequest {
                top_k: 0,
                ..SearchRequest::new("date")
            },
            "top_k",
        ),
        (
            SearchRequest {
                top_k: 1001,
                ..SearchRequest::new("date")
            },
            "top_k",
        ),
        (SearchRequest::new(" \n"), "query"),
        (SearchRequest::new("x".repeat(70_000)), "query"),
        (
            SearchRequest {
                tags: strings(&[""]),
                ..SearchRequest::new("date")
            },
            "tags",
        ),
    ] {
        let error = index
            .search(&request, Ranking::Fused, &BuiltIn)
            .unwrap_err();
        assert_eq!(error.code(), "bad_query");
        assert!(error.to_string().contains(field), "{error}");
    }
}

/// Equal entries come in the order in which they were added, every time.
#[test]
fn a_search_gives_the_same_answer_twice() {
    let folder = Folder::new();
    let entries: Vec<CodeIndexEntry> = (0..50)
        .map(|at| entry(&format!("MM-{at}"), "the very same purpose"))
        .map(|entry| CodeIndexEntry {
            name: "same".into(),
            ..entry
        })
        .collect();
    let mut index = folder.with(&entries);
    let request = SearchRequest::new("the very same purpose");
    let first = keys(&index.search(&request, Ranking::Semantic, &BuiltIn).unwrap());
    let expected: Vec<String> = (0..10).map(|at| format!("MM-{at}")).collect();
    assert_eq!(first, expected);
    let mut again = folder.open();
    assert_eq!(
        first,
        keys(&again.search(&request, Ranking::Semantic, &BuiltIn).unwrap())
    );
}

/// What has the word somewhere in a long text is found by words; what has only like words, by
/// vectors; the best of both lists lead the fused one.
#[test]
fn ranks_by_meaning_and_by_words_are_fused() {
    let folder = Folder::new();
    let long = "validate and normalise postal addresses of many countries against a table of rules, \
                with a report of every field that was changed and why, for the billing of orders, shipping, taxes, refunds and archives in the cloud";
    let mut entries: Vec<CodeIndexEntry> = (0..40)
        .map(|at| {
            entry(
                &format!("MM-{at}"),
                &format!("draw a circle of radius {at}"),
            )
        })
        .collect();
    entries.push(entry("MM-word", &format!("{long} {long}, tokenizer")));
    entries.push(entry("MM-like", "tokenized tokenizing"));
    let mut index = folder.with(&entries);
    let request = SearchRequest {
        top_k: 2,
        ..SearchRequest::new("tokenizer")
    };
    let semantic = index.search(&request, Ranking::Semantic, &BuiltIn).unwrap();
    assert_eq!(keys(&semantic)[0], "MM-like");
    let lexical = index.search(&request, Ranking::Lexical, &BuiltIn).unwrap();
    assert_eq!(keys(&lexical), ["MM-word"]);
    let fused = index.search(&request, Ranking::Fused, &BuiltIn).unwrap();
    let mut both = keys(&fused);
    both.sort();
    assert_eq!(both, ["MM-like", "MM-word"]);
    let nothing_shared = SearchRequest::new("zzzz");
    assert_eq!(
        index
            .search(&nothing_shared, Ranking::Fused, &BuiltIn)
            .unwrap()
            .len(),
        10
    );
    assert!(
        index
            .search(&nothing_shared, Ranking::Lexical, &BuiltIn)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn an_empty_index_has_no_results() {
    let folder = Folder::new();
    let mut index = folder.open();
    let hits = index.search(&SearchRequest::new("x"), Ranking::Fused, &BuiltIn);
    assert!(hits.unwrap().is_empty());
}

/// Across the borders of segments: what is in a segment, what is not in one yet, and what was
/// before this handle and what after.
#[test]
fn segments_and_the_rest_are_searched_alike() {
    let folder = Folder::new();
    let word = |at: usize| format!("word{}", at * 7919 % 10_007);
    let entries: Vec<CodeIndexEntry> = (0..2100)
        .map(|at| tagged(&format!("MM-{at}"), &word(at), &[["even", "odd"][at % 2]]))
        .collect();
    let mut early = folder.open();
    let mut index = folder.open();
    for some in entries.chunks(700) {
        index.add(some, &BuiltIn, NOW).unwrap();
        let last = some.last().unwrap();
        let hits = early.search(&SearchRequest::new(&last.purpose), Ranking::Fused, &BuiltIn);
        assert_eq!(hits.unwrap()[0].entry, *last);
    }
    let mut late = folder.open();
    for at in [0, 1, 1023, 1024, 1025, 2047, 2048, 2099] {
        for handle in [&mut early, &mut index, &mut late] {
            for ranking in [Ranking::Fused, Ranking::Semantic, Ranking::Lexical] {
                let request = SearchRequest {
                    tags: strings(&[["even", "odd"][at % 2]]),
                    ..SearchRequest::new(word(at))
                };
                let hits = handle.search(&request, ranking, &BuiltIn).unwrap();
                assert_eq!(hits[0].entry, entries[at], "{at} {ranking:?}");
                assert!(hits.iter().all(|hit| hit.entry.tags == request.tags));
            }
        }
    }
}
