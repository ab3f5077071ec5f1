//! Finding files by name and lines by pattern. Filters come before opening, limits after the
//! filters, and the answer is the first items in order, whatever order the threads worked in.

use super::walk::{Lot, threads};
use super::{
    Capped, Denied, Files, FillError, Glob, Grep, Hit, MAX_HIT_TEXT, Rel, Truncated, beneath, fill,
};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use std::sync::{Mutex, PoisonError};

/// The first `most` items of all that come by, in bounded memory.
struct First<T> {
    items: Vec<T>,
    most: usize,
    truncated: Truncated,
}

impl<T: Ord> First<T> {
    fn new(most: usize) -> First<T> {
        First {
            items: Vec::new(),
            most,
            truncated: Truncated::No,
        }
    }

    fn extend(&mut self, more: impl IntoIterator<Item = T>) {
        self.items.extend(more);
        if self.items.len() > self.most * 2 + 1_024 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.items.sort_unstable();
        if self.items.len() > self.most {
            self.items.truncate(self.most);
            self.truncated = Truncated::Yes;
        }
    }

    fn finish(mut self) -> Capped<T> {
        self.cut();
        Capped {
            items: self.items,
            truncated: self.truncated,
        }
    }
}

impl Files {
    /// Whether the walk starts at a folder, or has one file only.
    fn begins(&self, start: &Rel) -> Result<Begin, Denied> {
        match self.root.folder(self.inside(start)?) {
            Ok(_) => Ok(Begin::Folder),
            Err(_) => self.read(start).map(Begin::File),
        }
    }

    /// Files whose path matches, sorted. Folders are not answered.
    pub fn glob(&self, query: &Glob) -> Result<Capped<Rel>, Denied> {
        let found = Mutex::new(First::new(query.most()));
        let keep = |paths: Vec<Rel>| {
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(paths);
        };
        match self.begins(query.start())? {
            Begin::File(_) if query.matches(query.start().as_str()) => {
                keep(vec![query.start().clone()]);
            }
            Begin::File(_) => {}
            // Listing is so quick that threads would cost more than they bring.
            Begin::Folder => self.walk(query.start().as_str(), 1, &|| {
                |lot: Lot| {
                    let named = lot.files.into_iter();
                    let named = named.filter(|(path, _)| query.matches(path));
                    keep(named.map(|(path, _)| Rel::walked(path)).collect());
                }
            }),
        }
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(found.finish())
    }

    /// Matching lines, sorted by path and line. Files that look binary are skipped; one that is too large
    /// to search counts as truncation.
    pub fn grep(&self, query: &Grep) -> Result<Capped<Hit>, Denied> {
        let found = Mutex::new(First::new(query.most()));
        let keep = |hits: Vec<Hit>, truncated: Truncated| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.extend(hits);
            if truncated == Truncated::Yes {
                found.truncated = truncated;
            }
        };
        match self.begins(query.start())? {
            Begin::File(bytes) if query.wants(query.start().as_str()) => {
                let path = query.start().as_str();
                let mut search = Search::new(query);
                search.bytes(path, &bytes);
                keep(search.hits, search.truncated);
            }
            Begin::File(_) => {}
            Begin::Folder => self.walk(query.start().as_str(), threads(), &|| {
                let mut search = Search::new(query);
                let mut buffer = Vec::new();
                let keep = &keep;
                move |lot: Lot| {
                    for file in lot.files.iter().filter(|file| query.wants(&file.0)) {
                        search.file(&lot, file, &mut buffer);
                    }
                    if !search.hits.is_empty() || search.truncated == Truncated::Yes {
                        keep(std::mem::take(&mut search.hits), search.truncated);
                    }
                }
            }),
        }
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(found.finish())
    }
}

enum Begin {
    Folder,
    File(Vec<u8>),
}

struct Search<'q> {
    query: &'q Grep,
    searcher: Searcher,
    hits: Vec<Hit>,
    truncated: Truncated,
}

impl<'q> Search<'q> {
    fn new(query: &'q Grep) -> Search<'q> {
        Search {
            query,
            searcher: SearcherBuilder::new()
                .line_number(true)
                .binary_detection(BinaryDetection::quit(0))
                .build(),
            hits: Vec::new(),
            truncated: Truncated::No,
        }
    }

    fn file(&mut self, lot: &Lot, file: &(String, usize), buffer: &mut Vec<u8>) {
        // What cannot be opened or is not plain is not there.
        let Ok(fd) = lot.open(file) else { return };
        let Ok(stat) = rustix::fs::fstat(&fd) else {
            return;
        };
        if !beneath::is_plain(&stat) {
            return;
        }
        match fill(&fd, stat.st_size as u64, buffer) {
            Ok(count) => self.bytes(&file.0, &buffer[..count]),
            Err(FillError::TooLarge) => self.truncated = Truncated::Yes,
            Err(FillError::System(_)) => {}
        }
    }

    fn bytes(&mut self, path: &str, bytes: &[u8]) {
        let mut collect = Collect {
            path,
            from: self.hits.len(),
            most: self.query.most(),
            hits: &mut self.hits,
            truncated: &mut self.truncated,
        };
        let regex = self.query.regex();
        // Searching a slice with this sink cannot fail.
        let _ = self.searcher.search_slice(regex, bytes, &mut collect);
    }
}

struct Collect<'h> {
    path: &'h str,
    from: usize,
    most: usize,
    hits: &'h mut Vec<Hit>,
    truncated: &'h mut Truncated,
}

impl Sink for Collect<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, std::io::Error> {
        // Lines come in order, so the first ones of a file are all that the answer can need.
        if self.hits.len() - self.from == self.most {
            *self.truncated = Truncated::Yes;
            return Ok(false);
        }
        self.hits.push(Hit {
            path: Rel::walked(self.path.to_owned()),
            line: found.line_number().unwrap_or(0),
            text: shown(found.bytes()),
        });
        Ok(true)
    }
}

fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let cut = &line[..line.len().min(MAX_HIT_TEXT)];
    let mut text = String::from_utf8_lossy(cut).into_owned();
    // Replacing bytes makes the text longer than they were.
    while text.len() > MAX_HIT_TEXT {
        text.pop();
    }
    text
}
