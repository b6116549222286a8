//! `{filePath}` and `{workFolder}`: the files a call works on and the folder a command runs in, by absolute
//! path where that is known, and with the machine where that is another one.

use super::{Lookup, distinct};
use crate::model::digest::neutral_tool_name;
use crate::model::tool_call::ToolCall;

/// What stands before a path in a patch.
const PATCH_HEADERS: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The parameters that name a call's files, and those that hold a patch, in the order in which they are asked.
pub(crate) const PATH_NAMES: [&str; 3] = ["path", "file_path", "filePath"];
pub(super) const PATCH_NAMES: [&str; 2] = ["input", "patch"];
/// The parameter of OpenClaw's that names the folder in which a command runs.
pub(crate) const WORK_FOLDER: &str = "workdir";
/// The names that hosts and servers give it.
const WORK_FOLDERS: &[&str] = &[WORK_FOLDER, "cwd", "working_directory", "workingDirectory", "working_dir"];
/// What the names of tools end in that take a patch.
pub(super) const APPLY_PATCH: &str = "apply_patch";

/// Values of `host` that mean the machine the agent runs on.
const THIS_MACHINE: [&str; 4] = ["gateway", "auto", "local", "localhost"];

/// Stands for the folder that a command runs in when nobody says which.
const CURRENT: &str = "current";

/// The paths of a call, normalised; none when its parameters name none.
pub(crate) fn file_paths(call: &ToolCall, params: &Lookup<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    if neutral_tool_name(&call.tool).ends_with(APPLY_PATCH) {
        let patch = PATCH_NAMES.into_iter().find_map(|name| params.get(name));
        if let Some(patch) = patch.as_ref().and_then(|patch| patch.as_str()) {
            let path = |line: &str| {
                PATCH_HEADERS.iter().find_map(|header| Some(line.strip_prefix(header)?.trim().to_owned()))
            };
            paths = distinct(patch.lines().filter_map(path).filter(|path| !path.is_empty()));
        }
    }
    if paths.is_empty() {
        let named = PATH_NAMES.into_iter().map(|name| params.texts(name));
        paths = named.into_iter().find(|paths| !paths.is_empty()).unwrap_or_default();
    }
    let machine = other_machine(params);
    let whole = |path: &String| match &machine {
        Some(machine) => format!("{machine}:{}", normalise(path, None)),
        None => normalise(path, call.cwd.as_deref()),
    };
    paths.iter().map(whole).collect()
}

/// The texts of the parameters that name a call's files, as they are written.
pub(crate) fn path_texts(params: &Lookup<'_>) -> impl Iterator<Item = String> {
    PATH_NAMES.into_iter().flat_map(|name| params.texts(name))
}

/// The patch of a call.
pub(crate) fn patch_text(params: &Lookup<'_>) -> Option<String> {
    let patch = PATCH_NAMES.into_iter().find_map(|name| params.get(name))?;
    patch.as_str().map(str::to_owned)
}

/// The folder a command runs in: the one its call names, else the one relative paths start from; `within` is where it
/// goes from there itself.
pub(crate) fn work_folder(call: &ToolCall, params: &Lookup<'_>, within: Option<&str>) -> String {
    let named = WORK_FOLDERS.iter().find_map(|name| params.texts(name).into_iter().next());
    let (machine, base) = match (other_machine(params), named) {
        // What the agent's own folder is says nothing about another machine.
        (Some(machine), named) => (Some(machine), named.map(|path| normalise(&path, None))),
        (None, Some(path)) => (None, Some(normalise(&path, call.cwd.as_deref()))),
        (None, None) => (None, call.cwd.as_deref().map(|cwd| normalise(cwd, None))),
    };
    let folder = match (base, within) {
        (base, Some(within)) => normalise(within, base.as_deref()),
        (Some(base), None) => base,
        (None, None) => CURRENT.to_owned(),
    };
    machine.map_or_else(|| folder.clone(), |machine| format!("{machine}:{folder}"))
}

/// `path`, as a command in `folder` means it.
pub(crate) fn path_in(folder: &str, path: &str) -> String {
    if path.starts_with(['$', '`']) || path.contains("://") {
        path.to_owned()
    } else {
        normalise(path, Some(folder))
    }
}

/// Whether `path` is neither in `folder` nor in a folder for temporary files. What the command does not say counts
/// as inside.
pub(crate) fn is_outside(folder: &str, path: &str) -> bool {
    let is_in = |base: &str| path.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'));
    let is_home = ["~", "$HOME", "${HOME}"].iter().any(|home| path.starts_with(home));
    (path.starts_with(['/', '~']) || path.starts_with("../") || is_home)
        && ![folder, "/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].into_iter().any(is_in)
}

/// The machine a call acts on when that is another one: the same path is another file there.
pub(crate) fn other_machine(params: &Lookup<'_>) -> Option<String> {
    let first = |name: &'static str| params.texts(name).into_iter().next();
    first("node").or_else(|| first("host").filter(|host| !THIS_MACHINE.contains(&host.as_str())))
}

/// `path` from `cwd`, without `.`, `..` and double slashes. By its text alone: symbolic links are not followed.
/// `~/…` stays, and so does a relative path when `cwd` is not known.
pub(super) fn normalise(path: &str, cwd: Option<&str>) -> String {
    let path = path.trim().strip_prefix("file://").unwrap_or(path.trim());
    if is_windows_path(path) || is_normal(path) {
        return path.to_owned();
    }
    from_parts(path, cwd)
}

/// Whether a path is whole and has nothing to be taken out: every slash begins a part that does not begin with a dot.
fn is_normal(path: &str) -> bool {
    let begins_part = |at: usize| !matches!(path.as_bytes().get(at + 1), None | Some(b'/' | b'.'));
    path.starts_with('/') && memchr::memchr_iter(b'/', path.as_bytes()).all(begins_part)
}

fn from_parts(path: &str, cwd: Option<&str>) -> String {
    let is_home = path == "~" || path.starts_with("~/");
    let base = cwd.filter(|cwd| cwd.starts_with('/') && !path.starts_with('/') && !is_home);
    let is_absolute = base.is_some() || path.starts_with('/');
    let mut normal = String::with_capacity(base.map_or(0, str::len) + path.len() + 2);
    for part in base.into_iter().chain([path]).flat_map(|text| text.split('/')) {
        let goes_up = || !matches!(normal.rsplit('/').next(), None | Some("" | ".." | "~"));
        match part {
            "" | "." => {}
            ".." if goes_up() => normal.truncate(normal.rfind('/').unwrap_or(0)),
            ".." if is_absolute => {}
            _ => {
                if is_absolute || !normal.is_empty() {
                    normal.push('/');
                }
                normal.push_str(part);
            }
        }
    }
    if normal.is_empty() {
        normal.push(if is_absolute { '/' } else { '.' });
    }
    normal
}

fn is_windows_path(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_by_their_text() {
        for (path, cwd, normal) in [
            ("/a/b", None, "/a/b"),
            ("/a//b/./c/../d/", Some("/x"), "/a/b/d"),
            ("/../../a", None, "/a"),
            ("/", None, "/"),
            ("b/c", Some("/a"), "/a/b/c"),
            ("../c", Some("/a/b/"), "/a/c"),
            ("../../../c", Some("/a"), "/c"),
            ("./b", None, "b"),
            ("b/../../c", None, "../c"),
            ("../../c", None, "../../c"),
            (".", None, "."),
            (".", Some("/a"), "/a"),
            ("b", Some("relative"), "b"),
            ("~/b/../c", Some("/a"), "~/c"),
            ("~/../b", Some("/a"), "~/../b"),
            ("~user/b", Some("/a"), "/a/~user/b"),
            (" /a/b ", None, "/a/b"),
            ("file:///a/b", None, "/a/b"),
            ("C:\\a\\b", Some("/x"), "C:\\a\\b"),
        ] {
            assert_eq!(normalise(path, cwd), normal, "{path} in {cwd:?}");
        }
    }

    #[test]
    fn a_path_that_is_normal_comes_out_as_it_is() {
        let parts = ["", "/", "a", ".", "..", "/a", "/.", "/..", "/.a", "/~", "a/", "b"];
        for one in parts {
            for path in parts.iter().flat_map(|two| parts.map(|three| [one, two, three].concat())) {
                for cwd in [None, Some("/x/y"), Some("x")] {
                    let slowly = from_parts(&path, cwd);
                    assert!(!is_normal(&path) || slowly == path, "{path} in {cwd:?}: {slowly}");
                    assert_eq!(normalise(&path, cwd), slowly, "{path} in {cwd:?}");
                }
            }
        }
        assert!(is_normal("/srv/agent/out/1.md") && !is_normal("/srv/./agent") && !is_normal("a"));
    }
}
