//! Secrets in texts, values, addresses and keys are removed, and the rest stays readable.

mod attacks;
mod forms;

use serde_json::{Value, json};

use super::*;
use crate::model::tool_call::Parameters;

fn summary(params: &Value, max_chars: usize) -> String {
    summarize(&params.all(), max_chars)
}

#[test]
fn secrets_in_running_text_are_taken_out() {
    let mut wrong = Vec::new();
    for (text, redacted) in [
        ("curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: [redacted]' x"),
        ("curl -H \"X-Api-Key: s3cr3t\" x", "curl -H \"X-Api-Key: [redacted]\" x"),
        ("curl -b 'Cookie: a=b; c=d' x", "curl -b '[redacted]' x"),
        ("curl -u me@x.com:hunter2 smtp://h", "curl -u me@x.com:[redacted] smtp://h"),
        ("curl --user 'me:hunter2' x", "curl --user 'me:[redacted]' x"),
        ("curl smtps://me:hun%40ter@mail.x.com/", "curl smtps://me:[redacted]@mail.x.com/"),
        ("git clone https://abcdefghijklmnopqrstuvwx@h/r", "git clone https://[redacted]@h/r"),
        ("GITHUB_TOKEN=abc gh pr", "GITHUB_TOKEN=[redacted] gh pr"),
        ("export API_KEY=\"a b\" && x", "export API_KEY=\"[redacted]\" && x"),
        ("swaks --auth-password hunter2 --to a@x", "swaks --auth-password [redacted] --to a@x"),
        ("swaks -ap hunter2 --to a@x", "swaks -ap [redacted] --to a@x"),
        ("sshpass -phunter2 ssh h", "sshpass -p[redacted] ssh h"),
        ("x --token=abc --to a", "x --token=[redacted] --to a"),
        ("x --client-secret 'a b' --to a", "x --client-secret '[redacted]' --to a"),
        ("{\"password\": \"a\\\"b\", \"to\": 1}", "{\"password\": \"[redacted]\", \"to\": 1}"),
        (
            "-d \"{\\\"token\\\":\\\"abc\\\",\\\"a\\\":1}\"",
            "-d \"{\\\"token\\\":\\\"[redacted]\\\",\\\"a\\\":1}\"",
        ),
        ("https://x/y?access_token=abc&to=b", "https://x/y?access_token=[redacted]&to=b"),
        ("key sk-proj-abcdefghij0123456789 end", "key [redacted] end"),
        ("ghp_abcdefghijklmnopqrstuvwxyz012345", "[redacted]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-x", "[redacted]"),
        ("https://hooks.slack.com/services/T0/B0/abc", "https://hooks.slack.com/services/T0/B0/[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "[redacted]"),
        ("curl --user 'me@gmail.com:abcd efgh' x", "curl --user 'me@gmail.com:[redacted]' x"),
        ("curl -su ci:hunter2 x", "curl -su ci:[redacted] x"),
        ("curl -sSku 'ci:hunter2' x", "curl -sSku 'ci:[redacted]' x"),
        (
            "https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/sendMessage",
            "https://api.telegram.org/bot[redacted]/sendMessage",
        ),
        ("https://discord.com/api/v10/webhooks/1/abc-d", "https://discord.com/api/v10/webhooks/1/[redacted]"),
        ("https://hooks.slack.com/workflows/T0/A0/1/abc", "https://hooks.slack.com/workflows/T0/[redacted]"),
        ("https://hooks.slack.com/triggers/T0/1/abc", "https://hooks.slack.com/triggers/T0/[redacted]"),
        (
            "https://acme.webhook.office.com/webhookb2/a@b/IncomingWebhook/c/d",
            "https://acme.webhook.office.com/webhookb2/[redacted]",
        ),
        (
            "https://maker.ifttt.com/trigger/e/with/key/abc",
            "https://maker.ifttt.com/trigger/e/with/key/[redacted]",
        ),
        (
            "https://hooks.zapier.com/hooks/catch/12/abc/",
            "https://hooks.zapier.com/hooks/catch/12/[redacted]/",
        ),
        ("openclaw config set gateway.auth.token abc", "openclaw config set gateway.auth.token [redacted]"),
        ("aws configure set aws_secret_access_key abc", "aws configure set aws_secret_access_key [redacted]"),
        ("SECRET_KEY_BASE=abc rails s", "SECRET_KEY_BASE=[redacted] rails s"),
        ("gh secret set TOKEN --body abc", "gh secret set TOKEN --body [redacted]"),
        (
            "az keyvault secret set -n db --value 'a b' -o none",
            "az keyvault secret set -n db --value '[redacted]' -o none",
        ),
        ("docker login -u me -p abc r.io", "docker login -u me -p [redacted] r.io"),
        ("twine upload -u me -p abc dist/a", "twine upload -u me -p [redacted] dist/a"),
        ("vsce publish -p abc", "vsce publish -p [redacted]"),
        ("dotnet nuget push a.nupkg -k abc -s x", "dotnet nuget push a.nupkg -k [redacted] -s x"),
        ("mysql -u root -phunter2 db", "mysql -u root -p[redacted] db"),
        ("https://x.blob/y?sv=1&sig=a%2Bb&se=2", "https://x.blob/y?sv=1&sig=[redacted]&se=2"),
        ("https://s3/y?X-Amz-Signature=abc", "https://s3/y?X-Amz-Signature=[redacted]"),
        ("curl -H 'DD-APPLICATION-KEY: abc' x", "curl -H 'DD-APPLICATION-KEY: [redacted]' x"),
        ("-H 'Ocp-Apim-Subscription-Key: abc'", "-H 'Ocp-Apim-Subscription-Key: [redacted]'"),
        ("x 'value: Bearer abcdefghijklmnop'", "x 'value: Bearer [redacted]'"),
    ] {
        wrong.extend(
            [text, redacted].map(|text| (text, redact(text))).into_iter().filter(|(_, is)| is != redacted),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_no_secret_stays() {
    let mut wrong = Vec::new();
    for text in [
        "mail -s 'the tokens arrived' bob@example.com",
        "git push origin main",
        "gh secret set NAME < file.txt",
        "docker login r.io && docker run -p 80:80 x",
        "mysql --protocol tcp -P 3306 -p db",
        "twine upload dist/* && mkdir -p a",
        "the design=1 is set by config set gateway.port 80",
        "https://x/y?design=1&signature_type=2",
        "su - deploy; npm publish --access public",
        "https://discord.com/api/v10/channels/1/messages",
        "curl http://localhost:8080/a?to=b@c.de",
        "mkdir -p a/b && ls -u",
        "max_tokens=100 sessionKey=agent:main:pa",
        "/home/me/sk-learn-notes/basic authentication.md",
    ] {
        wrong.extend(Some(redact(text)).filter(|is| is != text));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn keys_stay_readable_and_different() {
    assert_eq!(redact_key("secret:github"), "secret:github");
    assert_eq!(redact_key("email:alice@example.com"), "email:alice@example.com");
    let one = redact_key("api:https://x?token=one").into_owned();
    let two = redact_key("api:https://x?token=two").into_owned();
    assert_ne!(one, two);
    assert!(one.starts_with("api:https://x?token=[redacted:") && !one.contains("one"), "{one}");
    assert_eq!(redact_key(&one), one);
}

#[test]
fn a_summary_is_short_and_without_secrets() {
    let params = json!({"command": "x --token abc\n\"q\"", "apiKey": {"a": 1}, "n": [1, 2.0, null, true]});
    assert_eq!(
        summary(&params, 200),
        r#"{"apiKey":"[redacted]","command":"x --token [redacted] \"q\"","n":[1,2,null,true]}"#
    );
    let cut = summary(&json!({"a": "b".repeat(500), "c": "d".repeat(500)}), 140);
    assert!(cut.chars().count() == 140 && cut.contains("bb…\",\"c\":\"dd") && cut.ends_with('…'), "{cut}");
}

#[test]
fn a_cut_shows_no_head_of_a_secret() {
    for start in 0..1100 {
        let text = format!("{}ghp_{}", "x ".repeat(start / 2), "S".repeat(60));
        let shown = summary(&json!({"command": text}), 400);
        assert!(!shown.contains('S'), "{start}: {shown}");
    }
    // What is taken out shortens the text: what follows must not slip into view cut in half.
    let long = format!("token={} ", "a".repeat(900));
    for fill in 0..120 {
        let text = format!("{long}{} ghp_{}", "x".repeat(fill), "S".repeat(60));
        assert!(!summary(&json!({"command": text}), 400).contains('S'), "{fill}");
    }
}

#[test]
fn a_huge_parameter_costs_no_more_than_a_small_one() {
    let params = json!({"a": "x".repeat(20_000_000), "b": vec![0; 1_000_000]});
    for _ in 0..20 {
        assert!(summary(&params, 300).chars().count() == 300);
    }
}

/// What stands in for a secret in these tests: mixed as passwords are, and nothing else here is like it.
const S: &str = "S3cr3tV4lue9xQ";

#[test]
fn a_secret_in_a_text_is_found_in_whatever_form_it_is_written() {
    let mut leaked = Vec::new();
    for text in [
        // Names, in code, settings and data.
        "password: S",
        "password: \"S\"",
        "password: 'S'",
        "password = S",
        "PASSWORD=S",
        "export X_TOKEN=S",
        "db.password=S",
        "spring.datasource.password = S",
        "user: me\npassword: S\nhost: h",
        "db:\n  password: |\n    S\n  host: h",
        "db:\n  password: >-\n    first line\n    S\n  host: h",
        "- name: x\n  token: S x y",
        "password:\n  S",
        "password: correct horse S",
        "[db]\nuser = me\npassword = a S",
        "{\"password\": \"S\"}",
        "{\"a\":{\"apiKey\":\"S\"}}",
        "{\\\"apiKey\\\":\\\"S\\\"}",
        "{\"password\":\"a\\\"S\"}",
        "{'token': 'S'}",
        "{token: 'S'}",
        "{\"tokens\":[\"S\"]}",
        "{\"credentials\":{\"a\":\"S\"}}",
        "{\"name\":\"Authorization\",\"value\":\"Token S\"}",
        "{\"value\":\"Token S\",\"name\":\"Authorization\"}",
        "[[\"Authorization\",\"Token S\"]]",
        "[\"--password\",\"S\"]",
        "{\\\"name\\\":\\\"API_KEY\\\",\\\"value\\\":\\\"S\\\"}",
        "<password>S</password>",
        "<ns:password>S</ns:password>",
        "<password type=\"plain\">S</password>",
        "<db password=\"S\"/>",
        "<add key=\"ApiKey\" value=\"S\"/>",
        "<property name=\"password\">S</property>",
        "<key>password</key>\n<string>S</string>",
        "<password>\n  S\n</password>",
        "machine h login me password S",
        "machine h\n  login me\n  password S",
        "//registry.npmjs.org/:_authToken=S",
        "DATABASE_URL=postgres://me:S@h/db",
        "os.environ[\"API_TOKEN\"] = \"S\"",
        "client.setPassword(\"S\")",
        "header(\"Authorization\", \"Bearer S\")",
        "token := \"S\"",
        "'token' => 'S'",
        "CREATE USER x WITH PASSWORD 'S'",
        "ALTER USER x IDENTIFIED BY 'S'",
        "the password is S.",
        "Server=h;User Id=me;Password=S;",
        "AccountName=x;AccountKey=S==;E=y",
        "SharedAccessKey=S",
        "Authorization: Token S",
        "Cookie: a=b; session=S",
        "Set-Cookie: sid=S; Path=/",
        "X-Auth-Token: S",
        "api key: S",
        "auth: S",
        "pin: S",
        "otp=S",
        "seed phrase: S one two",
        "mnemonic: abandon ability S",
        "cvv: S",
        "card number: S",
        "jwt=S",
        "dsn: S",
        "creds: S",
        "sshKey: S",
        "pass: S",
        "session: S",
        "sid=S",
        "ENV API_TOKEN S",
        "setx API_KEY S",
        "export A=1 B_TOKEN=S",
        "kubectl run x --env=DB_PASSWORD=S",
        "-e API_KEY=S",
        "x --api-key S",
        "x --api-key=S",
        "x --token 'S'",
        "x --password \\\n  S",
        "x -password S",
        "x --auth S",
        "x --pin S",
        "x --passphrase \"a S\"",
        "terraform apply -var 'db_password=S'",
        // Addresses.
        "https://me:S@h/p",
        "https://S@github.com/x",
        "https://h/p?key=S",
        "https://h/p?auth=S&x=1",
        "https://h/p?x=1&token=S",
        "https://h/p?sig=S",
        "https://h/p?api_key=S#x",
        "https://h/p?X-Amz-Signature=S&x",
        "https://h/p?X-Amz-Security-Token=S",
        "https://h/p?access_token=S",
        "https://h/p?password=S",
        "https://x.com/bot/S/send",
        "https://x.com/botS1234567890ab/send",
        "https://x.com/token/S",
        "https://h/reset/S",
        "https://h/hooks/S",
        "redis://:S@h:6379/0",
        "amqp://u:S@h",
        // Options of programs.
        "curl -b session=S h",
        "curl --cookie 'a=S' h",
        "curl -u me:S h",
        "curl -ume:S h",
        "curl -su 'me:S' h",
        "curl --user=me:S h",
        "curl --oauth2-bearer S h",
        "curl --proxy-user a:S h",
        "http -a me:S POST h",
        "http --auth=me:S h",
        "xh --bearer S h",
        "xh --bearer=S h",
        "wget --http-password=S h",
        "mysql -u root -pS db",
        "mysqldump -pS db",
        "sshpass -p S ssh h",
        "sshpass -pS ssh h",
        "redis-cli -a S ping",
        "mongosh -u a -p S",
        "zip -P S a.zip a",
        "7z a -pS x.7z",
        "openssl enc -k S",
        "openssl rsa -passin pass:S",
        "smbclient -U me%S //h/x",
        "poetry publish -u me -p S",
        "gem push --key S x.gem",
        "gh secret set -bS NAME",
        "gh secret set NAME -b S",
        "gh secret set NAME --body=S",
        "gh -R o/r secret set NAME --body 'S'",
        "aws secretsmanager create-secret --name x --secret-string S",
        "aws --profile p secretsmanager put-secret-value --secret-id x --secret-string '{\"a\":\"S\"}'",
        "aws ssm put-parameter --name x --value S --type SecureString",
        "aws ssm put-parameter --value=S",
        "kubectl create secret generic x --from-literal=k=S",
        "kubectl -n a create secret generic x --from-literal k=S",
        "kubectl create secret generic x --from-literal='k=S'",
        "kubectl create secret docker-registry x --docker-password=S",
        "fly secrets set F=S",
        "flyctl secrets set -a app F=S G=S",
        "heroku config:set F=S -a x",
        "docker login -u me -p S r.io",
        "docker login -pS",
        "npm config set //r/:_authToken S",
        "npm config set //r/:_authToken=S",
        "vault kv put secret/p k=S",
        "vault write auth/x role=S",
        "vault login S",
        "PGPASSWORD=S psql -h h",
        "PGPASSWORD='S' psql",
        "netlify env:set NAME S",
        "doppler secrets set NAME S",
        "doppler secrets set NAME=S",
        "op item create --category login field=S",
        "supabase secrets set NAME=S",
        "railway variables --set NAME=S",
        "az keyvault secret set --name x --value S",
        "eas secret:create --name X --value S",
        "dotnet user-secrets set K S",
        "pulumi config set --secret k S",
        "git config github.token S",
        "cargo login S",
        "twine upload -pS dist/*",
        "nuget push x -k S",
        "htpasswd -b f me S",
        "cf set-env app K S",
        "bw unlock S",
        "security add-generic-password -a x -w S",
        "sh -c \"docker login -p S\"",
        "ssh h 'mysql -pS db' && x",
        "sudo mysql -pS",
        "cd /x && FOO=1 gh secret set X -b S; y",
        "$(gh secret set X -b S)",
        "ngrok authtoken S",
        "rclone obscure S",
        // What is read.
        "echo S | sudo -S ls",
        "echo 'S' | sudo -kS ls",
        "printf S | vercel env add NAME production",
        "printf '%s' S | gh secret set NAME",
        "printf \"%s\\n\" \"S\" | wrangler secret put NAME",
        "echo -n S | docker login -u me --password-stdin",
        "gh secret set NAME <<< S",
        "gh secret set NAME <<<'S'",
        "wrangler secret put X <<< \"S\"",
        "cat <<EOF | gh secret set X\nS\nEOF\n",
        "gh secret set X <<'EOF'\nS\nEOF\necho",
        "gcloud secrets versions add x --data-file=- <<< S",
        "echo -n \"S\" | gcloud secrets create x --data-file=-",
        "echo S | base64 | kubectl create secret generic x --from-file=a=/dev/stdin",
        "echo me:S | chpasswd",
        "echo S | passwd --stdin me",
        "bash -c 'echo S | sudo -S ls'",
        "echo \"S\" | npx wrangler secret put X",
        "kubectl apply -f - <<EOF\nkind: Secret\nstringData:\n  x: S\nEOF",
        "echo S | gpg --batch --passphrase-fd 0 -c x",
        "printf 'S' | flyctl secrets import",
        "echo S|sudo -S id",
        "firebase functions:secrets:set X <<< S",
        "echo S | doppler secrets set X",
    ] {
        let with_secret = with_secret(text);
        if redact(&with_secret).contains(S) {
            leaked.push(format!("{text}   ->   {}", redact(&with_secret)));
        }
    }
    assert!(leaked.is_empty(), "{leaked:#?}");
}

/// The text with the secret where an `S` stands for itself.
fn with_secret(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut made = String::new();
    for (at, c) in text.char_indices() {
        let near = |place: Option<usize>| place.and_then(|place| bytes.get(place)).copied().unwrap_or(b' ');
        let before = near(at.checked_sub(1));
        let after = near(Some(at + 1));
        let attached = text
            .get(..at)
            .is_some_and(|head| head.ends_with("-p") || head.ends_with("-b") || head.ends_with("/bot"));
        let alone = !after.is_ascii_alphabetic()
            && (!before.is_ascii_alphanumeric() && before != b'_' && before != b'-' || attached);
        if c == 'S' && alone && !text.get(..at).is_some_and(|head| head.ends_with(" -")) {
            made.push_str(S);
        } else {
            made.push(c);
        }
    }
    assert!(made.contains(S), "{text}");
    made
}

#[test]
fn a_secret_in_a_value_is_found_by_what_its_structure_says() {
    let mut leaked = Vec::new();
    for params in [
        json!({"headers": [{"name": "Authorization", "value": S}]}),
        json!({"headers": [{"value": S, "key": "X-Api-Key"}]}),
        json!({"headers": [["Authorization", format!("Token {S}")]]}),
        json!({"headers": {"Authorization": format!("Token {S}")}}),
        json!({"headers": {"Authorization": [format!("Token {S}")]}}),
        json!({"rawHeaders": ["Host", "x", "Cookie", S]}),
        json!({"args": ["--password", S]}),
        json!({"args": ["--user", "me", "-p", S]}),
        json!({"args": ["-p", S]}),
        json!({"args": ["--token", S, "--to", "x"]}),
        json!({"args": [format!("--token={S}")]}),
        json!({"command": "mysql", "args": ["-u", "root", format!("-p{S}")]}),
        json!({"command": "/usr/bin/gh", "args": ["secret", "set", "X", "--body", S]}),
        json!({"command": ["bash", "-lc", format!("curl -u me:{S} https://x")]}),
        json!({"command": ["fly", "secrets", "set", format!("F={S}")]}),
        json!({"command": "sudo -S ls", "stdin": S}),
        json!({"command": "gh", "args": ["secret", "set", "X"], "input": S}),
        json!({"env": {"API_TOKEN": S}}),
        json!({"env": [format!("TOKEN={S}")]}),
        json!({"env": [{"name": "TOKEN", "value": S}]}),
        json!({"auth": S}),
        json!({"auth": {"user": "me", "pass": S}}),
        json!({"auth": ["me", S]}),
        json!({"sshKey": S}),
        json!({"creds": S}),
        json!({"jwt": S}),
        json!({"cvv": 123_456_789_012_u64, "x": S.len()}),
        json!({"cardNumber": S}),
        json!({"otp": S}),
        json!({"pin": S}),
        json!({"dsn": S}),
        json!({"mnemonic": S}),
        json!({"seed": S}),
        json!({"passphrase": S}),
        json!({"connectionString": S}),
        json!({"privateKey": S}),
        json!({"api-key": S}),
        json!({"client_secret": S}),
        json!({"refresh_token": S}),
        json!({"session": S}),
        json!({"cookie": S}),
        json!({"cookies": [{"name": "x", "value": S}]}),
        json!({"a": {"b": [{"c": {"userPassword": S}}]}}),
        json!({"tokens": [S]}),
        json!({"key": S}),
        json!({"fields": {"password": {"a": S}}}),
        json!({"variables": [{"key": "DB_PASSWORD", "value": S, "secret": true}]}),
        json!({"body": format!("user: me\npassword: {S}\n")}),
        json!({"text": format!("<password>{S}</password>")}),
        json!({"url": format!("https://x.com/p?key={S}")}),
    ] {
        let shown = summary(&params, 2_000);
        if shown.contains(S) || shown.contains("123456789012") {
            leaked.push(shown);
        }
    }
    assert!(leaked.is_empty(), "{leaked:#?}");
    let wallet = summary(&json!({"seed": "abandon ability able about above absent"}), 200);
    assert!(wallet.contains("redacted"), "{wallet}");
}

#[test]
fn tokens_are_known_by_their_form_alone() {
    let body = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k";
    let mut leaked = Vec::new();
    for start in [
        "ghp_",
        "gho_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "sk-",
        "sk-ant-api03-",
        "sk-proj-",
        "sk_live_",
        "rk_live_",
        "whsec_",
        "npm_",
        "hf_",
        "AIza",
        "dop_v1_",
        "shpat_",
        "pypi-",
        "123456:AA",
        "123456789:AA",
        "hvs.",
        "AGE-SECRET-KEY-",
        "eyJhbGciOiJIUzI1NiJ9.",
        "SG.abcdefghijklmnopqrst.",
        "Bearer ",
        "bearer ",
        "dckr_pat_",
        "ya29.",
        "GOCSPX-",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n",
        "-----BEGIN EC PRIVATE KEY-----\n",
    ] {
        for text in [
            format!("{start}{body}"),
            format!("see ({start}{body}) there"),
            format!("a:\"{start}{body}\""),
            format!("x={start}{body}\n"),
        ] {
            if redact(&text).contains(body) {
                leaked.push(text);
            }
        }
    }
    for text in ["AKIAIOSFODNN7EXAMPLE", "Basic bWU6aHVudGVyMjM0NTY3ODkw", "x AKIAIOSFODNN7EXAMPLE."] {
        leaked.extend(Some(text.to_owned()).filter(|text| !redact(text).contains("[redacted]")));
    }
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn a_token_in_the_path_of_an_address_is_not_in_the_key() {
    for key in [
        "http:POST:x.com/bot/{}/send",
        "http:POST:x.com/{}/send",
        "xurl:POST:/hooks/{}",
        "payment:api.x.com/v1/token/{}",
        "http:GET:x.com/p?auth={}",
        "az:rest:https://h/p?key={}",
        "call:https://me:{}@h/p",
    ] {
        let [one, two] =
            ["xK9fQ2mZ7pLr4TvB8nWd", "yK9fQ2mZ7pLr4TvB8nWd"].map(|token| key.replace("{}", token));
        let [shown, other] = [&one, &two].map(|key| redact_key(key).into_owned());
        assert!(!shown.contains("K9fQ2mZ7pLr4TvB8nWd") && shown.contains("[redacted:"), "{shown}");
        assert_ne!(shown, other);
        assert_eq!(redact_key(&one), shown);
        assert_eq!(redact_key(&shown), shown);
    }
}

#[test]
fn what_people_write_and_name_stays_readable() {
    let mut eaten = Vec::new();
    for params in [
        json!({"to": "bob@example.com", "subject": "The key points", "body": "Hi Bob,\n\nthe session on Tuesday was passed on to the authors: Ann, Bob. The tokenizer works; \
            see the keyboard section.\n\nRegards"}),
        json!({"max_tokens": 1200, "temperature": 0.5, "tokens": 100, "author": "Ann", "pinned": true, "session_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6"}),
        json!({"key": "Enter", "code": "KeyA", "text": "hello"}),
        json!({"key": "ArrowDown", "sessionKey": "agent:main:pa", "seed": 42, "cacheKey": "item-2024"}),
        json!({"command": "git show d670460b4b4aece5915caf5c68d12f560a9fe3e4 -- src/auth.rs"}),
        json!({"command": "git log --author=Ann --since 2024-01-01 | head -20"}),
        json!({"command": "grep -rn 'max_tokens' src/ && npm run build -- --mode production"}),
        json!({"path": "/home/me/project/src/auth/token_store.rs", "content": "fn main() { println!(\"{}\", key); }"}),
        json!({"url": "https://example.com/docs/auth/getting-started?page=2&sort=key_name#tokens"}),
        json!({"url": "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms/edit"}),
        json!({"id": "3fa85f64-5717-4562-b3fc-2c963f66afa6", "ref": "refs/heads/feature/login-page", "sha": "d670460b4b4aece5915caf5c68d12f560a9fe3e4"}),
        json!({"args": ["build", "-p", "80:80", "--target", "release"]}),
        json!({"args": ["--name", "x", "--port", "8080"]}),
        json!({"command": "mkdir -p a/b && cp -p a b && docker run -p 80:80 nginx"}),
        json!({"command": "kubectl get pods -n prod -o wide | grep api"}),
        json!({"command": "echo hello | sudo tee /etc/motd"}),
        json!({"command": "curl -s https://api.github.com/repos/o/r/commits/d670460b4b4aece5915caf5c68d12f560a9fe3e4"}),
        json!({"command": "curl -X POST https://api.example.com/v1/messages -d '{\"text\":\"done\",\"channel\":\"general\"}'"}),
        json!({"command": "himalaya message send --to reader-1@example.com --subject Report"}),
        json!({"auth": "none", "authType": "basic", "password": null, "hasPassword": true}),
        json!({"message": "Please rotate the token, then restart. The pass rate was 95%."}),
    ] {
        let shown = summary(&params, 2_000);
        if shown.contains("redacted") {
            eaten.push(shown);
        }
    }
    assert!(eaten.is_empty(), "{eaten:#?}");
}
