//! A marked secret in random shapes, looked for in everything that is written or said. `CALLOSUM_SECRETS` is the number of calls,
//! `CALLOSUM_SEED` the dice.

use callosum_core::gate::Answer;
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
}

/// A call that is given `secret`: its tool and parameters.
fn call_with(dice: &mut Dice, secret: &str) -> (&'static str, Value) {
    let name = dice.one_of(NAMES);
    let named = |dice: &mut Dice| dice.one_of(NAMED).replace("{N}", name).replace("{S}", secret);
    let given = |dice: &mut Dice| {
        let text = dice.one_of(GIVEN).replace("{S}", secret);
        let around = dice.one_of(AROUND);
        // A quote within the same quotes ends them, and a document its line.
        if text.contains(['\'', '\n']) && around.contains(['\'', '"', ';', '(', '&', '|']) {
            text
        } else {
            around.replace("{}", &text)
        }
    };
    let params = match dice.below(14) {
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
        _ => json!({ "url": format!("https://h.example/hook/{secret}/send"), "text": named(dice) }),
    };
    ("api", params)
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
