//! Programs whose exit code does not say that nothing was done.

use super::words::program_name;

/// Programs behind which several commands, or a command and something of its own, may hide: shells and
/// their built-ins, wrappers, interpreters, runners, and tools that take many steps before they fail.
#[rustfmt::skip]
const COMPOUND: &[&str] = &[
    ".", "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "busybox", "toybox", "pwsh", "powershell",
    "eval", "source", "exec", "command", "builtin", "trap", "alias",
    "xargs", "parallel", "timeout", "gtimeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "unbuffer", "script", "watch", "find", "fd",
    "sudo", "doas", "su", "runuser", "chroot", "unshare", "nsenter", "flock", "strace", "ltrace", "systemd-run", "at", "batch",
    "tmux", "screen", "expect", "ssh", "rsh", "mosh", "docker", "podman", "nerdctl", "lxc", "vagrant",
    "python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "osascript", "tclsh", "awk", "gawk", "mawk",
    "R", "Rscript", "java", "dotnet", "go", "tsx", "ts-node",
    "npm", "npx", "pnpm", "pnpx", "yarn", "bunx", "uv", "uvx", "pipx", "poetry", "pipenv", "hatch", "cargo", "bundle", "rake", "composer",
    "make", "gmake", "just", "task", "ninja", "cmake", "ant", "mvn", "gradle", "gradlew", "bazel", "tox", "nox", "pytest", "act",
    "kubectl", "oc", "helm", "terraform", "tofu", "terragrunt", "pulumi", "ansible", "ansible-playbook", "cdk", "sam", "serverless", "sls",
    "vercel", "netlify", "wrangler", "fly", "flyctl", "firebase", "heroku", "railway", "kamal", "eb", "gcloud", "aws", "az", "twine",
];

/// Whether `program`, as it was written, does one thing or fails.
pub(super) fn runs_one_command(program: &str) -> bool {
    let name = program_name(program);
    // A path outside the usual folders leads to a script as likely as to a program.
    let folder = program.strip_suffix(name).unwrap_or_default();
    let usual_folder = folder.is_empty() || folder.ends_with("bin/");
    let is_script = name.rsplit_once('.').is_some_and(|(_, ending)| {
        matches!(ending, "sh" | "bash" | "zsh" | "py" | "js" | "mjs" | "ts" | "rb" | "pl" | "php")
    });
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let family = if family.is_empty() { name } else { family };
    let plain = !name.is_empty() && !name.starts_with('-') && !name.contains(['$', '*', '?', '[', '~', '=']);
    let is_compound = COMPOUND.contains(&name) || family != name && COMPOUND.contains(&family);
    plain && usual_folder && !is_script && !is_compound
}
