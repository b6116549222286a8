//! What there is several of in one thing, told apart by a person, a language or a time.

use super::fields::Fields;
use crate::rules::tool_words::NameWords;
use crate::rules::words::singular;

/// What there is one of for each person, or language, in a thing, and the fields that tell which.
const ONE_FOR_EACH: &[(&[&str], &[&str])] = &[
    (OF_PERSONS, WHO),
    (TRIGGERED, WHO),
    (&["localization", "translation"], LANGUAGES),
    (TIMED, DATES),
    (TIMED, TIMES),
];
#[rustfmt::skip]
const OF_PERSONS: &[&str] = &[
    "attendance", "badge", "enrollment", "grade", "invitation", "license", "membership", "permission", "registration", "role", "rsvp", "score", "seat",
    "submission", "tag", "vote",
];
/// What begins something for somebody: `trigger_event`.
const TRIGGERED: &[&str] = &["trigger"];
#[rustfmt::skip]
pub(super) const WHO: &[&str] = &[
    "userid", "studentid", "memberid", "attendeeid", "guestid", "contactid", "customerid", "employeeid", "playerid", "patientid", "subscriberid", "username",
    "email", "user",
];
/// Verbs by which a person gets something.
const GIVING: &[&str] = &["award", "give", "grant", "revoke"];
/// Persons who are put into something or taken out of it: `add_user_to_group`.
#[rustfmt::skip]
pub(super) const PERSONS: &[&str] = &[
    "agent", "attendee", "candidate", "client", "contact", "customer", "driver", "employee", "fan", "follower", "guest", "instructor", "lead", "member",
    "participant", "patient", "person", "player", "prospect", "recipient", "registrant", "resident", "rider", "student", "subscriber", "teacher", "tester",
    "trainer", "user", "volunteer",
];
/// What several persons have, and what has an id of its own all the same.
const SHARED: &[&str] = &["badge", "license", "permission", "role", "tag"];
/// What people work on. Who has a role in it is said of it.
const WORKED_ON: &[&str] =
    &["alert", "bug", "card", "case", "deal", "incident", "issue", "job", "order", "story", "task", "ticket"];
/// What there is one of at a time.
#[rustfmt::skip]
const TIMED: &[&str] = &[
    "absence", "appointment", "attendance", "booking", "budget", "downtime", "leave", "maintenance", "off", "pickup", "price", "rate", "reservation", "shift", "slot", "timesheet", "visit",
];
#[rustfmt::skip]
const DATES: &[&str] = &[
    "start", "startat", "startsat", "startutc", "startdatetime", "datetime", "scheduledat", "startdate", "date", "pickupdate", "readydate", "day", "week", "month",
    "period",
];
const TIMES: &[&str] = &["starttime", "time", "timeslot", "pickuptime", "readytime"];
const LANGUAGES: &[&str] = &["locale", "language", "languagecode", "lang"];

/// Whether a person gets something by the verb of a tool's name.
fn is_given(name: &NameWords) -> bool {
    name.acting().is_some_and(|verb| GIVING.contains(&verb))
}

/// Whether one of these words stands in a tool's name.
fn has(name: &NameWords, words: &[&str]) -> bool {
    name.own().map(singular).any(|word| words.contains(&word))
}

/// Whether a field is called after one of these things, and that one is nobody's besides.
fn names_one(field: &str, things: &[&str]) -> bool {
    things.iter().any(|thing| field.contains(*thing) && !SHARED.contains(thing))
}

/// Whether a field names what people work on.
fn names_work(field: &str) -> bool {
    WORKED_ON.iter().any(|thing| field.starts_with(thing))
}

/// Which of several a call is about where there is one for each person, language or time in what it names.
pub(super) fn one_for_each(name: &NameWords, found: &str, fields: &Fields) -> String {
    let which = |(things, names): &(&[&str], &[&str])| {
        let is_one = if *things == TRIGGERED {
            name.acting() == Some("trigger") && name.own().last() == Some("event")
        } else {
            *names == WHO && is_given(name) || has(name, things)
        };
        let is_named =
            names_one(found, things) || names.contains(&found) || *names == WHO && names_work(found);
        if is_one && !is_named { fields.first_value(*names) } else { None }
    };
    ONE_FOR_EACH.iter().filter_map(which).map(|which| format!("/{which}")).collect()
}

/// Who gets or has what there is one of for each person, or gets into what a call names.
pub(super) fn person(name: &NameWords, found: &str, fields: &Fields) -> Option<String> {
    let is_given = is_given(name);
    let is_named = !is_given && names_one(found, OF_PERSONS) || WHO.contains(&found) || names_work(found);
    let is_put_in = name.makes() && has(name, PERSONS) && found.len() > 2 && found.ends_with("id");
    let is_in = is_put_in && !PERSONS.iter().any(|person| found.starts_with(person));
    if (is_given || has(name, OF_PERSONS)) && !is_named || is_in { fields.first_value(WHO) } else { None }
}

/// Verbs by which something gets its time.
const TIMING: &[&str] = &["book", "request", "reserve", "schedule", "submit"];
/// Words of fields that say when something begins, and when it ends or was written down.
const BEGINNING: &[&str] =
    &["arrival", "begin", "checkin", "date", "departure", "pickup", "since", "start", "when"];
const ENDING: &[&str] = &["birth", "checkout", "created", "due", "end", "expir", "until", "updated"];

/// When something is done that there is one of at a time, where the call makes it.
pub(super) fn times(name: &NameWords, fields: &Fields) -> Vec<String> {
    let is_timed = name.own().map(singular).any(|word| TIMED.contains(&word) || TIMING.contains(&word));
    if !is_timed || !name.makes() && !name.acting().is_some_and(|verb| TIMING.contains(&verb)) {
        return Vec::new();
    }
    // What has an id of its own is the same one at another time.
    let is_named =
        |thing: &str| fields.own().any(|(field, _)| field == "id" || field.strip_suffix("id") == Some(thing));
    let is_scheduled = name.acting().is_some_and(|verb| matches!(verb, "schedule" | "submit"));
    if is_scheduled && name.own().map(singular).any(is_named) {
        return Vec::new();
    }
    let is_begin = |field: &str| {
        BEGINNING.iter().any(|word| field.contains(word)) && !ENDING.iter().any(|word| field.contains(word))
    };
    let digits = |value: &str| value.bytes().filter(u8::is_ascii_digit).count();
    let found = |is: &dyn Fn(&str, &str) -> bool| {
        let mut own = fields.own();
        own.find(|(field, value)| is_begin(field) && is(field, value)).map(|(_, value)| value.to_owned())
    };
    let day = fields.first_value(DATES).or_else(|| found(&|_, value| digits(value) >= 6));
    let time = fields.first_value(TIMES);
    let time = time.or_else(|| found(&|_, value| digits(value) < 6 && value.contains(':')));
    day.into_iter().chain(time).collect()
}
