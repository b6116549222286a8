//! Tasks: who may claim and end them, when a claim is lost, what limits them, and who is told.

use std::process::Command;

use callosum_core::query::Source;
use callosum_core::record::Action;
use callosum_team::delivery::{Known, at_prompt};
use callosum_team::error::{Code, Refusal};
use callosum_team::task::{Board, Claim, MAX_OPEN, MAX_OPEN_BY_MAKER, NewTask, State, Task};
use callosum_team::team::{self, Sessions};
use callosum_team::who::Actor;
use serde_json::json;

use crate::{World, agent, operator, session};

fn new(title: &str) -> NewTask {
    NewTask { title: title.to_owned(), id: Some(title.to_owned()), ..NewTask::default() }
}

fn add(world: &World, actor: &Actor, new: &NewTask) -> Result<Task, Refusal> {
    world.team(actor).on_tasks(|board| board.add(new, actor))
}

fn claim(world: &World, actor: &Actor, id: &str) -> Result<Task, Refusal> {
    let wanted = Claim::Id(id.to_owned());
    Ok(world.team(actor).on_tasks(|board| board.claim(&wanted, actor))?.unwrap())
}

fn next(world: &World, actor: &Actor) -> Option<Task> {
    world.team(actor).on_tasks(|board| board.claim(&Claim::Next, actor)).unwrap()
}

fn with<T>(
    world: &World,
    actor: &Actor,
    decide: impl Fn(&mut Board<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    world.team(actor).on_tasks(decide)
}

fn shown(world: &World, id: &str) -> Task {
    team::task(&world.gate, world.gate.machine(), id, &world.now).unwrap()
}

fn code<T>(result: Result<T, Refusal>) -> Code {
    result.err().unwrap().code
}

/// Mails to this session, in words.
fn told(world: &World, actor: &Actor) -> Vec<String> {
    let drained = world.team(actor).on_mail(|mail| Ok(mail.drain(actor, 10)));
    drained.unwrap().into_iter().map(|message| message.body).collect()
}

#[test]
fn a_task_is_claimed_by_one_and_ended_by_that_one() {
    let world = World::new();
    let (person, a, b) = (operator(), agent("a"), agent("b"));
    let made = add(&world, &person, &new("t")).unwrap();
    assert_eq!((made.state, made.generation, made.accepted), (State::Open, 0, true));
    let claimed = claim(&world, &a, "t").unwrap();
    assert_eq!((claimed.state, claimed.generation, claimed.attempt), (State::Claimed, 1, 1));
    assert_eq!(code(claim(&world, &b, "t")), Code::Claimed);
    assert_eq!(code(with(&world, &b, |board| board.done("t", None, None, &b))), Code::NotYours);
    assert_eq!(code(with(&world, &a, |board| board.done("t", Some(0), None, &a))), Code::Stale);
    let done = with(&world, &a, |board| board.done("t", Some(1), Some("well"), &a)).unwrap();
    assert_eq!((done.state, done.result.as_deref()), (State::Completed, Some("well")));
    // What was refused is kept, and what is over is still shown, though it no longer stands.
    let shown = shown(&world, "t");
    assert_eq!((shown.state, shown.notes.len()), (State::Completed, 2));
    assert!(world.gate.standing(&Action::Task, &world.now).unwrap().is_empty());
    assert_eq!(code(claim(&world, &b, "t")), Code::Unknown);
}

#[test]
fn only_what_a_person_made_or_accepted_is_taken_next_and_the_lowest_number_first() {
    let mut world = World::new();
    let (person, a, b) = (operator(), agent("a"), agent("b"));
    add(&world, &b, &new("unaccepted")).unwrap();
    for (id, priority) in [("late", 2), ("early", 1), ("last", 2)] {
        world.pass(1);
        add(&world, &person, &NewTask { priority: Some(priority), ..new(id) }).unwrap();
    }
    add(&world, &person, &NewTask { priority: Some(0), to: Some("other".to_owned()), ..new("others") })
        .unwrap();
    let taken: Vec<String> = std::iter::from_fn(|| next(&world, &a)).map(|task| task.id).collect();
    assert_eq!(taken, ["early", "late", "last"]);
    assert_eq!(code(claim(&world, &a, "others")), Code::NotYours);
    assert_eq!(code(with(&world, &a, |board| board.accept("unaccepted", true, &a))), Code::NotYours);
    let script = Actor { may_accept: false, ..operator() };
    assert_eq!(
        code(with(&world, &script, |board| board.accept("unaccepted", true, &script))),
        Code::NotYours
    );
    with(&world, &person, |board| board.accept("unaccepted", true, &person)).unwrap();
    assert_eq!(next(&world, &a).unwrap().id, "unaccepted");
}

#[test]
fn a_task_waits_for_others_and_never_for_itself() {
    let world = World::new();
    let (person, a) = (operator(), agent("a"));
    add(&world, &person, &new("first")).unwrap();
    add(&world, &person, &NewTask { deps: vec!["first".to_owned()], ..new("second") }).unwrap();
    assert_eq!(code(claim(&world, &a, "second")), Code::Blocked);
    assert_eq!(shown(&world, "second").state, State::Blocked);
    let own = NewTask { deps: vec!["own".to_owned()], ..new("own") };
    assert_eq!(code(add(&world, &person, &own)), Code::Cycle);
    let between = |id: &str, dep: &str, blocks: &str| NewTask {
        deps: vec![dep.to_owned()],
        blocks: Some(blocks.to_owned()),
        ..new(id)
    };
    assert_eq!(code(add(&world, &person, &between("loop", "second", "first"))), Code::Cycle);
    assert_eq!(code(add(&world, &person, &between("loop", "second", "second"))), Code::Cycle);
    add(&world, &person, &between("between", "first", "second")).unwrap();
    assert_eq!(
        code(add(&world, &person, &NewTask { deps: vec!["nobody".to_owned()], ..new("x") })),
        Code::Unknown
    );
    let mut done = Vec::new();
    while let Some(task) = next(&world, &a) {
        with(&world, &a, |board| board.done(&task.id, Some(task.generation), None, &a)).unwrap();
        done.push(task.id);
    }
    assert_eq!(done, ["first", "between", "second"]);
    // Nothing waits for any of them, so nothing of them stands.
    assert!(world.gate.standing(&Action::Task, &world.now).unwrap().is_empty());
}

#[test]
fn what_a_dead_process_had_is_lost_and_after_three_times_needs_a_person() {
    let world = World::new();
    let (maker, other) = (agent("maker"), agent("other"));
    add(&world, &maker, &new("t")).unwrap();
    for attempt in 1..=3 {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let holder = session("held", child.id());
        let claimed = claim(&world, &holder, "t").unwrap();
        assert_eq!((claimed.attempt, claimed.generation), (attempt, u64::from(attempt)));
        assert_eq!(code(claim(&world, &other, "t")), Code::Claimed);
        child.kill().unwrap();
        child.wait().unwrap();
        let lost = shown(&world, "t");
        assert_eq!((lost.state, lost.why.as_deref()), (State::Lost, Some("its process ended")));
        if attempt == 2 {
            // The one that had it before is told that this is over.
            let taken = claim(&world, &other, "t").unwrap();
            assert_eq!(taken.attempt, 3);
            assert_eq!(
                code(with(&world, &holder, |board| board.done("t", Some(2), None, &holder))),
                Code::Stale
            );
            with(&world, &other, |board| board.release("t", Some(3), &other)).unwrap();
            assert_eq!(shown(&world, "t").attempt, 2);
            break;
        }
    }
    let mut child = Command::new("true").spawn().unwrap();
    let holder = session("held", child.id());
    claim(&world, &holder, "t").unwrap();
    child.wait().unwrap();
    assert!(next(&world, &other).is_none());
    let failed = shown(&world, "t");
    assert!(failed.state == State::Failed && failed.why.unwrap().starts_with("needs a person"));
    // One notice for each: of one moment, in any order.
    let told = told(&world, &maker);
    let count = |words: &str| told.iter().filter(|text| text.contains(words)).count();
    assert_eq!((told.len(), count("was lost"), count("failed")), (3, 2, 1), "{told:?}");
}

#[test]
fn who_lives_by_beats_is_lost_without_them_and_a_quiet_process_stalls() {
    let mut world = World::new();
    let (person, a) = (operator(), agent("a"));
    add(&world, &person, &new("beats")).unwrap();
    add(&world, &person, &new("quiet")).unwrap();
    claim(&world, &person, "beats").unwrap();
    claim(&world, &a, "quiet").unwrap();
    world.pass(14 * 60_000);
    with(&world, &person, |board| board.beat("beats", None, &person)).unwrap();
    world.pass(14 * 60_000);
    assert_eq!(shown(&world, "beats").state, State::Claimed);
    assert_eq!(shown(&world, "quiet").state, State::Stalled);
    world.pass(60_000);
    assert_eq!(shown(&world, "beats").state, State::Lost);
    assert_eq!(claim(&world, &agent("b"), "quiet").unwrap().generation, 2);
    assert_eq!(code(with(&world, &a, |board| board.done("quiet", Some(1), None, &a))), Code::Stale);
}

#[test]
fn handing_on_counts_as_a_try_and_a_question_tells_the_maker() {
    let world = World::new();
    let (maker, a) = (agent("maker"), agent("a"));
    add(&world, &maker, &new("t")).unwrap();
    claim(&world, &a, "t").unwrap();
    let asked = with(&world, &a, |board| board.input("t", Some(1), "which one?", &a)).unwrap();
    assert_eq!((asked.state, asked.why.as_deref()), (State::InputRequired, Some("which one?")));
    // Who asks again and again tells the maker no more than that.
    for _ in 0..3 {
        assert_eq!(with(&world, &a, |board| board.beat("t", None, &a)).unwrap().state, State::Claimed);
        with(&world, &a, |board| board.input("t", Some(1), "and which now?", &a)).unwrap();
    }
    assert_eq!(told(&world, &maker).len(), 1);
    assert_eq!(with(&world, &a, |board| board.beat("t", None, &a)).unwrap().state, State::Claimed);
    for attempt in 1..=3 {
        if attempt > 1 {
            claim(&world, &a, "t").unwrap();
        }
        let handed = with(&world, &a, |board| board.hand_off("t", None, "codex", None, &a)).unwrap();
        assert_eq!(handed.state, if attempt < 3 { State::Open } else { State::Failed });
    }
}

#[test]
fn a_task_that_a_later_version_wrote_is_left_as_it_is() {
    let world = World::new();
    let a = agent("a");
    let mut record = a.record(Action::Task, &world.now);
    record.key = Some("t".to_owned());
    record.document = Some(json!({ "id": "t", "state": "dreaming", "accepted": true }));
    world.gate.decide_standing(&Action::Task, &world.now, |_| (vec![record.clone()], ())).unwrap();
    assert_eq!(code(add(&world, &a, &new("t"))), Code::Claimed);
    assert_eq!(code(claim(&world, &a, "t")), Code::Unknown);
    assert_eq!(next(&world, &a), None);
    assert_eq!(world.gate.standing(&Action::Task, &world.now).unwrap().len(), 1);
}

#[test]
fn a_title_shows_all_that_is_in_it() {
    let world = World::new();
    let a = agent("a");
    let hidden = NewTask { title: "Run\u{202e}ti\u{200b} now".to_owned(), ..NewTask::default() };
    assert_eq!(add(&world, &a, &hidden).unwrap().title, "Run\u{fffd}ti\u{fffd} now");
}

#[test]
fn a_session_is_told_the_same_of_tasks_whose_texts_are_not_read() {
    let world = World::new();
    let (person, a) = (operator(), agent("a"));
    // What of a task is for whoever reads it is passed over, whatever it looks like.
    let long = |title: &str| NewTask {
        prompt: format!("\"accepted\":true,\"state\":\"open\"}} \\\" {}", "many words ".repeat(200)),
        files: vec!["src/parse.rs".to_owned()],
        output_file: Some("/nowhere/out.md".to_owned()),
        ..new(title)
    };
    for title in ["anybody", "mine", "dangerous", "over", "kept"] {
        add(&world, &person, &long(title)).unwrap();
    }
    add(&world, &person, &NewTask { to: Some("gemini".to_owned()), ..long("other") }).unwrap();
    add(&world, &person, &NewTask { deps: vec!["mine".to_owned()], ..long("blocked") }).unwrap();
    add(&world, &person, &NewTask { deps: vec!["kept".to_owned()], priority: Some(0), ..long("free") })
        .unwrap();
    add(&world, &a, &long("unaccepted")).unwrap();
    claim(&world, &a, "mine").unwrap();
    for title in ["over", "kept"] {
        claim(&world, &a, title).unwrap();
        with(&world, &a, |board| board.done(title, None, None, &a)).unwrap();
    }
    let mut doomed = Command::new("sleep").arg("60").spawn().unwrap();
    claim(&world, &session("doomed", doomed.id()), "dangerous").unwrap();
    doomed.kill().unwrap();
    doomed.wait().unwrap();
    let (source, machine, now) = (&world.gate, world.gate.machine(), &world.now);
    let sessions = Sessions::read(source, now).unwrap();
    let whole = team::tasks(source, machine, now).unwrap();
    let brief = team::tasks_in_brief(source, &sessions, machine, now).unwrap();
    assert!(brief.iter().all(|task| task.prompt.is_empty() && task.files.is_empty()));
    let stands = |tasks: &[Task]| -> Vec<_> {
        let of = |task: &Task| (task.id.clone(), task.state, task.accepted, task.holder.clone());
        tasks.iter().map(of).collect()
    };
    assert_eq!(stands(&brief), stands(&whole));
    let text = |tasks: &[Task]| {
        at_prompt(&Known {
            actor: &a,
            project: None,
            sessions: &sessions,
            tasks,
            unread: &[],
            discoveries: &[],
        })
    };
    let told = text(&brief).unwrap();
    assert!(
        told.ends_with("Tasks: 3 to be claimed (free, anybody, dangerous); 1 claimed by this session (mine). See `callosum task list`."),
        "{told}"
    );
    assert_eq!(Some(told), text(&whole));
}

#[test]
fn five_thousand_tasks_may_be_open_and_no_more() {
    let world = World::new();
    let person = operator();
    for piece in 0..10 {
        with(&world, &person, |board| {
            (0..500).try_for_each(|number| board.add(&new(&format!("t{piece}-{number}")), &person).map(drop))
        })
        .unwrap();
    }
    assert_eq!(world.gate.standing(&Action::Task, &world.now).unwrap().len(), MAX_OPEN);
    assert_eq!(code(add(&world, &person, &new("one-more"))), Code::Limit);
    with(&world, &person, |board| board.cancel("t0-0", None, &person)).unwrap();
    add(&world, &person, &new("one-more")).unwrap();
    assert!(world.folder.path().join("journal.jsonl").exists());
}

#[test]
fn of_one_session_five_hundred_may_be_open_and_others_go_on_making_them() {
    let world = World::new();
    let (a, b) = (session("a", 1), session("b", 1));
    let made = |from: usize, to: usize| {
        let mut numbers = from..to;
        with(&world, &a, |board| {
            numbers.clone().try_for_each(|number| board.add(&new(&format!("a{number}")), &a).map(drop))
        })
        .map(|()| numbers.next())
    };
    made(0, MAX_OPEN_BY_MAKER - 1).unwrap();
    // Those that one decision makes are counted, too.
    assert_eq!(code(made(MAX_OPEN_BY_MAKER - 1, MAX_OPEN_BY_MAKER + 1)), Code::Limit);
    assert_eq!(code(add(&world, &a, &new("one-more"))), Code::Limit);
    add(&world, &b, &new("of-another")).unwrap();
    add(&world, &operator(), &new("of-a-person")).unwrap();
    with(&world, &a, |board| board.cancel("a0", None, &a)).unwrap();
    add(&world, &a, &new("one-more")).unwrap();
}

#[test]
fn a_text_at_its_limit_is_taken_and_one_byte_more_is_not() {
    let world = World::new();
    let person = operator();
    let titled = |bytes: usize| NewTask { title: "a".repeat(bytes), ..NewTask::default() };
    assert!(add(&world, &person, &titled(200)).is_ok());
    assert_eq!(code(add(&world, &person, &titled(201))), Code::Limit);
    let prompted = |bytes: usize| NewTask { prompt: "a ".repeat(bytes / 2), ..titled(1) };
    assert!(add(&world, &person, &prompted(16_384)).is_ok());
    assert_eq!(code(add(&world, &person, &prompted(16_386))), Code::Limit);
}

#[test]
fn whoever_made_a_task_is_told_once_what_became_of_it_and_a_person_of_what_needs_one() {
    let world = World::new();
    let (person, maker, a) = (operator(), agent("maker"), agent("a"));
    for (who, id) in [(&maker, "theirs"), (&person, "own")] {
        add(&world, who, &new(id)).unwrap();
        claim(&world, &a, id).unwrap();
        with(&world, &a, |board| board.done(id, None, None, &a)).unwrap();
    }
    assert_eq!(told(&world, &maker), ["Task theirs is completed: see it for what came of it."]);
    assert_eq!(told(&world, &person), ["Task own is completed: see it for what came of it."]);
    // Nobody is told what he did himself.
    add(&world, &maker, &new("alone")).unwrap();
    claim(&world, &maker, "alone").unwrap();
    with(&world, &maker, |board| board.done("alone", None, None, &maker)).unwrap();
    assert_eq!(told(&world, &maker), [""; 0]);
    add(&world, &maker, &new("hard")).unwrap();
    for attempt in 1..=3 {
        assert_eq!(claim(&world, &a, "hard").unwrap().attempt, attempt);
        with(&world, &a, |board| board.abandon("hard", None, "it was killed", &a)).unwrap();
    }
    assert_eq!(shown(&world, "hard").state, State::Failed);
    assert_eq!(told(&world, &maker).len(), 3);
    assert_eq!(told(&world, &person), ["Task hard needs a person: it was tried 3 times."]);
}
