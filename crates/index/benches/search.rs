//! `cargo bench -p index`: what the index promises at 100,000 entries of 384 dimensions, on vectors
//! in clusters and on vectors without any order. Prints one line per figure with its bound; exits
//! with 1 if one is missed.
//!
//! Searching is measured in a process of its own, so that memory and opening are the index's alone.
//! A plain scan of 32-bit vectors, measured in the same run, says what the machine is worth today.
//! `--entries N` tries another size.

use index::embed::{BuiltIn, Embedder};
use index::{
    AppendOnlyCodeIndex, CodeIndexEntry, Create, IndexError, IoSummary, ModuleId, Ranking,
    SearchRequest, Status, Version,
};
use kernel::Time;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const DIMENSIONS: usize = 384;
const QUERIES: usize = 200;
const CLUSTERS: usize = 200;
const BATCH: usize = 1_000;
const TAGS: usize = 20;
const TOP: usize = 10;
/// A search is also taken as the best of so many, which is what it costs on a machine that does
/// nothing else.
const REPEATS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let entries = value("--entries").map_or(100_000, |n| n.parse().expect("a number"));
    if let Some(folder) = value("--measure") {
        measure(Path::new(&folder), entries);
        return;
    }
    let mut missed = 0;
    for shape in [Shape::Clustered, Shape::Uniform] {
        missed += whole(shape, entries);
    }
    if missed > 0 {
        println!("\n{missed} figures missed their bound");
        std::process::exit(1);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Clustered,
    Uniform,
}

/// A generator of its own, so that every run has the same entries.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Roughly normal: the sum of four uniform numbers.
    fn normal(&mut self) -> f32 {
        let bits = self.next();
        let part = |shift: u32| f32::from((bits >> shift) as u16) / 65_536.0 - 0.5;
        (part(0) + part(16) + part(32) + part(48)) * 1.732
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| self.normal()).collect()
    }

    /// Common words are common: rank r has about 1/r of the most common one's share.
    fn word(&mut self) -> String {
        let spread = (self.next() % (1 << 20)) as f64 / f64::from(1 << 20);
        format!("word{}", (5_000f64.powf(spread)) as usize)
    }

    fn text(&mut self, words: usize) -> String {
        let words: Vec<String> = (0..words).map(|_| self.word()).collect();
        words.join(" ")
    }
}

fn vectors(shape: Shape, count: usize, random: &mut Random, centres: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let one = |_| {
        let mut vector = random.vector();
        if shape == Shape::Clustered {
            let centre = &centres[random.below(centres.len())];
            // Neighbours have a cosine of about 0.9.
            for (x, c) in vector.iter_mut().zip(centre) {
                *x = *x * 0.33 + c;
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / length).collect()
    };
    (0..count).map(one).collect()
}

fn entry(at: usize, random: &mut Random) -> CodeIndexEntry {
    let tags = (0..3)
        .map(|_| format!("tag{}", random.below(TAGS)))
        .collect();
    CodeIndexEntry {
        module_id: ModuleId::parse(&format!("MM-{at:06}")).expect("an id"),
        version: Version::parse("1.0.0").expect("a version"),
        name: random.text(2),
        purpose: random.text(20),
        tags,
        contract_ref: format!("modules/MM-{at:06}/1.0.0/contract.json"),
        examples_ref: format!("modules/MM-{at:06}/1.0.0/examples.md"),
        ship_ref: format!("modules/MM-{at:06}/1.0.0/ship.json"),
        io_summary: IoSummary {
            inputs: vec![format!("value: Type{}", random.below(50))],
            outputs: vec![format!("Type{}", random.below(50))],
            error_surfaces: vec![random.word()],
            effects: vec![],
            modes: vec!["sync".into()],
        },
        dependencies: vec![format!("MM-{:06}@^1.0.0", random.below(at + 1))],
        status: Status::Shipped,
        superseded_by: None,
        notes: String::new(),
    }
}

/// Vectors are made beforehand: embedding is not what is measured.
struct Made;

impl Embedder for Made {
    fn spec(&self) -> String {
        BuiltIn.spec()
    }
    fn identity(&self) -> String {
        "made/384".into()
    }
    fn dimensions(&self) -> usize {
        DIMENSIONS
    }
    fn tokens(&self) -> Option<usize> {
        Some(usize::MAX)
    }
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
        BuiltIn.embed(texts)
    }
}

fn judge(what: &str, figure: f64, unit: &str, bound: f64, good: bool) -> usize {
    let mark = if good { "ok  " } else { "MISS" };
    println!("  {mark} {what:<44} {figure:>10.3} {unit:<8} bound {bound}");
    usize::from(!good)
}

/// One distribution from the first insert to the last query; gives the number of misses.
fn whole(shape: Shape, count: usize) -> usize {
    println!("{shape:?}, {count} entries of {DIMENSIONS} dimensions");
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(7);
    let centres: Vec<Vec<f32>> = (0..CLUSTERS).map(|_| random.vector()).collect();
    let all = vectors(shape, count, &mut random, &centres);
    let queries = vectors(shape, QUERIES, &mut random, &centres);
    let entries: Vec<CodeIndexEntry> = (0..count).map(|at| entry(at, &mut random)).collect();

    let path = folder.path().join("index.sqlite");
    let mut index = AppendOnlyCodeIndex::open(&path, Create::IfMissing).expect("an index");
    let mut batches = Vec::new();
    for (some, of_them) in entries.chunks(BATCH).zip(all.chunks(BATCH)) {
        let given = of_them.to_vec();
        let start = Instant::now();
        index
            .add_with_vectors(some, given, &Made, Time(0))
            .expect("added");
        batches.push(start.elapsed().as_secs_f64());
    }
    drop(index);
    let rate = count as f64 / batches.iter().sum::<f64>();
    batches.sort_by(f64::total_cmp);
    let undisturbed = BATCH as f64 / batches[batches.len() / 10];
    println!("       insert, undisturbed (best tenth of batches) {undisturbed:>10.0} /s");
    let mut missed = judge(
        "insert, batches of 1,000",
        rate,
        "/s",
        10_000.0,
        rate >= 10_000.0,
    );

    let start = Instant::now();
    let exact = |query: &Vec<f32>, tag: Option<&str>| -> Vec<usize> {
        let mut scored: Vec<(f32, usize)> = all
            .iter()
            .zip(&entries)
            .enumerate()
            .filter(|(_, (_, entry))| tag.is_none_or(|tag| entry.tags.iter().any(|t| t == tag)))
            .map(|(at, (vector, _))| (vector.iter().zip(query).map(|(x, y)| x * y).sum(), at))
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.iter().take(TOP).map(|(_, at)| *at).collect()
    };
    let sample = 50;
    let mut file = std::fs::File::create(folder.path().join("queries")).expect("a file");
    for (at, query) in queries.iter().enumerate() {
        let tag = format!("tag{}", at % TAGS);
        let numbers: Vec<String> = query.iter().map(|x| x.to_bits().to_string()).collect();
        let ids = |tag: Option<&str>| -> String {
            let known = if at < sample {
                exact(query, tag)
            } else {
                vec![]
            };
            known
                .iter()
                .map(|at| format!("MM-{at:06}"))
                .collect::<Vec<_>>()
                .join(",")
        };
        let line = [
            numbers.join(","),
            random.text(6),
            tag.clone(),
            ids(None),
            ids(Some(&tag)),
        ];
        writeln!(file, "{}", line.join("\t")).expect("written");
    }
    let scan = start.elapsed().as_secs_f64() * 1e3 / (2 * sample) as f64;
    println!("       exact scan of 32-bit vectors, plain loop    {scan:>10.3} ms");
    drop((all, entries));

    let me = std::env::current_exe().expect("this program");
    let output = std::process::Command::new(me)
        .args(["--measure", &folder.path().display().to_string()])
        .args(["--entries", &count.to_string()])
        .output()
        .expect("the measuring process");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}{}", String::from_utf8_lossy(&output.stderr));
    missed += text.matches("MISS").count();
    missed += usize::from(!output.status.success());
    missed
}

struct Query {
    vector: Vec<f32>,
    text: String,
    tag: String,
    nearest: Vec<String>,
    nearest_tagged: Vec<String>,
}

fn read(folder: &Path) -> Vec<Query> {
    let text = std::fs::read_to_string(folder.join("queries")).expect("queries");
    let list = |text: &str| {
        text.split(',')
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect()
    };
    text.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            Query {
                vector: parts[0]
                    .split(',')
                    .map(|bits| f32::from_bits(bits.parse().expect("a number")))
                    .collect(),
                text: parts[1].to_owned(),
                tag: parts[2].to_owned(),
                nearest: list(parts[3]),
                nearest_tagged: list(parts[4]),
            }
        })
        .collect()
}

/// The measuring process: opens, searches, and says what it took.
fn measure(folder: &Path, count: usize) {
    let queries = read(folder);
    let path = folder.join("index.sqlite");
    let before = resident();
    // Once for the disk's cache, then what counts.
    drop(AppendOnlyCodeIndex::open(&path, Create::Never).map(|mut index| index.warm()));
    let mut opening = Vec::new();
    let mut index = None;
    let busy = processor_time();
    for _ in 0..7 {
        drop(index.take());
        let start = Instant::now();
        let mut opened = AppendOnlyCodeIndex::open(&path, Create::Never).expect("an index");
        assert_eq!(opened.warm().expect("loaded"), count);
        opening.push(start.elapsed().as_secs_f64() * 1e3);
        index = Some(opened);
    }
    let mut index = index.expect("opened");
    println!(
        "       open and load, processor time, mean of 7    {:>10.3} ms",
        (processor_time() - busy) / 7.0
    );
    opening.sort_by(f64::total_cmp);
    println!(
        "       open and load, undisturbed (best of 7)      {:>10.3} ms",
        opening[0]
    );
    judge(
        "open and load, median of 7",
        opening[3],
        "ms",
        50.0,
        opening[3] < 50.0,
    );

    for (ranking, tagged) in [
        (Ranking::Semantic, false),
        (Ranking::Semantic, true),
        (Ranking::Fused, false),
        (Ranking::Fused, true),
    ] {
        let (mut times, mut undisturbed) = (Vec::new(), Vec::new());
        let (mut found, mut wanted) = (0, 0);
        let busy = processor_time();
        for query in &queries {
            let mut request = SearchRequest::new(&query.text);
            if tagged {
                request.tags.push(query.tag.clone());
            }
            let mut taken = Vec::new();
            let mut hits = Vec::new();
            for _ in 0..REPEATS {
                let vector = query.vector.clone();
                let start = Instant::now();
                let found = index.search_by_vector(&request, vector, ranking, &Made);
                taken.push(start.elapsed().as_secs_f64() * 1e3);
                hits = found.expect("results");
            }
            times.push(taken[0]);
            undisturbed.push(taken.into_iter().fold(f64::INFINITY, f64::min));
            assert_eq!(hits.len(), TOP);
            let exact = if tagged {
                &query.nearest_tagged
            } else {
                &query.nearest
            };
            wanted += exact.len();
            let ids: Vec<&str> = hits
                .iter()
                .map(|hit| hit.entry.module_id.as_str())
                .collect();
            found += exact.iter().filter(|id| ids.contains(&id.as_str())).count();
        }
        let searches = (queries.len() * REPEATS) as f64;
        let busy = (processor_time() - busy) / searches;
        times.sort_by(f64::total_cmp);
        let name = format!(
            "{ranking:?}, {}",
            if tagged {
                "one tag of 20"
            } else {
                "all entries"
            }
        );
        let (half, most) = (times[times.len() / 2], times[times.len() * 95 / 100]);
        undisturbed.sort_by(f64::total_cmp);
        let best = undisturbed[undisturbed.len() * 95 / 100];
        println!("       {:<44} {half:>10.3} ms", format!("{name}, median"));
        println!(
            "       {:<44} {best:>10.3} ms",
            format!("{name}, p95 undisturbed")
        );
        println!(
            "       {:<44} {busy:>10.3} ms",
            format!("{name}, processor time, mean")
        );
        judge(&format!("{name}, p95"), most, "ms", 5.0, most < 5.0);
        if ranking == Ranking::Semantic {
            let recall = found as f64 / wanted as f64;
            judge(
                &format!("{name}, recall@10"),
                recall,
                "",
                0.99,
                recall >= 0.99,
            );
        }
    }
    let (now, peak) = (resident(), status("VmHWM:"));
    println!("       resident before opening {before:>30.1} MB; most at any time {peak:.1} MB");
    judge("resident after all searches", now, "MB", 120.0, now < 120.0);
}

/// Of all our threads, in milliseconds: what other load on the machine does not change. Nothing where
/// there is no /proc.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = ticks.filter_map(|field| field.parse().ok()).collect();
    // A hundred ticks a second, on every Linux that there is.
    match ticks[..] {
        [user, system] => (user + system) * 10.0,
        _ => f64::NAN,
    }
}

fn resident() -> f64 {
    status("VmRSS:")
}

/// In megabytes; nothing where there is no /proc.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}
