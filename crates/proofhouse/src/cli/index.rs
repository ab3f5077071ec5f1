//! `proofhouse index`: the Code Index for people. It reads and appends; it cannot change or delete,
//! because the index cannot.

use super::args::{Args, Index, IndexCommand, IndexSearch, RankingArg};
use super::exit;
use super::out::{Out, Tone, plain};
use index::embed::{self, Embedder, Settings};
use index::{
    AppendOnlyCodeIndex, CodeIndexEntry, Create, Dependent, Hit, ModuleRef, Ranking, Replacement,
    SearchRequest,
};
use std::io::Read;
use std::path::{Path, PathBuf};
use workspace::config::Config;
use workspace::{EngineError, Project, index_place};

/// A file of entries larger than this is a mistake.
const MOST_BYTES: u64 = 1 << 30;

/// Where the index is, and how endpoints are reached.
struct Place {
    path: PathBuf,
    settings: Settings,
}

impl Place {
    fn find(args: &Args, asked: &Index) -> Result<Self, EngineError> {
        let project = Project::find(args.place()?);
        let (path, config) = match (asked.global, project) {
            (true, Ok(project)) => (index_place::of_user()?, project.config()?),
            // Outside of any repository there are the user's own settings alone.
            (true, Err(_)) => (index_place::of_user()?, Config::load(Path::new(""))?),
            (false, project) => {
                let project = project?;
                (index_place::of_project(&project), project.config()?)
            }
        };
        let settings = index_place::settings(&config)?;
        Ok(Self { path, settings })
    }

    fn open(&self, create: Create) -> Result<AppendOnlyCodeIndex, EngineError> {
        Ok(AppendOnlyCodeIndex::open(&self.path, create)?)
    }

    /// The embedder that is asked for, or the index's own.
    fn embedder(
        &self,
        index: &AppendOnlyCodeIndex,
        asked: Option<&str>,
    ) -> Result<Box<dyn Embedder>, EngineError> {
        let present = index.embedder_spec()?;
        let spec = asked.or(present.as_deref()).unwrap_or("built-in");
        Ok(embed::open(spec, &self.settings)?)
    }
}

pub(crate) fn index(args: &Args, asked: &Index, out: &Out) -> Result<u8, EngineError> {
    let place = Place::find(args, asked)?;
    match &asked.command {
        IndexCommand::Search(search) => find(&place, search, out),
        IndexCommand::Show { module } => show(&place, &reference(module)?, out),
        IndexCommand::Add { files, embedder } => add(&place, files, embedder.as_deref(), out),
        IndexCommand::Deprecate {
            module,
            because,
            replaced_by,
        } => {
            let module = reference(module)?;
            let by = match replaced_by {
                Some(by) => Replacement::By(reference(by)?),
                None => Replacement::None,
            };
            let mut index = place.open(Create::Never)?;
            index.deprecate(&module, &by, because, workspace::clock::now())?;
            show(&place, &module, out)
        }
        IndexCommand::Supersede {
            module,
            by,
            because,
        } => {
            let (module, by) = (reference(module)?, reference(by)?);
            let mut index = place.open(Create::Never)?;
            index.supersede(&module, &by, because, workspace::clock::now())?;
            show(&place, &module, out)
        }
        IndexCommand::Reindex { embedder } => reindex(&place, embedder.as_deref(), out),
        IndexCommand::Stats => stats(&place, out),
    }
}

fn find(place: &Place, search: &IndexSearch, out: &Out) -> Result<u8, EngineError> {
    let request = SearchRequest {
        query: search.query.clone(),
        tags: search.tag.clone(),
        input_types: search.input_type.clone(),
        output_types: search.output_type.clone(),
        include_inactive: search.include_inactive,
        top_k: search.top_k,
    };
    let (ranking, name) = match search.ranking {
        RankingArg::Fused => (Ranking::Fused, "fused"),
        RankingArg::Semantic => (Ranking::Semantic, "semantic"),
        RankingArg::Lexical => (Ranking::Lexical, "lexical"),
    };
    let mut index = place.open(Create::Never)?;
    let embedder = place.embedder(&index, None)?;
    let hits: Vec<Hit> = index.search(&request, ranking, &*embedder)?;
    if out.json {
        out.facts(&serde_json::json!({
            "index": place.path,
            "request": request,
            "ranking": name,
            "embedder": embedder.spec(),
            "results": hits,
        }));
        return Ok(exit::OK);
    }
    if hits.is_empty() {
        out.line("nothing found: no entry passes the filters (`--include-inactive` shows deprecated ones, too), or the index is empty");
        return Ok(exit::OK);
    }
    let rows: Vec<Vec<String>> = hits
        .iter()
        .map(|hit| {
            vec![
                hit.entry.reference().to_string(),
                format!("{:.3}", hit.similarity_score),
                format!("{:.3}", hit.rank_score),
                hit.entry.status.as_str().to_owned(),
                plain(&hit.entry.name),
                short(&hit.entry.purpose),
            ]
        })
        .collect();
    out.table(
        &["module", "similarity", "rank", "status", "name", "purpose"],
        &rows,
    );
    Ok(exit::OK)
}

/// A purpose on one line of a table.
fn short(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(70) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn reference(text: &str) -> Result<ModuleRef, index::IndexError> {
    Ok(ModuleRef::parse(text)?)
}

fn show(place: &Place, module: &ModuleRef, out: &Out) -> Result<u8, EngineError> {
    let index = place.open(Create::Never)?;
    let entry = index.get(module)?;
    let dependents = index.dependents(module)?;
    if out.json {
        out.facts(&serde_json::json!({
            "index": place.path,
            "entry": entry,
            "dependents": dependents,
        }));
        return Ok(exit::OK);
    }
    print(&entry, &dependents, out);
    Ok(exit::OK)
}

fn print(entry: &CodeIndexEntry, dependents: &[Dependent], out: &Out) {
    let line = |name: &str, value: &str| {
        if !value.is_empty() {
            let name = out.paint(Tone::Dim, &format!("{name:<15}"));
            out.line(&format!("{name} {}", plain(value)));
        }
    };
    let tone = match entry.status.is_active() {
        true => Tone::Good,
        false => Tone::Warn,
    };
    let status = out.paint(tone, entry.status.as_str());
    let title = out.paint(Tone::Strong, &entry.reference().to_string());
    out.line(&format!("{title} {} {status}", plain(&entry.name)));
    line("purpose", &entry.purpose);
    line("tags", &entry.tags.join(", "));
    let io = &entry.io_summary;
    for (name, list) in [
        ("inputs", &io.inputs),
        ("outputs", &io.outputs),
        ("error surfaces", &io.error_surfaces),
        ("effects", &io.effects),
        ("modes", &io.modes),
        ("dependencies", &entry.dependencies),
    ] {
        line(name, &list.join(", "));
    }
    line("contract", &entry.contract_ref);
    line("examples", &entry.examples_ref);
    line("ship evidence", &entry.ship_ref);
    if let Some(by) = &entry.superseded_by {
        line("superseded by", &by.to_string());
    }
    for note in entry.notes.lines() {
        line("notes", note);
    }
    for one in dependents {
        let text = format!(
            "{} ({}, needs {})",
            one.module,
            one.status.as_str(),
            one.range
        );
        line("needed by", &text);
    }
}

fn add(
    place: &Place,
    files: &[PathBuf],
    embedder: Option<&str>,
    out: &Out,
) -> Result<u8, EngineError> {
    let mut entries = Vec::new();
    for file in files {
        entries.extend(read(file)?);
    }
    let mut index = place.open(Create::IfMissing)?;
    let embedder = place.embedder(&index, embedder)?;
    index.add(&entries, &*embedder, workspace::clock::now())?;
    let added: Vec<String> = entries
        .iter()
        .map(|entry| entry.reference().to_string())
        .collect();
    if out.json {
        out.facts(&serde_json::json!({"index": place.path, "added": added}));
        return Ok(exit::OK);
    }
    for reference in added {
        out.line(&format!("added {reference}"));
    }
    Ok(exit::OK)
}

/// The entries of a file: one, a list, or one per line.
fn read(file: &Path) -> Result<Vec<CodeIndexEntry>, EngineError> {
    let mut text = String::new();
    let opened: std::io::Result<Box<dyn Read>> = match file == Path::new("-") {
        true => Ok(Box::new(std::io::stdin())),
        false => std::fs::File::open(file).map(|file| Box::new(file) as Box<dyn Read>),
    };
    opened
        .and_then(|reader| reader.take(MOST_BYTES).read_to_string(&mut text))
        .map_err(|error| {
            let what = format!("{} cannot be read: {error}", file.display());
            EngineError::user("unreadable_entries", what, "name a file of JSON in UTF-8")
        })?;
    let located = |place: String| {
        move |error: index::IndexError| {
            let mut error = EngineError::from(error);
            error.what = format!("{}: {}", place, error.what);
            error
        }
    };
    let trimmed = text.trim_start();
    if trimmed.starts_with('[') {
        let items: Vec<serde_json::Value> = serde_json::from_str(trimmed).map_err(|error| {
            let what = format!("{} is not a list of entries: {error}", file.display());
            EngineError::user(
                "unreadable_entries",
                what,
                "correct the JSON; nothing was added",
            )
        })?;
        let one = |(at, item): (usize, &serde_json::Value)| {
            let place = format!("{}, item {}", file.display(), at + 1);
            CodeIndexEntry::parse(&item.to_string()).map_err(located(place))
        };
        return items.iter().enumerate().map(one).collect();
    }
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let per_line = lines.len() > 1
        && lines
            .iter()
            .all(|(_, line)| line.starts_with('{') && line.trim_end().ends_with('}'));
    if per_line {
        let one = |(at, line): &(usize, &str)| {
            let place = format!("{}, line {}", file.display(), at + 1);
            CodeIndexEntry::parse(line).map_err(located(place))
        };
        return lines.iter().map(one).collect();
    }
    let entry = CodeIndexEntry::parse(&text).map_err(located(file.display().to_string()))?;
    Ok(vec![entry])
}

fn reindex(place: &Place, embedder: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let mut index = place.open(Create::Never)?;
    let embedder = place.embedder(&index, embedder)?;
    let entries = index.reindex(&*embedder, workspace::clock::now())?;
    if out.json {
        out.facts(&serde_json::json!({
            "index": place.path,
            "entries": entries,
            "embedder": embedder.spec(),
            "embedder_identity": embedder.identity(),
            "dimensions": embedder.dimensions(),
        }));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "embedded {entries} entries anew with {} ({} dimensions)",
        embedder.spec(),
        embedder.dimensions()
    ));
    Ok(exit::OK)
}

fn stats(place: &Place, out: &Out) -> Result<u8, EngineError> {
    let stats = place.open(Create::Never)?.stats()?;
    if out.json {
        out.facts(&stats);
        return Ok(exit::OK);
    }
    let model = match (&stats.embedder, stats.dimensions, &stats.embedder_since) {
        (Some(spec), Some(dimensions), Some(since)) => {
            format!("{spec} ({dimensions} dimensions, since {since})")
        }
        _ => "none yet".to_owned(),
    };
    for (name, value) in [
        ("index", stats.path.clone()),
        ("entries", stats.entries.to_string()),
        ("modules", stats.modules.to_string()),
        ("shipped", stats.shipped.to_string()),
        ("deprecated", stats.deprecated.to_string()),
        ("superseded", stats.superseded.to_string()),
        ("embedder", model),
        ("size", format!("{:.1} MB", stats.bytes as f64 / 1e6)),
    ] {
        let name = out.paint(Tone::Dim, &format!("{name:<12}"));
        out.line(&format!("{name} {value}"));
    }
    Ok(exit::OK)
}
