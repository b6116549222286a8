//! Days and weeks, as the shared context counts them: in one time zone for everybody.

use std::fmt;

use chrono::{DateTime, Datelike, Local, NaiveDate, TimeZone};
use chrono_tz::Tz;

use crate::error::Problem;
use callosum_core::model::text::one_line;

/// Whose days are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zone {
    /// This system's.
    #[default]
    System,
    /// A zone of the IANA database.
    Named(Tz),
}

impl Zone {
    /// The zone that `sharedContextTimezone` names; without it, this system's.
    ///
    /// # Errors
    /// When no zone is called so.
    pub fn named(name: Option<&str>) -> Result<Self, Problem> {
        let Some(name) = name else { return Ok(Self::System) };
        name.parse().map(Self::Named).map_err(|_| {
            Problem::input(
                format!("`sharedContextTimezone` is `{}`, which is no time zone", one_line(name, 60)),
                "give a name of the IANA database such as `Europe/Berlin`, or leave it out for this system's",
            )
        })
    }

    /// The day and the time of day, as `HHMMSS`, at `wall_ms`: milliseconds since the epoch.
    #[must_use]
    pub fn at(self, wall_ms: i64) -> (Day, String) {
        fn of<Z: TimeZone>(zone: &Z, wall_ms: i64) -> (Day, String) {
            let moment = DateTime::from_timestamp_millis(wall_ms).unwrap_or_default().with_timezone(zone);
            (Day(moment.date_naive()), moment.naive_local().format("%H%M%S").to_string())
        }
        match self {
            Self::System => of(&Local, wall_ms),
            Self::Named(zone) => of(&zone, wall_ms),
        }
    }

    /// When a day begins: the first of its milliseconds since the epoch. Days follow each other whatever clocks are set to.
    #[must_use]
    pub fn start_of(self, day: Day) -> i64 {
        const HALF_DAY_MS: i64 = 12 * 3_600_000;
        let midnight = day.0.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
        let (mut before, mut from) = (midnight - 2 * HALF_DAY_MS, midnight + 2 * HALF_DAY_MS);
        while before + 1 < from {
            let middle = before.midpoint(from);
            if self.at(middle).0 < day {
                before = middle;
            } else {
                from = middle;
            }
        }
        from
    }

    /// Its name, as JSON tells it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::System => "system".to_owned(),
            Self::Named(zone) => zone.name().to_owned(),
        }
    }
}

/// A day: `2026-11-24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(NaiveDate);

impl Day {
    /// The day that `text` names, in exactly that form.
    ///
    /// # Errors
    /// When it names none.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(Self);
        day.filter(|day| day.to_string() == text).ok_or_else(|| {
            Problem::input(format!("`{}` is no day", one_line(text, 60)), "give a date such as 2026-01-31")
        })
    }

    /// The day so many days before.
    #[must_use]
    pub fn before(self, days: u64) -> Self {
        Self(self.0.checked_sub_days(chrono::Days::new(days)).unwrap_or(NaiveDate::MIN))
    }

    /// The day after.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.succ_opt().unwrap_or(NaiveDate::MAX))
    }

    /// Its month: `2026-11`.
    #[must_use]
    pub fn month(self) -> String {
        self.0.format("%Y-%m").to_string()
    }

    /// Its week.
    #[must_use]
    pub fn week(self) -> Week {
        let week = self.0.iso_week();
        Week { year: week.year(), week: week.week() }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

/// A week of ISO 8601: `2026-W48`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Week {
    year: i32,
    week: u32,
}

impl Week {
    /// The week that `text` names, in exactly that form.
    ///
    /// # Errors
    /// When it names none.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let week = text.split_once("-W").and_then(|(year, week)| {
            let week = Self { year: year.parse().ok()?, week: week.parse().ok()? };
            NaiveDate::from_isoywd_opt(week.year, week.week, chrono::Weekday::Mon)?;
            (week.to_string() == text).then_some(week)
        });
        week.ok_or_else(|| {
            Problem::input(format!("`{}` is no week", one_line(text, 60)), "give a week such as 2026-W05")
        })
    }

    /// Its Monday.
    #[must_use]
    pub fn first_day(self) -> Day {
        Day(NaiveDate::from_isoywd_opt(self.year, self.week, chrono::Weekday::Mon).unwrap_or_default())
    }
}

impl fmt::Display for Week {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-W{:02}", self.year, self.week)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_day_is_that_of_the_zone() {
        // 2026-11-24T23:30:05Z
        let late = 1_795_563_005_000;
        let at = |zone: &str| Zone::named(Some(zone)).unwrap().at(late);
        assert_eq!(at("UTC"), (Day::parse("2026-11-24").unwrap(), "233005".to_owned()));
        assert_eq!(at("Europe/Berlin"), (Day::parse("2026-11-25").unwrap(), "003005".to_owned()));
        assert!(Zone::named(Some("Mars/Olympus")).is_err());
    }

    #[test]
    fn a_day_begins_where_the_one_before_ends() {
        let day = |text: &str| Day::parse(text).unwrap();
        // Days of 23 and 25 hours, one whose midnight is not there, and zones at both ends of the world.
        for (zone, first) in [
            ("UTC", "2026-11-24"),
            ("Europe/Berlin", "2026-03-29"),
            ("Europe/Berlin", "2026-10-25"),
            ("America/Asuncion", "2024-10-06"),
            ("Pacific/Kiritimati", "2026-11-24"),
            ("Pacific/Pago_Pago", "2026-11-24"),
        ] {
            let zone = Zone::named(Some(zone)).unwrap();
            let start = zone.start_of(day(first));
            assert_eq!(zone.at(start).0, day(first));
            assert_eq!(zone.at(start - 1).0, day(first).before(1));
        }
        assert_eq!(Zone::named(Some("UTC")).unwrap().start_of(day("2026-11-24")), 1_795_478_400_000);
    }

    #[test]
    fn days_and_weeks_have_one_form() {
        for bad in ["2026-2-3", "2026-02-30", "../2026", "2026-02-03x", ""] {
            assert!(Day::parse(bad).is_err(), "{bad}");
            assert!(Week::parse(bad).is_err(), "{bad}");
        }
        let day = Day::parse("2027-01-01").unwrap();
        assert_eq!((day.week().to_string(), day.month()), ("2026-W53".to_owned(), "2027-01".to_owned()));
        assert_eq!(day.week().first_day().to_string(), "2026-12-28");
        assert_eq!(Week::parse("2026-W53").unwrap(), day.week());
        assert!(Week::parse("2025-W53").is_err());
        assert_eq!(day.before(1).next(), day);
    }
}
