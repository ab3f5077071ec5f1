//! The best of many by score, in one pass and little memory.

/// Keeps the highest scores. Equal scores are ordered by slot, so that a search always gives the
/// same answer.
#[derive(Debug)]
pub(super) struct Best {
    keep: usize,
    found: Vec<(f32, usize)>,
    /// Below it, nothing can be among the best any more.
    least: f32,
}

impl Best {
    pub(super) fn new(keep: usize) -> Self {
        Self {
            keep,
            found: Vec::with_capacity(keep * 4),
            least: f32::NEG_INFINITY,
        }
    }

    /// May something with this score be among the best?
    pub(super) fn takes(&self, score: f32) -> bool {
        score >= self.least
    }

    pub(super) fn offer(&mut self, score: f32, slot: usize) {
        if !self.takes(score) {
            return;
        }
        self.found.push((score, slot));
        if self.found.len() >= self.keep * 4 {
            self.cut();
        }
    }

    /// Takes in what another has found among other slots.
    pub(super) fn join(&mut self, other: Self) {
        for (score, slot) in other.found {
            self.offer(score, slot);
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.keep {
            self.found.select_nth_unstable_by(self.keep - 1, order);
            self.found.truncate(self.keep);
            self.least = self.found[self.keep - 1].0;
        }
    }

    /// The best, in order.
    pub(super) fn take(mut self) -> Vec<(f32, usize)> {
        self.cut();
        self.found.sort_unstable_by(order);
        self.found
    }
}

/// Higher scores first, then lower slots.
pub(super) fn order(a: &(f32, usize), b: &(f32, usize)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::Best;

    #[test]
    fn the_best_are_kept_in_order() {
        let mut best = Best::new(3);
        for slot in 0..100 {
            best.offer((slot * 37 % 50) as f32, slot);
        }
        let all = best.take();
        assert_eq!(all, [(49.0, 27), (49.0, 77), (48.0, 4)]);
        let mut few = Best::new(5);
        few.offer(1.0, 7);
        assert_eq!(few.take(), [(1.0, 7)]);
        assert_eq!(Best::new(5).take(), []);
        let (mut one, mut two) = (Best::new(3), Best::new(3));
        for slot in 0..100 {
            let half = if slot % 3 == 0 { &mut one } else { &mut two };
            half.offer((slot * 37 % 50) as f32, slot);
        }
        one.join(two);
        assert_eq!(one.take(), all, "whoever looked at which");
    }
}
