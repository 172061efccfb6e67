//! The greatest value of a window of time, as Linux keeps it: the best, the best after it and the best after that, so that one is at hand
//! when the first becomes too old. Compared with: Linux 6.12.117 `win_minmax.c` (behaviour). The least value is found as the greatest
//! difference from a large number.

/// The three, each with its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Greatest {
    best: [(u64, u64); 3],
}

impl Greatest {
    /// The greatest; 0 before there was one.
    pub fn value(&self) -> u64 {
        self.best[0].1
    }

    /// Takes a value of `time`. A value counts until it is older than `window`.
    pub fn take(&mut self, window: u64, time: u64, value: u64) {
        let new = (time, value);
        let [first, second, third] = &mut self.best;
        if value >= first.1 || time - third.0 > window {
            self.best = [new; 3];
            return;
        }
        if value >= second.1 {
            (*second, *third) = (new, new);
        } else if value >= third.1 {
            *third = new;
        }
        let age = time - first.0;
        if age > window {
            // The others move up; the next one may be too old as well.
            (*first, *second, *third) = (*second, *third, new);
            if time - first.0 > window {
                (*first, *second, *third) = (*second, *third, new);
            }
        } else if second.0 == first.0 && age > window / 4 {
            (*second, *third) = (new, new);
        } else if third.0 == second.0 && age > window / 2 {
            *third = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_best_a_quarter_of_the_window_later_follows_the_best() {
        let mut greatest = Greatest::default();
        for (time, value) in [(0, 9), (1, 8), (2, 7), (3, 6), (6, 5), (8, 4)] {
            greatest.take(10, time, value);
            assert_eq!(greatest.value(), 9);
        }
        // 3 is the first time more than a quarter of 10 behind 0: the samples in between are forgotten.
        greatest.take(10, 11, 1);
        assert_eq!(greatest.value(), 6);
    }

    #[test]
    fn a_greater_or_equal_one_forgets_all_others() {
        let mut greatest = Greatest::default();
        for (time, value) in [(0, 5), (4, 4), (6, 5)] {
            greatest.take(10, time, value);
        }
        greatest.take(10, 16, 1);
        assert_eq!(greatest.value(), 5, "of time 6");
        greatest.take(10, 17, 1);
        assert_eq!(greatest.value(), 1);
    }
}
