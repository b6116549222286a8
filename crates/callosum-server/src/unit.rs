//! `callosum install service` and `callosum uninstall service`: what has the system start the service when its user logs in.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use callosum_core::store::state_dir::StateDir;
use serde_json::json;
use similar::TextDiff;

use crate::args::Install;
use crate::failure::Failure;

/// How ours begin: others are left alone.
const SYSTEMD_MARK: &str =
    "# Written by `callosum install service`; `callosum uninstall service` removes it.";
const LAUNCHD_MARK: &str =
    "<!-- Written by `callosum install service`; `callosum uninstall service` removes it. -->";

/// What starts services here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manager {
    Systemd,
    Launchd,
}

impl Manager {
    fn here() -> Self {
        if cfg!(target_os = "macos") { Self::Launchd } else { Self::Systemd }
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Systemd => SYSTEMD_MARK,
            Self::Launchd => LAUNCHD_MARK,
        }
    }

    /// The file that tells it of the service.
    fn file(self) -> Result<PathBuf, Failure> {
        let home = env::home_dir().filter(|home| home.is_absolute());
        let home = home.ok_or_else(|| Failure::new("HOME names no folder", "set HOME to yours"))?;
        Ok(match self {
            Self::Systemd => {
                let configured =
                    env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
                configured.unwrap_or_else(|| home.join(".config")).join("systemd/user/callosum.service")
            }
            Self::Launchd => home.join("Library/LaunchAgents/ai.callosum.serve.plist"),
        })
    }

    /// What stands in it.
    fn text(self, program: &str, state_dir: &str) -> String {
        match self {
            Self::Systemd => {
                let (program, state_dir) = (systemd_word(program), systemd_word(state_dir));
                format!(
                    "{SYSTEMD_MARK}\n\n[Unit]\nDescription=Callosum: the gate over HTTP\n\n[Service]\nType=notify\n\
                     ExecStart={program} serve --state-dir {state_dir}\nRestart=on-failure\nRestartSec=2\n\
                     TimeoutStopSec=10\n\n[Install]\nWantedBy=default.target\n"
                )
            }
            Self::Launchd => {
                let words = [program, "serve", "--state-dir", state_dir]
                    .map(|word| format!("<string>{}</string>", xml(word)));
                format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{LAUNCHD_MARK}\n\
                     <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
                     <plist version=\"1.0\">\n<dict>\n  <key>Label</key><string>ai.callosum.serve</string>\n  \
                     <key>ProgramArguments</key>\n  <array>{}</array>\n  <key>RunAtLoad</key><true/>\n  \
                     <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n</dict>\n</plist>\n",
                    words.concat()
                )
            }
        }
    }

    /// What is to be done once the file is there.
    fn next(self, file: &Path) -> String {
        match self {
            Self::Systemd => "Start it: systemctl --user daemon-reload && systemctl --user enable --now callosum\n\
                              It ends with your last session on this machine. To have it run without one: loginctl enable-linger"
                .to_owned(),
            Self::Launchd => format!(
                "Start it: launchctl bootstrap gui/$(id -u) {}\nThis was never tried on a Mac: tell us how it went.",
                file.display()
            ),
        }
    }

    /// What is to be done before the file goes.
    fn before(self) -> &'static str {
        match self {
            Self::Systemd => "If it runs, stop it: systemctl --user disable --now callosum",
            Self::Launchd => "If it runs, stop it: launchctl bootout gui/$(id -u)/ai.callosum.serve",
        }
    }
}

/// A word of a systemd unit: quoted, with what means something there doubled (systemd.service(5), systemd.unit(5)).
fn systemd_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{escaped}\"")
}

fn xml(word: &str) -> String {
    word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Writes the file that has the service started.
pub(crate) fn install(directory: &StateDir, asked: &Install, as_json: bool) -> Result<ExitCode, Failure> {
    let manager = Manager::here();
    let program = env::current_exe().and_then(|program| program.canonicalize());
    let program = program.map_err(|error| {
        Failure::new(format!("can't tell where this program is: {error}"), "put it where it can be run from")
    })?;
    let words = [program.as_path(), directory.path.as_path()].map(|path| {
        let text = path.to_str().filter(|text| !text.contains(char::is_control));
        text.map(str::to_owned).ok_or_else(|| {
            let fragment = format!("the path `{}` can't stand in a unit", path.display());
            Failure::new(fragment, "use one of plain UTF-8")
        })
    });
    let [program, state_dir] = words;
    let text = manager.text(&program?, &state_dir?);
    if asked.print {
        return print(&text).map(|()| ExitCode::SUCCESS);
    }
    let file = manager.file()?;
    let known = ours(manager, &file)?;
    let changed = known.as_deref() != Some(&text);
    if changed && !asked.dry_run {
        write(&file, &text)?;
    }
    let done = match (changed, asked.dry_run) {
        (false, _) => format!("{} is there already.", file.display()),
        (true, true) => format!("Nothing was written. Without --dry-run, this goes to {}.", file.display()),
        (true, false) => format!("Wrote {}.\n{}", file.display(), manager.next(&file)),
    };
    report(&file, known.as_deref().unwrap_or_default(), &text, changed, asked, &done, as_json)
}

/// Removes it again.
pub(crate) fn uninstall(asked: &Install, as_json: bool) -> Result<ExitCode, Failure> {
    let manager = Manager::here();
    let file = manager.file()?;
    let known = ours(manager, &file)?;
    if known.is_some() && !asked.dry_run {
        fs::remove_file(&file).map_err(|error| cant(&file, "remove", &error))?;
    }
    let done = match (known.is_some(), asked.dry_run) {
        (false, _) => format!("There is no {}.", file.display()),
        (true, true) => format!("Nothing was removed. Without --dry-run, {} is.", file.display()),
        (true, false) => format!("Removed {}.\n{}", file.display(), manager.before()),
    };
    report(&file, known.as_deref().unwrap_or_default(), "", known.is_some(), asked, &done, as_json)
}

/// What stands in the file; `None` where there is none.
fn ours(manager: Manager, file: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(file) {
        Ok(text) if text.contains(manager.mark()) => Ok(Some(text)),
        Ok(_) => Err(Failure::new(
            format!("`{}` was not written by `callosum install service`", file.display()),
            "move it away first",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cant(file, "read", &error)),
    }
}

fn cant(file: &Path, what: &str, error: &io::Error) -> Failure {
    Failure::new(format!("can't {what} `{}`: {error}", file.display()), "check the permissions")
}

/// Puts the text in place in one step.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder).map_err(|error| cant(folder, "create", &error))?;
    let beside = file.with_extension(format!("new.{}", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        // It may not even be there.
        let _ = fs::remove_file(&beside);
        cant(file, "write", &error)
    })
}

fn report(
    file: &Path,
    before: &str,
    after: &str,
    changed: bool,
    asked: &Install,
    done: &str,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let name = file.display().to_string();
    let diff = TextDiff::from_lines(before, after);
    let diff = diff.unified_diff().header(&name, &name).to_string();
    if as_json {
        let lines: Vec<&str> = diff.lines().collect();
        let report = json!({ "file": name, "changed": changed, "dryRun": asked.dry_run, "diff": lines });
        print(&format!("{report}\n"))?;
    } else {
        print(&format!("{diff}{done}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        Failure::new(format!("can't write to standard output: {error}"), "look where it goes")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_unit_is_one_word_whatever_is_in_it() {
        assert_eq!(systemd_word("/a b/$HOME/%h\"\\"), "\"/a b/$$HOME/%%h\\\"\\\\\"");
    }

    #[test]
    fn an_agent_of_launchd_is_well_formed_whatever_its_paths_are() {
        let text = Manager::Launchd.text("/a&b/<callosum-serve>", "/state");
        assert!(
            text.contains("<string>/a&amp;b/&lt;callosum-serve&gt;</string><string>serve</string>"),
            "{text}"
        );
    }
}
