//! One number in, the same choices out, on every machine and for ever (splitmix64). It does not
//! be seeded by anything but its caller.

/// A stream of choices.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for each purpose, so that one more question to the agents does not
    /// change what the clock does.
    pub fn stream(seed: u64, purpose: &str) -> Self {
        let mut stream = Self(seed);
        for byte in purpose.bytes() {
            stream.0 = stream.draw() ^ u64::from(byte);
        }
        stream
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; zero if there is none.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.draw() % limit.max(1)
    }

    /// True this many times in a thousand. Asking for never does not use the stream up.
    pub fn happens(&mut self, permille: u64) -> bool {
        permille > 0 && self.below(1_000) < permille
    }

    /// One of them; none of nothing.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(usize::try_from(self.below(of.len() as u64)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut random = Random::new(0);
        assert_eq!(random.draw(), 0xe220_a839_7b1d_cdaf, "splitmix64's own");
        assert_eq!(
            Random::stream(7, "clock").draw(),
            Random::stream(7, "clock").draw()
        );
        assert_ne!(
            Random::stream(7, "clock").draw(),
            Random::stream(7, "cast").draw()
        );
    }
}
