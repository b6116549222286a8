//! What there is several of in one thing, told apart by a person, a language or a time.

use super::fields::Fields;
use crate::rules::tool_words::NameWords;
use crate::rules::words::singular;

/// What there is one of for each person, or language, in a thing, and the fields that tell which.
const ONE_FOR_EACH: &[(&[&str], &[&str])] =
    &[(OF_PERSONS, WHO), (&["localization", "translation"], LANGUAGES), (TIMED, DATES), (TIMED, TIMES)];
#[rustfmt::skip]
const OF_PERSONS: &[&str] = &[
    "attendance", "badge", "enrollment", "grade", "invitation", "license", "membership", "permission", "registration", "role", "rsvp", "score", "seat",
    "submission", "vote",
];
pub(super) const WHO: &[&str] =
    &["userid", "studentid", "memberid", "attendeeid", "guestid", "contactid", "username", "email", "user"];
/// What there is one of at a time.
#[rustfmt::skip]
const TIMED: &[&str] = &[
    "absence", "appointment", "attendance", "booking", "budget", "downtime", "leave", "maintenance", "off", "pickup", "reservation", "shift", "slot", "timesheet", "visit",
];
#[rustfmt::skip]
pub(super) const DATES: &[&str] = &[
    "start", "startat", "startsat", "startutc", "startdatetime", "datetime", "scheduledat", "startdate", "date", "pickupdate", "readydate", "day", "week", "month",
    "period",
];
pub(super) const TIMES: &[&str] = &["starttime", "time", "timeslot", "pickuptime", "readytime"];
const LANGUAGES: &[&str] = &["locale", "language", "languagecode", "lang"];
/// Which of several a call is about where there is one for each person, language or time in what it names.
pub(super) fn one_for_each(name: &NameWords, found: &str, fields: &Fields) -> String {
    let which = |(things, names): &(&[&str], &[&str])| {
        let is_one = name.own().map(singular).any(|word| things.contains(&word));
        let is_named = things.iter().any(|thing| found.contains(thing)) || names.contains(&found);
        if is_one && !is_named { fields.first_value(*names) } else { None }
    };
    ONE_FOR_EACH.iter().filter_map(which).map(|which| format!("/{which}")).collect()
}
