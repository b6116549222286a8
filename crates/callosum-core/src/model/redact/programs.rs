//! Programs that are given secrets, and where: in an option, an argument, or on their standard input.

use std::ops::Range;

use super::command::{Word, inner, words};
use super::names::{Tell, looks_made};
use super::text::{Text, in_name, is_blank};
use super::{input, shapes, tells};

/// A program and the words that follow it (in this order, others may stand between; one that ends with `*` may go on; one that begins
/// with `-` is an option that must be there, alone or among other letters), and where its secrets stand:
///
/// - `-x`, `--name`: the option's value, in the same word or the next
/// - `~-x`: the value, only in the same word; `!-x`: only in the next
/// - `:-x`: of the value what stands behind its first colon, or before, if nothing does; `,-x`, `%-x` likewise
/// - `;-x`: the value if it has a `=` in it, else it is a file
/// - `&`: of each word `user:password@host` the password, where no address begins
/// - `=`: of each argument `NAME=VALUE` what stands behind the `=`; `=--name`: the same of an option's value
/// - `@2`: the arguments from the second on; `#2`: the second alone
/// - `+`: each argument that follows one that names a secret, whatever options stand between
/// - `/`: of each argument `user/password@place` the password
/// - `?` before another sign: where it looks as if a machine made it
/// - `^`: nothing, but the program must be a command's first word, for its name is an ordinary word, too
/// - `<`: what it reads: a here-string, a here-document, a `<(…)`, what is piped into it; `:<`: of that what stands behind its first colon
#[rustfmt::skip]
pub(super) const PROGRAMS: &[(&str, &str)] = &[
    ("curl", ":-u :-U :--user :--proxy-user ;-b ;--cookie --oauth2-bearer --pass :-E :--cert --tlspassword --proxy-pass &"),
    ("curl -K", "<"),
    ("curl --config", "<"),
    ("base64", ":<"),
    ("wget|aria2c|curlftpfs", "&"),
    ("impacket-secretsdump|impacket-psexec|impacket-wmiexec|impacket-smbexec|secretsdump.py|psexec.py|wmiexec.py", "/"),
    ("hydra|medusa|crackmapexec|netexec|nxc|rdesktop|veracrypt", "-p"),
    ("psexec|PsExec|PsExec64", "-p"),
    ("schtasks", "!/rp"),
    ("signtool sign", "!/p"),
    ("altool|notarytool", "-p"),
    ("nsupdate", ":-y"),
    ("slappasswd", "-s"),
    ("doveadm pw", "-p"),
    ("caddy hash-password", "-p --plaintext"),
    ("openssl passwd", "@1 <"),
    ("zfs load-key|change-key|create", "<"),
    ("openconnect", "<"),
    ("wg pubkey|set", "<"),
    ("hdiutil", "<"),
    ("dscl -passwd", "@3"),
    ("sshpass -f", "<"),
    ("aws configure", "<"),
    ("npm|yarn|pnpm login|adduser", "<"),
    ("gcloud auth", "<"),
    ("wpa_cli set_network", "+"),
    ("yq|yq3 w|write", "+"),
    ("plutil -replace|-insert", "+"),
    ("defaults write", "+"),
    ("gsettings|dconf set|write", "+"),
    ("drush upwd|user:password", "@2"),
    ("cloudflared service install", "@1"),
    ("az sql|mysql|postgres|ad|vm|vmss create|update", "-p"),
    ("wget", "--password --http-password --ftp-password"),
    ("http|https", ":-a :--auth"),
    ("xh|xhs", ":-a :--auth --bearer"),
    ("mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|mariadb-admin", "~-p"),
    ("mysqladmin|mariadb-admin password", "@1"),
    ("sshpass", "-p"),
    ("swaks", "-ap"),
    ("sendemail", "-xp ~-xp"),
    ("ntfy publish|pub|send|trigger|subscribe|sub", "#1"),
    ("stripe", "-k"),
    ("redis-cli|valkey-cli", "-a --pass"),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|cqlsh", "-p"),
    ("sqlcmd|bcp|mosquitto_pub|mosquitto_sub|ipmitool|zip|unzip", "-P"),
    ("redis-cli|valkey-cli auth|AUTH", "@1"),
    ("redis-cli|valkey-cli config|CONFIG set|SET", "+"),
    ("consul kv put", "+"),
    ("etcdctl put", "+"),
    ("crudini --set", "+"),
    ("ldapsearch|ldapmodify|ldapadd|ldapdelete|ldapwhoami|ldapcompare|ldapmodrdn|ldapexop", "-w"),
    ("ldappasswd", "-w -s -a"),
    ("snmpwalk|snmpget|snmpset|snmpgetnext|snmpbulkwalk|snmptrap", "-c -A -X"),
    ("evil-winrm", "-p -H"),
    ("lftp|ncftp", ",-u"),
    ("7z|7za|7zz|unrar|rar", "~-p ~-hp"),
    ("sqlplus|sqlldr|expdp|impdp", "/"),
    ("rabbitmqctl add_user|change_password|authenticate_user", "@2"),
    ("etcdctl", ":--user"),
    ("mkpasswd", "@1 <"),
    ("wandb login", "@1"),
    ("snyk auth", "@1"),
    ("ConvertTo-SecureString", "#1"),
    ("smbclient|rpcclient", "%-U %--user"),
    ("net user", "^ #2"),
    ("net use", "^ ?@2"),
    ("net rpc user add", "#2 %-U"),
    ("mc|mcli alias set", "@3"),
    ("mc|mcli config host add", "@3"),
    ("nmcli", "+"),
    ("wpa_passphrase", "@2 <"),
    ("networksetup -setairportnetwork", "@3"),
    ("htpasswd -b", "@3"),
    ("htpasswd -n -b", "@2"),
    ("useradd|usermod|groupadd", "-p"),
    ("xfreerdp|wfreerdp", "~/p:"),
    ("openssl", "!-k !-K -passin -passout -pass"),
    ("ssh-keygen", "-N -P"),
    ("gpg|gpg2 --passphrase-fd", "<"),
    ("sudo -S", "<"),
    ("sudo --stdin", "<"),
    ("doas|su", "<"),
    ("chpasswd|passwd|smbpasswd|vncpasswd|cryptsetup|kinit", "<"),
    ("sshpass -d", "<"),
    ("pass|gopass insert|edit", "<"),
    ("secret-tool store", "<"),
    ("keyring set", "<"),
    ("security add-generic-password|add-internet-password|unlock-keychain", "-w -p"),
    ("docker|podman|nerdctl|buildah|skopeo|helm|oras login", "-p --password <"),
    ("docker|podman secret create", "<"),
    ("az|oc login", "-p --token"),
    ("twine upload", "-p"),
    ("vsce|ovsx publish", "-p --pat"),
    ("poetry|pdm publish", "-p -P"),
    ("poetry config", "@2"),
    ("uv publish", "-t -p"),
    ("hatch publish", "-a"),
    ("flit publish", "-p"),
    ("gem push", "-k --key"),
    ("cargo login", "@1 <"),
    ("nuget push", "-k -ApiKey ?@2"),
    ("nuget setapikey|setApiKey|SetApiKey", "#1"),
    ("nuget sources|source", "-p -Password"),
    ("dotnet user-secrets set", "@2 <"),
    ("gh secret set", "-b --body <"),
    ("gh auth login", "<"),
    ("glab auth login", "-t <"),
    ("glab variable set|update", "-v --value @2 <"),
    ("git credential approve|reject|store|fill", "<"),
    ("aws secretsmanager create-secret|put-secret-value|update-secret", "--secret-string --secret-binary <"),
    ("aws ssm put-parameter", "--value <"),
    ("aws lambda update-function-configuration|create-function", "--environment"),
    ("gcloud secrets create|add", "<"),
    ("gcloud auth activate-refresh-token", "@2"),
    ("composer config http-basic*", "@2"),
    ("az keyvault secret set", "--value"),
    ("az keyvault", "--value"),
    ("az webapp|functionapp config appsettings|connection-string set", "=--settings = =-t"),
    ("kubectl|oc patch secret|secrets|secret/*|secrets/*", "-p --patch"),
    ("kubectl|oc create secret", "=--from-literal --docker-password <"),
    ("kubectl|oc apply|create|replace", "<"),
    ("kubeseal", "<"),
    ("fly|flyctl secrets set|import", "= <"),
    ("fly|flyctl", "?-t"),
    ("doctl", "-t"),
    ("heroku config:set|config:add", "="),
    ("netlify env:set", "@2"),
    ("netlify env:import", "<"),
    ("vercel|vc", "-t"),
    ("vercel|vc env add|update", "--value <"),
    ("vercel|vc secrets|secret add", "@2 <"),
    ("wrangler secret|secrets|pages put|bulk", "<"),
    ("railway variables|variable", "=--set = =-s <"),
    ("supabase secrets set", "="),
    ("doppler secrets set|upload", "= @2 <"),
    ("infisical secrets set", "="),
    ("vault kv put|patch", "= <"),
    ("vault write", "= <"),
    ("vault login|unwrap", "= @1 <"),
    ("vault operator unseal", "@1 <"),
    ("bao kv put|patch", "= <"),
    ("op item create|edit", "="),
    ("op signin|account", "<"),
    ("op document create|edit", "<"),
    ("bw unlock", "@1"),
    ("bw login", "@2"),
    ("bw create|edit|encode", "@2 <"),
    ("eas secret:create|env:create|env:update", "--value"),
    ("firebase functions:secrets:set|apphosting:secrets:set", "<"),
    ("firebase functions:config:set", "="),
    ("convex env set", "@2 = <"),
    ("sst secret|secrets set", "@2 <"),
    ("eb setenv", "="),
    ("cf set-env", "@3"),
    ("dokku config:set", "="),
    ("chamber write", "@3 <"),
    ("berglas create|update", "@2 <"),
    ("travis encrypt", "@1 <"),
    ("ansible-vault encrypt_string", "@1 <"),
    ("ansible-vault|gpg|gpg2 -c", "<"),
    ("ngrok authtoken|add-authtoken", "@1"),
    ("pulumi config set", "@2 <"),
    ("pulumi login|env set", "<"),
    ("rclone obscure", "@1 <"),
    ("rclone config create|update|password", "= +"),
    ("snap login", "<"),
    ("pscale password|auth", "<"),
    ("openclaw|gemini|claude secrets|secret|auth set|add|put", "@2 <"),
    ("openclaw models auth paste-token|setup-token", "<"),
    ("copilot svc|secret init", "--values"),
    ("signal-cli verify", "@1"),
];

/// The secrets that the program is given whose name is at `found`, the first word of line `number`; whether there is a command.
pub(super) fn secrets(
    text: Text<'_>,
    found: &Range<usize>,
    number: usize,
    mut add: impl FnMut(Range<usize>),
) -> bool {
    let Some((pattern, places)) = PROGRAMS.get(number) else { return false };
    let before = text.before(found.start);
    if places.starts_with('^') && !is_first_word(text, found.start) {
        return false;
    }
    let begins = before == 0 || before.is_ascii_whitespace() || b"/;|&(`\"'$".contains(&before);
    let behind = text.at(found.end);
    if !begins || in_name(behind) || matches!(behind, b':' | b'/' | b'.' | b'=' | b'@' | b',') {
        return false;
    }
    let outer = if matches!(before, b'"' | b'\'') && found.start == 1 {
        before
    } else {
        text.quote_around(found.start)
    };
    let (all, end) = words(text, found.end, outer);
    let mut rest = all.as_slice();
    for expected in pattern.split(' ').skip(1) {
        let is_it = |word: &Word| {
            let word = text.part(inner(text, word.clone()));
            let letter = expected.strip_prefix('-').filter(|letter| letter.len() == 1);
            match letter {
                Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
                None => expected.split('|').any(|expected| match expected.strip_suffix('*') {
                    Some(begin) => word.starts_with(begin),
                    None => expected == word,
                }),
            }
        };
        let Some(place) = rest.iter().position(is_it) else { return true };
        rest = if expected.starts_with('-') { rest } else { rest.get(place + 1..).unwrap_or_default() };
    }
    for place in places.split(' ') {
        let only_made = place.starts_with('?');
        let mut add = |secret: Range<usize>| {
            if !only_made || looks_made(text.part(secret.clone())) {
                add(secret);
            }
        };
        let place = place.trim_start_matches('?');
        let option = place.get(1..).unwrap_or_default();
        let number = || option.parse::<usize>().map_or(0, |number| number.saturating_sub(1));
        match place.as_bytes() {
            [] | [b'^'] => {}
            [b'<'] => input::read(text, found.start, &all, end, &mut add),
            [b':', b'<'] => input::read(text, found.start, &all, end, &mut |said: Range<usize>| {
                let user = text.part(said.clone()).split_once(':').map_or("", |(user, _)| user);
                if !user.is_empty() && !text.part(said.clone()).contains([' ', '/', '\n', '{']) {
                    add(said.start + user.len() + 1..said.end);
                }
            }),
            [b'&'] => {
                for word in &all {
                    let word = inner(text, word.clone());
                    let said = text.part(word.clone());
                    let begin =
                        if said.starts_with('-') { said.find('=').map_or(0, |sign| sign + 1) } else { 0 };
                    shapes::in_user(text, word.start + begin).into_iter().for_each(&mut add);
                }
            }
            [b'='] => {
                for word in rest.iter().filter(|word| text.at(inner(text, (*word).clone()).start) != b'-') {
                    let word = inner(text, word.clone());
                    if let Some(length) = text.part(word.clone()).find('=') {
                        add(inner(text, word.start + length + 1..word.end));
                    }
                }
            }
            [b'+'] => {
                for (place, name) in rest.iter().enumerate() {
                    let behind = rest.get(place + 1..).unwrap_or_default();
                    if let Some(value) = behind.iter().find(|value| text.at(value.start) != b'-')
                        && tells(
                            text.part(inner(text, name.clone()))
                                .rsplit(['.', '/'])
                                .next()
                                .unwrap_or_default(),
                        ) >= Tell::Likely
                    {
                        add(inner(text, value.clone()));
                    }
                }
            }
            [b'/'] => {
                for word in arguments(text, rest) {
                    let word = inner(text, word);
                    let said = text.part(word.clone());
                    if let Some(slash) = said.find('/').filter(|slash| *slash > 0) {
                        let end = said.rfind('@').filter(|at| *at > slash).unwrap_or(said.len());
                        add(word.start + slash + 1..word.start + end);
                    }
                }
            }
            [b'@', ..] => {
                arguments(text, rest).skip(number()).for_each(|word| add(inner(text, word)));
            }
            [b'#', ..] => {
                let plain = arguments(text, rest).filter(|word| text.at(word.start) != b'/');
                plain.skip(number()).take(1).for_each(|word| add(inner(text, word)));
            }
            [b'=', ..] => each_value(text, &all, option, Where::Anywhere, |value| {
                if let Some(length) = text.part(value.clone()).find('=') {
                    add(inner(text, value.start + length + 1..value.end));
                }
            }),
            [sign @ (b':' | b'%' | b','), ..] => {
                each_value(text, &all, option, Where::Anywhere, |value| {
                    if let Some(length) = text.part(value.clone()).find(char::from(*sign)) {
                        let behind = value.start + length + 1..value.end;
                        // `curl -u token:`
                        add(if behind.is_empty() { value.start..value.start + length } else { behind });
                    }
                });
            }
            [b';', ..] => each_value(text, &all, option, Where::Anywhere, |value| {
                if text.part(value.clone()).contains('=') {
                    add(value);
                }
            }),
            [b'~', ..] => each_value(text, &all, option, Where::SameWord, &mut add),
            [b'!', ..] => each_value(text, &all, option, Where::NextWord, &mut add),
            _ => each_value(text, &all, place, Where::Anywhere, &mut add),
        }
    }
    true
}

/// The arguments that are no options, and no files that a command's input or output goes to.
fn arguments(text: Text<'_>, words: &[Word]) -> impl Iterator<Item = Word> {
    let directs = move |word: &Word| {
        let said = text.part(word.clone());
        said.len() <= 3 && said.ends_with(['<', '>'])
    };
    words.iter().enumerate().filter_map(move |(place, word)| {
        let is_file = place.checked_sub(1).and_then(|before| words.get(before)).is_some_and(directs);
        (!is_file && !matches!(text.at(word.start), b'-' | b'<' | b'>')).then(|| word.clone())
    })
}

/// Whether a command begins with the word at `place`.
fn is_first_word(text: Text<'_>, place: usize) -> bool {
    let before = text.skip_back(place, is_blank);
    let program = text.part(text.skip_back(before, |byte| byte.is_ascii_alphanumeric())..before);
    matches!(text.before(before), 0 | b'\n' | b';' | b'|' | b'&' | b'(' | b'`' | b'"' | b'\'' | b'\\' | b'/')
        || program == "sudo"
}

/// Where the value of an option may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Anywhere,
    SameWord,
    NextWord,
}

/// Letters of options without a value that `curl` and others take together with one that has a value: `-sSu`.
const TOGETHER: &[u8] = b"fgikLnNsSvGIjlqrRaB#046x";

/// The values of the option `name`.
fn each_value(
    text: Text<'_>,
    words: &[Word],
    name: &str,
    place_of_value: Where,
    mut add: impl FnMut(Range<usize>),
) {
    for (place, word) in words.iter().enumerate() {
        let written = inner(text, word.clone());
        let said = text.part(written.clone());
        if said == name {
            if place_of_value != Where::SameWord
                && let Some(value) = words.get(place + 1)
            {
                add(inner(text, value.clone()));
            }
            continue;
        }
        if place_of_value == Where::NextWord {
            continue;
        }
        let is_short = name.len() == 2;
        let Some(mut length) = said.strip_prefix(name).map(|_| name.len()).or_else(|| {
            let letter = name
                .as_bytes()
                .get(1)
                .filter(|_| is_short && said.starts_with('-') && !said.starts_with("--"))?;
            let at = said.bytes().skip(1).position(|byte| byte == *letter)? + 1;
            said.bytes().skip(1).take(at - 1).all(|byte| TOGETHER.contains(&byte)).then_some(at + 1)
        }) else {
            continue;
        };
        let sign = text.at(written.start + length);
        let is_apart = !is_short && !name.ends_with([':', '/']) && place_of_value != Where::SameWord;
        if is_apart && sign != b'=' && sign != b':' || name == "-p" && said.starts_with("--") {
            continue;
        }
        length += usize::from(sign == b'=');
        if written.start + length < written.end {
            add(inner(text, written.start + length..written.end));
        } else if (sign == 0 || length == said.len())
            && place_of_value != Where::SameWord
            && let Some(value) = words.get(place + 1)
        {
            add(inner(text, value.clone()));
        }
    }
}
