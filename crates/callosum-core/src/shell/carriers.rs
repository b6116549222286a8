//! Programs that run a command which somebody else wrote into their words, as one table: `sudo`, `docker exec`, `bash -c`,
//! `tmux new` … What they carry is read as if it stood in the line itself. Tests walk the table.

use crate::command::POWER_SHELLS;

/// How a program carries a command.
#[derive(Debug)]
pub(super) struct Carrier {
    pub(super) names: &'static [&'static str],
    /// Subcommands of which one must stand there, each one word or several. Without any, the program itself carries.
    pub(super) verbs: &'static [&'static str],
    /// Its options that have a value as the next word, one space between each two.
    pub(super) values: &'static str,
    /// Its options that have two.
    pub(super) pairs: &'static str,
    /// Its options whose value is a text for a shell.
    pub(super) texts: &'static str,
    /// Such an option may stand anywhere among its words, behind operands too.
    pub(super) anywhere: bool,
    /// Its options that all words of the command follow.
    pub(super) begins: &'static str,
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
    /// It does something of its own: rules may be for it, too.
    pub(super) is_noted: bool,
}

/// What the words of a carrier are, behind its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// A command.
    Command,
    /// A command to which something is appended that the line does not say.
    Open,
    /// A command whose program may have a version: `wrangler@4`.
    Package,
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
    /// Keys to be typed, up to one that ends the line.
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
    /// What PowerShell is called with.
    PowerShell,
    /// What the command prompt of Windows is called with.
    Prompt,
}

const CARRIER: Carrier = Carrier {
    names: &[],
    verbs: &[],
    values: "",
    pairs: "",
    texts: "",
    anywhere: false,
    begins: "",
    marks: false,
    operands: 0,
    rest: Rest::Command,
    reads: false,
    hands_on: true,
    away: false,
    is_noted: false,
};

/// A program that is at work itself, elsewhere or later, when what it carries is run.
const REMOTE: Carrier = Carrier { hands_on: false, away: true, is_noted: true, ..CARRIER };

const CONTAINER_VALUES: &str = "-H --host --context -c --config -l --log-level --tlscacert --connection --url --root --address --namespace -n -f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress -e --env -u --user -w --workdir --index --detach-keys -v --volume --name --network --net --mount --publish --expose --label --label-file --platform --pull --restart --rm-by --entrypoint --hostname -h --ip --link --log-driver --log-opt -m --memory --cpus --cpu-shares -a --attach --add-host --cap-add --cap-drop --cgroupns --cidfile --device --dns --gpus --group-add --health-cmd --ipc --isolation --pid --pids-limit --runtime --security-opt --shm-size --stop-signal --stop-timeout --sysctl --tmpfs --ulimit --userns --uts --volumes-from --volume-driver --pod --secret --annotation";
const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "busybox", "csh", "tcsh"];

#[rustfmt::skip]
pub(super) static CARRIERS: &[Carrier] = &[
    // Shells, and what they have built in.
    Carrier { names: SHELLS, rest: Rest::Shell, ..CARRIER },
    Carrier { names: &["eval"], rest: Rest::Joined, ..CARRIER },
    Carrier { names: &["source", "."], rest: Rest::Script, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["trap"], rest: Rest::First, hands_on: false, ..CARRIER },
    Carrier { names: POWER_SHELLS, rest: Rest::PowerShell, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["cmd", "CMD"], rest: Rest::Prompt, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["nohup", "command", "builtin", "exec", "chronic", "unbuffer", "time", "caffeinate", "nocorrect", "noglob"], values: "-a -f -o -t -w", ..CARRIER },
    Carrier { names: &["setsid"], ..CARRIER },
    // Other users and surroundings on this machine.
    Carrier { names: &["sudo", "doas"], values: "-u -g -h -p -C -r -t -T -U -R -D --user --group --host --prompt --chdir --role --type --close-from --chroot --command-timeout --other-user", reads: true, ..CARRIER },
    Carrier { names: &["su"], values: "-s -g -G -w --shell --group --supp-group --whitelist-environment", texts: "-c --command --session-command", anywhere: true, rest: Rest::Own, reads: true, hands_on: false, ..CARRIER },
    Carrier { names: &["runuser"], values: "-u -g -G -l -s -w --user --group --supp-group --login --shell", texts: "-c --command --session-command", anywhere: true, reads: true, hands_on: false, ..CARRIER },
    Carrier { names: &["script"], values: "-E -o -O -I -B -T -m --echo --output-limit --log-out --log-in --log-io --log-timing --logging-format", texts: "-c --command", anywhere: true, rest: Rest::Own, reads: true, hands_on: false, ..CARRIER },
    Carrier { names: &["pkexec"], values: "--user", ..CARRIER },
    Carrier { names: &["gosu", "su-exec", "s6-setuidgid", "setuidgid"], operands: 1, ..CARRIER },
    Carrier { names: &["chpst"], values: "-u -U -b -/ -C -n -m -d -o -p -f -c -l -L -e", ..CARRIER },
    Carrier { names: &["softlimit"], values: "-a -c -d -f -l -m -o -p -r -s -t", ..CARRIER },
    Carrier { names: &["setpriv"], values: "--groups --inh-caps --ambient-caps --bounding-set --pdeathsig --rgid --regid --egid --ruid --reuid --euid --securebits --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter --ptracer", ..CARRIER },
    Carrier { names: &["chroot"], operands: 1, reads: true, away: true, ..CARRIER },
    Carrier { names: &["unshare"], values: "-S -G -R -w --setuid --setgid --root --wd --propagation --setgroups --map-user --map-group --map-users --map-groups --monotonic --boottime", reads: true, ..CARRIER },
    Carrier { names: &["nsenter"], values: "-t -S -G -W --target --setuid --setgid --wdns", reads: true, away: true, ..CARRIER },
    Carrier { names: &["firejail"], ..CARRIER },
    Carrier { names: &["bwrap"], values: "--args --argv0 --userns --userns2 --pidns --uid --gid --hostname --chdir --unsetenv --lock-file --sync-fd --remount-ro --exec-label --file-label --proc --dev --tmpfs --mqueue --dir --seccomp --add-seccomp-fd --block-fd --userns-block-fd --info-fd --json-status-fd --cap-add --cap-drop --perms --size", pairs: "--setenv --bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --file --bind-data --ro-bind-data --symlink --chmod --overlay-src --bind-fd --ro-bind-fd", away: true, ..CARRIER },
    Carrier { names: &["proot"], values: "-r -b -q -w -k -i -R -S -v --rootfs --bind --qemu --pwd --cwd --kernel-release --change-id", away: true, ..CARRIER },
    Carrier { names: &["fakeroot", "fakechroot"], values: "-l -s -i -b -c -f --lib --faked --use-fakeroot", reads: true, ..CARRIER },
    Carrier { names: &["env"], values: "-u --unset -C --chdir -P", texts: "-S --split-string", ..CARRIER },
    Carrier { names: &["cross-env"], ..CARRIER },
    Carrier { names: &["cross-env-shell"], rest: Rest::Joined, ..CARRIER },
    Carrier { names: &["dbus-run-session"], values: "--config-file --dbus-daemon", ..CARRIER },
    Carrier { names: &["xvfb-run"], values: "-e -f -n -p -s -w --error-file --auth-file --server-num --xauth-protocol --server-args --wait", ..CARRIER },
    // Priorities, limits, time, and who looks on.
    Carrier { names: &["nice", "ionice", "stdbuf"], values: "-n -c -p -i -o -e --adjustment --class --classdata --input --output --error", ..CARRIER },
    Carrier { names: &["chrt", "taskset"], values: "-T -P -D", operands: 1, ..CARRIER },
    Carrier { names: &["numactl"], values: "-i -p -P -m -w -N -C -l --interleave --preferred --preferred-many --membind --weighted-interleave --cpunodebind --physcpubind", ..CARRIER },
    Carrier { names: &["prlimit"], values: "-p -o --pid --output", ..CARRIER },
    Carrier { names: &["timeout", "gtimeout"], values: "-k -s --kill-after --signal", operands: 1, hands_on: false, ..CARRIER },
    Carrier { names: &["flock"], values: "-w -E --timeout --wait --conflict-exit-code", texts: "-c --command", operands: 1, ..CARRIER },
    Carrier { names: &["strace", "ltrace"], values: "-e -o -p -s -u -E -P -a -b -I -O -S -X", ..CARRIER },
    Carrier { names: &["tini", "catatonit"], values: "-p -e", ..CARRIER },
    Carrier { names: &["dumb-init"], values: "-r --rewrite", ..CARRIER },
    Carrier { names: &["watch"], values: "-n -q --interval --equexit", rest: Rest::Joined, hands_on: false, ..CARRIER },
    Carrier { names: &["retry"], values: "-t -d -m -s -n -w --times --delay --tries --max --sleep --until --while --wait", hands_on: false, ..CARRIER },
    Carrier { names: &["wait-for-it", "wait-for", "wait-for-it.sh", "wait-for.sh", "dockerize"], values: "-t -h -p -wait -timeout --timeout --host --port", operands: 1, marks: true, hands_on: false, ..CARRIER },
    Carrier { names: &["ts", "tsp", "task-spooler"], values: "-L -D -W -N -S", hands_on: false, ..CARRIER },
    Carrier { names: &["entr", "watchexec"], values: "-w -e -i -f --watch --exts --ignore --filter --debounce", rest: Rest::Lone, hands_on: false, ..CARRIER },
    Carrier { names: &["nodemon"], values: "-w -e -i -d --watch --ext --ignore --delay", texts: "-x --exec", anywhere: true, rest: Rest::Own, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["concurrently"], values: "-n -c -p -s -l -m -t --names --prefix-colors --prefix --success --max-processes --restart-tries --restart-after --timestamp-format --prefix-length --kill-signal --ks --cwd", rest: Rest::Each, hands_on: false, ..CARRIER },
    Carrier { names: &["systemd-run"], values: "-u --unit -p --property --on-calendar --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive -E --setenv --uid --gid --description --slice -M --machine -H --host -d --working-directory --service-type --nice", reads: true, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["hyperfine"], values: "-w -m -M -r -n -p -c -s -S -L -P -D -u --warmup --min-runs --max-runs --runs --setup --prepare --conclude --cleanup --shell --parameter-list --parameter-scan --parameter-step-size --command-name --export-json --export-csv --export-markdown --export-asciidoc --style --sort --time-unit --output --input --reference", rest: Rest::Each, hands_on: false, ..CARRIER },
    Carrier { names: &["perf"], verbs: &["stat", "record", "trace"], values: "-e -o -r -F -c -g -C -p -t -D -I -m -G --event --output --repeat --freq --count --call-graph --cpu --pid --delay", hands_on: false, ..CARRIER },
    Carrier { names: &["valgrind", "rlwrap", "catchsegv", "nq", "daemonize", "linux32", "linux64"], values: "-a -b -C -D -f -g -H -l -m -p -P -q -r -s -S -w -z -c -e -E -o -u", hands_on: false, ..CARRIER },
    Carrier { names: &["setarch"], operands: 1, ..CARRIER },
    Carrier { names: &["rr"], verbs: &["record"], values: "-o -c -v -M --output-trace-dir", hands_on: false, ..CARRIER },
    Carrier { names: &["schedtool"], begins: "-e", rest: Rest::Own, hands_on: false, ..CARRIER },
    Carrier { names: &["cgexec"], values: "-g", ..CARRIER },
    Carrier { names: &["at", "batch"], rest: Rest::Own, reads: true, hands_on: false, is_noted: true, ..CARRIER },
    // Terminals.
    Carrier { names: &["tmux"], verbs: &["new", "new-session", "neww", "new-window", "splitw", "split-window", "respawnp", "respawn-pane", "respawnw", "respawn-window", "run", "run-shell", "popup", "display-popup", "pipep", "pipe-pane"], values: "-L -S -f -c -e -F -n -s -t -T -x -y -l", rest: Rest::Lone, ..REMOTE },
    Carrier { names: &["tmux"], verbs: &["if", "if-shell"], values: "-L -S -f -t", rest: Rest::Each, ..REMOTE },
    Carrier { names: &["tmux"], verbs: &["send", "send-keys"], values: "-L -S -f -t -N", rest: Rest::Keys, ..REMOTE },
    Carrier { names: &["screen"], values: "-S -c -e -h -p -s -t -T", rest: Rest::Lone, ..REMOTE },
    Carrier { names: &["xterm", "konsole", "alacritty", "urxvt", "foot"], begins: "-e", rest: Rest::Lone, ..REMOTE },
    Carrier { names: &["kitty"], values: "-c -d -o -T --config --directory --override --title --class --name --session", rest: Rest::Lone, ..REMOTE },
    Carrier { names: &["wezterm"], verbs: &["start"], values: "--cwd --class --workspace --position --domain", marks: true, ..REMOTE },
    Carrier { names: &["zellij"], verbs: &["run"], values: "-d -n -s -x -y --direction --cwd --name --width --height", marks: true, ..REMOTE },
    Carrier { names: &["gnome-terminal", "xfce4-terminal"], begins: "-x", texts: "-e --command", marks: true, rest: Rest::Own, ..REMOTE },
    // Containers and other machines.
    Carrier { names: &["docker", "podman", "nerdctl"], verbs: &["exec", "run", "container exec", "container run", "compose exec", "compose run"], values: CONTAINER_VALUES, operands: 1, ..REMOTE },
    Carrier { names: &["docker-compose", "podman-compose"], verbs: &["exec", "run"], values: CONTAINER_VALUES, operands: 1, ..REMOTE },
    Carrier { names: &["kubectl", "oc"], verbs: &["exec", "rsh"], values: "-n --namespace --context --cluster --user --kubeconfig -c --container --pod-running-timeout -f --filename -s --server --token --as --as-group --request-timeout --timeout --shell", marks: true, operands: 1, ..REMOTE },
    Carrier { names: &["kubectl", "oc"], verbs: &["run", "debug"], values: "-n --namespace --context --image --image-pull-policy --restart --env -l --labels --overrides --port --target -c --container --profile", marks: true, rest: Rest::Own, ..REMOTE },
    Carrier { names: &["ssh", "mosh", "rsh", "autossh"], values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -M --ssh -B", operands: 1, rest: Rest::Joined, reads: true, ..REMOTE },
    Carrier { names: &["wsl"], values: "-d -u --distribution --user --cd --shell-type", begins: "-e --exec", rest: Rest::Lone, reads: true, ..REMOTE },
    Carrier { names: &["sshpass"], values: "-p -f -d -P", hands_on: false, ..CARRIER },
    Carrier { names: &["vagrant"], verbs: &["ssh"], values: "-m --machine-readable", texts: "-c --command", anywhere: true, rest: Rest::Own, ..REMOTE },
    Carrier { names: &["tailscale"], verbs: &["ssh"], operands: 1, rest: Rest::Joined, ..REMOTE },
    Carrier { names: &["gcloud"], verbs: &["compute ssh"], values: "--project --zone --configuration --account --ssh-key-file --tunnel-through-iap", texts: "--command", anywhere: true, rest: Rest::Own, ..REMOTE },
    Carrier { names: &["heroku"], verbs: &["run", "run:detached"], values: "-a -r -s -e --app --remote --size --type --env", rest: Rest::Lone, ..REMOTE },
    Carrier { names: &["fly", "flyctl"], verbs: &["ssh console"], values: "-a -c -r -o -u -g -s --app --config --region --org --user --machine --process-group", texts: "-C --command", anywhere: true, rest: Rest::Own, ..REMOTE },
    Carrier { names: &["lxc", "incus"], verbs: &["exec"], values: "--cwd --env --user --group --mode -t -T --project", marks: true, operands: 1, ..REMOTE },
    Carrier { names: &["multipass", "pct"], verbs: &["exec"], values: "-d --working-directory --name", marks: true, operands: 1, ..REMOTE },
    Carrier { names: &["limactl"], verbs: &["shell"], values: "--shell --workdir", operands: 1, ..REMOTE },
    Carrier { names: &["colima"], verbs: &["ssh"], values: "-p --profile", marks: true, ..REMOTE },
    Carrier { names: &["crictl"], verbs: &["exec"], values: "-r -i -t --runtime-endpoint --timeout --mask", operands: 1, ..REMOTE },
    Carrier { names: &["ctr"], verbs: &["task exec", "tasks exec", "t exec"], values: "-a -n --address --namespace --exec-id --cwd --user --fifo-dir --log-uri", operands: 1, ..REMOTE },
    Carrier { names: &["machinectl"], verbs: &["shell"], values: "-M -H -E --machine --host --setenv --uid", operands: 1, ..REMOTE },
    Carrier { names: &["systemd-nspawn"], values: "-D -i -M -u -E -U -S -p -Z -L --directory --image --machine --user --setenv --bind --bind-ro --chdir", ..REMOTE },
    Carrier { names: &["distrobox"], verbs: &["enter"], values: "-n -e -a --name --additional-flags", marks: true, operands: 1, ..REMOTE },
    Carrier { names: &["toolbox"], verbs: &["run"], values: "-c -d -r --container --distro --release", ..REMOTE },
    Carrier { names: &["flatpak-spawn"], values: "--env --directory", ..REMOTE },
    Carrier { names: &["ip"], verbs: &["netns exec"], values: "-f -b -rc", operands: 1, ..CARRIER },
    // Packages, environments and secrets.
    Carrier { names: &["npx", "bunx", "pnpx", "uvx"], values: "-p --package --from --with --python", texts: "-c --call", rest: Rest::Package, ..CARRIER },
    Carrier { names: &["npm", "pnpm", "yarn", "bun"], verbs: &["exec", "dlx", "x"], values: "-p --package -C --dir --filter --prefix -w --workspace --cwd", texts: "-c --call --shell-mode", rest: Rest::Package, ..CARRIER },
    Carrier { names: &["pipx", "rye", "pdm", "poetry", "pipenv", "hatch", "uv", "conda", "mamba", "micromamba"], verbs: &["run", "tool run"], values: "--from --with --python -p --spec --directory --project -n --name", rest: Rest::Package, ..CARRIER },
    Carrier { names: &["corepack"], rest: Rest::Package, ..CARRIER },
    Carrier { names: &["volta"], verbs: &["run"], values: "--node --npm --pnpm --yarn --env", ..CARRIER },
    Carrier { names: &["bundle", "asdf", "rbenv", "pyenv", "nodenv"], verbs: &["exec", "run", "x"], ..CARRIER },
    Carrier { names: &["mise", "op", "infisical", "vaultenv", "teller", "railway"], verbs: &["exec", "run", "x"], values: "-f --env-file -p --project -c --config --env --account -s --service -e --environment", marks: true, ..CARRIER },
    Carrier { names: &["doppler"], verbs: &["run"], values: "-p --project -c --config -t --token", texts: "--command", marks: true, ..CARRIER },
    Carrier { names: &["sops"], verbs: &["exec-env", "exec-file"], values: "--user --filename", operands: 1, rest: Rest::First, hands_on: false, ..CARRIER },
    Carrier { names: &["envdir"], operands: 1, ..CARRIER },
    Carrier { names: &["lerna"], verbs: &["exec"], values: "--scope --ignore --concurrency --since", marks: true, hands_on: false, ..CARRIER },
    Carrier { names: &["nx"], verbs: &["run-commands"], texts: "--command", anywhere: true, rest: Rest::Own, hands_on: false, ..CARRIER },
    Carrier { names: &["dotenv", "dotenvx"], verbs: &["exec", "run", "x"], values: "-e -f --env-file -c -v -p", marks: true, ..CARRIER },
    Carrier { names: &["dotenv", "dotenvx"], values: "-e -f --env-file -c -v -p", marks: true, ..CARRIER },
    Carrier { names: &["chamber", "aws-vault"], verbs: &["exec"], values: "-b --backend -d --duration --region", marks: true, operands: 1, ..CARRIER },
    Carrier { names: &["direnv"], verbs: &["exec"], operands: 1, ..CARRIER },
    Carrier { names: &["envchain"], operands: 1, ..CARRIER },
    Carrier { names: &["nix"], verbs: &["develop", "shell", "dev-shell", "env shell"], values: "-f --file -I --include -k --keep -u --unset", pairs: "--arg --argstr --option --override-input --redirect", begins: "-c --command", rest: Rest::Own, reads: true, is_noted: true, ..CARRIER },
    Carrier { names: &["nix"], verbs: &["run"], values: "-f --file -I --include", pairs: "--arg --argstr --option --override-input", rest: Rest::Flake, is_noted: true, ..CARRIER },
    Carrier { names: &["nix-shell"], values: "-p --packages -I -i --attr -A --keep", pairs: "--arg --argstr --option", texts: "--run --command", anywhere: true, rest: Rest::Own, reads: true, is_noted: true, ..CARRIER },
    // Each of many.
    Carrier { names: &["xargs"], values: "-I -n -P -d -L -a -s -E --max-args --max-procs --delimiter --arg-file --max-lines --max-chars --replace", rest: Rest::Open, hands_on: false, ..CARRIER },
    Carrier { names: &["parallel"], values: "-I -n -N -P -d -L -a -s -E -j -S --max-args --max-procs --delimiter --arg-file --max-lines --max-chars --replace --jobs --delay --timeout --colsep --retries --joblog --results --tmpdir --workdir --sshlogin --tagstring --load --memfree --halt --nice", rest: Rest::Parallel, hands_on: false, ..CARRIER },
    Carrier { names: &["find", "fd", "fdfind"], rest: Rest::Executed, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["git"], verbs: &["submodule foreach"], values: "-C -c --git-dir --work-tree", rest: Rest::Lone, ..REMOTE },
    Carrier { names: &["git"], verbs: &["bisect run"], values: "-C -c --git-dir --work-tree", hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["git"], verbs: &["rebase"], values: "-C -c --git-dir --work-tree --onto -s --strategy -X --strategy-option", texts: "-x --exec", rest: Rest::Own, hands_on: false, is_noted: true, ..CARRIER },
    Carrier { names: &["python", "pypy"], rest: Rest::Module, ..CARRIER },
];

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

/// The entries for a program, in order.
pub(super) fn carriers(name: &str) -> impl Iterator<Item = &'static Carrier> {
    let family = match name.as_bytes() {
        // `python3.12`
        [b'p', b'y', ..] => name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'),
        _ => name,
    };
    let lengths = family.bytes().next().and_then(|first| LENGTHS.get(usize::from(first)));
    let may_be = lengths.is_some_and(|lengths| lengths & (1 << (family.len() % 32)) != 0);
    let entries = if may_be { CARRIERS } else { &[] };
    entries.iter().filter(move |carrier| carrier.names.contains(&family))
}

/// Whether `name` is a shell's.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

#[cfg(test)]
mod tests;
