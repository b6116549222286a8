//! Forms in which secrets are given and written. `{S}` is the secret.

use serde_json::json;

use super::super::*;
use super::{S, summary};

/// Those of `texts` in whose redacted form the secret still stands.
fn leaked(texts: &[&str]) -> Vec<String> {
    let shown = texts.iter().map(|text| redact(&text.replace("{S}", S)).into_owned());
    shown.filter(|shown| shown.contains(S)).collect()
}

#[test]
fn a_secret_in_code_is_found_behind_its_type_or_its_user() {
    let leaked = leaked(&[
        "const TOKEN: &str = \"{S}\";",
        "pub static API_TOKEN: &'static str = \"{S}\";",
        "const apiKey: string = '{S}'",
        "  private readonly password: string | undefined = '{S}';",
        "password: Optional[str] = \"{S}\"",
        "requests.get(url, auth=('u','{S}'))",
        "requests.get(url, auth=(\"u\", \"{S}\"))",
        "HTTPBasicAuth('u', '{S}')",
        "new NetworkCredential(\"u\",\"{S}\")",
        "document.getElementById('password').value='{S}'",
        "document.querySelector('#password').value = \"{S}\"",
        "page.locator('#password').fill('{S}')",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn a_secret_in_a_block_or_in_lines_that_are_written_as_others_is_found() {
    let leaked = leaked(&[
        "a:\n  Authorization: |\n    {S}\n  b: c",
        "a:\r\n  Cookie: |\r\n    {S}\r\n  b: c",
        "Proxy-Authorization: >-\n  Bearer\n  {S}\n",
        "Cookie:\n    a={S}\n",
        "Authorization:\n  - Bearer {S}\n",
        "Authorization: Bearer\n  {S}\n",
        "password: | # ours\n  {S}\n",
        "password: !vault |\n  {S}\n",
        "- name: DB_PASSWORD\n  value: |\n    {S}\n",
        "{\"body\":\"a: b\\npassword: |\\n  {S}\\nc: d\"}",
        "{\"body\":\"A=b\\nAPI_KEY={S}\\nC=d\"}",
        "{\\\"body\\\":\\\"A=b\\\\nAPI_KEY={S}\\\\nC=d\\\"}",
        "@@\n+  password: |\n+    {S}\n",
        "@@\n-  password: |\n-    {S}\n+  password: x\n",
        "password = '''{S}'''",
        "Cookie = \"\"\"\n{S}\n\"\"\"",
        "[auth]\npassword = \"\"\"\n{S}\n\"\"\"",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
    let block = "a:\n  Cookie: |\n    {S}\n  b: c\nd: e".replace("{S}", S);
    assert_eq!(redact(&block), "a:\n  Cookie: |\n    [redacted]\n  b: c\nd: e");
    let header = "Cookie: a={S}\n  b={S}\nHost: h".replace("{S}", S);
    assert_eq!(redact(&header), "Cookie: [redacted]\nHost: h");
    for text in
        ["git commit -m \"one\\ntwo\\nauth\"", "@@\n+  tokens: 12\n+  auth: off\n", "Cookie:\nHost: h"]
    {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_secret_of_which_a_label_or_a_sibling_says_so_is_found() {
    for params in [
        json!({"secretName": "x", "value": S}),
        json!({"setting": "gateway.auth.token", "value": S}),
        json!({"target": "Password field", "text": S}),
        json!({"Name": "/a/b", "Type": "SecureString", "Value": S}),
    ] {
        assert!(!summary(&params, 500).contains(S), "{params}");
    }
    assert!(summary(&json!({"target": "Name field", "text": "me"}), 500).contains("me\""));
}

#[test]
fn a_secret_that_another_field_names_is_found_under_more_names() {
    for params in [
        json!({"field": "password", "newValue": S}),
        json!({"variable_name": "API_KEY", "variable_value": S}),
        json!({"variableName": "API_KEY", "variableValue": S}),
    ] {
        assert!(!summary(&params, 500).contains(S), "{params}");
        assert!(!redact(&params.to_string()).contains(S), "{params}");
    }
}

#[test]
fn what_a_manifest_of_a_secret_holds_is_taken_out() {
    let leaked = leaked(&[
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  user: {S}\n  b: {S}\ntype: Opaque\n",
        "apiVersion: v1\ndata:\n  user: {S}\nkind: Secret\n",
        "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"x\"},\"data\":{\"user\":\"{S}\"}}",
        "{\"data\": {\"user\": \"{S}\"}, \"kind\": \"Secret\"}",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
    let map = "kind: ConfigMap\ndata:\n  user: me\n---\nkind: Secret\nmetadata:\n  name: x\n";
    assert_eq!(redact(map), map);
}

#[test]
fn a_manifest_of_a_secret_that_a_tool_is_given_shows_none_of_its_data() {
    for params in [
        json!({"kind": "Secret", "data": {"user": S}}),
        json!({"manifest": {"kind": "Secret", "stringData": {"user": S, "n": 1}}}),
        json!({"kind": "List", "items": [{"kind": "Secret", "data": {"a": {"b": [S]}}}]}),
        json!({"content": format!("cat <<E | kubectl apply -f -\nkind: Secret\nstringData:\n  user: {S}\nE")}),
    ] {
        assert!(!summary(&params, 500).contains(S), "{params}");
    }
    for params in [
        json!({"kind": "ConfigMap", "data": {"user": "me"}}),
        json!({"kind": "SealedSecret", "data": {"user": "me"}}),
        json!({"type": "session", "data": {"user": "me"}}),
    ] {
        assert!(summary(&params, 500).contains("me\""), "{params}");
    }
}

#[test]
fn a_phrase_of_small_letters_is_a_secret_where_no_sentence_goes_on() {
    for (text, redacted) in [
        ("login with password: correct horse battery staple", "login with password: [redacted]"),
        ("bob, password: open sesame now", "bob, password: [redacted]"),
        ("user: bob password: swordfish host: h", "user: bob password: [redacted] host: h"),
        ("the wifi password: tangerine dream is posted", "the wifi password: [redacted] is posted"),
        ("as bob password: tangerine then press enter", "as bob password: [redacted] then press enter"),
    ] {
        assert_eq!(redact(text), redacted);
    }
    for text in [
        "the password: field is required",
        "note: password: same as before",
        "docs: password: how to rotate it",
        "git commit -m 'password: hash it with argon'",
        "git commit -m 'password: validation for short ones'",
        "login: password: prompt stays open",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn lines_of_password_files_are_known_without_the_name_of_the_file() {
    let leaked = leaked(&[
        "h:5432:db:u:{S}",
        "echo 'db.example.com:5433:*:app:{S}' > f",
        "cat > f <<E\n*:*:*:me:{S}\nE",
        "machine h login me password {S}",
        "machine h\n  login me\n  password {S}\n",
        "[client]\nuser=me\npassword={S}\nhost=h",
        "me:$apr1$abcdefgh${S}",
        "bob:$2y$05$abcdefghijk{S}",
        "root:$6$saltsalt${S}:19000:0:99999:7:::",
        "me:{SHA}{S}{S}=",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
    for text in [
        "docker run -p 127.0.0.1:5432:5432 postgres",
        "ssh -L 5432:db:5432 h",
        "psql -h db:5432 -d app:x",
        "0 5 *:*:00 x",
        "awk '{print $1$2}' f; echo $5$6",
        "rsync a h:5432:b",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_secret_that_a_sentence_says_is_found() {
    let leaked = leaked(&[
        "Password for admin: {S}",
        "the new password will be {S}",
        "I changed the password to {S}.",
        "The password is now {S}",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
    for text in ["pass the token to server2 for the job", "Password for admin: see the vault", "auth to api2"]
    {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_is_taken_out_of_an_address_ends_before_its_host() {
    for user in ["x-access-token:{S}", "token:{S}", "u:{S}"] {
        let shown = redact(&format!("git push https://{user}@github.com/acme/app main").replace("{S}", S))
            .into_owned();
        assert!(shown.ends_with("[redacted]@github.com/acme/app main"), "{shown}");
    }
}

#[test]
fn what_is_like_a_form_of_a_secret_stays_readable() {
    let mut eaten = Vec::new();
    for text in [
        "curl 'https://h.example/p?next=%2Fhome%3Fpage%3D2%26q%3D50%2525'",
        "q=%7B%22name%22%3A%22a1b2c3d4e5%22%7D",
        "<div data-x=\"{&quot;name&quot;:&quot;a1b2c3d4e5&quot;}\">",
        "curl -x proxy.example:3128 https://h.example",
        "curl --proxy http://proxy.example:3128 https://h.example",
        "https_proxy=proxy.example:3128 wget https://h.example",
        "the proxy is at 10.0.0.1:3128 for me@example.com",
        "kubectl proxy --port=8001",
        "rsync a me@h.example:b",
        "250-AUTH LOGIN PLAIN XOAUTH2\n250 OK",
        "the auth plain text is sent",
        "PASS src/auth/login2.test.ts",
        "PASS  tests/a1.test.js (5 s)",
        "user me is gone",
        "open the user guide: user story a12",
        "docker run --user 1000 nginx",
        "the LOGIN page takes me2",
        "expect(password).toBe(expected1)",
        "expect \"yes/no\"\nsend \"yes\\r\"\nexpect eof",
        "expect \"assword:\"\nsend \"$pw1\\r\"",
        "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":\"3a4b5c6d\"}]",
        "{\"path\":\"src/auth.rs\",\"value\":\"3a4b5c6d\"}",
        "diff <(echo a1b2c3d4) <(echo b)",
        "echo done > token.test.js",
        "echo '# 12 words' > docs/passwords.md",
        "date +%s > /tmp/token",
        "client.connect('localhost', 5432, 'a1b2c3d4')",
        "s.connect(button, 'clicked', 'open')",
        "decrypt('a1b2c3d4e5')",
        "yq w f.yml db.host a1b2c3d4e5",
        "defaults write com.example showTabs a1b2c3d4e5",
        "echo a1b2c3d4e5 | base64",
        "echo 'a: b1c2' | base64",
        "file:///home/me/a1/b2c3",
        "? question\n: a1b2c3d4e5",
        "variable \"region\" {\n  default = \"eu-west-1a2b3c\"\n}",
        "aws configure list",
        "echo \"::add-mask::$TOKEN_OF_2025\"",
        "committee token1.txt",
        "npm login",
        "token bucket",
    ] {
        eaten.extend(Some(redact(text).into_owned()).filter(|shown| shown != text));
    }
    for params in [
        json!({"path": "/home/me/notes.txt", "content": "a1b2c3d4e5"}),
        json!({"file_path": "src/auth/token.rs", "content": "a1b2c3d4e5"}),
        json!({"path": "docs/token", "content": "What a token is"}),
        json!({"path": "/spec/replicas", "value": "a1b2c3d4e5"}),
    ] {
        let shown = summary(&params, 500);
        eaten.extend(Some(shown).filter(|shown| shown.contains("redacted")));
    }
    for key in ["http:GET:h.example/p?next=%2Fhome%3Fpage%3D2", "storage:s3/a%20b/token"] {
        eaten.extend(Some(redact_key(key).into_owned()).filter(|shown| shown != key));
    }
    assert!(eaten.is_empty(), "{eaten:#?}");
}

#[test]
fn a_secret_in_an_address_that_another_one_holds_is_in_no_key() {
    for key in
        ["http:GET:h.example/p?next=%2Fcb%3Ftoken%3D{S}", "api:https://h/p?u=https%3A%2F%2Fme%3A{S}%40h"]
    {
        let [shown, other] =
            [S, "S3cr3tV4lue8xQ"].map(|secret| redact_key(&key.replace("{S}", secret)).into_owned());
        assert!(!shown.contains(S) && shown.contains("[redacted:"), "{shown}");
        assert_ne!(shown, other);
        assert_eq!(redact_key(&shown), shown);
    }
}

#[test]
fn a_secret_is_found_by_the_place_that_it_belongs_to() {
    for params in [
        json!({"op": "replace", "path": "/auth/token", "value": S}),
        json!({"patch": [{"op": "add", "path": "/users/0/password", "value": S}]}),
        json!({"path": "auth.tokens[0]", "newValue": S}),
        json!({"jsonPath": "$.db.password", "value": S}),
        json!({"path": "/home/me/.vault-token", "content": format!("{S}\n")}),
    ] {
        assert!(!summary(&params, 500).contains(S), "{params}");
        assert!(!redact(&params.to_string()).contains(S) || params.get("content").is_some(), "{params}");
    }
}
