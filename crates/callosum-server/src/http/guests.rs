//! Who is connected and has not shown a token yet: whoever reaches the address may be.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Those connections, the oldest first. For one too many the oldest goes: a client shows its token at once, so that whoever
/// only takes up places, in whatever way, gives way to it.
#[derive(Debug)]
pub(crate) struct Guests {
    most: usize,
    here: Mutex<VecDeque<Arc<Notify>>>,
}

impl Guests {
    /// For so many at once.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, here: Mutex::default() }
    }

    /// Takes in a new connection.
    pub(crate) fn enter(self: &Arc<Self>) -> Guest {
        let dismissed = Arc::new(Notify::new());
        let mut here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        if here.len() >= self.most
            && let Some(oldest) = here.pop_front()
        {
            // Kept for it, should it not be waiting just now.
            oldest.notify_one();
        }
        here.push_back(Arc::clone(&dismissed));
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
        let mut here = self.guests.here.lock().unwrap_or_else(PoisonError::into_inner);
        here.retain(|other| !Arc::ptr_eq(other, &self.dismissed));
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
