//! Service curves of HFSC in the numbers of Linux 6.12, `sch_hfsc`: times are ticks of 64 ns, slopes have 24 bits behind the point, and
//! inverse slopes 14.

use crate::units::{Duration, Rate};

/// Nanoseconds of a tick, as a shift.
pub const TICK: u32 = 6;
const TICKS_PER_SECOND: u64 = 1_000_000_000 >> TICK;
const SLOPE: u32 = 24;
const INVERSE: u32 = 14;
/// A time that never comes.
pub const NEVER: u64 = u64::MAX;

/// A curve of two pieces: a slope for some time, then another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    sm1: u64,
    ism1: u64,
    dx: u64,
    dy: u64,
    sm2: u64,
    ism2: u64,
}

/// y = x sm / 2^24, in two parts so that it does not overflow.
fn bytes_in(ticks: u64, slope: u64) -> u64 {
    let low = (ticks & ((1 << SLOPE) - 1)).wrapping_mul(slope) >> SLOPE;
    (ticks >> SLOPE).wrapping_mul(slope).wrapping_add(low)
}

/// x = y ism / 2^14, likewise.
fn ticks_of(bytes: u64, inverse: u64) -> u64 {
    match (bytes, inverse) {
        (0, _) => 0,
        (_, NEVER) => NEVER,
        _ => {
            let low = (bytes & ((1 << INVERSE) - 1)).wrapping_mul(inverse) >> INVERSE;
            (bytes >> INVERSE).wrapping_mul(inverse).wrapping_add(low)
        }
    }
}

impl Curve {
    /// A curve with slope `m1` for the time `d`, then `m2`; `None` is no slope.
    pub fn new(m1: Option<Rate>, d: Duration, m2: Option<Rate>) -> Self {
        let bytes = |rate: Option<Rate>| rate.map_or(0, |rate| (rate.as_bps() / 8).min(u64::from(u32::MAX)));
        let slope = |m: u64| (m << SLOPE).div_ceil(TICKS_PER_SECOND);
        let inverse = |m: u64| if m == 0 { NEVER } else { (TICKS_PER_SECOND << INVERSE).div_ceil(m) };
        let (m1, m2, micros) = (bytes(m1), bytes(m2), d.as_nanos() / 1000);
        let dx = (micros * TICKS_PER_SECOND).div_ceil(1_000_000);
        let sm1 = slope(m1);
        Curve { sm1, ism1: inverse(m1), dx, dy: bytes_in(dx, sm1), sm2: slope(m2), ism2: inverse(m2) }
    }

    /// Whether the first piece is not steeper than the second.
    fn is_convex(&self) -> bool {
        self.sm1 <= self.sm2
    }
}

/// A curve that begins at a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placed {
    x: u64,
    y: u64,
    curve: Curve,
}

impl Placed {
    /// It begins at nothing.
    pub fn new(curve: Curve) -> Self {
        Placed { x: 0, y: 0, curve }
    }

    /// When it reaches `y` bytes.
    pub fn time_of(&self, y: u64) -> u64 {
        let Placed { x, y: y0, curve } = *self;
        if y < y0 {
            x
        } else if y <= y0.wrapping_add(curve.dy) {
            x.wrapping_add(if curve.dy == 0 { curve.dx } else { ticks_of(y - y0, curve.ism1) })
        } else {
            x.wrapping_add(curve.dx).wrapping_add(ticks_of(y - y0 - curve.dy, curve.ism2))
        }
    }

    /// The bytes that it has reached at a time.
    fn bytes_at(&self, x: u64) -> u64 {
        let Placed { x: x0, y, curve } = *self;
        if x <= x0 {
            y
        } else if x <= x0.wrapping_add(curve.dx) {
            y.wrapping_add(bytes_in(x - x0, curve.sm1))
        } else {
            y.wrapping_add(curve.dy).wrapping_add(bytes_in(x - x0 - curve.dx, curve.sm2))
        }
    }

    /// It becomes the lower one of itself and of `curve` from (x, y) on; [SZN97] section IV, `update_rc`.
    pub fn lower(&mut self, curve: &Curve, x: u64, y: u64) {
        let y1 = self.bytes_at(x);
        if curve.is_convex() {
            if y1 >= y {
                (self.x, self.y) = (x, y);
            }
            return;
        }
        if y1 <= y {
            return;
        }
        let y2 = self.bytes_at(x.wrapping_add(curve.dx));
        if y2 >= y + curve.dy {
            (self.x, self.y, self.curve.dx, self.curve.dy) = (x, y, curve.dx, curve.dy);
            return;
        }
        // They cross where the new one has caught up with y1 - y.
        let mut dx = ((y1 - y) << SLOPE) / (curve.sm1 - curve.sm2);
        dx += (self.x + self.curve.dx).saturating_sub(x);
        (self.x, self.y, self.curve.dx, self.curve.dy) = (x, y, dx, bytes_in(dx, curve.sm1));
    }

    /// The curve by which a class may have real-time service: itself, or, where the first piece is not the steeper one, the second piece
    /// alone.
    pub fn eligible(&self, curve: &Curve) -> Placed {
        let mut all = *self;
        if curve.is_convex() {
            (all.curve.dx, all.curve.dy) = (0, 0);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope of `first` kbit/s for 10 ms, then one of `later`.
    fn curve(first: u64, later: u64) -> Curve {
        let [first, later] = [first, later].map(|kbits| Some(Rate::from_bps(1000 * kbits)));
        Curve::new(first, Duration::from_millis(10), later)
    }

    /// tc's `umax 1500b dmax 10ms rate 100kbit` is 1.2 Mbit/s for 10 ms, then 100 kbit/s: 10, 130 and 250 ms.
    #[test]
    fn deadlines_of_a_steep_beginning() {
        let deadlines = [1500, 3000, 4500].map(|bytes| Placed::new(curve(1200, 100)).time_of(bytes) << TICK);
        for (found, ms) in deadlines.into_iter().zip([10.0, 130.0, 250.0]) {
            assert!((found as f64 / 1e6 - ms).abs() < 1e-3, "{found}");
        }
    }

    #[test]
    fn the_lower_of_two_curves() {
        let concave = curve(8000, 800);
        // After 100 ms at 1000 bytes: the old one has 10000 + 9000 bytes there, the new one is below it at first and later.
        let mut placed = Placed::new(concave);
        let at = (100_000_000_u64 >> TICK, 1000);
        placed.lower(&concave, at.0, at.1);
        assert_eq!((placed.x, placed.y), at);
        // At 12 ms with 9000 bytes: 10200 are more than that, but at 22 ms 11200 are less than 19000. They cross where 7.2 Mbit/s more
        // make 1200 bytes: after 4/3 ms.
        let mut crossed = Placed::new(concave);
        crossed.lower(&concave, 12_000_000 >> TICK, 9000);
        let dx = (crossed.curve.dx << TICK) as f64 / 1e6;
        assert!((dx - 4.0 / 3.0).abs() < 0.01, "{dx}");
    }
}
