//! What the words of a tool's name say that it does: `send_message` sends, `message_history` and `user_posts` show something.

use super::tool_verb_words::{
    A_SERVICE, ACTING, ALSO_SHOWN, AT_END, BEFORE, CHECKED, CHOSEN, COMPOUNDS, COURSES, DONE_WITH, LAST,
    LAST_ASKING, LOOKED_UP, MADE_TO_SHOW, MAKING, MAY_PREPARE, MEASURED, OF_COURSES, OF_RUNS, PARTS, PHRASES,
    PLACED, PREPARING, PREVIEWED, RUN_TO_ASK, RUNNING, SENT_BEFORE, SENT_BEHIND, SETTLED, SHOWING,
    SHOWING_SEVERAL, SHOWN, THINGS, UNSIGNED, WITH_PARTS,
};
use super::words::{ASKING_VERBS, NOUNS, is_plain_verb};

/// What a word says of what a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// It does something.
    Does,
    /// It does something, or is the thing that something is done to: `order`.
    MayDo,
    /// Several things by such a name (`orders`), or one whose name has a verb in it (`order_book`).
    Things,
    /// It runs what another word names: `run_report`, `run_job`.
    Runs,
    /// It only asks or prepares.
    Asks,
    /// Only where it is the first word and nothing is done: `build_request`, but neither `trigger_build` nor `build_cancel`.
    MayPrepare,
    Other,
}

/// The word that says that a name looks something up or chooses something for its own session: `resolve_users_by_name`,
/// `set_active_board`.
fn preliminary<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let found = |list: &[&str]| name.iter().map(|(word, _)| *word).find(|word| list.contains(word));
    if found(MAKING).is_some()
        && let Some(shown) = found(MADE_TO_SHOW)
    {
        return Some(shown);
    }
    // `build_swap_transaction`: nobody has signed it.
    if let Some((last, _)) = name.last()
        && UNSIGNED.contains(last)
        && let Some(built) = found(&["build", "prepare"])
    {
        return Some(built);
    }
    // `migrate_validate_vm` finds out whether it could be migrated.
    let is_tried =
        |pair: &&[(&'n str, Sense)]| matches!(pair, [(_, Sense::Does), ("precheck" | "validate", _)]);
    if let Some([_, (tried, _)]) = name.windows(2).find(is_tried) {
        return Some(tried);
    }
    match name {
        [("confirm", _), (cost @ ("cost" | "costs" | "price"), _)] => Some(*cost),
        // `deploy_app_help` says how.
        [.., (last @ ("help" | "guidance"), _)] => Some(*last),
        [("resolve", _), ..] => found(LOOKED_UP).filter(|_| found(SETTLED).is_none()),
        [("set" | "switch", _), (next, _), ..] => Some(*next).filter(|next| CHOSEN.contains(next)),
        _ => None,
    }
}

/// What each word of a tool's own name says.
pub(super) fn senses(own: &[&str]) -> Vec<Sense> {
    let pair = |from: usize| own.get(from..from + 2).unwrap_or_default();
    let is_of = |list: &[[&str; 2]], from: usize| list.iter().any(|known| known == pair(from));
    let last = own.last().copied().unwrap_or_default();
    let ends_with_verb = || match sense_of(last) {
        Sense::Does => true,
        Sense::MayDo => LAST.contains(&last),
        _ => false,
    };
    let sense = |(place, word): (usize, &&str)| {
        let plain = sense_of(word);
        let behind = |steps: usize| own.get(place + steps).copied().unwrap_or_default();
        let is_behind = |list: &[[&str; 2]]| place.checked_sub(1).is_some_and(|before| is_of(list, before));
        let is_before_last = place + 2 == own.len();
        let is_first = place == 0 && own.len() > 1;
        let is_run = plain == Sense::Runs;
        let is_shown = || {
            let is_course = (is_run || COURSES.contains(word)) && OF_COURSES.contains(&last);
            let is_of_one = place > 0 && matches!(last, "jobs" | "tasks");
            is_before_last && (is_course || is_run && (is_of_one || OF_RUNS.contains(&last)))
        };
        let has_parts = || is_first && is_before_last && WITH_PARTS.contains(word) && PARTS.contains(&last);
        let is_named = || behind(1) == "by" && plain == Sense::MayDo;
        let is_done_to = || place > 0 && place + 1 == own.len() && AT_END.contains(word);
        let is_thing = || is_shown() || has_parts() || is_named() || is_done_to();
        if is_of(COMPOUNDS, place) || is_behind(COMPOUNDS) || is_thing() {
            return Sense::Things;
        }
        if is_of(PHRASES, place) {
            return Sense::Does;
        }
        // `find_and_replace`, `get_or_create`
        let is_led_on = || matches!(behind(1), "and" | "or") && sense_of(behind(2)) == Sense::Does;
        let is_done_with = || is_first && DONE_WITH.contains(word) && ends_with_verb();
        if plain == Sense::Asks && (is_led_on() || is_done_with()) || is_behind(PHRASES) {
            return Sense::Other;
        }
        // `new_order` makes one.
        let is_new = || *word == "new" && sense_of(behind(1)) == Sense::MayDo;
        if *word == "place" && !own.iter().any(|word| PLACED.contains(word)) {
            return Sense::Other;
        }
        let is_before = || {
            let things = BEFORE.iter().find(|(verb, _)| verb == word).map(|(_, things)| *things);
            is_first && things.is_some_and(|things| things.contains(&behind(1)))
        };
        if is_new() || is_before() { Sense::Does } else { plain }
    };
    own.iter().enumerate().map(sense).collect()
}

/// What a word may be the plural of, or a verb that says what somebody else does: `releases`, `pushes`. None of these tells a tool what to do.
fn plural_of(word: &str) -> impl Iterator<Item = &str> {
    let known = [("copies", "copy"), ("denies", "deny"), ("replies", "reply"), ("retries", "retry")];
    let known = known.into_iter().find(|(plural, _)| *plural == word).map(|(_, one)| one);
    [known, word.strip_suffix('s'), word.strip_suffix("es")].into_iter().flatten()
}

fn sense_of(word: &str) -> Sense {
    // What undoes something or does it again does something: `unmute`, `resync`.
    let does = |word: &str| is_plain_verb(word) || ACTING.binary_search(&word).is_ok();
    let is_thing = |word: &str| NOUNS.binary_search(&word).is_ok() || THINGS.contains(&word);
    if is_thing(word) {
        Sense::MayDo
    } else if word == "runs" || plural_of(word).any(|one| is_thing(one) || does(one)) {
        Sense::Things
    } else if does(word) || word.strip_prefix("un").is_some_and(does) {
        Sense::Does
    } else if RUNNING.contains(&word) {
        Sense::Runs
    } else if ASKING_VERBS.binary_search(&word).is_ok() || PREPARING.contains(&word) {
        Sense::Asks
    } else if word.strip_prefix("re").is_some_and(does) && word != A_SERVICE {
        Sense::Does
    } else if MAY_PREPARE.contains(&word) {
        Sense::MayPrepare
    } else {
        Sense::Other
    }
}

/// The verb that says that a tool does something: one that may be a thing (`message`, `order`) only before another word, alone, or at
/// the end of a name without any other verb (`blob_upload`, but neither `list_post` nor `my_post`).
pub(super) fn acting<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let does = |(place, (_, sense)): &(usize, &(&str, Sense))| match sense {
        Sense::Does | Sense::Runs => true,
        Sense::MayDo => name.len() == 1 || place + 1 < name.len(),
        _ => false,
    };
    if let Some((place, (word, sense))) = name.iter().enumerate().find(does) {
        // `work_order_create` creates an order.
        let behind = name.get(place + 1..).unwrap_or_default();
        return match behind {
            [(verb, Sense::Does)] if place > 0 && *sense == Sense::MayDo && is_plain_verb(verb) => Some(verb),
            _ => Some(word),
        };
    }
    let is_asked = name.iter().any(|(word, sense)| matches!(sense, Sense::Asks) || SHOWING.contains(word));
    match name {
        // `permalink_for_message`
        [.., ("by" | "for" | "from" | "in" | "of" | "with", _), _] => None,
        [.., (word, Sense::MayDo)] if !is_asked && LAST.contains(word) => Some(word),
        _ => None,
    }
}

/// A name up to what something is done with, where a verb says that something is: `create_voice` of `create_voice_from_preview`.
fn head<'a, 'n>(name: &'a [(&'n str, Sense)]) -> &'a [(&'n str, Sense)] {
    let is_with =
        |(word, _): &(&str, Sense)| matches!(*word, "by" | "for" | "from" | "using" | "via" | "with");
    let Some(at) = name.iter().position(is_with).filter(|at| *at > 1) else { return name };
    let (before, _) = name.split_at(at);
    if before.iter().any(|(_, sense)| *sense == Sense::Does) { before } else { name }
}

/// What a name ends with that shows what was measured or written down of what stands before it: `campaign_send_analytics`,
/// `message_delivery_report`; a verb that can't be a thing and stands first does something with it: `send_report`, `create_report`.
fn measured<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let [(_, first), .., (last, _)] = name else { return None };
    (MEASURED.contains(last) && *first != Sense::Does).then_some(*last)
}

/// Whether a name says so whatever a rule asks for.
pub(super) fn is_told(name: &[(&str, Sense)]) -> bool {
    preliminary(name).is_some() || measured(name).is_some()
}

/// The word that says that a tool only asks or prepares: one before a verb that does something, what the name ends with, or a draft.
pub(super) fn asking<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    if let Some(word) = preliminary(name).or_else(|| measured(name)) {
        return Some(word);
    }
    if let Some(draft) = draft(name) {
        return Some(draft);
    }
    let has = |wanted: Sense| name.iter().any(|(_, sense)| *sense == wanted);
    let head = head(name);
    if let [first, .., (last, _)] = head {
        let before = head.len().checked_sub(2).and_then(|place| head.get(place));
        let is_behind_verb = before.is_some_and(|(word, sense)| *sense == Sense::Does && is_plain_verb(word));
        let is_shown = LAST_ASKING.contains(last)
            || PREVIEWED.contains(last) && !is_behind_verb
            || CHECKED.contains(last) && !is_behind_verb && first.1 != Sense::Does
            || SHOWN.contains(last) && !has(Sense::Does) && !has(Sense::Runs)
            || RUN_TO_ASK.contains(last) && has(Sense::Runs) && !has(Sense::Does);
        if is_shown {
            return Some(last);
        }
    }
    if let [(only, Sense::Other)] = name
        && SHOWN.contains(only)
    {
        return Some(only);
    }
    let ends_with_verb = name.last().is_some_and(|(_, sense)| *sense == Sense::Does);
    for (place, (word, sense)) in name.iter().enumerate() {
        match sense {
            // `order_status_update` updates.
            Sense::Asks if place > 0 && ends_with_verb && ALSO_SHOWN.contains(word) => {}
            Sense::Asks => return Some(word),
            Sense::MayPrepare if place == 0 && !has(Sense::Does) => return Some(word),
            Sense::Does | Sense::Runs => return None,
            Sense::MayDo | Sense::Things | Sense::MayPrepare | Sense::Other => {}
        }
    }
    None
}

/// Whether a word is a verb that does something.
pub(super) fn is_verb(word: &str) -> bool {
    sense_of(word) == Sense::Does
}

/// Whether a word by which a name only asks is a thing that is shown, and no verb.
pub(super) fn is_shown(word: &str) -> bool {
    SHOWN.contains(&word) && sense_of(word) == Sense::Other
}

/// Whether a name has no verb and names things that such a tool shows: `user_posts`, `inbound_messages`, `latest_order`.
pub(super) fn only_names_things(name: &[(&str, Sense)]) -> bool {
    let is_named = |(_, sense): &(&str, Sense)| matches!(sense, Sense::Things | Sense::MayDo);
    let shows_several = match name {
        [(first, _), .., (last, _)] => SHOWING_SEVERAL.contains(first) && last.ends_with('s'),
        _ => false,
    };
    (shows_several || name.iter().any(is_named)) && acting(name).is_none()
}

/// The word for a draft that stays one.
fn draft<'n>(name: &[(&'n str, Sense)]) -> Option<&'n str> {
    let word_at = |place: usize| name.get(place).map(|(word, _)| *word);
    let is_draft = |place: &usize| matches!(word_at(*place), Some("draft" | "drafts"));
    (0..name.len()).filter(is_draft).find_map(|place| {
        let before = place.checked_sub(1).and_then(word_at);
        let behind = word_at(place + 1);
        let is_sent = before.is_some_and(|word| SENT_BEFORE.contains(&word))
            || behind.is_some_and(|word| SENT_BEHIND.contains(&word));
        // Others see a pull request that is a draft.
        if is_sent || behind == Some("pull") { None } else { word_at(place) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::words::words;

    fn own(name: &str) -> String {
        words(name).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
    }

    fn told<'n>(name: &[&'n str]) -> Vec<(&'n str, Sense)> {
        name.iter().copied().zip(senses(name)).collect()
    }

    #[test]
    fn verbs_are_sorted_and_stand_once() {
        assert!(ACTING.is_sorted_by(|one, other| one < other), "{ACTING:?}");
    }

    #[test]
    fn what_a_name_says_that_a_tool_does() {
        for (name, verb) in [
            ("send_message", Some("send")),
            ("message_send", Some("message")),
            ("storage_blob_upload", Some("upload")),
            ("jira_post", Some("post")),
            ("address_book", None),
            ("message", Some("message")),
            ("run_job", Some("run")),
            ("my_order", None),
            ("new_order", Some("new")),
            ("latest_post", None),
            ("place_details", None),
            ("place_order", Some("place")),
            ("sign_in_logs", None),
            ("record_set_list", None),
            ("user_posts", None),
            ("merge_request_discussions", None),
            ("order_book_depth", None),
            ("get_order", None),
            ("find_and_replace_text", Some("replace")),
            ("reorder_card", Some("reorder")),
            ("record_payment", Some("record")),
            ("dns_record", None),
            ("open_orders", None),
            ("power_off_server", Some("power")),
            ("server_power_off", Some("power")),
            ("maintenance_on", Some("maintenance")),
            ("check_in_guest", Some("check")),
            ("status_post", Some("post")),
            ("poll_vote", Some("vote")),
            ("booking_by_id", None),
            ("order_by_id", None),
            ("order_items", None),
            ("tts-callout", Some("callout")),
            ("permalink_for_message", None),
            ("leave_balance", None),
            ("leave_channel", Some("leave")),
            ("wrap_change", None),
            ("change_plan", Some("change")),
            ("deregister_service", Some("deregister")),
            ("logout_user", Some("logout")),
            ("logout", None),
        ] {
            let name = own(name);
            let name: Vec<&str> = name.split(' ').collect();
            assert_eq!(acting(&told(&name)), verb, "{name:?}");
        }
    }

    #[test]
    fn what_only_asks_shows_or_prepares() {
        for (name, word) in [
            ("order_list", Some("list")),
            ("refund_eligibility", Some("eligibility")),
            ("swap_quote", Some("quote")),
            ("order_costs", Some("costs")),
            ("post_details", Some("details")),
            ("payout-change-check", Some("check")),
            ("create_uptime_check", None),
            ("build_cancel", None),
            ("run_report", Some("report")),
            ("execute_query", Some("query")),
            ("update_status", None),
            ("order_status_update", None),
            ("list_update", Some("list")),
            ("create_price_list", None),
            ("trigger_build", None),
            ("build_refund", Some("build")),
            ("create_draft", Some("draft")),
            ("draft_post", Some("draft")),
            ("drafts_send", None),
            ("publish_draft", None),
            ("create_draft_pull_request", None),
            ("track_order", Some("track")),
            ("send_message", None),
            ("resolve_users_by_name", Some("users")),
            ("resolve_incident_by_id", None),
            ("resolve_thread", None),
            ("get_or_create_contact", None),
            ("get_terms_and_conditions", Some("get")),
            ("set_active_board", Some("active")),
            ("set_status", None),
            ("send_status_get", Some("get")),
            ("deposit_address", Some("address")),
            ("place_order", None),
            ("firewall_log", Some("log")),
            ("balance", Some("balance")),
            ("status_update", None),
            ("poll_close", None),
            ("request_logs", Some("logs")),
            ("evaluate_change", Some("evaluate")),
            ("wrap_change", None),
            ("create_export_job", Some("export")),
            ("deploy_app_help", Some("help")),
            ("build_swap_transaction", Some("build")),
            ("confirm_cost", Some("cost")),
        ] {
            let name = own(name);
            let name: Vec<&str> = name.split(' ').collect();
            assert_eq!(asking(&told(&name)), word, "{name:?}");
        }
        for (name, expected) in [
            ("user_posts", true),
            ("inbound_messages", true),
            ("latest_post", true),
            ("release_notes", true),
            ("order_book_depth", true),
            ("create_merge_request", false),
            ("cancel_orders", false),
            ("blob_upload", false),
            ("scan_ports", false),
            ("purge_status", true),
            ("job_run_artifacts", true),
            ("run_logs", true),
            ("deployment_runs", true),
            ("message_by_id", true),
            ("thread_replies", true),
            ("open_positions", true),
            ("open_position", false),
            ("workflow_run_jobs", true),
            ("run_jobs", false),
            ("update_status", false),
            ("order_comment", false),
        ] {
            let name = own(name);
            let name: Vec<&str> = name.split(' ').collect();
            assert_eq!(only_names_things(&told(&name)), expected, "{name:?}");
        }
    }
}
