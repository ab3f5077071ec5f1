//! A segment as bytes: arrays with their lengths in front, all little-endian. A blob that does not
//! decode to a sound segment is refused; the index says that it is damaged, and does not guess.

use super::{Segment, Terms};

/// Changes when the layout or the cutting of words does; older segments are then put together anew.
const MARK: &[u8; 8] = b"PHseg001";

impl Segment {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.matrix.len() + self.matrix.len() / 2);
        out.extend_from_slice(MARK);
        put(&mut out, [self.dimensions as u32]);
        put(&mut out, [self.steps.len() as u32]);
        out.extend(self.matrix.iter().map(|byte| byte.cast_unsigned()));
        put(&mut out, self.steps.iter().map(|step| step.to_bits()));
        out.extend(self.lengths.iter().flat_map(|length| length.to_le_bytes()));
        encode_terms(&mut out, &self.words);
        encode_terms(&mut out, &self.facets);
        out
    }

    /// A segment of so many bytes, which `read` gives from any place. The vectors are most of them, and
    /// come straight to where they stay; the rest goes through a buffer that the next segment takes
    /// again. None: damaged, or of another version.
    pub(crate) fn read<E>(
        length: usize,
        buffer: &mut Vec<u8>,
        mut read: impl FnMut(&mut [u8], usize) -> Result<(), E>,
    ) -> Result<Option<Self>, E> {
        let mut head = [0; HEAD];
        if length < HEAD {
            return Ok(None);
        }
        read(&mut head, 0)?;
        let Some((dimensions, count)) = sizes(&head) else {
            return Ok(None);
        };
        let rest = dimensions
            .checked_mul(count)
            .and_then(|matrix| length.checked_sub(HEAD + matrix));
        let Some(rest) = rest else {
            return Ok(None);
        };
        let mut matrix = vec![0; dimensions * count];
        read(&mut matrix, HEAD)?;
        buffer.resize(rest, 0);
        read(buffer, HEAD + matrix.len())?;
        Ok(Self::parse(dimensions, count, matrix, buffer))
    }

    fn parse(dimensions: usize, count: usize, matrix: Vec<u8>, rest: &[u8]) -> Option<Self> {
        let mut input = Input(rest);
        let segment = Self {
            dimensions,
            matrix: matrix.into_iter().map(u8::cast_signed).collect(),
            steps: input
                .numbers(count)?
                .into_iter()
                .map(f32::from_bits)
                .collect(),
            lengths: input.shorts(count)?,
            words: decode_terms(&mut input)?,
            facets: decode_terms(&mut input)?,
        };
        let sound = input.0.is_empty()
            && segment.words.is_sound(count)
            && segment.facets.is_sound(count)
            && segment.steps.iter().all(|step| step.is_finite());
        sound.then_some(segment)
    }
}

/// The mark and two numbers.
const HEAD: usize = MARK.len() + 8;

/// Numbers per vector, and vectors.
fn sizes(head: &[u8]) -> Option<(usize, usize)> {
    let mut input = Input(head);
    let marked = input.take(MARK.len())? == MARK;
    marked.then_some((input.number()?, input.number()?))
}

fn encode_terms(out: &mut Vec<u8>, terms: &Terms) {
    put(
        out,
        [
            terms.text.len() as u32,
            terms.ends.len() as u32,
            terms.rows.len() as u32,
        ],
    );
    out.extend_from_slice(terms.text.as_bytes());
    put(out, terms.ends.iter().copied());
    put(out, terms.row_ends.iter().copied());
    out.extend(terms.rows.iter().flat_map(|row| row.to_le_bytes()));
    out.extend_from_slice(&terms.times);
}

fn decode_terms(input: &mut Input) -> Option<Terms> {
    let (text, terms, rows) = (input.number()?, input.number()?, input.number()?);
    Some(Terms {
        text: String::from_utf8(input.take(text)?.to_vec()).ok()?,
        ends: input.numbers(terms)?,
        row_ends: input.numbers(terms)?,
        rows: input.shorts(rows)?,
        times: input.take(rows)?.to_vec(),
    })
}

fn put(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    out.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let (four, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        usize::try_from(u32::from_le_bytes(*four)).ok()
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        let (numbers, _) = self.take(count.checked_mul(4)?)?.as_chunks::<4>();
        Some(
            numbers
                .iter()
                .map(|four| u32::from_le_bytes(*four))
                .collect(),
        )
    }

    fn shorts(&mut self, count: usize) -> Option<Vec<u16>> {
        let (shorts, _) = self.take(count.checked_mul(2)?)?.as_chunks::<2>();
        Some(shorts.iter().map(|two| u16::from_le_bytes(*two)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Builder;
    use crate::{CodeIndexEntry, IoSummary};

    fn segment() -> Segment {
        let mut builder = Builder::new(3);
        for (name, tag) in [("parse dates", "time"), ("parse slugs", "text")] {
            let entry = CodeIndexEntry {
                module_id: crate::ModuleId::parse("MM-1").unwrap(),
                version: crate::Version::parse("1.0.0").unwrap(),
                name: name.into(),
                purpose: "parse and parse".into(),
                tags: vec![tag.into()],
                contract_ref: "c".into(),
                examples_ref: "e".into(),
                ship_ref: "s".into(),
                io_summary: IoSummary {
                    inputs: vec!["text: string".into()],
                    ..IoSummary::default()
                },
                dependencies: vec![],
                status: crate::Status::Shipped,
                superseded_by: None,
                notes: String::new(),
            };
            builder.push(&entry, &[0.6, -0.8, 0.0]);
        }
        builder.segment()
    }

    fn decode(bytes: &[u8]) -> Option<Segment> {
        let read = |into: &mut [u8], at: usize| {
            into.copy_from_slice(&bytes[at..at + into.len()]);
            Ok::<(), ()>(())
        };
        Segment::read(bytes.len(), &mut Vec::new(), read).unwrap()
    }

    #[test]
    fn a_segment_survives_the_disk() {
        let segment = segment();
        let decoded = decode(&segment.encode()).unwrap();
        assert_eq!(decoded, segment);
        assert_eq!(decoded.words.find("parse"), (&[0, 1][..], &[3, 3][..]));
        assert_eq!(decoded.words.find("slug").0, [1]);
        assert_eq!(decoded.words.find("nothing").0, [0; 0]);
        assert_eq!(decoded.facets.find("t\0time").0, [0]);
        assert_eq!(decoded.facets.find("i\0string").0, [0, 1]);
        assert_eq!(decoded.facets.find("i\0text: string").0, [0, 1]);
    }

    #[test]
    fn no_damage_makes_it_panic() {
        let bytes = segment().encode();
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_none(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            if let Some(segment) = decode(&damaged) {
                // What is believed can be searched.
                segment.words.find("parse");
                segment.vector(segment.count() - 1);
            }
        }
    }
}
