//! What the history remembers, for how long, and what records change in it, in whatever order they come.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::*;
use crate::model::tier::Tier;
use crate::record::{Action as Kind, Conflict, Holder, HookCounts};

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
const KEEP_MS: u64 = 10_000;
const LEASE_MS: u64 = 500;
const RETRY_MS: u64 = 2_000;

/// So many milliseconds after the first thing happened.
fn at(ms: u64) -> Stamp {
    Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000_000, boot: Some(7) }.plus_ms(ms)
}

fn history() -> History {
    History::new(KEEP_MS, LEASE_MS)
}

fn record(action: Kind, ms: u64) -> Record {
    let mut record = Record::new(action, "home", &at(ms));
    record.session = Some("a".to_owned());
    record.call = Some("1".to_owned());
    record.tier = Some(Tier::High);
    record.context_keys = vec!["k".to_owned()];
    record
}

fn start(ms: u64) -> Record {
    record(Kind::Intercept, ms)
}

/// What became of the action at `of`.
fn about(action: Kind, of: u64, ms: u64) -> Record {
    Record { of: vec![of], context_keys: Vec::new(), ..record(action, ms) }
}

fn me() -> Who {
    Who::here("home", "a")
}

fn seqs<'a>(actions: impl Iterator<Item = &'a Action>) -> Vec<u64> {
    actions.map(|action| action.seq).collect()
}

/// Sequence numbers on the key, of the open calls, and of all, newest first.
fn all(history: &History) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    (seqs(history.on_key("k")), seqs(history.open_calls(&me())), seqs(history.newest()))
}

fn kind(history: &History, seq: u64) -> Option<Kind> {
    history.action(seq).unwrap().outcome.as_ref().map(|outcome| outcome.ending.action())
}

#[test]
fn an_action_without_an_outcome_is_remembered_for_a_day() {
    let mut history = history();
    history.apply(1, &start(0));
    for ms in [23 * HOUR_MS, DAY_MS] {
        history.prune(&at(ms), RETRY_MS);
        assert_eq!(all(&history), (vec![1], vec![1], vec![1]), "after {ms} ms");
    }
    history.prune(&at(DAY_MS + 1), RETRY_MS);
    assert_eq!(all(&history), (vec![], vec![], vec![]));
    assert!(history.is_empty() && history.open.is_empty() && history.by_key.is_empty());
}

#[test]
fn what_ended_is_forgotten_when_start_and_end_are_out_of_the_window() {
    let mut history = history();
    // Begun long ago, one of them ended at the window's edge.
    history.apply(1, &start(0));
    history.apply(2, &start(1));
    history.apply(3, &about(Kind::Complete, 1, 50_000));
    history.apply(4, &about(Kind::Failed, 2, 49_999));
    history.apply(5, &start(50_000));
    history.prune(&at(50_000 + KEEP_MS), RETRY_MS);
    assert_eq!(all(&history), (vec![1, 5], vec![5], vec![5, 1]));
    assert_eq!((history.len(), history.is_empty()), (2, false));
    history.prune(&at(50_001 + KEEP_MS), RETRY_MS);
    assert_eq!(all(&history), (vec![5], vec![5], vec![5]));
}

#[test]
fn of_open_calls_only_the_old_ones_are_forgotten() {
    let mut history = history();
    history.apply(1, &start(0));
    history.apply(2, &start(2 * HOUR_MS));
    history.prune(&at(DAY_MS + HOUR_MS), RETRY_MS);
    assert_eq!(all(&history), (vec![2], vec![2], vec![2]));
    // A lease that was meant to last for days holds until then.
    let mut long = start(0);
    long.expires_ms = Some(at(3 * DAY_MS).wall_ms);
    history.apply(3, &long);
    history.prune(&at(3 * DAY_MS + KEEP_MS), RETRY_MS);
    assert_eq!(all(&history), (vec![3], vec![3], vec![3]));
    history.prune(&at(3 * DAY_MS + KEEP_MS + 1), RETRY_MS);
    assert!(history.is_empty());
}

#[test]
fn pauses_and_sessions_are_forgotten_with_the_last_of_them() {
    let mut history = history();
    history.apply(1, &record(Kind::Blocked, 0));
    history.apply(2, &record(Kind::Blocked, 1));
    let pauses = |history: &History| history.pauses(&me()).map(|pause| pause.seq).collect::<Vec<_>>();
    history.prune(&at(RETRY_MS), RETRY_MS);
    assert_eq!(pauses(&history), [1, 2]);
    history.prune(&at(RETRY_MS + 1), RETRY_MS);
    assert_eq!((pauses(&history), history.open.len()), (vec![2], 1));
    history.prune(&at(RETRY_MS + 2), RETRY_MS);
    assert_eq!((pauses(&history), history.open.len(), history.pauses.len()), (vec![], 0, 0));
    history.apply(3, &start(0));
    history.apply(4, &about(Kind::Complete, 3, 0));
    history.prune(&at(KEEP_MS), RETRY_MS);
    assert_eq!((history.len(), history.open.len()), (1, 1));
    history.prune(&at(KEEP_MS + 1), RETRY_MS);
    assert_eq!((history.len(), history.open.len()), (0, 0));
}

#[test]
fn a_window_is_forgotten_when_it_was_not_named_for_a_month_or_its_own_length() {
    let carried = |ms: u64, silence_ms: u64| {
        let mut history = history();
        let window = KnownWindow { ms, at: at(0).wall_ms };
        let windows = BTreeMap::from([("other".to_owned(), window)]);
        history.carry_windows(&windows, at(silence_ms).wall_ms);
        history.windows.get("other").copied() == Some(window)
    };
    assert!(carried(5, 0) && carried(5, 29 * DAY_MS) && carried(5, 30 * DAY_MS));
    assert!(!carried(5, 30 * DAY_MS + 1) && !carried(5, 31 * DAY_MS));
    assert!(carried(40 * DAY_MS, 40 * DAY_MS) && !carried(40 * DAY_MS, 40 * DAY_MS + 1));
}

#[test]
fn the_window_that_was_named_last_counts() {
    let mut history = history();
    let window = |ms: u64, at_ms: u64| KnownWindow { ms, at: at(at_ms).wall_ms };
    let mut rules = Record::new(Kind::Rules, "other", &at(10));
    history.apply(1, &rules);
    assert!(history.windows.is_empty());
    rules.window_ms = Some(7);
    history.apply(2, &rules);
    assert_eq!(history.windows.get("other"), Some(&window(7, 10)));
    for (carried, expected) in
        [(window(8, 9), window(7, 10)), (window(8, 10), window(7, 10)), (window(9, 11), window(9, 11))]
    {
        let mut opened = Record::new(Kind::Opened, "home", &at(20));
        opened.windows = BTreeMap::from([("other".to_owned(), carried)]);
        history.apply(3, &opened);
        assert_eq!(history.windows.get("other"), Some(&expected), "{carried:?}");
    }
    assert_eq!(history.windows.len(), 1);
}

#[test]
fn a_start_counts_once_and_only_when_it_is_tracked() {
    let mut history = history();
    let low = Record { tier: Some(Tier::Low), ..start(0) };
    let (original, tierless) = (Record { v: 0, ..start(0) }, Record { tier: None, ..start(0) });
    for (seq, other) in [(1, &low), (2, &original), (3, &tierless)] {
        history.apply(seq, other);
    }
    assert!(history.is_empty());
    let leased = Record { expires_ms: Some(at(300_007).wall_ms), tier: Some(Tier::Medium), ..start(7) };
    history.apply(5, &leased);
    history.apply(4, &start(1));
    history.apply(6, &about(Kind::Complete, 5, 9));
    history.apply(5, &start(8));
    let action = history.action(5).unwrap();
    assert_eq!((action.lease_ms, action.started, action.tier), (300_000, at(7), Tier::Medium));
    assert_eq!(kind(&history, 5), Some(Kind::Complete));
    assert_eq!(history.action(4).unwrap().lease_ms, LEASE_MS);
    assert_eq!(all(&history), (vec![4, 5], vec![4], vec![5, 4]));
    assert_eq!(seqs(history.open_guarded()), [4]);
}

#[test]
fn a_line_of_the_original_plugin_is_a_finished_action() {
    let mut history = history();
    let done = Record { v: 0, ..record(Kind::Complete, 3) };
    history.apply(1, &done);
    history.apply(1, &Record { wall_ms: 0, ..done.clone() });
    history.apply(2, &Record { tier: Some(Tier::Low), ..done });
    assert_eq!(all(&history), (vec![1], vec![], vec![1]));
    assert_eq!((kind(&history, 1), history.action(1).unwrap().started), (Some(Kind::Complete), at(3)));
    // Of its failures nothing is known: they are about no other line.
    history.apply(3, &start(4));
    history.apply(4, &Record { v: 0, ..about(Kind::Failed, 3, 5) });
    assert_eq!(kind(&history, 3), None);
}

#[test]
fn only_an_unknown_outcome_is_settled_later_and_only_that_call_ends() {
    let mut history = history();
    history.apply(1, &start(0));
    history.apply(2, &start(1));
    history.apply(3, &about(Kind::Unknown, 1, 2));
    assert_eq!((kind(&history, 1), all(&history).1), (Some(Kind::Unknown), vec![2]));
    history.apply(4, &about(Kind::Failed, 1, 3));
    history.apply(5, &about(Kind::Complete, 1, 4));
    assert_eq!((kind(&history, 1), kind(&history, 2)), (Some(Kind::Failed), None));
    assert_eq!(all(&history).1, [2]);
    history.apply(6, &about(Kind::Refused, 2, 5));
    assert_eq!((kind(&history, 2), history.open_calls(&me()).count()), (Some(Kind::Refused), 0));
}

#[test]
fn an_outcome_is_only_taken_from_whoever_started_the_call() {
    let mut history = history();
    history.apply(1, &start(0));
    let right = about(Kind::Complete, 1, 2);
    for wrong in [
        Record { instance: "other".to_owned(), ..right.clone() },
        Record { session: Some("b".to_owned()), ..right.clone() },
        Record { session: None, ..right.clone() },
        Record { call: Some("2".to_owned()), ..right.clone() },
        Record { of: vec![2], ..right.clone() },
        Record { of: Vec::new(), ..right.clone() },
    ] {
        history.apply(2, &wrong);
        assert_eq!(kind(&history, 1), None, "{wrong:?}");
    }
    history.apply(2, &right);
    assert_eq!(kind(&history, 1), Some(Kind::Complete));
}

#[test]
fn what_ran_instead_is_on_its_own_keys_and_no_others() {
    let mut history = history();
    history.apply(1, &start(0));
    history.apply(2, &start(1));
    let ran = Record { context_keys: vec!["new".to_owned()], ..about(Kind::Running, 1, 2) };
    history.apply(3, &ran);
    assert_eq!(all(&history).0, [1, 2]);
    history.apply(3, &Record { rewritten: true, digest: Some("d".to_owned()), ..ran });
    assert_eq!((all(&history).0, seqs(history.on_key("new"))), (vec![2], vec![1]));
    let action = history.action(1).unwrap();
    assert_eq!((action.rewritten, action.digest.as_deref()), (true, Some("d")));
}

#[test]
fn a_key_that_stands_twice_in_a_line_counts_once() {
    let mut history = history();
    let keys = ["k", "other", "k"].map(str::to_owned).to_vec();
    history.apply(1, &Record { context_keys: keys.clone(), ..start(0) });
    assert_eq!(all(&history).0, [1]);
    let ran = Record { rewritten: true, context_keys: keys, ..about(Kind::Running, 1, 2) };
    history.apply(2, &ran);
    assert_eq!((all(&history).0, seqs(history.on_key("other"))), (vec![1], vec![1]));
}

#[test]
fn a_background_call_is_found_by_its_instance_its_process_and_its_holder() {
    let mut history = history();
    let holder = Holder { pid: 1, start: 2, ns: 3 };
    for seq in [1, 2, 3] {
        history.apply(seq, &Record { holder: Some(holder), ..start(seq) });
        if seq < 3 {
            history
                .apply(seq + 10, &Record { process: Some("fox".to_owned()), ..about(Kind::Running, seq, 4) });
        }
    }
    let find = |history: &History, instance: &str, process: &str, holder| {
        history.background(instance, process, holder).map(|action| action.seq)
    };
    assert_eq!(find(&history, "home", "fox", Some(holder)), Some(2));
    assert_eq!(find(&history, "other", "fox", Some(holder)), None);
    assert_eq!(find(&history, "home", "owl", Some(holder)), None);
    assert_eq!(find(&history, "home", "fox", None), None);
    history.apply(20, &about(Kind::Complete, 2, 5));
    assert_eq!(find(&history, "home", "fox", Some(holder)), Some(1));
    assert!(!history.action(1).unwrap().released);
    history.apply(21, &about(Kind::Released, 1, 6));
    assert!(history.action(1).unwrap().released && !history.action(3).unwrap().released);
}

#[test]
fn a_pause_waits_for_its_delivery_when_a_signal_tells_it() {
    let mut history = history();
    let pause = |ms| Record { signal: true, ..record(Kind::Blocked, ms) };
    history.apply(2, &pause(1));
    history.apply(1, &pause(0));
    history.apply(2, &pause(5));
    history.apply(3, &record(Kind::Blocked, 2));
    history.apply(4, &Record { conflict: Some(Conflict::Lease), ..pause(3) });
    history.apply(5, &Record { v: 0, ..pause(3) });
    let ages: Vec<_> = history.pauses(&me()).map(|pause| (pause.seq, pause.at)).collect();
    assert_eq!(ages, [(1, at(0)), (2, at(1)), (3, at(2))]);
    assert_eq!([1, 2, 3, 4, 5].map(|seq| history.has_pause(&me(), seq)), [true, true, true, false, false]);
    assert!(!history.has_pause(&Who::default(), 1));
    let waiting = |history: &History, instance: &str, all: bool| {
        let waiting = history.undelivered(instance, |_, pause| all || pause.seq == 1);
        waiting.into_iter().flat_map(|(_, seqs)| seqs).collect::<Vec<_>>()
    };
    assert_eq!((waiting(&history, "home", true), waiting(&history, "home", false)), (vec![1, 2], vec![1]));
    assert!(history.undelivered("other", |_, _| true).is_empty());
    history.apply(6, &about(Kind::Delivered, 2, 4));
    assert_eq!(waiting(&history, "home", true), [1]);
    assert!(history.undelivered("home", |_, pause| pause.seq == 2).is_empty());
}

#[test]
fn hook_counts_add_up_and_only_so_many_tools_are_kept() {
    let mut history = history();
    let counts = HookCounts { before: 2, after: 1 };
    let tools = |from: usize, to: usize| (from..to).map(|tool| (format!("{tool:04}"), counts)).collect();
    history.add_counts("x", &tools(0, 999), 10);
    let seen = Record { runtime: Some("x".to_owned()), seen: tools(998, 1_002), ..record(Kind::Seen, 20) };
    history.count(&seen);
    // A record that is met again is not applied again, but counted by whoever reads its line.
    history.apply(1, &seen);
    assert_eq!(history.coverage.values().map(BTreeMap::len).sum::<usize>(), 1_000);
    let of = |tool: &str| history.coverage.get("x").and_then(|tools| tools.get(tool)).copied();
    let twice = HookCounts { before: 4, after: 2 };
    let last_wall_ms = at(20).wall_ms;
    assert_eq!(of("0000"), Some(Coverage { counts, paused: 0, first_wall_ms: 10, last_wall_ms: 10 }));
    assert_eq!(of("0998"), Some(Coverage { counts: twice, paused: 0, first_wall_ms: 10, last_wall_ms }));
    assert_eq!(of("0999"), Some(Coverage { counts, paused: 0, first_wall_ms: last_wall_ms, last_wall_ms }));
    assert_eq!((of("1000"), of("1001")), (None, None));

    // Programs take no tool's place.
    let programs = (0..400).map(|number| (format!("$ p{number:03}"), counts)).collect();
    history.add_counts("x", &programs, 10);
    assert_eq!(history.coverage.values().map(BTreeMap::len).sum::<usize>(), 1_300);

    // A pause is counted by its own line, unless it was only observed: then the call ran.
    let tool = |tool: &str, observed| Record {
        runtime: Some("x".to_owned()),
        tool: Some(tool.to_owned()),
        observed,
        ..record(Kind::Blocked, 30)
    };
    for record in [tool("0000", false), tool("0000", false), tool("0000", true), tool("1000", false)] {
        history.count(&record);
    }
    history.count(&Record { action: Kind::Denied, ..tool("0000", false) });
    let of = |tool: &str| history.coverage.get("x").and_then(|tools| tools.get(tool));
    assert_eq!(of("0000").map(|coverage| (coverage.counts, coverage.paused)), Some((counts, 3)));
    assert_eq!(of("1000"), None);
}

fn attempt(number: u8) -> Option<AttemptId> {
    AttemptId::read(&format!("{number:032x}"))
}

/// The same record as another machine's line.
fn foreign(record: Record) -> Record {
    Record { machine: Some("m".to_owned()), ..record }
}

#[test]
fn an_attempt_names_its_action_wherever_its_lines_stand() {
    let mut history = history();
    history.apply(1, &Record { attempt: attempt(1), ..start(0) });
    history.apply(2, &Record { attempt: attempt(2), ..start(1) });
    // The number is that of a journal which was lost; the attempt is right.
    history.apply(3, &Record { attempt: attempt(2), ..about(Kind::Complete, 1, 2) });
    assert_eq!((kind(&history, 1), kind(&history, 2)), (None, Some(Kind::Complete)));
    // Nobody else ends it, however well he knows its attempt.
    let stolen = Record { attempt: attempt(1), session: Some("b".to_owned()), ..about(Kind::Failed, 1, 3) };
    for stolen in [
        stolen.clone(),
        foreign(stolen),
        foreign(Record { attempt: attempt(1), ..about(Kind::Failed, 1, 3) }),
    ] {
        history.apply(4, &stolen);
        assert_eq!(kind(&history, 1), None);
    }
    // Earlier versions name none.
    history.apply(5, &about(Kind::Unknown, 1, 4));
    assert_eq!(kind(&history, 1), Some(Kind::Unknown));
    assert_eq!(history.attempt(attempt(2).unwrap()).map(|action| action.seq), Some(2));
    history.prune(&at(2 * DAY_MS), RETRY_MS);
    assert!(history.by_attempt.is_empty() && history.is_empty());
}

#[test]
fn a_start_that_stands_twice_counts_once() {
    let mut history = history();
    let first = Record { attempt: attempt(1), ..start(0) };
    for seq in [1, 2] {
        history.apply(seq, &first);
    }
    assert_eq!(all(&history), (vec![1], vec![1], vec![1]));
    // Another machine that says it did what was done here takes nothing of it away.
    history.apply(3, &foreign(first));
    assert_eq!(all(&history), (vec![1, 3], vec![1], vec![3, 1]));
    history.apply(4, &Record { attempt: attempt(1), ..about(Kind::Failed, 1, 2) });
    assert_eq!((kind(&history, 1), kind(&history, 3)), (Some(Kind::Failed), None));
}

#[test]
fn what_became_of_an_action_may_come_before_its_start() {
    let mut history = history();
    let of_first = |action| Record { attempt: attempt(1), of: Vec::new(), ..about(action, 0, 5) };
    let running = Record { process: Some("fox".to_owned()), ..of_first(Kind::Running) };
    for (seq, early) in [(1, &running), (2, &of_first(Kind::Released)), (3, &of_first(Kind::Complete))] {
        history.apply(seq, &foreign(early.clone()));
        // Met twice it is kept once.
        history.apply(seq, &foreign(early.clone()));
    }
    assert!(history.is_empty());
    history.apply(4, &foreign(Record { attempt: attempt(1), ..start(9) }));
    let action = history.action(4).unwrap();
    assert_eq!((action.process.as_deref(), action.released), (Some("fox"), true));
    assert_eq!(kind(&history, 4), Some(Kind::Complete));
    // Only so many wait, and not for ever; what names no attempt waits for nothing.
    history.apply(5, &about(Kind::Complete, 99, 10));
    for seq in 10..1_000 {
        history.apply(seq, &foreign(Record { attempt: attempt(2), ..about(Kind::Unknown, 0, seq) }));
    }
    assert_eq!(history.early.take(attempt(2).unwrap()).len(), 256);
    history.apply(5_000, &foreign(of_first(Kind::Failed)));
    history.prune(&at(KEEP_MS + 6), RETRY_MS);
    assert!(history.early.take(attempt(1).unwrap()).is_empty());
}

#[test]
fn a_line_of_another_machine_is_nobody_s_here() {
    let mut history = history();
    let holder = Holder { pid: 1, start: 2, ns: 3 };
    // Begun 700 ms before its line came, and leased for 400 ms from there on.
    let theirs = Record {
        attempt: attempt(1),
        holder: Some(holder),
        age_ms: Some(700),
        lease_ms: Some(400),
        expires_ms: Some(i64::MAX),
        process: None,
        ..start(1_000)
    };
    history.apply(1, &foreign(theirs.clone()));
    let action = history.action(1).unwrap();
    assert_eq!((action.holder, action.started, action.lease_ms), (None, at(300), 1_100));
    assert_eq!(action.state(&at(1_399), &|_, _| true), State::InFlight);
    assert_eq!(action.state(&at(1_400), &|_, _| true), State::Lapsed);
    assert_eq!(history.open_calls(&me()).count(), 0);
    assert_ne!(*action.who, me());
    let longest = Record { attempt: attempt(2), lease_ms: Some(u64::MAX), ..theirs.clone() };
    history.apply(2, &foreign(longest));
    assert_eq!(history.action(2).unwrap().lease_ms, YEAR_MS);
    history.apply(3, &foreign(Record { attempt: attempt(3), lease_ms: None, ..theirs }));
    assert_eq!(history.action(3).unwrap().lease_ms, LEASE_MS);
    // Its pauses, its windows, its counts and its losses are its own.
    let told = Record { signal: true, tool: Some("mail".to_owned()), ..record(Kind::Blocked, 5) };
    let seen = [("mail".to_owned(), HookCounts { before: 1, after: 1 })].into();
    let rules = Record { window_ms: Some(5), seen, ..record(Kind::Rules, 5) };
    for (seq, record) in [(4, told), (5, rules), (6, record(Kind::Lost, 5))] {
        history.apply(seq, &foreign(record.clone()));
        history.count(&foreign(record));
    }
    assert!(history.pauses.is_empty() && history.windows.is_empty() && history.coverage.is_empty());
    assert_eq!(history.lost, None);
    history.apply(
        7,
        &Record { process: Some("fox".to_owned()), of: vec![1], ..foreign(about(Kind::Running, 1, 6)) },
    );
    assert_eq!(history.background("home", "fox", None).map(|action| action.seq), None);
}

#[test]
fn what_changes_nothing_changes_nothing() {
    let mut history = history();
    for action in Kind::KNOWN.iter().filter(|action| action.spec().fold == Fold::Nothing) {
        history.apply(1, &record(action.clone(), 0));
        assert!(history.is_empty() && history.pauses.is_empty() && history.open.is_empty(), "{action:?}");
    }
}
