//! When a delivery that failed is tried again, and when it is given up.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The rest after the first try that failed; it doubles each time.
const FIRST_REST: Duration = Duration::from_secs(1);
/// It grows no longer than this.
const LONGEST_REST: Duration = Duration::from_secs(60 * 60);
/// A delivery that failed for so long is given up; and no target puts a try off for longer.
const GIVE_UP: Duration = Duration::from_secs(24 * 60 * 60);

/// How long to wait after `attempts` tries that failed, the first of them `failing` ago; none: it is given up. `luck`, of 2³², spreads
/// those that failed together: half of the rest is left to it. `asked` is what the target asked for.
pub(super) fn rest(attempts: u32, failing: Duration, asked: Option<Duration>, luck: u32) -> Option<Duration> {
    if failing >= GIVE_UP {
        return None;
    }
    let doublings = attempts.saturating_sub(1).min(16);
    let whole = FIRST_REST.saturating_mul(1 << doublings).min(LONGEST_REST);
    let half = whole / 2;
    let own = half + half.mul_f64(f64::from(luck) / f64::from(u32::MAX));
    Some(own.max(asked.unwrap_or_default().min(GIVE_UP)))
}

/// What `Retry-After` asks for at `now_ms`, wall-clock milliseconds: seconds, or a date.
pub(super) fn asked(retry_after: &str, now_ms: i64) -> Option<Duration> {
    let text = retry_after.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date: SystemTime = httpdate::parse_http_date(text).ok()?;
    let date = date.duration_since(UNIX_EPOCH).ok()?;
    Some(date.saturating_sub(Duration::from_millis(u64::try_from(now_ms).ok()?)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const MOST: u32 = u32::MAX;

    #[test]
    fn rests_double_up_to_an_hour_and_luck_has_half_of_each() {
        let rest = |attempts, luck| rest(attempts, Duration::ZERO, None, luck).unwrap();
        let seconds = |seconds| Duration::from_secs(seconds);
        for (attempts, whole) in [(1, 1), (2, 2), (3, 4), (12, 2_048), (13, 3_600), (MOST, 3_600)] {
            assert_eq!(rest(attempts, MOST), seconds(whole), "{attempts}");
            assert_eq!(rest(attempts, 0), seconds(whole) / 2, "{attempts}");
        }
    }

    #[test]
    fn after_a_day_it_is_given_up_and_a_target_puts_it_off_by_a_day_at_most() {
        let hours = |hours: u64| Duration::from_secs(hours * 3_600);
        assert_eq!(rest(30, hours(24), Some(hours(1)), 0), None);
        assert_eq!(rest(30, hours(23), Some(hours(3)), 0), Some(hours(3)));
        assert_eq!(rest(1, Duration::ZERO, Some(hours(99)), 0), Some(hours(24)));
        assert_eq!(rest(13, hours(1), Some(Duration::ZERO), MOST), Some(hours(1)));
    }

    #[test]
    fn what_a_target_asks_for_is_read_as_seconds_or_as_a_date() {
        let now_ms = 784_111_777_000;
        assert_eq!(asked(" 120 ", now_ms), Some(Duration::from_secs(120)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:50:37 GMT", now_ms), Some(Duration::from_secs(60)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:48:37 GMT", now_ms), Some(Duration::ZERO));
        for wrong in ["", "-1", "1.5", "soon"] {
            assert_eq!(asked(wrong, now_ms), None, "{wrong}");
        }
    }
}
