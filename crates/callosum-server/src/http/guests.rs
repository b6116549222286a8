//! Who is connected and has not shown a token yet: whoever reaches the address may be.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How often it is told that some had to go.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Those connections, the oldest first. For one too many the oldest goes: a client shows its token at once, so that whoever
/// only takes up places, in whatever way, gives way to it.
#[derive(Debug)]
pub(crate) struct Guests {
    most: usize,
    here: Mutex<Here>,
}

#[derive(Debug, Default)]
struct Here {
    /// The oldest first.
    places: VecDeque<Arc<Notify>>,
    /// How many had to go since that was told last, and when it was.
    dismissed: u64,
    told: Option<Instant>,
}

impl Guests {
    /// For so many at once.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, here: Mutex::default() }
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sentence for the log if some had to go, at the first of them and then once in a while.
    pub(crate) fn crowd(&self, now: Instant) -> Option<String> {
        let mut here = self.here();
        if here.dismissed == 0 || here.told.is_some_and(|told| now.duration_since(told) < TELL_EVERY) {
            return None;
        }
        here.told = Some(now);
        let (gone, most) = (std::mem::take(&mut here.dismissed), self.most);
        Some(format!(
            "warning: more than {most} connections showed no token, and {gone} were closed, the oldest first; those that have shown \
             one keep theirs"
        ))
    }

    /// Takes in a new connection.
    pub(crate) fn enter(self: &Arc<Self>) -> Guest {
        let dismissed = Arc::new(Notify::new());
        let mut here = self.here();
        if here.places.len() >= self.most
            && let Some(oldest) = here.places.pop_front()
        {
            // Kept for it, should it not be waiting just now.
            oldest.notify_one();
            here.dismissed += 1;
        }
        here.places.push_back(Arc::clone(&dismissed));
        drop(here);
        Guest { guests: Arc::clone(self), dismissed }
    }
}

/// A connection's place; free when it is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    dismissed: Arc<Notify>,
}

impl Guest {
    /// It has shown a token, and is no guest any more: nobody takes its place.
    pub(crate) fn is_known(&self) {
        self.guests.here().places.retain(|other| !Arc::ptr_eq(other, &self.dismissed));
    }

    /// Waits until the place is wanted for somebody else.
    pub(crate) async fn dismissed(&self) {
        self.dismissed.notified().await;
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.is_known();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn that_some_had_to_go_is_told_at_once_and_then_once_in_a_while_with_their_number() {
        let (guests, start) = (Arc::new(Guests::new(2)), Instant::now());
        let mut here = vec![guests.enter(), guests.enter()];
        assert_eq!(guests.crowd(start), None);
        here.push(guests.enter());
        assert!(guests.crowd(start).unwrap().contains("and 1 were closed"));
        here.extend([guests.enter(), guests.enter()]);
        assert_eq!(guests.crowd(start + TELL_EVERY / 2), None);
        assert!(guests.crowd(start + TELL_EVERY).unwrap().contains("and 2 were closed"));
        assert_eq!(guests.crowd(start + 3 * TELL_EVERY), None);
    }
}
