//! Chance that can be had again: the seed is printed, and `CALLOSUM_SEED` gives it back.

use std::time::{SystemTime, UNIX_EPOCH};

/// SplitMix64: small, and every seed is a good one.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// What this seed begins.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() % limit as u64).unwrap()
    }

    /// True as often as once in `limit` times.
    pub fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }
}

/// The seed of this run.
pub fn seed() -> u64 {
    let seed = number("CALLOSUM_SEED").unwrap_or_else(|| {
        u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
            % 1_000_000_000
    });
    println!("seed {seed}: CALLOSUM_SEED={seed} gives the same again");
    seed
}

/// A whole number in the environment.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a whole number")))
}
