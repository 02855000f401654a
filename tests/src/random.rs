//! Numbers that look random and follow from a seed.

/// `SplitMix64`, <https://prng.di.unimi.it/splitmix64.c>: short, and good enough to make up logs.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers that follow from this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn word(&mut self) -> u32 {
        u32::try_from(self.number() >> 32).unwrap_or_default()
    }

    /// Less than `end`; 0 if that is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from((u64::from(self.word()) * u64::from(end)) >> 32).unwrap_or_default()
    }

    /// From 0 to `most`, which is not negative.
    pub fn up_to(&mut self, most: i64) -> i64 {
        let ends = u64::try_from(most).unwrap_or_default().saturating_add(1);
        i64::try_from(self.number() % ends).unwrap_or_default()
    }

    /// From 0 to less than 1.
    pub fn fraction(&mut self) -> f64 {
        f64::from(self.word()) / (f64::from(u32::MAX) + 1.0)
    }

    /// Of the normal distribution, near enough: a sum of twelve.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.fraction()).sum::<f64>() - 6.0
    }

    /// A place in a list that is not empty.
    pub fn index(&mut self, len: usize) -> usize {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        usize::try_from(self.below(len)).unwrap_or_default()
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        list.get(self.index(list.len())).expect("the list is not empty")
    }

    /// One of a list that is not empty.
    pub fn pick_mut<'a, T>(&mut self, list: &'a mut [T]) -> &'a mut T {
        let index = self.index(list.len());
        list.get_mut(index).expect("the list is not empty")
    }

    /// One of a list that is not empty, by the weights before the values.
    pub fn weighted<T: Copy>(&mut self, list: &[(u32, T)]) -> T {
        let mut at = self.below(list.iter().map(|(weight, _)| weight).sum());
        for (weight, value) in list {
            if at < *weight {
                return *value;
            }
            at -= weight;
        }
        list.last().expect("the list is not empty").1
    }
}
