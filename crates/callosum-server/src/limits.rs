//! How much a token may ask, and how long who has none waits.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::config::Limits;

/// Names and addresses that are kept in mind; of more, those that were seen last.
const MAX_KNOWN: usize = 10_000;
/// A wrong token is answered no sooner than this, right or nearly right.
const LEAST_WAIT: Duration = Duration::from_millis(100);
/// And no later than this.
const MOST_WAIT: Duration = Duration::from_secs(5);
/// After so long without a failed try an address begins anew.
const FORGIVEN: Duration = Duration::from_secs(60);

/// What each token has used, and which addresses tried wrong ones.
#[derive(Debug)]
pub(crate) struct Usage {
    limits: Limits,
    tokens: Mutex<HashMap<String, Bucket>>,
    failed: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

#[derive(Debug)]
struct Bucket {
    /// Requests that may come at once.
    left: f64,
    filled: Instant,
    open: u32,
}

/// A request's place among those of its token that are being answered; free when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    usage: Arc<Usage>,
    name: String,
}

/// Why a request is not answered now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooMuch {
    /// Too many a second.
    Rate,
    /// Too many at once.
    Open,
}

impl Usage {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, tokens: Mutex::default(), failed: Mutex::default() }
    }

    /// Takes in a request of the token `name`.
    pub(crate) fn enter(self: &Arc<Self>, name: &str, now: Instant) -> Result<Place, TooMuch> {
        let Limits { requests_per_second, burst, open_calls } = self.limits;
        let mut tokens = lock(&self.tokens);
        if tokens.len() >= MAX_KNOWN {
            tokens.retain(|_, bucket| bucket.open > 0);
        }
        let full = f64::from(burst);
        let bucket = tokens.entry(name.to_owned()).or_insert(Bucket { left: full, filled: now, open: 0 });
        let since = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.left = (bucket.left + since * f64::from(requests_per_second)).min(full);
        bucket.filled = now;
        if bucket.left < 1.0 {
            return Err(TooMuch::Rate);
        }
        if bucket.open >= open_calls {
            return Err(TooMuch::Open);
        }
        bucket.left -= 1.0;
        bucket.open += 1;
        Ok(Place { usage: Arc::clone(self), name: name.to_owned() })
    }

    /// Notes that `address` tried a wrong token. Returns how long its answer waits: twice as long each time.
    pub(crate) fn failed(&self, address: IpAddr, now: Instant) -> Duration {
        let mut failed = lock(&self.failed);
        if failed.len() >= MAX_KNOWN {
            failed.retain(|_, (_, last)| now.saturating_duration_since(*last) < FORGIVEN);
        }
        if failed.len() >= MAX_KNOWN {
            return MOST_WAIT;
        }
        let (times, last) = failed.entry(address).or_insert((0, now));
        if now.saturating_duration_since(*last) >= FORGIVEN {
            *times = 0;
        }
        *last = now;
        *times = times.saturating_add(1);
        let doubled = 2_u32.saturating_pow(times.saturating_sub(1).min(16));
        LEAST_WAIT.saturating_mul(doubled).min(MOST_WAIT)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(bucket) = lock(&self.usage.tokens).get_mut(&self.name) {
            bucket.open = bucket.open.saturating_sub(1);
        }
    }
}

/// Locks, whatever happened to a thread that held the lock before: what is behind these locks is consistent between statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_token_may_so_much_at_once_and_then_so_much_a_second() {
        let limits = Limits { requests_per_second: 2, burst: 3, open_calls: 2 };
        let usage = Arc::new(Usage::new(limits));
        let start = Instant::now();
        let first = usage.enter("a", start).unwrap();
        let second = usage.enter("a", start).unwrap();
        assert_eq!(usage.enter("a", start).unwrap_err(), TooMuch::Open);
        drop(first);
        let third = usage.enter("a", start).unwrap();
        assert_eq!(usage.enter("a", start).unwrap_err(), TooMuch::Rate);
        // Another token has its own.
        assert!(usage.enter("b", start).is_ok());
        drop((second, third));
        assert_eq!(usage.enter("a", start + Duration::from_millis(400)).unwrap_err(), TooMuch::Rate);
        assert!(usage.enter("a", start + Duration::from_millis(500)).is_ok());
    }

    #[test]
    fn who_tries_wrong_tokens_waits_longer_each_time_and_begins_anew_after_a_while() {
        let usage = Usage::new(Limits::default());
        let (start, address) = (Instant::now(), IpAddr::from([127, 0, 0, 1]));
        let waits: Vec<u128> = (0..8).map(|_| usage.failed(address, start).as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        assert_eq!(usage.failed(IpAddr::from([127, 0, 0, 2]), start), LEAST_WAIT);
        assert_eq!(usage.failed(address, start + FORGIVEN), LEAST_WAIT);
    }
}
