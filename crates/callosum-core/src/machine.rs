//! What the machine says of itself: clocks, the boot, and which processes live.
//!
//! On Linux all of it comes from `/proc` and the boot clock. Elsewhere the boot and a process's start
//! are unknown: ages go by the wall clock, and only a lease's end tells that its holder is gone.

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::process::parent_id;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::time::Stamp;
use crate::record::Holder;

/// At most this many dead processes are remembered.
const MAX_DEAD: usize = 10_000;

/// This process on this machine, as it was when it was asked.
#[derive(Debug, Default)]
pub struct Machine {
    boot: Option<u32>,
    holder: Option<Holder>,
    /// The number of that process's terminal; 0 for none.
    terminal: u32,
    /// Those of this boot that were found dead: nobody comes to life again, and a look at the system takes longer than all
    /// else that is done with a lease.
    dead: Mutex<HashSet<Holder>>,
}

impl Machine {
    /// Asks the system who this process is and which boot this is. Reads three small files.
    #[must_use]
    pub fn read() -> Self {
        Self { boot: boot_id(), holder: holder_of(std::process::id()), ..Self::default() }
    }

    /// The same, for a process that only speaks for the one that runs the calls: its nearest ancestor that is no shell and
    /// no wrapper. Its calls are in flight as long as that one lives.
    #[must_use]
    pub fn read_for_runtime() -> Self {
        let found = runtime_from(parent_id());
        Self {
            boot: boot_id(),
            holder: found.as_ref().map(|(pid, process)| process.as_holder(*pid)),
            terminal: found.map_or(0, |(_, process)| process.terminal),
            ..Self::default()
        }
    }

    /// The terminal of the process that it speaks for; `None` where nobody sits at one, or its kind is not known.
    #[must_use]
    pub fn terminal(&self) -> Option<String> {
        terminal_name(self.terminal)
    }

    /// The process that runs the calls: this one, or the one it speaks for.
    #[must_use]
    pub fn holder(&self) -> Option<Holder> {
        self.holder
    }

    /// The moment now.
    #[must_use]
    pub fn now(&self) -> Stamp {
        let wall_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        Stamp { wall_ms, up_ms: up_ms(), boot: self.boot }
    }

    /// Whether a holder of the boot `boot` is surely dead: same boot, same pid namespace, and no process
    /// with that id and start time that runs. In another boot or namespace nothing can be said, so it is not.
    #[must_use]
    pub fn is_dead(&self, boot: Option<u32>, holder: &Holder) -> bool {
        let Some(own) = self.holder else { return false };
        if self.boot.is_none() || boot != self.boot || holder.ns != own.ns || *holder == own {
            return false;
        }
        let dead = || self.dead.lock().unwrap_or_else(PoisonError::into_inner);
        if dead().contains(holder) {
            return true;
        }
        let is_dead = match process(holder.pid) {
            Some(now) => now.has_ended || now.start != holder.start,
            // `/proc` may be hidden (`hidepid`); only a folder that is not there proves a death.
            None => matches!(fs::metadata(format!("/proc/{}", holder.pid)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound),
        };
        if is_dead {
            let mut dead = dead();
            if dead.len() >= MAX_DEAD {
                dead.clear();
            }
            dead.insert(*holder);
        }
        is_dead
    }
}

#[cfg(target_os = "linux")]
fn up_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1000 + u64::try_from(now.tv_nsec / 1_000_000).unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn up_ms() -> u64 {
    0
}

/// The text of a short file of the kernel's, which is told whole in one read: its size is 0, and who reads to its end reads often.
fn read_proc_file(path: &str) -> Option<String> {
    let file = File::open(path).ok()?;
    let mut text = Vec::with_capacity(4 << 10);
    rustix::io::read(&file, rustix::buffer::spare_capacity(&mut text)).ok()?;
    String::from_utf8(text).ok()
}

/// The first eight hex digits of the kernel's boot id (a random UUID, new with each boot).
fn boot_id() -> Option<u32> {
    let text = read_proc_file("/proc/sys/kernel/random/boot_id")?;
    u32::from_str_radix(text.get(..8)?, 16).ok()
}

/// Programs that only start others. Under the last name the npm package's command starts the program.
const WRAPPERS: [&str; 17] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env", "nice", "nohup", "setsid", "stdbuf",
    "sudo", "timeout", "time", "callosum",
];
/// How `npx` names itself, with the command behind it.
const NPX: &str = "npm exec ";
/// More ancestors are not looked at.
const MAX_ANCESTORS: usize = 16;

/// The process `pid`, or its nearest ancestor that is no shell and no wrapper; `None` when there is none but the first process.
fn runtime_from(mut pid: u32) -> Option<(u32, Process)> {
    for _ in 0..MAX_ANCESTORS {
        let found = process(pid)?;
        if !WRAPPERS.contains(&found.name.as_str()) && !found.name.starts_with(NPX) {
            return Some((pid, found));
        }
        pid = found.parent;
    }
    None
}

/// The terminal of a device number as `/proc/<pid>/stat` tells it: those of terminal programs have the majors 136 to 143, those of the
/// console the major 4 (Linux's `devices.txt`).
fn terminal_name(number: u32) -> Option<String> {
    let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xf_ff00));
    match major {
        136..=143 => Some(format!("/dev/pts/{}", minor + ((major - 136) << 8))),
        4 if minor < 64 => Some(format!("/dev/tty{minor}")),
        4 => Some(format!("/dev/ttyS{}", minor - 64)),
        _ => None,
    }
}

/// Whether the process `pid` is a program for which `is_program` holds, or was started by one. One that can't be told from that is.
#[must_use]
pub fn is_below(pid: u32, is_program: impl Fn(&str) -> bool) -> bool {
    ancestry(pid).is_none_or(|names| names.iter().any(|name| is_program(name)))
}

/// Whether the process `pid` was started with a variable for which `is_meant` holds. One that can't be told from that was, where the
/// system tells it of others.
#[must_use]
pub fn is_started_with(pid: u32, is_meant: impl Fn(&str) -> bool) -> bool {
    let Ok(told) = std::fs::read(format!("/proc/{pid}/environ")) else { return cfg!(target_os = "linux") };
    let variables = told.split(|byte| *byte == 0);
    let names = variables.filter_map(|variable| variable.split(|byte| *byte == b'=').next());
    names.filter_map(|name| std::str::from_utf8(name).ok()).any(is_meant)
}

/// The process `pid` and those above it, nearest first.
#[must_use]
pub fn ancestors(mut pid: u32) -> Vec<Holder> {
    let mut found = Vec::new();
    while found.len() < MAX_ANCESTORS
        && pid > 1
        && let Some(process) = process(pid)
    {
        found.push(process.as_holder(pid));
        pid = process.parent;
    }
    found
}

/// What the process `pid` and those above it are called, nearest first: each by its own name, and by the first words that it was
/// started with, without folders. `None` where nothing is told of one of them.
#[must_use]
pub fn ancestry(pid: u32) -> Option<Vec<String>> {
    names_above(pid, |pid| {
        let found = process(pid)?;
        Some((found.name, read_proc_file(&format!("/proc/{pid}/cmdline")).unwrap_or_default(), found.parent))
    })
}

/// The same, where `told` says of a process its name, the words that it was started with, and its parent. In a container the first
/// process may be an agent. A system that hides other users' processes tells nothing of its own first one, which is none.
fn names_above(mut pid: u32, told: impl Fn(u32) -> Option<(String, String, u32)>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for _ in 0..MAX_ANCESTORS {
        // The parent of the first process, and of one that was put into a container, is outside.
        if pid == 0 {
            break;
        }
        let (name, words, parent) = match told(pid) {
            None if pid == 1 => break,
            told => told?,
        };
        names.push(name);
        // An interpreter's first word that is no option of its own is its script.
        let words = words.split('\0').filter(|word| !word.starts_with("--"));
        let words = words.take(2).filter_map(|word| word.rsplit('/').next());
        names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        pid = parent;
    }
    Some(names)
}

/// What `/proc/<pid>/stat` says of a process.
struct Process {
    /// The program's name, its first 15 bytes.
    name: String,
    parent: u32,
    start: u64,
    /// The number of its terminal; 0 for none.
    terminal: u32,
    /// It keeps its id only until its parent asks how it ended, which some never do.
    has_ended: bool,
}

impl Process {
    fn as_holder(&self, pid: u32) -> Holder {
        Holder { pid, start: self.start, ns: pid_namespace() }
    }
}

/// The process `pid`: its state is field 3 of `/proc/<pid>/stat`, its parent field 4, its terminal field 7, its start time field 22 (proc(5)),
/// counted behind the last `)` because the command's name may hold anything.
fn process(pid: u32) -> Option<Process> {
    let stat = read_proc_file(&format!("/proc/{pid}/stat"))?;
    let (head, fields) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let mut fields = fields.split_ascii_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    // A number that the kernel prints as a signed one.
    let terminal = fields.nth(2)?.parse::<i32>().map_or(0, i32::cast_unsigned);
    Some(Process { name, parent, start: fields.nth(14)?.parse().ok()?, terminal, has_ended })
}

/// The process `pid` as a holder.
fn holder_of(pid: u32) -> Option<Holder> {
    Some(process(pid)?.as_holder(pid))
}

/// The inode of this process's pid namespace: `pid:[4026531836]` → the number.
fn pid_namespace() -> u64 {
    fs::read_link("/proc/self/ns/pid")
        .ok()
        .and_then(|link| {
            let text = link.to_string_lossy().into_owned();
            text.split(['[', ']']).nth(1).and_then(|inode| inode.parse().ok())
        })
        .unwrap_or(0)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn terminals_are_called_by_their_device_numbers() {
        for (number, name) in [
            (0, None),
            (136 << 8, Some("/dev/pts/0")),
            ((137 << 8) | 3, Some("/dev/pts/259")),
            ((4 << 8) | 1, Some("/dev/tty1")),
            ((4 << 8) | 64, Some("/dev/ttyS0")),
            (7 << 8, None),
        ] {
            assert_eq!(terminal_name(number).as_deref(), name, "{number:#x}");
        }
    }

    #[test]
    fn the_first_process_is_looked_at_and_may_be_hidden() {
        let told = |first: Option<&str>| {
            names_above(7, |pid| match pid {
                7 => Some(("sh".to_owned(), "/bin/sh\0--norc\0run.sh\0".to_owned(), 1)),
                1 => first.map(|name| ("node".to_owned(), format!("node\0/usr/bin/{name}\0"), 0)),
                _ => None,
            })
        };
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(told(Some("codex")), names(&["sh", "sh", "run.sh", "node", "node", "codex"]));
        assert_eq!(told(None), names(&["sh", "sh", "run.sh"]));
        assert_eq!(names_above(7, |_| None), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_is_known_by_what_it_was_started_with() {
        use std::io::Read;
        use std::process::{Command, Stdio};
        let mut command = Command::new("sh");
        command.args(["-c", "echo; read line"]).env("MARKED_AS_AGENT", "x");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // A process has no environment while it is being started: the shell says that it runs, and becomes no other program.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let pid = child.id();
        let has = |wanted: &str| is_started_with(pid, |name| name == wanted);
        let (marked, other) = (has("MARKED_AS_AGENT"), has("MARKED"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(marked && !other);
        // Nothing is told of one that is gone.
        assert!(has("MARKED"));
    }

    #[test]
    fn a_process_that_ended_is_dead_and_this_one_is_not() {
        let machine = Machine::read();
        let own = machine.holder().unwrap();
        assert!(!machine.is_dead(machine.now().boot, &own));

        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let holder = holder_of(child.id()).unwrap();
        assert!(!machine.is_dead(machine.now().boot, &holder));
        child.kill().unwrap();
        // Before its parent has waited for it, and after.
        let pid = rustix::process::WaitId::Pid(rustix::process::Pid::from_child(&child));
        let wait = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(pid, wait).unwrap();
        assert!(machine.is_dead(machine.now().boot, &holder));
        child.wait().unwrap();
        // The one asked before remembers it, another one looks.
        assert!(machine.is_dead(machine.now().boot, &holder));
        assert!(Machine::read().is_dead(machine.now().boot, &holder));
        assert_eq!(*machine.dead.lock().unwrap(), HashSet::from([holder]));
        assert!(!machine.is_dead(machine.now().boot.map(|id| id ^ 1), &holder));
    }

    #[test]
    fn only_so_many_of_the_dead_are_remembered() {
        let machine = Machine::read();
        let (boot, own) = (machine.now().boot, machine.holder().unwrap());
        let many = MAX_DEAD as u64 + 2;
        for later in 1..=many {
            assert!(machine.is_dead(boot, &Holder { start: own.start + later, ..own }));
        }
        assert_eq!(machine.dead.lock().unwrap().len(), 2);
    }

    #[test]
    fn a_hook_speaks_for_the_program_that_started_its_shell() {
        let own = Some(std::process::id());
        assert_eq!(runtime_above_sleep("exec sleep 60"), own);
        assert_eq!(runtime_above_sleep("env nice sleep 60; true"), own);
    }

    /// The runtime of the `sleep` in a shell's command.
    fn runtime_above_sleep(command: &str) -> Option<u32> {
        let mut child = std::process::Command::new("sh").args(["-c", command]).spawn().unwrap();
        let sleep = loop {
            let found = std::fs::read_dir("/proc")
                .unwrap()
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
            let is_below = |pid: &u32| {
                process(*pid)
                    .is_some_and(|it| it.name == "sleep" && (it.parent == child.id() || *pid == child.id()))
            };
            if let Some(pid) = found.into_iter().find(is_below) {
                break pid;
            }
            std::thread::yield_now();
        };
        let above = runtime_from(process(sleep).unwrap().parent).map(|(pid, _)| pid);
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(sleep.cast_signed()).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
        let _ = child.wait();
        above
    }

    #[test]
    fn a_reused_process_id_is_another_process_and_a_foreign_namespace_is_unknown() {
        let machine = Machine::read();
        let boot = machine.now().boot;
        let own = machine.holder().unwrap();
        assert!(machine.is_dead(boot, &Holder { start: own.start + 1, ..own }));
        assert!(!machine.is_dead(boot, &Holder { start: own.start + 1, ns: own.ns + 1, ..own }));
        assert!(!machine.is_dead(boot.map(|id| id ^ 1), &Holder { start: own.start + 1, ..own }));
    }
}
