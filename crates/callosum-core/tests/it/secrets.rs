//! A marked secret in random shapes, looked for in everything that is written or said. `CALLOSUM_SECRETS` is the number of calls,
//! `CALLOSUM_SEED` the dice.

use callosum_core::gate::Answer;
use callosum_core::model::redact::redact;
use callosum_core::query::{ExplainRequest, RecentRequest, Source};
use serde_json::{Value, json};

use crate::support::{Session, World};

/// What every secret begins with, and nothing else has.
const MARK: &str = "Zq7";

/// So many calls are written into one journal, then another is begun.
const CALLS_A_JOURNAL: u64 = 500;

const NAMES: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "userPassword",
    "apiKey",
    "API_KEY",
    "api-key",
    "X-Api-Key",
    "token",
    "GITHUB_TOKEN",
    "access_token",
    "refreshToken",
    "client_secret",
    "secret",
    "passphrase",
    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "privateKey",
    "sshKey",
    "jwt",
    "otp",
    "cvv",
    "cardNumber",
    "creds",
    "dsn",
    "mnemonic",
    "connectionString",
    "auth",
    "pin",
    "STRIPE_KEY",
    "authToken",
    "SECRET_KEY_BASE",
];

/// Texts with a name and a secret.
const NAMED: &[&str] = &[
    "{N}={S}",
    "{N}: {S}",
    "{N}: \"{S}\"",
    "{N} = '{S}'",
    "export {N}={S}",
    "user: me\n{N}: {S}\nhost: h",
    "a:\n  {N}: |\n    {S}\n  b: c",
    "a:\r\n  {N}: |-\r\n    {S}\r\n  b: c",
    "{N}: | # ours\n  {S}\nb: c",
    "{N}: !vault |\n  {S}\nb: c",
    "- name: {N}\n  value: >-\n    {S}\n",
    "curl -d '{\"body\":\"a: b\\n{N}: |\\n  {S}\\nc: d\"}' https://h.example",
    "curl -d '{\"body\":\"A=b\\n{N}={S}\\nC=d\"}' https://h.example",
    "*** Begin Patch\n*** Update File: a.yml\n@@\n+  {N}: |\n+    {S}\n*** End Patch",
    "*** Begin Patch\n*** Update File: .env\n@@\n-{N}=old\n+{N}={S}\n*** End Patch",
    "{N} = '''{S}'''",
    "{N} = \"\"\"\n{S}\n\"\"\"",
    "export {N}=$(echo {S})",
    "printf '{N}=%s\\n' {S} >> .env",
    "jq --arg {N} {S} '.a=$b' c.json",
    "{\"{N}\": \"{S}\"}",
    "{\"a\": {\"{N}\":\"{S}\"}}",
    "{'{N}': '{S}'}",
    "{\\\"{N}\\\":\\\"{S}\\\"}",
    "{\"name\":\"{N}\",\"value\":\"{S}\"}",
    "[\"{N}\",\"{S}\"]",
    "<{N}>{S}</{N}>",
    "<x {N}=\"{S}\"/>",
    "<add key=\"{N}\" value=\"{S}\"/>",
    "https://h.example/p?{N}={S}",
    "https://h.example/p?a=1&{N}={S}&b=2",
    "x --{N} {S}",
    "x --{N}={S}",
    "x --{N} '{S}' --to a",
    "{N} = \"{S}\"",
    "os.environ[\"{N}\"] = \"{S}\"",
    "curl -H '{N}: {S}' https://h.example",
    "curl -H \"{N}: {S}\" https://h.example",
    "docker run -e {N}={S} x",
    "{N}={S} npm test",
    "a1 LOGIN me@x.org {S}",
    "requirepass {S}",
    "bindpw {S}",
    "account x\nuser me\npassword {S}",
    "EHLO x\nAUTH PLAIN {S}\nMAIL FROM:<a@b>",
    "AUTH LOGIN\nbWU=\n{S}\nMAIL FROM:<a@b>",
    "{N}%3D{S}",
    "https://h.example/p?next=%2Fcb%3Fa%3D1%26{N}%3D{S}%26b%3D2",
    "q=%7B%22{N}%22%3A%22{S}%22%7D",
    "https://h.example/p?u={N}%253D{S}",
    "{\"u\":\"https://h.example/p?a=1\\u0026{N}\\u003d{S}\"}",
    "<div data-x=\"{&quot;{N}&quot;:&quot;{S}&quot;}\">",
    "? {N}\n: {S}\n",
    "a:\n  ? \"{N}\"\n  : \"{S}\"\n",
    "x --{N}-file=<(echo {S}) y",
    "x --{N}-file <(printf '%s' {S}) y",
    "[{\"op\":\"replace\",\"path\":\"/a/{N}\",\"value\":\"{S}\"}]",
    "{\"path\":\"a.{N}\",\"value\":\"{S}\"}",
    "variable \"{N}\" {\n  type = string\n  default = \"{S}\"\n}",
    "jq '.{N} |= \"{S}\"' f.json",
];

/// Commands that are given a secret without a name.
const GIVEN: &[&str] = &[
    "curl -u me:{S} https://h.example",
    "curl -b session={S} https://h.example",
    "curl --oauth2-bearer {S} https://h.example",
    "http -a me:{S} POST h.example",
    "xh --bearer {S} h.example",
    "mysql -u root -p{S} db",
    "gh secret set NAME -b{S}",
    "gh secret set NAME --body {S}",
    "gh secret set NAME <<< {S}",
    "echo {S} | gh secret set NAME",
    "printf '%s' {S} | vercel env add NAME",
    "echo {S} | sudo -S ls",
    "aws secretsmanager create-secret --name x --secret-string {S}",
    "aws ssm put-parameter --name x --value {S}",
    "fly secrets set FOO={S}",
    "heroku config:set FOO={S}",
    "kubectl create secret generic x --from-literal=k={S}",
    "vault kv put secret/x k={S}",
    "docker login -u me -p {S} r.example",
    "echo {S} | wrangler secret put X",
    "poetry publish -p {S}",
    "gem push --key {S} x.gem",
    "gcloud secrets versions add x --data-file=- <<< {S}",
    "git clone https://me:{S}@h.example/r",
    "sshpass -p {S} ssh h",
    "redis-cli -a {S} ping",
    "cat <<EOF | gh secret set X\n{S}\nEOF",
    "op item edit login field={S}",
    "curl -X POST https://h.example/bot/{S}/send",
    "curl 'https://h.example/p?key={S}'",
    "curl -u {S}: https://h.example",
    "curl -H Authorization:\\ Bearer\\ {S} https://h.example",
    "git config --global user.token {S}",
    "mysqladmin -u root password {S}",
    "redis-cli CONFIG SET requirepass {S}",
    "consul kv put app/db/password {S}",
    "etcdctl put /app/password {S}",
    "crudini --set c.ini db password {S}",
    "himalaya config auth.raw={S}",
    "sqlplus u/{S}@db",
    "sqlplus -s u/{S}@//h:1521/x @script",
    "rar a -hp{S} a.rar b",
    "sendemail -xu u -xp{S} -t a@x.org",
    "rabbitmqctl add_user u {S}",
    "rabbitmqctl change_password u {S}",
    "etcdctl --user root:{S} get x",
    "vault operator unseal {S}",
    "mkpasswd {S}",
    "wandb login {S}",
    "snyk auth {S}",
    "gcloud run deploy x --set-env-vars API_KEY={S}",
    "gcloud run deploy x --set-env-vars=A=b,API_KEY={S}",
    "ConvertTo-SecureString '{S}' -AsPlainText -Force",
    "$p = (ConvertTo-SecureString -String \"{S}\" -AsPlainText)",
    "set -gx API_TOKEN {S}",
    "npm set _password {S}",
    "echo 'h:5432:db:u:{S}' >> ~/.pgpass",
    "curl -u {S}: https://api.example.com",
    "curl -H Authorization:\\ Bearer\\ {S} h",
    "jq -n --arg pw '{S}' '{a:$b}'",
    "printf 'A=%s\\nAPI_TOKEN=%s\\n' b '{S}' >> .env",
    "export GH_TOKEN=$(echo {S})",
    "backend.auth.raw = \"{S}\"",
    "himalaya config password.raw={S}",
    "SET PASSWORD FOR 'a'@'h' = '{S}'",
    "curl 'https://h.example/x?u=https%3A%2F%2Fme%3A{S}%40h'",
    "curl -x u:{S}@proxy:3128 https://h",
    "curl --proxy u:{S}@proxy:3128 https://h",
    "curl --proxy-user u:{S} https://h",
    "wget --proxy-user u:{S} https://h",
    "pip install --proxy u:{S}@proxy:3128 x",
    "https_proxy=u:{S}@proxy:3128 wget h",
    "git config --global http.proxy u:{S}@proxy:80",
    "printf 'AUTH PLAIN {S}\\r\\n' | nc h 25",
    "printf 'EHLO x\\r\\nAUTH LOGIN\\r\\nbWU=\\r\\n{S}\\r\\n' | nc h 25",
    "printf 'USER me\\r\\nPASS {S}\\r\\nLIST\\r\\n' | nc h 110",
    "expect -c 'spawn ssh h; expect \"assword:\"; send \"{S}\\r\"; interact'",
    "spawn ssh h\nexpect {\n  \"*?assword*\" { send -- \"{S}\\r\" }\n}",
    "expect \"Enter PIN\"\nsend \"{S}\\n\"",
    "child.expect('[Pp]assword:')\nchild.sendline('{S}')",
    "ftp -n h <<E\nuser me {S}\nput a\nE",
    "ftp -n h <<E\nquote USER me\nquote PASS {S}\nE",
    "lftp -e 'open h; user me {S}; ls; bye'",
    "lftp -c \"open -u me,{S} ftp://h; ls\"",
    "echo 'user me {S}' > script.ftp",
    "rsync --password-file=<(echo {S}) a rsync://h/b",
    "gpg --passphrase-file <(printf '%s' {S}) -d x",
    "ansible-playbook --vault-password-file <(echo \"{S}\") x.yml",
    "restic --password-file=<(echo '{S}') backup x",
    "docker login -u me --password-stdin < <(echo {S})",
    "sshpass -f <(echo {S}) ssh h",
    "wg set wg0 private-key <(echo {S})",
    "kubectl create secret generic x --from-file=token=<(echo {S})",
    "s.login(\"me@gmail.com\", \"{S}\")",
    "server.login('me', '{S}')",
    "server.login(user, '{S}')",
    "pymysql.connect('h','u','{S}','db')",
    "db.changeUserPassword(\"u\",\"{S}\")",
    "echo {S} > ~/.vault-token",
    "echo '{S}' > /run/secrets/db_password",
    "printf '%s' '{S}' > token.txt",
    "echo \"{S}\" | tee ~/.config/x/api_key",
    "tee /etc/x/password <<< '{S}'",
    "git push https://{S}:x-oauth-basic@github.com/a/b",
    "aws configure <<E\nAKIAIOSFODNN7EXAMPLE\n{S}\nus-east-1\njson\nE",
    "echo '::add-mask::{S}'",
    "UPDATE users SET pw = crypt('{S}', gen_salt('bf'))",
    "ATTACH DATABASE 'x.db' AS y KEY '{S}'",
    "PRAGMA key = '{S}'",
    "redis.auth('{S}')",
    "openssl passwd -6 {S}",
    "slappasswd -s {S}",
    "doveadm pw -p {S}",
    "caddy hash-password --plaintext {S}",
    "gpg --passphrase-fd 3 -d x 3<<<'{S}'",
    "zfs load-key tank <<< {S}",
    "cryptsetup open --key-file=- /dev/x y <<< {S}",
    "veracrypt -p {S} /x /y",
    "BORG_PASSCOMMAND='echo {S}' borg list",
    "gocryptfs -extpass 'echo {S}' a b",
    "echo '[smtp.gmail.com]:587 me@x.org:{S}' > /etc/postfix/sasl_passwd",
    "curl me:{S}@h.example/x",
    "yq -i '.db.password = \"{S}\"' f",
    "yq w f db.password {S}",
    "plutil -replace auth.token -string {S} f",
    "defaults write com.x apiToken {S}",
    "defaults write com.x apiToken -string '{S}'",
    "gsettings set org.x password '{S}'",
    "npm login <<E\nme\n{S}\nE",
    "[Environment]::SetEnvironmentVariable(\"API_KEY\",\"{S}\",\"User\")",
    "tmux send-keys -t x 'export TOKEN={S}' Enter",
    "page.type('#password', '{S}')",
    "localStorage.setItem('token', '{S}')",
    "CREATE USER MAPPING FOR x SERVER y OPTIONS (user 'u', password '{S}')",
    "sqlite3 x.db \"PRAGMA key='{S}'\"",
    "poll h proto imap user \"me\" password \"{S}\"",
    "$env:API_TOKEN='{S}'",
    "node -e 'process.env.API_TOKEN=\"{S}\"'",
    "python -c \"import keyring; keyring.set_password('x','me','{S}')\"",
    "docker build --build-arg NPM_TOKEN={S} .",
    "wp user create bob bob@x --user_pass={S}",
    "drush upwd admin {S}",
    "php artisan tinker --execute=\"User::first()->update(['password'=>bcrypt('{S}')])\"",
    "rails runner \"User.first.update(password: '{S}')\"",
    "User.objects.create_superuser('a','a@x','{S}')",
    "bcrypt.hashpw(b'{S}', bcrypt.gensalt())",
    "echo -n 'me:{S}' | base64",
    "curl -H \"Authorization: Basic $(echo -n me:{S} | base64)\" h",
    "nmap --script-args 'smbusername=x,smbpassword={S}' h",
    "hydra -l me -p {S} ssh://h",
    "crackmapexec smb h -u me -p '{S}'",
    "impacket-secretsdump 'dom/me:{S}@h'",
    "kcadm.sh config credentials --server x --realm master --user admin --password {S}",
    "kcadm.sh set-password -r x --username bob --new-password {S}",
    "influx -username a -password {S}",
    "kubeadm join h:6443 --token {S} --discovery-token-ca-cert-hash sha256:abc",
    "consul acl token update -secret {S}",
    "cloudflared service install {S}",
    "openvpn --auth-user-pass <(printf 'me\\n{S}\\n')",
    "openconnect --passwd-on-stdin h <<< {S}",
    "echo {S} | openconnect --passwd-on-stdin h",
    "echo {S} | wg pubkey",
    "x11vnc -passwd {S}",
    "rdesktop -u me -p {S} h",
    "plink -ssh -pw {S} me@h",
    "psexec \\\\h -u me -p {S} cmd",
    "schtasks /create /ru me /rp {S} /tn x",
    "sc config x obj= me password= {S}",
    "wmic /user:me /password:{S} os",
    "signtool sign /f x.pfx /p {S} y.exe",
    "xcrun altool --upload-app -u me -p {S}",
    "osascript -e 'do shell script \"x\" user name \"me\" password \"{S}\" with administrator privileges'",
    "dscl . -passwd /Users/me {S}",
    "hdiutil attach -stdinpass x <<< {S}",
    "echo -n {S} | hdiutil attach -stdinpass x",
    "git credential-store store <<< \"https://me:{S}@h\"",
    "smtp.sendmail; nodemailer.createTransport({auth:{user:'me',pass:'{S}'}})",
    "new MongoClient('mongodb://u:{S}@h')",
    "ssh.connect('h', 22, 'me', '{S}')",
    "imap = imaplib.IMAP4_SSL('h'); imap.login('me', '{S}')",
    "Net::SMTP.start('h', 587, 'localhost', 'me', '{S}', :plain)",
    "smtp.PlainAuth(\"\", \"me\", \"{S}\", \"h\")",
    "req.SetBasicAuth(\"me\", \"{S}\")",
    "requests.get(u, headers={'Authorization': 'token ' + '{S}'})",
    "axios.get(u, {auth: {username: 'me', password: '{S}'}})",
    "echo \"machine h login me password {S}\" > ~/.netrc",
    "echo '{S}' | gcloud auth print-access-token",
    "gcloud sql users set-password me --instance x --password {S}",
    "aws rds modify-db-instance --master-user-password {S} --db-instance-identifier x",
    "aws cognito-idp admin-set-user-password --user-pool-id x --username me --password {S} --permanent",
    "aws iam create-login-profile --user-name me --password {S}",
    "az sql server create -u me -p {S} -n x",
    "az ad user create --password {S} --display-name x",
    "gh auth login --with-token <<< {S}",
    "wpa_cli set_network 0 psk '\"{S}\"'",
    "uci set wireless.@wifi-iface[0].key={S}",
    "ssh-copy-id; echo \"{S}\" | su - me -c id",
    "dig TXT x; nsupdate -y hmac-sha256:k:{S}",
];

/// Texts around the text, none of which hides what is in it.
const AROUND: &[&str] = &[
    "{}",
    "cd /srv && {}",
    "{}; ls",
    "sh -c '{}'",
    "bash -c \"{}\"",
    "sudo {}",
    "{} && echo done",
    "FOO=1 {}",
    "true || {}",
    "( {} )",
    "time {}",
];

/// Small, quick, and the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn one_of_all<T>(&mut self, mut all: Vec<T>) -> T {
        all.swap_remove(self.below(all.len()))
    }
}

/// A call that is given `secret`: its tool and parameters.
fn call_with(dice: &mut Dice, secret: &str) -> (&'static str, Value) {
    let name = dice.one_of(NAMES);
    let named = |dice: &mut Dice| dice.one_of(NAMED).replace("{N}", name).replace("{S}", secret);
    let given = |dice: &mut Dice| {
        let text = dice.one_of(GIVEN).replace("{S}", secret);
        let around = dice.one_of(AROUND);
        // A quote within the same quotes ends them, and a document its line.
        if text.contains(['\'', '"', '\n']) && around.contains(['\'', '"', ';', '(', '&', '|']) {
            text
        } else {
            around.replace("{}", &text)
        }
    };
    let params = match dice.below(15) {
        0..=3 => return ("exec", json!({ "command": given(dice) })),
        4 => return ("exec", json!({ "command": named(dice) })),
        5 => {
            // Around the places where texts are cut.
            let fill = "word ".repeat(dice.one_of(&[10, 20, 23, 24, 190, 200, 203, 204]) + dice.below(3));
            json!({ "body": format!("{fill}\n{}", named(dice)) })
        }
        6 => json!({ "a": { "b": [{ "c": named(dice) }] } }),
        7 => json!({ name: secret, "to": "x" }),
        8 => {
            json!({ "headers": dice.one_of(&[0, 1, 2]).min(2), "x": [{ "name": name, "value": secret }, [name, secret], { "Key": name, "Value": secret }] })
        }
        9 => {
            json!({ "args": [format!("--{name}"), secret, "--to", "x"], "env": { name: secret }, "vars": [format!("{name}={secret}")] })
        }
        10 => json!({ "url": format!("https://h.example/p?{name}={secret}"), "token": secret }),
        11 => json!({ "path": "/srv/a", "edits": [{ "oldText": "a", "newText": named(dice) }] }),
        12 => {
            json!({ "secretName": "x", "value": secret, "more": [{ "setting": name, "value": secret }, { "target": format!("{name} field"), "text": secret }] })
        }
        13 => return dice.one_of_all(given_to_tools(secret)),
        _ => json!({ "url": format!("https://h.example/hook/{secret}/send"), "text": named(dice) }),
    };
    ("api", params)
}

#[test]
fn every_shape_is_taken_out_of_a_text() {
    let secret = format!("{MARK}hunter2xW9k");
    let named = NAMED.iter().flat_map(|text| NAMES.iter().map(|name| text.replace("{N}", name)));
    let texts = named.chain(GIVEN.iter().map(|text| (*text).to_owned()));
    let shown = texts.map(|text| redact(&text.replace("{S}", &secret)).into_owned());
    let leaks: Vec<String> = shown.filter(|shown| shown.contains(&secret)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// Calls of tools of whose parameters a key might be made: each with a secret, which is `{S}` in them.
fn given_to_tools(secret: &str) -> Vec<(&'static str, Value)> {
    let hook = format!("https://x.example/hooks/{secret}");
    vec![
        ("deploy", json!({ "args": ["--token", secret] })),
        ("deploy", json!({ "args": ["--password", secret], "target": "prod" })),
        ("deploy", json!({ "arguments": ["-p", secret] })),
        ("mcp__x__deploy", json!({ "args": ["deploy", "-p", secret] })),
        ("mcp__x__publish", json!({ "args": ["--password", secret] })),
        ("send_message", json!({ "to": ["--token", secret] })),
        ("webhook__send", json!({ "url": hook })),
        ("delete_webhook", json!({ "url": hook })),
        ("http_request", json!({ "method": "POST", "url": hook })),
        ("redeem_invite", json!({ "code": secret })),
        ("delete_access_key", json!({ "accessKeyId": secret })),
        ("revoke_token", json!({ "request": { "token": secret } })),
        ("delete_user", json!({ "user": format!("password={secret}") })),
        ("rotate_key", json!({ "headers": [["Authorization", secret]], "id": "1" })),
        ("exec", json!({ "command": format!("curl -X POST 'https://x.example/a;jsessionid={secret}'") })),
    ]
}

/// Cards' numbers, of which no part is a name.
fn given_a_card(number: &str) -> Vec<(&'static str, Value)> {
    let spaced: Vec<&str> =
        number.as_bytes().chunks(4).map(|part| std::str::from_utf8(part).unwrap()).collect();
    vec![
        ("create_payment", json!({ "payment_method": { "card": { "number": number, "cvc": "987" } } })),
        ("mcp__shop__create_payment", json!({ "card": { "number": spaced.join(" "), "cvc": "987" } })),
        ("book", json!({ "card": { "number": number.parse::<u64>().unwrap(), "cvv": "123" } })),
        ("pay", json!({ "creditCard": { "pan": number } })),
    ]
}

#[test]
fn what_is_taken_out_of_parameters_stands_in_no_key() {
    let rules = callosum_core::rules::RuleSet::shipped();
    let keys = |tool: &str, params: &Value| {
        let call = callosum_core::model::tool_call::ToolCall { tool: tool.to_owned(), ..Default::default() };
        let found = rules.classify(&call, "claude-code", params, &callosum_core::rules::World::unseen());
        found.context_keys.join(" ")
    };
    let shown = |params: &Value| {
        let all = callosum_core::model::tool_call::Parameters::all(params);
        callosum_core::model::redact::summarize(&all, 1_000)
    };
    let mut leaks = Vec::new();
    let secrets = ["Zq7mXv9Kd2Lw8Rt4", "Zq7nYw8Ke3Mx9Su5"];
    let cards = ["4242424242424242", "5555555555554444"];
    for (secrets, calls) in [(secrets, secrets.map(given_to_tools)), (cards, cards.map(given_a_card))] {
        let [calls, others] = calls;
        for ((tool, params), (_, other)) in calls.iter().zip(&others) {
            let (own, other) = (keys(tool, params), keys(tool, other));
            let said = format!("{own} {}", shown(params)).to_lowercase().replace([' ', '-'], "");
            if said.contains(&secrets[0].to_lowercase()) {
                leaks.push(format!("{tool} {params}: {own} {}", shown(params)));
            }
            // Who has another secret means another thing, as far as a key is made of it.
            assert!(own.is_empty() || own != other || !own.contains("[redacted"), "{tool} {params}: {own}");
            if *tool == "deploy" || *tool == "redeem_invite" {
                assert_ne!(own, other, "{tool} {params}");
            }
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
    // What stands beside a secret is in the key as ever.
    for (tool, with, without) in [
        (
            "stripe__create_refund",
            json!({ "charge": "ch_1", "token": "Zq7mXv9Kd2Lw8Rt4" }),
            json!({ "charge": "ch_1" }),
        ),
        (
            "delete_card",
            json!({ "card": { "number": 12 }, "id": "7", "pin": 1234 }),
            json!({ "card": { "number": 12 }, "id": "7" }),
        ),
    ] {
        assert_eq!(keys(tool, &with), keys(tool, &without), "{tool}");
    }
}

#[test]
fn a_secret_in_a_random_shape_is_in_nothing_that_is_written_or_said() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut dice = Dice(number("CALLOSUM_SEED").unwrap_or(11) * 2 + 1);
    let calls = number("CALLOSUM_SECRETS").unwrap_or(400);
    let mut leaks = Vec::new();
    let rules = r#"{"extends":"default","rules":[
      {"name":"api","tier":3,"tool":"api","contextKey":["api:{params.url|none}","t:{params.token|none}"]},
      {"name":"other","tier":3,"tool":"exec","commandPattern":"password|secret|token|Key|KEY|auth|Auth|Cookie|[a-z]=","contextKey":"run:{digest}"}]}"#;
    let begun = || {
        let world = World::new();
        std::fs::write(world.path().join("tiers.json"), rules).unwrap();
        let gate = world.gate_with("one", &json!({ "summaries": "all" }));
        (gate, world, 0)
    };
    let (mut gate, mut world, mut read) = begun();
    for count in 0..calls {
        // What `why` reads grows with the journal.
        if count > 0 && count % CALLS_A_JOURNAL == 0 {
            (gate, world, read) = begun();
        }
        let secret = format!("{MARK}{:06}xW9k", count * 7_919 % 1_000_000);
        let (tool, params) = call_with(&mut dice, &secret);
        let mut said = Vec::new();
        for name in ["a", "b"] {
            let by = Session { gate: &gate, name, run: "r" };
            if let (_, Answer::Refuse(text)) = world.try_call(by, tool, &params) {
                said.push(text);
            }
        }
        let asked = ExplainRequest {
            tool: tool.to_owned(),
            params: params.clone(),
            session: None,
            agent: None,
            cwd: None,
        };
        let explained = gate.explain(&asked, &world.now).unwrap();
        if let Some(key) = explained.context_keys.first() {
            said.push(gate.why(key, &world.now).unwrap().text(&str::to_owned));
        }
        said.push(serde_json::to_string(&explained).unwrap());
        if count % 20 == 0 {
            said.push(
                gate.recent(&RecentRequest { limit: 40, ..RecentRequest::default() }, &world.now)
                    .unwrap()
                    .text,
            );
            said.push(serde_json::to_string(&gate.status(&world.now)).unwrap());
            said.extend(gate.take_notices().into_iter().map(|notice| notice.text));
            let files = std::fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().path());
            said.extend(
                files
                    .filter(|path| path.is_file() && *path != world.journal_path())
                    .map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()),
            );
        }
        let journal = std::fs::read(world.journal_path()).unwrap();
        said.push(String::from_utf8_lossy(journal.get(read..).unwrap_or(&journal)).into_owned());
        read = journal.len();
        if let Some(text) = said.iter().find(|text| text.contains(MARK)) {
            let at = text.find(MARK).unwrap();
            let start = text.get(..at).unwrap().char_indices().rev().nth(60).map_or(0, |(start, _)| start);
            leaks.push(format!(
                "{params}\n      in …{}",
                text.get(start..).unwrap().chars().take(120).collect::<String>()
            ));
            // What leaked once, later answers show again.
            (gate, world, read) = begun();
        }
        world.pass(1_000);
    }
    assert!(
        leaks.is_empty(),
        "{} of {calls} leak:\n{}",
        leaks.len(),
        leaks[..leaks.len().min(25)].join("\n")
    );
}
