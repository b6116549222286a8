//! How many streams, and how many known connections, may be open at once, and how many of them one token may have.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// The places that there are.
#[derive(Debug)]
pub(crate) struct Seats {
    most: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// By the names of tokens.
    of: HashMap<String, usize>,
}

/// A place; free when it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    name: String,
    taken: Arc<Mutex<Taken>>,
}

impl Seats {
    /// `most` places. A token has half of them at most, so that others find one beside it.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// A place for one more of the token `name`, if there is one.
    pub(crate) fn take(&self, name: &str) -> Option<Seat> {
        let mut taken = self.taken.lock();
        let own = taken.of.get(name).copied().unwrap_or_default();
        if taken.all >= self.most || own >= self.most / 2 {
            return None;
        }
        taken.all += 1;
        taken.of.insert(name.to_owned(), own + 1);
        Some(Seat { name: name.to_owned(), taken: Arc::clone(&self.taken) })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        taken.all = taken.all.saturating_sub(1);
        match taken.of.get_mut(&self.name) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                taken.of.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn one_token_leaves_half_of_the_places_to_others() {
        let seats = Seats::new(4);
        let mut of_a = vec![seats.take("a").unwrap(), seats.take("a").unwrap()];
        assert!(seats.take("a").is_none());
        let of_others = [seats.take("b").unwrap(), seats.take("c").unwrap()];
        assert!(seats.take("d").is_none());
        of_a.pop();
        drop(of_others);
        assert!(seats.take("a").is_some());
        drop(of_a);
        let taken = seats.taken.lock();
        assert_eq!((taken.all, taken.of.len()), (0, 0));
    }
}
