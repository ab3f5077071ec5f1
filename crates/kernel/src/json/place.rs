//! From byte offsets to lines and columns, many at once. Counting from the start for each of ten
//! thousand findings in a document of one line would take minutes; one pass in order does not.

/// A place in a text, both from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// Walks a text forwards. Offsets must come in rising order; an earlier one starts over.
#[derive(Debug)]
pub struct Places<'a> {
    bytes: &'a [u8],
    at: usize,
    place: Place,
}

impl<'a> Places<'a> {
    /// At the start of the text.
    pub fn new(bytes: &'a [u8]) -> Self {
        let place = Place { line: 1, column: 1 };
        Self {
            bytes,
            at: 0,
            place,
        }
    }

    /// The place of the offset.
    pub fn of(&mut self, offset: usize) -> Place {
        if offset < self.at {
            *self = Self::new(self.bytes);
        }
        for byte in &self.bytes[self.at..offset.min(self.bytes.len())] {
            match byte {
                b'\n' => {
                    self.place.line += 1;
                    self.place.column = 1;
                }
                // The later bytes of a character are not a column of their own.
                0x80..=0xbf => {}
                _ => self.place.column += 1,
            }
        }
        self.at = offset.min(self.bytes.len());
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a\né{\n\n";
        let mut places = Places::new(text.as_bytes());
        assert_eq!(places.of(0), Place { line: 1, column: 1 });
        assert_eq!(places.of(4), Place { line: 2, column: 2 });
        assert_eq!(places.of(6), Place { line: 3, column: 1 });
        assert_eq!(places.of(4), Place { line: 2, column: 2 });
        assert_eq!(places.of(99), Place { line: 4, column: 1 });
    }
}
