//! A table of a fixed number of places, few of which are used: a place that was never written has the default value, and takes two bytes.

/// At most 65535 places with values of type `T`.
#[derive(Clone, Debug)]
pub struct Sparse<T> {
    /// For each place the index of its value, from 1; 0 for none.
    places: Vec<u16>,
    used: Vec<T>,
    /// The value at all other indexes.
    other: T,
}

impl<T: Clone + Default> Sparse<T> {
    /// The number of places.
    ///
    /// # Panics
    /// If there are more than 65535.
    pub fn new(places: usize) -> Self {
        assert!(u16::try_from(places).is_ok(), "places are numbers of 16 bits");
        Sparse { places: vec![0; places], used: Vec::new(), other: T::default() }
    }

    /// The value at an index.
    #[inline]
    pub fn get(&self, place: usize) -> &T {
        match self.places[place] {
            0 => &self.other,
            slot => &self.used[slot as usize - 1],
        }
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, place: usize) -> &mut T {
        if self.places[place] == 0 {
            self.used.push(T::default());
            self.places[place] = self.used.len() as u16;
        }
        &mut self.used[self.places[place] as usize - 1]
    }

    /// All that were ever written.
    pub fn used(&self) -> &[T] {
        &self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_its_value_and_the_others_the_default() {
        let mut sparse = Sparse::<u64>::new(1024);
        *sparse.get_mut(1023) = 7;
        *sparse.get_mut(0) += 1;
        *sparse.get_mut(1023) += 1;
        assert_eq!([0, 1, 1023].map(|place| *sparse.get(place)), [1, 0, 8]);
        assert_eq!(sparse.used(), [8, 1]);
    }
}
