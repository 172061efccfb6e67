//! Queues that rest: of many equal queues, those that are empty and whose policies are alike. As long as nothing touches them their
//! policies change alike, so that one of them, the first, has its deadlines for all. A night of silence then costs the deadlines of one
//! queue, not of a thousand.

/// The numbered queues that rest, and those that are awake.
#[derive(Clone, Debug)]
pub struct Resting {
    /// In order.
    awake: Vec<usize>,
    /// Those that rest; the first stands for all.
    alike: Vec<usize>,
    /// For each queue its place among those that rest, or `AWAKE`.
    places: Vec<usize>,
}

const AWAKE: usize = usize::MAX;

impl Resting {
    /// All of `count` are awake.
    pub fn new(count: usize) -> Self {
        Resting { awake: (0..count).collect(), alike: Vec::new(), places: vec![AWAKE; count] }
    }

    /// Whether this one rests.
    #[inline]
    pub fn has(&self, queue: usize) -> bool {
        self.places[queue] != AWAKE
    }

    /// The one that stands for all that rest.
    pub fn first(&self) -> Option<usize> {
        self.alike.first().copied()
    }

    /// Those that are awake, in order.
    pub fn awake(&self) -> &[usize] {
        &self.awake
    }

    /// One that rests is awake from now on. If it has to be told the state of the others, or one of them its state, returns from which one
    /// to which one it goes.
    pub fn wake(&mut self, queue: usize) -> Option<(usize, usize)> {
        let place = std::mem::replace(&mut self.places[queue], AWAKE);
        let first = self.alike[0];
        self.alike.swap_remove(place);
        let moved = self.alike.get(place).copied();
        if let Some(moved) = moved {
            self.places[moved] = place;
        }
        let at = self.awake.partition_point(|other| *other < queue);
        self.awake.insert(at, queue);
        // Where the first one wakes, the last one takes its place.
        if place == 0 { moved.map(|moved| (queue, moved)) } else { Some((first, queue)) }
    }

    /// Those that are awake come to rest if they are alike the first that rests; the first of all if it is alike itself.
    pub fn settle(&mut self, is_alike: impl Fn(usize, usize) -> bool) {
        let Resting { awake, alike, places } = self;
        awake.retain(|&queue| {
            if !is_alike(queue, alike.first().copied().unwrap_or(queue)) {
                return true;
            }
            places[queue] = alike.len();
            alike.push(queue);
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wakes_gets_the_state_of_the_first_and_the_first_leaves_its_own_behind() {
        let mut resting = Resting::new(4);
        resting.settle(|queue, _| queue != 2);
        assert_eq!((resting.first(), resting.awake()), (Some(0), &[2][..]));

        assert_eq!(resting.wake(1), Some((0, 1)));
        assert_eq!(resting.wake(0), Some((0, 3)));
        assert_eq!((resting.first(), resting.awake()), (Some(3), &[0, 1, 2][..]));
        assert_eq!(resting.wake(3), None);
        assert_eq!((resting.first(), resting.has(3)), (None, false));

        resting.settle(|queue, first| queue >= 1 && first == 1);
        assert_eq!((resting.first(), resting.awake()), (Some(1), &[0][..]));
        assert!(resting.has(3));
    }

    #[test]
    fn who_is_not_alike_itself_never_rests() {
        let mut resting = Resting::new(3);
        resting.settle(|_, _| false);
        assert_eq!((resting.first(), resting.awake()), (None, &[0, 1, 2][..]));
    }
}
