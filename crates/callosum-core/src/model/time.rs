//! Moments and ages. The core has no clock: every moment comes in as an argument.

use chrono::DateTime;

/// A moment on this machine, by two clocks. A wall clock may be set back or forth; the boot clock only
/// counts, sleep included, but starts anew with each boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Wall clock: milliseconds since the Unix epoch.
    pub wall_ms: i64,
    /// Boot clock: milliseconds since the machine booted.
    pub up_ms: u64,
    /// Which boot the boot clock belongs to; `None` where the system does not say.
    pub boot: Option<u32>,
}

impl Stamp {
    /// Milliseconds from this moment to `now`, never negative: by the boot clock within one boot, else by
    /// the wall clock.
    #[must_use]
    pub fn age_ms(&self, now: &Self) -> u64 {
        if self.boot.is_some() && self.boot == now.boot {
            now.up_ms.saturating_sub(self.up_ms)
        } else {
            u64::try_from(now.wall_ms.saturating_sub(self.wall_ms)).unwrap_or(0)
        }
    }

    /// Whether it is less than `ms` milliseconds from another moment, by both clocks.
    #[must_use]
    pub fn is_close_to(&self, other: &Self, ms: u64) -> bool {
        self.wall_ms.abs_diff(other.wall_ms) < ms && self.up_ms.abs_diff(other.up_ms) < ms
    }

    /// So many milliseconds before this moment, by both clocks. Of a moment before the machine booted only the wall clock tells.
    #[must_use]
    pub fn minus_ms(&self, ms: u64) -> Self {
        let up_ms = self.up_ms.checked_sub(ms);
        Self {
            wall_ms: self.wall_ms.saturating_sub_unsigned(ms),
            up_ms: up_ms.unwrap_or(0),
            boot: up_ms.and(self.boot),
        }
    }

    /// This moment and `ms` milliseconds more, by both clocks.
    #[must_use]
    pub fn plus_ms(&self, ms: u64) -> Self {
        Self {
            // Later there is no way to write it, and a record without a time is none.
            wall_ms: self.wall_ms.saturating_add_unsigned(ms).min(LAST_MS),
            up_ms: self.up_ms.saturating_add(ms),
            boot: self.boot,
        }
    }
}

/// Wall-clock milliseconds as RFC 3339 in UTC with milliseconds, as the journal writes them.
#[must_use]
pub fn to_rfc3339(wall_ms: i64) -> String {
    Rfc3339::of(wall_ms).as_str().to_owned()
}

/// The same without an allocation: every record has one.
#[derive(Clone, Copy, Debug)]
pub struct Rfc3339(pub(crate) [u8; 24]);

impl Rfc3339 {
    /// The moment `wall_ms`; the epoch where it is before the year 0 or after 9999, which RFC 3339 can't say.
    #[must_use]
    pub fn of(wall_ms: i64) -> Self {
        let wall_ms = if (FIRST_MS..=LAST_MS).contains(&wall_ms) { wall_ms } else { 0 };
        let (days, ms) = (wall_ms.div_euclid(DAY_MS), wall_ms.rem_euclid(DAY_MS));
        let (year, month, day) = date(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let second = ms / 1000;
        let parts = [
            (1, year / 100),
            (3, year % 100),
            (6, month),
            (9, day),
            (12, second / 3600),
            (15, second / 60 % 60),
            (18, second % 60),
            (21, ms % 1000 / 10),
        ];
        for (last, number) in parts {
            if let (Some(place), Some(digits)) = (
                text.get_mut(last - 1..=last),
                usize::try_from(number).ok().and_then(|number| TWO_DIGITS.get(number)),
            ) {
                place.copy_from_slice(digits);
            }
        }
        if let Some(last) = text.get_mut(22) {
            *last = b'0' + u8::try_from(ms % 10).unwrap_or(0);
        }
        Self(text)
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The numbers of two digits: every record asks for eight of them.
#[expect(clippy::indexing_slicing, reason = "a number is less than 100")]
const TWO_DIGITS: [[u8; 2]; 100] = {
    let (mut all, mut number) = ([[0; 2]; 100], 0_u8);
    while number < 100 {
        all[number as usize] = [b'0' + number / 10, b'0' + number % 10];
        number += 1;
    }
    all
};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 3_600_000;
/// A year, milliseconds: no window and no lease is longer.
pub(crate) const YEAR_MS: u64 = 366 * 24 * 3600 * 1000;
/// The first and the last millisecond that RFC 3339 can name: of the years 0 and 9999.
pub(crate) const FIRST_MS: i64 = -62_167_219_200_000;
pub(crate) const LAST_MS: i64 = 253_402_300_799_999;

/// Year, month and day of so many days after the epoch, by counting from the first of March of the year 0: then a leap day is
/// the last of its year, and the months' lengths repeat every five.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// The wall-clock milliseconds of a moment as [`Rfc3339`] writes it, a few times faster than of any other RFC 3339 text;
/// `None` when it is none of ours.
#[must_use]
pub fn from_own_rfc3339(text: &[u8; 24]) -> Option<i64> {
    let [
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        i0,
        i1,
        b':',
        s0,
        s1,
        b'.',
        f0,
        f1,
        f2,
        b'Z',
    ] = *text
    else {
        return None;
    };
    let number = |digits: &[u8]| {
        let is_number = digits.iter().all(u8::is_ascii_digit);
        is_number.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    };
    let (year, month, day) = (number(&[y0, y1, y2, y3])?, number(&[m0, m1])?, number(&[d0, d1])?);
    let (hour, minute, second) = (number(&[h0, h1])?, number(&[i0, i1])?, number(&[s0, s1])?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (before, days) = *MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if day < 1 || day > days + i64::from(is_leap && month == 2) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let leap_years = |upto: i64| upto.div_euclid(4) - upto.div_euclid(100) + upto.div_euclid(400);
    let leap_days = leap_years(year - 1) - leap_years(1969) + i64::from(is_leap && month > 2);
    let whole_days = (year - 1970) * 365 + leap_days + before + day - 1;
    Some((((whole_days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + number(&[f0, f1, f2])?)
}

/// Days of a year without a leap day: before each month, and in it.
const MONTHS: [(i64, i64); 12] = [
    (0, 31),
    (31, 28),
    (59, 31),
    (90, 30),
    (120, 31),
    (151, 30),
    (181, 31),
    (212, 31),
    (243, 30),
    (273, 31),
    (304, 30),
    (334, 31),
];

/// The wall-clock milliseconds of an RFC 3339 text, `None` when it is none.
#[must_use]
pub fn from_rfc3339(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|moment| moment.timestamp_millis())
}

/// A duration for people, in its largest whole unit: `40s`, `10m`, `3h`, `2d`.
#[must_use]
pub fn for_people(ms: u64) -> String {
    let seconds = ms / 1000;
    let (number, unit) = match seconds {
        0..60 => (seconds, 's'),
        60..3600 => (seconds / 60, 'm'),
        3600..172_800 => (seconds / 3600, 'h'),
        _ => (seconds / 86_400, 'd'),
    };
    let mut text = number.to_string();
    text.push(unit);
    text
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;

    fn stamp(wall_ms: i64, up_ms: u64, boot: u32) -> Stamp {
        Stamp { wall_ms, up_ms, boot: Some(boot) }
    }

    #[test]
    fn a_stepped_wall_clock_does_not_change_an_age_within_one_boot() {
        let start = stamp(1_000_000, 5_000, 7);
        assert_eq!(start.age_ms(&stamp(1_000_000 + 3_600_000, 6_000, 7)), 1_000);
        assert_eq!(start.age_ms(&stamp(1_000_000 - 3_600_000, 6_000, 7)), 1_000);
    }

    #[test]
    fn across_boots_the_wall_clock_decides_and_no_age_is_negative() {
        let start = stamp(1_000_000, 5_000, 7);
        assert_eq!(start.age_ms(&stamp(1_060_000, 100, 8)), 60_000);
        assert_eq!(start.age_ms(&stamp(900_000, 100, 8)), 0);
    }

    #[test]
    fn moments_survive_the_way_through_their_text() {
        assert_eq!(to_rfc3339(1_763_640_000_123), "2025-11-20T12:00:00.123Z");
        assert_eq!(from_rfc3339("2025-11-20T12:00:00.123Z"), Some(1_763_640_000_123));
        assert_eq!(from_rfc3339("yesterday"), None);
        let days = (FIRST_MS..=LAST_MS).step_by(97 * 86_399_999);
        for wall_ms in [0, -1, 951_782_400_000, 1_709_164_800_007, LAST_MS, FIRST_MS].into_iter().chain(days)
        {
            let text = DateTime::<Utc>::from_timestamp_millis(wall_ms).unwrap_or_default();
            assert_eq!(to_rfc3339(wall_ms), text.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
        }
        for beyond in [i64::MAX, i64::MIN, LAST_MS + 1, FIRST_MS - 1] {
            assert_eq!(to_rfc3339(beyond), "1970-01-01T00:00:00.000Z");
        }
    }

    #[test]
    fn our_own_moments_are_read_as_every_other_is() {
        // Every day from the year 0 to 9999, at another time of the day.
        for day in -719_528..2_932_897_i64 {
            let wall_ms = day * 86_400_000 + (day * 7_919).rem_euclid(86_400_000);
            assert_eq!(from_own_rfc3339(&Rfc3339::of(wall_ms).0), Some(wall_ms));
        }
        for text in ["2025-02-29T12:00:00.123Z", "2025-11-20T24:00:00.123Z", "2025-00-20T12:00:00.123Z"] {
            assert_eq!(from_rfc3339(text), None);
            assert_eq!(text.as_bytes().try_into().ok().and_then(from_own_rfc3339), None, "{text}");
        }
        for text in ["2025-11-20T12:00:60.123Z", "2025-11-20 12:00:00.123Z", "2025-11-20T12:00:00.+23Z"] {
            assert_eq!(text.as_bytes().try_into().ok().and_then(from_own_rfc3339), None, "{text}");
        }
    }

    #[test]
    fn durations_read_like_speech() {
        let texts: Vec<String> =
            [0, 59_999, 600_000, 7_200_000, 200_000_000].into_iter().map(for_people).collect();
        assert_eq!(texts, ["0s", "59s", "10m", "2h", "2d"]);
    }
}
