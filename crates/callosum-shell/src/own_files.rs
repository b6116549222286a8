//! The names of Callosum's own files, as they stand in commands: its state, and the settings that hold its hooks. The core's build
//! script compiles this file too.

/// The one list of these names, without the dot before a folder's and the `$` before a variable's; and what is looked for in texts.
macro_rules! own_files {
    (
        state $state:literal or $state_variable:literal;
        $(hooks $folder:literal or [$($variable:literal)?]: $($file:literal),+;)+
    ) => {
        /// The folder of Callosum's state.
        pub const STATE: &str = concat!(".", $state);
        /// The variable that names another folder of the state.
        pub const STATE_VARIABLE: &str = $state_variable;
        /// Settings that hold the hooks of the gate, by the folder they stand in; and the variables that name such folders.
        pub const HOOK_SETTINGS: &[(&str, &[&str], &[&str])] = &[$((
            concat!(".", $folder),
            &[$(concat!("$", $variable), concat!("${", $variable, "}"))?],
            &[$($file),+],
        )),+];
        /// Texts of which one is in the name of every path that guards the gate.
        pub(crate) const GUARDED_NAMES: &[&str] =
            &[
                concat!(".", $state), $state_variable, $(concat!(".", $folder), $($variable,)?)+
                // What asks the gate.
                concat!("bin/", $state), concat!("share/", $state), concat!("extensions/", $state),
            ];
        /// The words of which one is in every text that names such a path, with `|` between them.
        pub(crate) const GUARDED_WORDS: &str =
            concat!($state, "|", $state_variable, $("|", $folder, $("|", $variable,)?)+);
    };
}

own_files! {
    state "callosum" or "CALLOSUM_STATE_DIR";
    hooks "claude" or ["CLAUDE_CONFIG_DIR"]: "settings.json", "settings.local.json";
    hooks "codex" or ["CODEX_HOME"]: "hooks.json", "config.toml";
    hooks "gemini" or []: "settings.json";
}

/// The name of the program that hooks call, and of the extension that a gateway loads.
pub const OWN_NAME: &str = "callosum";
/// The program of the service, which stands beside it.
const SERVICE: &str = "callosum-serve";
/// Folders of programs that all users have.
const PREFIXES: &[&str] =
    &["/usr", "/usr/local", "/opt/homebrew", "/opt/local", "/home/linuxbrew/.linuxbrew"];
/// Folders of programs in somebody's home.
const HOME_PREFIXES: &[&str] = &["", "/.local", "/.cargo", "/.npm-global"];
/// The folder of OpenClaw's state, and the variable that names another one.
const GATEWAY: &[&str] = &[".openclaw", "$OPENCLAW_STATE_DIR", "${OPENCLAW_STATE_DIR}"];

/// Whether what stands at `rest` in the folder `name` of `base` is what asks the gate: the program that hooks call, where programs are
/// installed, or the extension of a gateway.
#[must_use]
pub fn asks_the_gate(base: &str, name: &str, rest: &str) -> bool {
    let in_home = |prefixes: &[&str]| {
        // A folder that is worked in is none, though runtimes look for settings there.
        let is_one =
            |home: &str| matches!(home, "$HOME" | "${HOME}") || home.starts_with(['~', '/']) && is_home(home);
        prefixes.iter().any(|prefix| base.strip_suffix(*prefix).is_some_and(is_one))
    };
    let first = rest.split('/').next().unwrap_or_default();
    match name {
        "bin" => matches!(rest, OWN_NAME | SERVICE) && (PREFIXES.contains(&base) || in_home(HOME_PREFIXES)),
        "share" => first == OWN_NAME && in_home(&["/.local"]),
        "extensions" => first == OWN_NAME && GATEWAY.contains(&base.rsplit('/').next().unwrap_or_default()),
        _ => false,
    }
}

/// Variables that name a folder in which runtimes look for the folders of their settings.
const HOMES: &[&str] = &["HOME", "GEMINI_CLI_HOME", "CLAUDE_PROJECT_DIR", "PWD"];

/// Whether a folder is somebody's home, as far as its text says. None is the one that nobody names.
#[must_use]
pub fn is_home(folder: &str) -> bool {
    if let Some(variable) = folder.strip_prefix('$') {
        let name = variable.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(variable);
        return HOMES.contains(&name);
    }
    let parts: Vec<&str> = folder.split('/').collect();
    match parts.as_slice() {
        [""] | [".."] | ["", "root"] | ["", "var", "root"] | ["", "home" | "Users", _] => true,
        [name] => name.starts_with('~'),
        _ => false,
    }
}

/// Whether the last part of a path is a folder that settings with hooks stand in.
pub(crate) fn is_settings_folder(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    HOOK_SETTINGS.iter().any(|(folder, variables, _)| name == *folder || variables.contains(&name))
}
