//! Who is connected and has not shown the token yet: every program of this machine may be.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// How many connections there may be that have not shown the token.
const MAX_GUESTS: usize = 64;

/// Those connections, the oldest first. For one too many the oldest goes: a browser shows its token at once, so that whoever
/// only takes up places, in whatever way, gives way to it.
#[derive(Default)]
pub(super) struct Guests {
    here: Mutex<VecDeque<Arc<Notify>>>,
}

impl Guests {
    /// Takes in a new connection.
    pub(super) fn enter(self: &Arc<Self>) -> Guest {
        let dismissed = Arc::new(Notify::new());
        let mut here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        if here.len() >= MAX_GUESTS
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
pub(super) struct Guest {
    guests: Arc<Guests>,
    dismissed: Arc<Notify>,
}

impl Guest {
    /// It has shown the token, and is no guest any more: nobody takes its place.
    pub(super) fn is_known(&self) {
        let mut here = self.guests.here.lock().unwrap_or_else(PoisonError::into_inner);
        here.retain(|other| !Arc::ptr_eq(other, &self.dismissed));
    }

    /// Waits until the place is wanted for somebody else.
    pub(super) async fn dismissed(&self) {
        self.dismissed.notified().await;
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.is_known();
    }
}
