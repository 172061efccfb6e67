//! Which buckets hold anything, a bit for each.

/// A set of bits. Their number is a power of two, at least 64.
#[derive(Clone, Debug)]
pub struct Bitmap<const WORDS: usize>(Box<[u64; WORDS]>);

impl<const WORDS: usize> Bitmap<WORDS> {
    /// All clear.
    pub fn new() -> Self {
        const { assert!(WORDS.is_power_of_two(), "numbers wrap around") };
        Bitmap(Box::new([0; WORDS]))
    }

    #[inline(always)]
    pub fn set(&mut self, bit: usize) {
        self.0[bit / 64 % WORDS] |= 1 << (bit % 64);
    }

    #[inline(always)]
    pub fn clear(&mut self, bit: usize) {
        self.0[bit / 64 % WORDS] &= !(1 << (bit % 64));
    }

    /// How far the first bit set from `bit` on lies behind it, in the word of 64 that holds `bit`.
    #[inline(always)]
    pub fn distance_in_word(&self, bit: usize) -> Option<usize> {
        let word = self.0[bit / 64 % WORDS] >> (bit % 64);
        (word != 0).then(|| word.trailing_zeros() as usize)
    }

    /// How far the first bit set from `bit` on lies behind it; the search does not wrap around.
    #[inline(always)]
    pub fn distance(&self, bit: usize) -> Option<usize> {
        let first = bit / 64 % WORDS;
        let head = self.0[first] >> (bit % 64);
        if head != 0 {
            return Some(head.trailing_zeros() as usize);
        }
        let behind = self.0[first + 1..].iter().position(|word| *word != 0)? + first + 1;
        Some(behind * 64 + self.0[behind].trailing_zeros() as usize - bit)
    }

    /// [`Bitmap::distance`] with a search that wraps around.
    pub fn distance_around(&self, bit: usize) -> Option<usize> {
        self.distance(bit).or_else(|| Some(self.distance(0)? + WORDS * 64 - bit))
    }
}
