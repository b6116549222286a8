//! Programs that run a command which somebody else wrote into their words, as one table: `sudo`, `docker exec`, `bash -c`,
//! `tmux new` … What they carry is read as if it stood in the line itself. `settings` has the variables and settings that name a
//! command. Tests walk the tables.

mod escapes;
pub(super) mod packages;
mod settings;
mod table;

pub(super) use escapes::Escapes;
pub(super) use settings::{Setting, aliases, of_git, of_ssh, of_variable};
use table::SHELLS;
pub(super) use table::{CARRIERS, TMUX};

/// How a program carries a command.
#[derive(Debug)]
pub(super) struct Carrier {
    pub(super) names: &'static [&'static str],
    /// Subcommands of which one must stand there, each one word or several. Without any, the program itself carries.
    pub(super) verbs: &'static [&'static str],
    /// Its options that have a value as the next word, one space between each two.
    pub(super) values: &'static str,
    /// Those of them that name the folder in which the command runs.
    pub(super) folders: &'static str,
    /// Its options that have two.
    pub(super) pairs: &'static str,
    /// Its options whose value is a text for a shell.
    pub(super) texts: &'static str,
    /// Such a text says how another machine is reached: by SSH as a rule, which then does nothing by itself.
    pub(super) transports: bool,
    /// Such an option may stand anywhere among its words, behind operands too.
    pub(super) anywhere: bool,
    /// Its options that all words of the command follow.
    pub(super) begins: &'static str,
    /// Its option that names the program of which the words behind its operands are then the words.
    pub(super) program: &'static str,
    /// The command stands behind a `--`, where there is one: what stands before it is its own.
    pub(super) marks: bool,
    /// Words of its own before the command: the seconds of `timeout`.
    pub(super) operands: usize,
    /// What the words behind all that are.
    pub(super) rest: Rest,
    /// Given no command, it is a shell that runs what it reads.
    pub(super) reads: bool,
    /// Its exit code is the command's.
    pub(super) hands_on: bool,
    /// The command runs on another machine, or in another folder.
    pub(super) away: bool,
    /// Which machine that is.
    pub(super) machine: Machine,
    /// It does something of its own: rules may be for it, too.
    pub(super) is_noted: bool,
}

/// Where the command of a carrier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// On this machine, or nobody says where.
    Here,
    /// On the one that its first operand names.
    Operand,
    /// On the one that one of these options names.
    Option(&'static str),
    /// On those that stand behind this option.
    All(&'static str),
    /// In the pod that its first operand names, or in one of that object's: of the namespace and the cluster that its options name.
    Pod,
}

/// What the words of a carrier are, behind its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// A command.
    Command,
    /// A command to which the words are appended that `xargs` reads.
    Arguments,
    /// A command, or a word that is the carrier's own and then a command: the version of `nvm exec`.
    Late,
    /// What this program is called with.
    As(&'static str),
    /// A command whose program may have a version: `wrangler@4`.
    Package,
    /// The same, with a mark between the program and its options: `npm exec vercel -- --prod`.
    Marked,
    /// What a package manager is called with: a subcommand of its own, a script, or a package's program and its words.
    Bin,
    /// A command as behind `Package`, with the name of an environment before it or not: `test:pytest`.
    Scoped,
    /// A program of a package, `nixpkgs#git`, and its words.
    Flake,
    /// One word that is a text for a shell, or several that are a command.
    Lone,
    /// Together a text for a shell.
    Joined,
    /// Each of them is a text for a shell.
    Each,
    /// Of them the first is a text for a shell.
    First,
    /// None of them is carried.
    Own,
    /// Keys to be typed.
    Keys,
    /// What a shell is called with.
    Shell,
    /// The file of a script.
    Script,
    /// What GNU Parallel is called with.
    Parallel,
    /// Commands behind `-exec`, each up to a `;` or `+`.
    Executed,
    /// What Python is called with.
    Module,
    /// What `cargo watch` is called with.
    CargoWatch,
    /// What a debugger is called with.
    Debugger,
    /// What Expect is called with.
    Expect,
    /// What AppleScript's interpreter is called with.
    AppleScript,
    /// What Make is called with, which may read its file.
    Makefile,
    /// What a client of a database is called with.
    Client(Escapes),
    /// What an editor is called with.
    Editor,
    /// What the editor of streams is called with.
    Edits,
    /// The texts in quotes that this option's value holds.
    Quoted(&'static str),
    /// A command of the program that this is, or the program again.
    Again(&'static str),
    /// A script of a package that is called as its program: `npm run concurrently`.
    Named,
    /// What a shell is called with that has brackets of its own.
    Bracketed,
    /// Code in which lines behind a `!` are for a shell.
    Magic,
    /// A command of tmux.
    Tmux,
    /// Texts of which each is one, or for a shell.
    TmuxEach,
    /// A file of such commands.
    TmuxLines,
    /// Words in which `#(…)` is run.
    TmuxFormats,
    /// What PowerShell is called with.
    PowerShell,
    /// What the command prompt of Windows is called with.
    Prompt,
}

/// By their first byte, the lengths of the names in the table, a bit for each: that alone tells most programs from them.
#[expect(clippy::indexing_slicing, reason = "the compiler works it out, and fails where it can't")]
const LENGTHS: [u32; 128] = {
    let mut lengths = [0; 128];
    let mut at = 0;
    while at < CARRIERS.len() {
        let mut name = 0;
        while name < CARRIERS[at].names.len() {
            let bytes = CARRIERS[at].names[name].as_bytes();
            lengths[bytes[0] as usize] |= 1 << (bytes.len() % 32);
            name += 1;
        }
        at += 1;
    }
    lengths
};

/// By their first byte, the entries that name a program with it, a bit for each.
#[expect(clippy::indexing_slicing, reason = "the compiler works it out, and fails where it can't")]
const ENTRIES: &[[u64; CARRIERS.len().div_ceil(64)]; 128] = &{
    let mut entries = [[0; CARRIERS.len().div_ceil(64)]; 128];
    let mut at = 0;
    while at < CARRIERS.len() {
        let mut name = 0;
        while name < CARRIERS[at].names.len() {
            entries[CARRIERS[at].names[name].as_bytes()[0] as usize][at / 64] |= 1 << (at % 64);
            name += 1;
        }
        at += 1;
    }
    entries
};

/// The entries for a program, in order.
pub(super) fn carriers(name: &str) -> impl Iterator<Item = &'static Carrier> {
    let family = match name.as_bytes() {
        // `python3.12`
        [b'p', b'y', ..] => name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'),
        _ => name,
    };
    let first = family.bytes().next().map(usize::from).unwrap_or_default();
    let may_be = LENGTHS.get(first).is_some_and(|lengths| lengths & (1 << (family.len() % 32)) != 0);
    let entries = ENTRIES.get(first).filter(|_| may_be).map(<[u64; _]>::as_slice).unwrap_or_default();
    let of_first = entries.iter().enumerate().flat_map(|(word, bits)| {
        let mut bits = *bits;
        std::iter::from_fn(move || {
            let at = bits.trailing_zeros() as usize;
            bits &= bits.checked_sub(1)?;
            CARRIERS.get(64 * word + at)
        })
    });
    of_first.filter(move |carrier| carrier.names.contains(&family))
}

/// Whether `name` is a shell's.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

#[cfg(test)]
mod tests;
