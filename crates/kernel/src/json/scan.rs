//! The reader of RFC 8259, nothing more lenient. It makes nodes, notes faults, and stops at the
//! first byte that is not JSON. Repeated keys are looked for as each object closes.

use super::fault::{Fault, FaultKind, SyntaxError};
use super::{DEEPEST, Document, Kind, LARGEST_INTEGER, Node, Places, text};

/// Offsets are 32 bits wide, and no real input comes near this.
const LARGEST: usize = 1 << 30;

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    faults: Vec<Fault>,
}

type Step<T = ()> = Result<T, SyntaxError>;

/// Reads one value and nothing behind it.
pub(super) fn scan(bytes: &[u8]) -> Step<Document<'_>> {
    if bytes.len() > LARGEST {
        let what = format!("{} bytes are more than the {LARGEST} allowed", bytes.len());
        return Err(error(bytes, 0, "too_large", what));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let what = "a byte that is not UTF-8; save the file as UTF-8".to_owned();
        error(bytes, e.valid_up_to(), "invalid_unicode", what)
    })?;
    let mut scan = Scan {
        text,
        bytes,
        at: 0,
        // One value in 32 bytes is about what documents of prose have; growing is cheap.
        nodes: Vec::with_capacity(bytes.len() / 32),
        faults: Vec::new(),
    };
    if text.starts_with('\u{feff}') {
        return Err(scan.wrong("a byte order mark before the document; remove it"));
    }
    scan.blanks();
    scan.value((0, 0), false, 0)?;
    scan.blanks();
    if scan.at < bytes.len() {
        return Err(scan.wrong("something after the end of the document"));
    }
    Ok(Document {
        text,
        nodes: scan.nodes,
        faults: scan.faults,
    })
}

fn error(bytes: &[u8], offset: usize, code: &'static str, what: String) -> SyntaxError {
    let place = Places::new(bytes).of(offset);
    SyntaxError {
        code,
        what,
        line: place.line,
        column: place.column,
        offset,
    }
}

impl Scan<'_> {
    fn wrong(&self, what: &str) -> SyntaxError {
        let what = if self.at >= self.bytes.len() {
            "the document ends too early".to_owned()
        } else {
            what.to_owned()
        };
        error(self.bytes, self.at, "invalid_json", what)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn value(&mut self, key: (u32, u32), key_escaped: bool, depth: usize) -> Step {
        let (index, from) = (self.nodes.len(), self.at);
        self.nodes.push(Node {
            key,
            span: (from as u32, from as u32),
            next: 0,
            kind: Kind::Null,
            key_escaped,
            escaped: false,
        });
        let (mut span_from, mut escaped) = (from, false);
        let kind = match self.peek() {
            Some(b'"') => {
                (span_from, escaped) = (from + 1, self.string()?);
                Kind::Text
            }
            Some(b'{') => self.nested(index, depth, Kind::Object)?,
            Some(b'[') => self.nested(index, depth, Kind::List)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool)?,
            Some(b'f') => self.word("false", Kind::Bool)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.wrong("a value should stand here")),
        };
        let next = self.nodes.len() as u32;
        let end = if kind == Kind::Text {
            self.at - 1
        } else {
            self.at
        };
        let node = &mut self.nodes[index];
        node.kind = kind;
        node.escaped = escaped;
        node.span = (span_from as u32, end as u32);
        node.next = next;
        Ok(())
    }

    fn word(&mut self, word: &str, kind: Kind) -> Step<Kind> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong("a value should stand here"));
        }
        self.at += word.len();
        Ok(kind)
    }

    /// A list or an object: they differ in the bracket and in the keys.
    fn nested(&mut self, index: usize, depth: usize, kind: Kind) -> Step<Kind> {
        if depth >= DEEPEST {
            let what = format!("nested deeper than {DEEPEST}");
            return Err(error(self.bytes, self.at, "too_deep", what));
        }
        let (close, ends) = match kind {
            Kind::Object => (b'}', "`,` or `}` should stand here"),
            _ => (b']', "`,` or `]` should stand here"),
        };
        self.at += 1;
        self.blanks();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(kind);
        }
        loop {
            let mut key = ((0, 0), false);
            if kind == Kind::Object {
                key = self.key()?;
            }
            self.value(key.0, key.1, depth + 1)?;
            self.blanks();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.blanks();
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    break;
                }
                _ => return Err(self.wrong(ends)),
            }
        }
        if kind == Kind::Object {
            self.repeated_keys(index);
        }
        Ok(kind)
    }

    fn key(&mut self) -> Step<((u32, u32), bool)> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a key in double quotes should stand here"));
        }
        let from = self.at + 1;
        let escaped = self.string()?;
        let span = (from as u32, (self.at - 1) as u32);
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(self.wrong("`:` should stand here"));
        }
        self.at += 1;
        self.blanks();
        Ok((span, escaped))
    }

    /// Passes over a string; says whether it has escapes.
    fn string(&mut self) -> Step<bool> {
        let open = self.at;
        self.at += 1;
        let mut escaped = false;
        loop {
            let Some(plain) = plain_length(&self.bytes[self.at..]) else {
                self.at = open;
                return Err(self.wrong("a string that begins here has no end"));
            };
            self.at += plain;
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return Ok(escaped);
                }
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                _ => {
                    return Err(
                        self.wrong("a control character in a string; write it as an escape")
                    );
                }
            }
        }
    }

    fn escape(&mut self) -> Step {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.wrong("`\\u` wants four hex digits"));
                }
                let (found, used) = text::character(&self.text[self.at + 2..]);
                if found.is_none() {
                    self.faults.push(Fault {
                        kind: FaultKind::LoneSurrogate,
                        offset: self.at,
                    });
                }
                self.at += 2 + used;
            }
            _ => return Err(self.wrong("no such escape")),
        }
        Ok(())
    }

    fn digits(&mut self) -> Step {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.wrong("a digit should stand here"));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Step<Kind> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.wrong("a number may not begin with 0"));
            }
        } else {
            self.digits()?;
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            whole = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        let digits = self.text[from..self.at].trim_start_matches('-');
        let beyond = if whole {
            digits
                .parse()
                .map_or(true, |size: u64| size > LARGEST_INTEGER)
        } else {
            let size = digits.parse().unwrap_or(f64::INFINITY);
            size > LARGEST_INTEGER as f64
        };
        if beyond {
            self.faults.push(Fault {
                kind: FaultKind::NumberBeyond,
                offset: from,
            });
        }
        Ok(Kind::Number)
    }

    /// Objects are small as a rule, and comparing all pairs is then cheaper than sorting.
    fn repeated_keys(&mut self, index: usize) {
        const FEW: usize = 16;
        let mut keys: [(u32, u32); FEW] = [(0, 0); FEW];
        let (mut count, mut plain) = (0, true);
        let mut at = index + 1;
        while at < self.nodes.len() {
            let node = self.nodes[at];
            if count < FEW {
                keys[count] = node.key;
            }
            count += 1;
            plain &= !node.key_escaped;
            at = node.next as usize;
        }
        if count > FEW || !plain {
            return self.repeated_among_many(index);
        }
        let raw = |key: (u32, u32)| &self.bytes[key.0 as usize..key.1 as usize];
        for position in 1..count {
            let key = raw(keys[position]);
            if keys[..position].iter().any(|before| raw(*before) == key) {
                self.faults.push(Fault {
                    kind: FaultKind::DuplicateKey,
                    offset: keys[position].0 as usize,
                });
            }
        }
    }

    fn repeated_among_many(&mut self, index: usize) {
        let mut keys: Vec<(String, u32)> = Vec::new();
        let mut at = index + 1;
        while at < self.nodes.len() {
            let node = self.nodes[at];
            let raw = &self.text[node.key.0 as usize..node.key.1 as usize];
            let key = if node.key_escaped {
                text::unescape(raw)
            } else {
                raw.to_owned()
            };
            keys.push((key, node.key.0));
            at = node.next as usize;
        }
        keys.sort();
        let pairs = keys.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let mut repeated: Vec<u32> = pairs.map(|pair| pair[1].1).collect();
        repeated.sort_unstable();
        self.faults.extend(repeated.into_iter().map(|offset| Fault {
            kind: FaultKind::DuplicateKey,
            offset: offset as usize,
        }));
    }
}

/// How many bytes come before the first quote, backslash or control character; none if there is
/// none of them. Eight bytes at a time: strings are nine tenths of every document.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero; bits above a true one may be false.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let slashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stops = quotes | slashes | controls;
        if stops != 0 {
            // The lowest mark is always a true one.
            return Some(index * 8 + (stops.trailing_zeros() / 8) as usize);
        }
    }
    let stop = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    let found = rest.iter().position(stop)?;
    Some(chunks.len() * 8 + found)
}
