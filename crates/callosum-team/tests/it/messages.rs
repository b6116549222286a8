//! Messages: when they count as shown, what limits them, and how long they wait.

use callosum_core::query::Source;
use callosum_core::record::Action;
use callosum_team::error::{Code, Refusal};
use callosum_team::message::{Addressed, Intent, Message, NewMessage, Receipt, notice};
use callosum_team::who::Actor;

use crate::{World, agent};

const MINUTE: u64 = 60_000;

fn to(session: &str, body: &str) -> NewMessage {
    let sessions = vec![("home".to_owned(), session.to_owned())];
    let addressed = Addressed { sessions, role: None };
    NewMessage { to: session.to_owned(), addressed, body: body.to_owned(), ..NewMessage::default() }
}

fn send(world: &World, actor: &Actor, new: &NewMessage) -> Result<Message, Refusal> {
    world.team(actor).on_mail(|mail| mail.send(new, actor))
}

fn drain(world: &World, actor: &Actor) -> Vec<String> {
    let drained = world.team(actor).on_mail(|mail| Ok(mail.drain(actor, 100))).unwrap();
    drained.into_iter().map(|message| message.id).collect()
}

fn show(world: &World, actor: &Actor, id: &str) {
    let shown = world.team(actor).on_mail(|mail| {
        mail.shown(&[id.to_owned()], actor);
        Ok(())
    });
    shown.unwrap();
}

fn receipt(world: &World, actor: &Actor, id: &str) -> Receipt {
    world.team(actor).on_mail(|mail| Ok(mail.find(id)?.receipt(&actor.who, world.now.wall_ms))).unwrap()
}

fn is_limit(result: Result<Message, Refusal>) -> bool {
    result.is_err_and(|refusal| refusal.code == Code::Limit)
}

#[test]
fn a_message_is_shown_once_it_was_and_comes_again_where_that_was_not_said() {
    let mut world = World::new();
    let (a, b) = (agent("a"), agent("b"));
    let sent = send(&world, &a, &to("b", "look at this")).unwrap();
    assert_eq!(receipt(&world, &b, &sent.id), Receipt::Sent);
    assert_eq!(drain(&world, &b), [sent.id.as_str()]);
    // It may have been read, or not: for a while nobody else shows it, then it comes again.
    assert_eq!(receipt(&world, &b, &sent.id), Receipt::Sent);
    world.pass(29_999);
    assert_eq!(drain(&world, &b), [""; 0]);
    world.pass(1);
    assert_eq!(drain(&world, &b), [sent.id.as_str()]);
    show(&world, &b, &sent.id);
    assert_eq!(receipt(&world, &b, &sent.id), Receipt::Shown);
    world.pass(MINUTE);
    assert_eq!(drain(&world, &b), [""; 0]);
    assert_eq!(drain(&world, &agent("c")), [""; 0]);
    let acknowledge = |actor: &Actor| world.team(actor).on_mail(|mail| mail.acknowledge(&sent.id, actor));
    assert_eq!(acknowledge(&agent("c")).unwrap_err().code, Code::NotYours);
    acknowledge(&b).unwrap();
    assert_eq!(receipt(&world, &b, &sent.id), Receipt::Acknowledged);
}

#[test]
fn ten_messages_a_minute_and_three_to_one_session() {
    let mut world = World::new();
    let a = agent("a");
    for number in 0..10 {
        let to = to(&format!("s{}", number % 4), &format!("text {number}"));
        send(&world, &a, &to).unwrap();
    }
    assert!(is_limit(send(&world, &a, &to("other", "the eleventh"))));
    let b = agent("b");
    for number in 0..3 {
        send(&world, &b, &to("s", &format!("text {number}"))).unwrap();
    }
    assert!(is_limit(send(&world, &b, &to("s", "the fourth"))));
    send(&world, &b, &to("t", "to another one")).unwrap();
    world.pass(MINUTE);
    send(&world, &a, &to("other", "the eleventh")).unwrap();
    send(&world, &b, &to("s", "the fourth")).unwrap();
}

#[test]
fn a_client_that_calls_its_sessions_as_it_likes_is_one_sender() {
    let mut world = World::new();
    let client = |session: &str| Actor { names_itself: true, ..agent(session) };
    let by = |world: &World, number: usize, body: &str| {
        let from = client(&format!("c{number}"));
        send(world, &from, &to(&format!("s{}", number % 4), body))
    };
    for number in 0..10 {
        by(&world, number, &format!("text {number}")).unwrap();
    }
    assert!(is_limit(by(&world, 10, "the eleventh")));
    world.pass(MINUTE);
    // To one session each of its own may send three.
    for number in 0..4 {
        send(&world, &client(&format!("c{number}")), &to("s", &format!("text {number}"))).unwrap();
    }
    // What one of its sessions said, another one may say.
    send(&world, &agent("x"), &to("s0", "text 0")).unwrap();
}

#[test]
fn a_clock_that_was_set_back_withholds_no_message_and_limits_nobody() {
    let mut world = World::new();
    let (a, b) = (agent("a"), agent("b"));
    let sent = send(&world, &a, &to("b", "look at this")).unwrap();
    for number in 0..9 {
        send(&world, &a, &to(&format!("s{}", number % 4), &format!("text {number}"))).unwrap();
    }
    assert_eq!(drain(&world, &b), [sent.id.as_str()]);
    assert_eq!(drain(&world, &b), [""; 0]);
    world.now.wall_ms -= i64::try_from(60 * MINUTE).unwrap();
    assert_eq!(drain(&world, &b), [sent.id.as_str()]);
    send(&world, &a, &to("b", "an hour before")).unwrap();
}

#[test]
fn what_waits_to_be_read_is_not_said_again() {
    let world = World::new();
    let (a, b) = (agent("a"), agent("b"));
    let say = |to: &Actor| world.team(&a).notify(&to.who, "page.txt was written").unwrap();
    let waiting = || world.gate.standing(&Action::Message, &world.now).unwrap().len();
    say(&b);
    say(&b);
    assert_eq!(waiting(), 1);
    say(&a);
    assert_eq!(waiting(), 2);
    // What somebody else says in these words is no word of Callosum's.
    send(&world, &a, &to("c", "page.txt was written")).unwrap();
    say(&agent("c"));
    assert_eq!(waiting(), 4);
    for id in drain(&world, &b) {
        show(&world, &b, &id);
    }
    say(&b);
    assert_eq!(drain(&world, &b).len(), 1);
}

#[test]
fn an_equal_text_is_dropped_for_ten_minutes() {
    let mut world = World::new();
    let a = agent("a");
    assert_eq!(send(&world, &a, &to("b", "again")).unwrap().dropped, None);
    world.pass(10 * MINUTE - 1);
    assert!(send(&world, &a, &to("b", "again")).unwrap().dropped.is_some());
    assert_eq!(send(&world, &a, &to("c", "again")).unwrap().dropped, None);
    world.pass(1);
    assert_eq!(send(&world, &a, &to("b", "again")).unwrap().dropped, None);
}

#[test]
fn a_thread_has_four_answers_to_answers() {
    let world = World::new();
    let actors = [agent("a"), agent("b")];
    let mut last = send(&world, &actors[0], &to("b", "0")).unwrap();
    for hop in 1..=5 {
        let (from, other) = (&actors[hop % 2], &actors[(hop + 1) % 2]);
        let answer =
            NewMessage { reply_to: Some(last.id.clone()), ..to(&other.who.session, &hop.to_string()) };
        let sent = send(&world, from, &answer);
        if hop == 5 {
            assert!(is_limit(sent));
            return;
        }
        let sent = sent.unwrap();
        assert_eq!((sent.hops as usize, &sent.thread), (hop, &last.thread));
        last = sent;
    }
}

#[test]
fn a_body_has_four_kibibytes_and_a_message_thirty_two_recipients() {
    let world = World::new();
    let a = agent("a");
    send(&world, &a, &to("b", &"a ".repeat(2_048))).unwrap();
    assert!(is_limit(send(&world, &a, &to("b", &"a ".repeat(2_049)))));
    let many = |count: usize| {
        let sessions = (0..count).map(|number| ("home".to_owned(), format!("m{number}"))).collect();
        NewMessage { addressed: Addressed { sessions, role: None }, ..to("codex", &format!("to {count}")) }
    };
    send(&world, &a, &many(32)).unwrap();
    assert!(is_limit(send(&world, &a, &many(33))));
}

#[test]
fn what_nobody_reads_is_forgotten_after_a_day_and_a_request_after_a_week() {
    let day = 24 * 60 * MINUTE;
    for (intent, ms) in [(Intent::Inform, day), (Intent::Request, 7 * day)] {
        let mut world = World::new();
        let (a, b) = (agent("a"), agent("b"));
        let sent = send(&world, &a, &NewMessage { intent, ..to("b", "read me") }).unwrap();
        world.pass(ms - 1);
        assert_eq!(drain(&world, &b), [sent.id.as_str()]);
        world.pass(1);
        assert_eq!(drain(&world, &b), [""; 0]);
        assert!(world.gate.standing(&Action::Message, &world.now).unwrap().is_empty());
    }
}

#[test]
fn mail_to_a_role_waits_until_one_that_has_it_acknowledges_it() {
    let world = World::new();
    let a = agent("a");
    let reviewer = |name: &str| Actor { names: vec!["REVIEWER".to_owned()], ..agent(name) };
    let addressed = Addressed { sessions: Vec::new(), role: Some("REVIEWER".to_owned()) };
    let sent = send(&world, &a, &NewMessage { addressed, ..to("REVIEWER", "please") }).unwrap();
    assert_eq!(drain(&world, &a), [""; 0]);
    let (one, two) = (reviewer("one"), reviewer("two"));
    assert_eq!(drain(&world, &one), [sent.id.as_str()]);
    show(&world, &one, &sent.id);
    assert_eq!(drain(&world, &two), [sent.id.as_str()]);
    world.team(&one).on_mail(|mail| mail.acknowledge(&sent.id, &one)).unwrap();
    assert_eq!(drain(&world, &reviewer("three")), [""; 0]);
}

#[test]
fn five_hundred_of_one_sender_may_wait_and_others_go_on_sending() {
    let world = World::new();
    let (a, b) = (agent("a"), agent("b"));
    let sent = |count: usize| -> Vec<_> {
        // Long enough ago that no other limit counts them.
        let mut old = world.now;
        old.wall_ms -= i64::try_from(10 * MINUTE).unwrap();
        let of_a = |number| {
            let record = notice(&b.who, &format!("waits {number}"), &old);
            let mut document = record.document.clone().unwrap();
            document["from"] = serde_json::to_value(&a.who).unwrap();
            callosum_core::record::Record { document: Some(document), ..record }
        };
        (0..count).map(of_a).collect()
    };
    let write = |records: Vec<_>| {
        world.gate.decide_standing(&Action::Message, &world.now, |_| (records.clone(), ())).unwrap();
    };
    write(sent(499));
    send(&world, &a, &to("b", "the last one")).unwrap();
    assert!(is_limit(send(&world, &a, &to("b", "one more"))));
    send(&world, &agent("other"), &to("b", "mine")).unwrap();
}

#[test]
fn five_thousand_messages_may_wait_and_no_more() {
    let mut world = World::new();
    let (a, b) = (agent("a"), agent("b"));
    let waiting = |count: usize| -> Vec<_> {
        (0..count).map(|number| notice(&b.who, &format!("waits {number}"), &world.now)).collect()
    };
    let write = |records: Vec<_>| {
        world.gate.decide_standing(&Action::Message, &world.now, |_| (records.clone(), ())).unwrap();
    };
    write(waiting(4_999));
    send(&world, &a, &to("b", "the last one")).unwrap();
    assert!(is_limit(send(&world, &agent("late"), &to("b", "one more"))));
    world.pass(24 * 60 * MINUTE);
    send(&world, &agent("late"), &to("b", "one more")).unwrap();
}
