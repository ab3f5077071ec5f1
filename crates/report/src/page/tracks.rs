//! Rows in a column, and the ways between them: straight on to the next row, and beside the column where one
//! leads over others, forward on the right and back on the left. All ways that lead to one row share a track.

use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Between the line and the first track, and between two tracks.
const FIRST: usize = 14;
const TRACK: usize = 9;
/// Beyond so many tracks they lie closer, so that what stands beside them keeps its room.
const WIDE: usize = 12;
const CLOSEST: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Back,
    On,
}

/// All that leads to one row over others, from one side.
struct Track {
    to: usize,
    from: Vec<usize>,
    /// How far from the line it runs, counted from 0.
    place: usize,
}

impl Track {
    /// Short ones run near the line, and none over another.
    fn all(ways: &BTreeSet<(usize, usize)>, side: Side) -> Vec<Self> {
        let back = side == Side::Back;
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let over = |(from, to): &&(usize, usize)| (to < from) == back && from + 1 != *to;
        for (from, to) in ways.iter().filter(over) {
            found.entry(*to).or_default().push(*from);
        }
        let ends = |to: usize, from: &[usize]| {
            let all = || from.iter().copied().chain([to]);
            (all().min().unwrap_or(to), all().max().unwrap_or(to))
        };
        let mut order: Vec<(usize, Vec<usize>)> = found.into_iter().collect();
        order.sort_by_key(|(to, from)| {
            let (first, last) = ends(*to, from);
            (last - first, *to)
        });
        let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut tracks = Vec::new();
        for (to, from) in order {
            let (first, last) = ends(to, &from);
            let free = |used: &Vec<(usize, usize)>| {
                used.iter()
                    .all(|(begins, ends)| last < *begins || first > *ends)
            };
            let place = taken.iter().position(free).unwrap_or(taken.len());
            if place == taken.len() {
                taken.push(Vec::new());
            }
            taken[place].push((first, last));
            tracks.push(Self { to, from, place });
        }
        tracks
    }
}

/// A column with its ways laid out.
pub(super) struct Column<'a> {
    ways: &'a BTreeSet<(usize, usize)>,
    back: Vec<Track>,
    on: Vec<Track>,
    gap: usize,
    /// The first row's middle, and the distance of two.
    rows: (usize, usize),
    /// Where the rows' marks stand.
    pub(super) axis: usize,
    /// The room for everything.
    pub(super) width: usize,
}

impl<'a> Column<'a> {
    /// Lays out the ways, each from a row to another.
    pub(super) fn of(ways: &'a BTreeSet<(usize, usize)>, rows: (usize, usize)) -> Self {
        let (back, on) = (Track::all(ways, Side::Back), Track::all(ways, Side::On));
        let most = |tracks: &[Track]| tracks.iter().map(|track| track.place + 1).max();
        let (left, right) = (most(&back).unwrap_or(0), most(&on).unwrap_or(0));
        let gap = match left.max(right) {
            0..=WIDE => TRACK,
            many => (TRACK * WIDE / many).max(CLOSEST),
        };
        let axis = FIRST + left * gap;
        Self {
            ways,
            back,
            on,
            gap,
            rows,
            axis,
            width: axis + FIRST + right * gap,
        }
    }

    /// The middle of a row.
    pub(super) fn y(&self, at: usize) -> usize {
        let (first, distance) = self.rows;
        first + at * distance
    }

    /// Every way; `been` says of which it is told that it was gone.
    pub(super) fn lines(&self, been: &dyn Fn(usize, usize) -> bool) -> Markup {
        let axis = self.axis;
        let y = |at: usize| self.y(at);
        let class = |from: usize, to: usize| if been(from, to) { "been" } else { "" };
        let back = self.back.iter().map(|one| (one, Side::Back));
        let tracks = back.chain(self.on.iter().map(|one| (one, Side::On)));
        html! {
            @for (from, to) in self.ways.iter().filter(|(from, to)| from + 1 == *to) {
                @let class = class(*from, *to);
                path class=(class) d=(format!("M {axis} {} V {}", y(*from), y(*to) - 9)) {}
                path class=(format!("{class} head")) d=(format!("M {axis} {} l -3.5 -6 h 7 z", y(*to) - 8)) {}
            }
            @for (track, side) in tracks {
                @let leads_back = side == Side::Back;
                @let far = FIRST + track.place * self.gap;
                @let x = if leads_back { axis - far } else { axis + far };
                @let beside = if leads_back { axis - 9 } else { axis + 9 };
                @let side = if leads_back { "back" } else { "on" };
                @for from in &track.from {
                    path class=(format!("{side} {}", class(*from, track.to))) d=(format!("M {axis} {} H {x} V {} H {beside}", y(*from), y(track.to))) {}
                }
                @let any = track.from.iter().any(|from| been(*from, track.to));
                path class=(format!("{} head", if any { "been" } else { "" })) d=(format!("M {beside} {} l {} -3.5 v 7 z", y(track.to), if leads_back { -6 } else { 6 })) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_that_overlap_run_beside_each_other() {
        let ways = BTreeSet::from([(0, 1), (0, 3), (1, 3), (4, 6), (0, 6), (5, 2), (3, 2)]);
        let on = Track::all(&ways, Side::On);
        let places: Vec<(usize, usize, usize)> = on
            .iter()
            .map(|track| (track.to, track.from.len(), track.place))
            .collect();
        assert_eq!(places, [(3, 2, 0), (6, 2, 1)]);
        let back = Track::all(&ways, Side::Back);
        assert_eq!(back.len(), 1);
        assert_eq!((back[0].to, back[0].from.as_slice()), (2, &[3, 5][..]));
        let apart = BTreeSet::from([(0, 2), (3, 5)]);
        assert!(
            Track::all(&apart, Side::On)
                .iter()
                .all(|track| track.place == 0)
        );
    }
}
