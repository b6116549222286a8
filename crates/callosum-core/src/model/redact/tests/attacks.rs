//! What got through in attacks on what is written down, and what was taken out without need. `{S}` is the secret.

use serde_json::json;

use super::super::*;
use super::{S, summary};

/// Those of `texts` in whose redacted form the secret still stands, whatever they are redacted as.
fn leaked(texts: &[&str]) -> Vec<String> {
    let mut leaked = Vec::new();
    for text in texts {
        assert!(text.contains("{S}"), "{text}");
        let text = text.replace("{S}", S);
        leaked.extend(Some(redact(&text).into_owned()).filter(|shown| shown.contains(S)));
        leaked.extend(
            Some(summary(&json!({ "content": text }), 2_000))
                .filter(|shown| shown.contains(S) && !leaked.iter().any(|line| shown.contains(line))),
        );
    }
    leaked
}

#[test]
fn an_address_that_lets_whoever_knows_it_in_is_taken_out_of_texts_and_keys() {
    let mut wrong = Vec::new();
    for address in [
        "ntfy.sh/{S}",
        "ntfy.sh/alerts-{S}",
        "ntfy.sh/{S}/json?poll=1",
        "{S}.m.pipedream.net",
        "{S}.m.pipedream.net/path",
        "{S}.x.pipedream.net/",
        "hooks.zapier.com/hooks/catch/123456/{S}/",
        "hooks.zapier.com/hooks/standard/123456/{S}/",
        "discord.com/api/webhooks/1234567890/{S}",
        "discord.com/api/webhooks/1234567890/{S}/slack?wait=true",
        "ptb.discord.com/api/v10/webhooks/1234567890/{S}",
        "discordapp.com/api/webhooks/1234567890/{S}",
        "hooks.slack.com/services/T0AAAA/B0BBBB/{S}",
        "hooks.slack.com/triggers/T0AAAA/1/{S}",
        "hooks.slack-gov.com/services/T0AAAA/B0BBBB/{S}",
        "maker.ifttt.com/trigger/door/with/key/{S}",
        "maker.ifttt.com/trigger/door/json/with/key/{S}",
        "maker.ifttt.com/use/{S}",
        "acme.webhook.office.com/webhookb2/a@b/IncomingWebhook/{S}/d",
        "outlook.office.com/webhook/a@b/IncomingWebhook/{S}/d",
        "api.telegram.org/bot123456789:AA{S}/sendMessage",
        "api.telegram.org/bot{S}/sendMessage",
        "api.telegram.org/file/bot123456789:AA{S}/x.png",
        "hc-ping.com/{S}",
        "hc-ping.com/{S}/fail",
        "hchk.io/{S}",
        "webhook.site/{S}",
        "hook.eu1.make.com/{S}",
        "hook.integromat.com/{S}",
        "acme.app.n8n.cloud/webhook/{S}",
        "open.feishu.cn/open-apis/bot/v2/hook/{S}",
        "open.larksuite.com/open-apis/bot/v2/hook/{S}",
        "oapi.dingtalk.com/robot/send?access_token={S}",
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={S}",
        "chat.googleapis.com/v1/spaces/A/messages?key=a&token={S}",
        "api.day.app/{S}/title",
        "sctapi.ftqq.com/{S}.send",
        "events.pagerduty.com/integration/{S}/enqueue",
        "cronitor.link/p/{S}/job",
        "uptime.betterstack.com/api/v1/heartbeat/{S}",
        "api.netlify.com/build_hooks/{S}",
        "api.vercel.com/v1/integrations/deploy/prj_1/{S}",
        "api.render.com/deploy/srv-1?key={S}",
        "hooks.airtable.com/workflows/v1/genericWebhook/app1/{S}",
        "prod-1.westus.logic.azure.com/workflows/a/triggers/manual/paths/invoke?sig={S}",
    ] {
        let address = address.replace("{S}", S);
        for text in [
            format!("curl -d done https://{address}"),
            format!("curl -d done {address}"),
            format!("see https://{address}."),
            format!("{{\"url\":\"https://{address}\"}}"),
            format!("{{\"url\":\"https:\\/\\/{}\"}}", address.replace('/', "\\/")),
        ] {
            wrong.extend(Some(redact(&text).into_owned()).filter(|shown| shown.contains(S)));
        }
        for key in [format!("http:POST:{address}"), format!("api:https://{address}")] {
            let shown = redact_key(&key).into_owned();
            let other = redact_key(&key.replace(S, &S.replace('9', "8"))).into_owned();
            if shown.contains(S) || shown == other || redact_key(&shown) != shown {
                wrong.push(shown);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_identifier_alone_lets_in_where_an_address_is_made_of_one() {
    let id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    for address in [
        "hc-ping.com/{}",
        "webhook.site/{}",
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}",
        "open.feishu.cn/open-apis/bot/v2/hook/{}",
        "acme.app.n8n.cloud/webhook/{}",
    ] {
        let key = format!("http:POST:{}", address.replace("{}", id));
        assert!(!redact_key(&key).contains(id), "{key}");
        assert!(!redact(&format!("https://{key}")).contains(id), "{key}");
    }
}

#[test]
fn a_secret_that_a_pair_names_is_found_wherever_in_it_the_value_stands() {
    let leaked = leaked(&[
        r#"{"type":"password","value":"{S}"}"#,
        r#"{"type":"password","id":3,"value":"{S}"}"#,
        r#"{"value":"{S}","id":3,"type":"password"}"#,
        r#"{"key":"password","value":"{S}"}"#,
        r#"{"key": "db", "name": "password", "value": "{S}"}"#,
        r#"{"name":"password","secure":true,"value":"{S}"}"#,
        r#"{"k":"password","v":"{S}"}"#,
        r#"{"v":"{S}","k":"password"}"#,
        r#"{"field":"password","value":"{S}"}"#,
        r#"{"value":"{S}","field":"password"}"#,
        r#"{"param":"token","content":"{S}"}"#,
        r#"{\"name\":\"password\",\"type\":\"text\",\"value\":\"{S}\"}"#,
        "{key: 'password', hidden: true, value: '{S}'}",
        "- name: DB_PASSWORD\n  value: {S}",
        "- name: DB_PASSWORD\n  value: \"{S}\"\n- name: X",
        "- name: a\n  value: b\n- value: {S}\n  name: DB_PASSWORD",
        "key: api_token\ntype: string\nvalue: {S}",
        r#"{"name":"password","token":"{S}","value":"x"}"#,
        "| password | token: {S} |\n|---|---|\n| abc | api_key={S} |\n| abd | x |",
        "verification code: {S} 12",
        "name=password&value={S}",
        "curl -F name=password -F value={S} h",
        "x create --name API_TOKEN --value {S} --scope project",
        "x create --key DB_PASSWORD --value={S}",
        "x create -n DB_PASSWORD --value '{S}'",
        "<entry><name>password</name><value>{S}</value></entry>",
        "name = \"DB_PASSWORD\"\nvalue = \"{S}\"",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
    let mut shown = Vec::new();
    for params in [
        json!({"type": "password", "value": S}),
        json!({"a": [{"type": "password", "id": 3, "value": S}]}),
        json!({"field": "password", "value": S}),
        json!({"k": "password", "v": S}),
        json!({"selector": "#password", "text": S}),
        json!({"element": "Password field", "ref": "e12", "text": S}),
        json!({"fields": [{"name": "Password", "type": "textbox", "ref": "e2", "value": S}]}),
        json!({"GITHUB_PAT": S}),
        json!({"githubPat": S}),
        json!({"env": {"GH_PAT": S}}),
        json!({"recoveryCodes": [S, "aaaa-1111"]}),
        json!({"backup_codes": S}),
        json!({"psk": S}),
        json!({"authz": S}),
        json!({"contraseña": S}),
        json!({"пароль": S}),
        json!({"密码": S}),
    ] {
        shown.extend(Some(summary(&params, 2_000)).filter(|shown| shown.contains(S)));
    }
    assert!(shown.is_empty(), "{shown:#?}");
}

#[test]
fn a_secret_in_a_document_is_found_by_its_heading_or_its_row() {
    let leaked = leaked(&[
        "token = b\"{S}\"",
        "password=r'{S}'",
        "Here is the password:\n\n{S}\n",
        "| password | {S} |",
        "| **Password** | `{S}` |",
        "| user | me |\n| password | {S} |\n| host | h |",
        "| user | password | host |\n|------|----------|------|\n| me | {S} | h |\n| you | {S} | h |",
        "| Service | API key |\n| :-- | --: |\n| a | {S} |",
        "user,password,host\nme,{S},h\nyou,{S},h",
        "**Password:** {S}",
        "- **Password**: `{S}`",
        "* __Token__: {S}",
        "Password: `{S}`",
        "<td>Password</td><td>{S}</td>",
        "<b>Password:</b> {S}",
        "<dt>Password</dt>\n<dd>{S}</dd>",
        "## Password\n\n{S}\n",
        "recovery codes: {S}",
        "Your recovery codes: 1111-aaaa, {S}, 2222-bbbb",
        "backup codes:\n- 1111-aaaa\n- {S}\n",
        "Backup codes\n1. 1111-aaaa\n2. {S}\n",
        "\"backup_codes\": [\"1111-aaaa\", \"{S}\"]",
        "recovery code {S}",
        "your one-time code is {S}",
        "psk={S}",
        "network={\n  ssid=\"x\"\n  psk=\"{S}\"\n}",
        "PresharedKey = {S}",
        "authz: {S}",
        "x-authz={S}",
        "--F1\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n{S}\r\n--F1--",
        "--F1\\r\\nContent-Disposition: form-data; name=\\\"password\\\"\\r\\n\\r\\n{S}\\r\\n--F1--",
        "Content-Disposition: form-data; name=\"token\"\nContent-Type: text/plain\n\n{S}\n--F1",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn a_password_in_a_statement_of_sql_is_found_in_whatever_case() {
    let leaked = leaked(&[
        "create user x with password '{S}'",
        "ALTER ROLE x PASSWORD '{S}'",
        "alter role x with encrypted password '{S}' login",
        "create user x identified by '{S}'",
        "CREATE USER 'x'@'%' IDENTIFIED BY '{S}';",
        "CREATE USER x IDENTIFIED BY \"{S}\"",
        "create user x identified with mysql_native_password by '{S}'",
        "ALTER USER x IDENTIFIED WITH caching_sha2_password BY '{S}'",
        "GRANT ALL ON *.* TO x IDENTIFIED BY PASSWORD '{S}'",
        "create login x with password = '{S}'",
        "CREATE LOGIN x WITH PASSWORD = N'{S}'",
        "SET PASSWORD FOR x = PASSWORD('{S}')",
        "set password = '{S}'",
        "update users set password='{S}' where id=1",
        "update users set name='x', api_token = '{S}'",
        "psql -c \"alter user x with password '{S}'\"",
        "psql -c 'ALTER USER x PASSWORD '\\''{S}'\\'''",
        "psql -c 'ALTER USER x PASSWORD '\"'\"'{S}'\"'\"''",
        "mysql -e 'create user x identified by \"{S}\"'",
        "create secret x (type s3, key_id 'a', secret '{S}')",
        "INSERT INTO users (name, password) VALUES ('me', '{S}')",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn a_secret_that_a_program_is_given_by_an_option_of_its_own_is_found() {
    let leaked = leaked(&[
        "kubectl patch secret x -p '{\"data\":{\"a\":\"{S}\"}}'",
        "kubectl -n a patch secret x --type merge -p '{\"stringData\":{\"a\":\"{S}\"}}'",
        "kubectl patch secret/x --patch='{\"data\":{\"a\":\"{S}\"}}'",
        "kubectl patch secrets x --type=json -p='[{\"op\":\"add\",\"path\":\"/data/a\",\"value\":\"{S}\"}]'",
        "oc patch secret x -p \"{\\\"data\\\":{\\\"a\\\":\\\"{S}\\\"}}\"",
        "GITHUB_PAT={S} gh pr list",
        "export AZURE_DEVOPS_EXT_PAT='{S}'",
        "gh_pat: {S}",
        "{\"GITHUB_PAT\":\"{S}\"}",
        "{\\\"GITHUB_PAT\\\":\\\"{S}\\\"}",
        "x --github-pat {S}",
        "x --pat={S}",
        "os.environ['GH_PAT'] = '{S}'",
        "sendemail -f a@b -t c@d -xu me -xp {S} -m hi",
        "stripe -k {S} customers list",
        "stripe customers list --api-key {S}",
        "vercel -t {S} deploy",
        "vercel deploy --token={S}",
        "fly -t {S} deploy",
        "flyctl deploy -t {S}",
        "doctl -t {S} compute droplet list",
        "nuget push x.nupkg -k {S} -Source u",
        "dotnet nuget push x.nupkg -s u -k {S}",
        "dotnet nuget push x.nupkg --api-key {S}",
        "nuget push x.nupkg {S} -Source u",
        "nuget setapikey {S}",
        "rclone config create x s3 secret_access_key={S}",
        "rclone config create x s3 provider AWS secret_access_key {S} region eu",
        "rclone config update x pass {S}",
        "rclone --s3-secret-access-key {S} ls x:",
        "nmcli con modify x wifi-sec.psk {S}",
        "nmcli dev wifi connect x password {S}",
        "nmcli c add type wifi ssid x wifi-sec.key-mgmt wpa-psk wifi-sec.psk '{S}'",
        "nmcli con mod x 802-1x.password {S}",
        "lftp -u me,{S} sftp://h",
        "lftp -e 'ls; bye' -u 'me,{S}' h",
        "smbclient -U user%{S} //h/x",
        "smbclient //h/x -U 'DOM\\user%{S}' -c ls",
        "smbclient --user=user%{S} //h/x",
        "smbclient //h/x -Uuser%{S}",
        "mc alias set x https://h key {S}",
        "mc config host add x https://h key {S} --api s3v4",
        "net user bob {S} /add",
        "net user bob {S}",
        "net use z: \\\\h\\x {S} /user:bob",
        "net rpc user add bob {S} -U a%{S}",
        "cmdkey /add:h /user:bob /pass:{S}",
        "mysql -p{S}",
        "mysql -uroot -p{S} -e 'select 1'",
        "mysql -uroot -p'{S}' db",
        "mysql -h h -u root --password={S} db",
        "docker exec db mysql -uroot -p{S}",
        "ssh h mysql -p{S} db",
        "/usr/local/bin/mysqldump -p{S} db > x.sql",
        "sshpass -p{S} ssh h",
        "sshpass -p '{S}' rsync a h:b",
        "ldapsearch -x -D cn=a -w {S}",
        "ldapwhoami -x -D cn=a -w {S}",
        "ldappasswd -s {S} -a {S} cn=b",
        "redis-cli -a {S} ping",
        "redis-cli -h h -a{S} ping",
        "redis-cli auth {S}",
        "redis-cli config set requirepass {S}",
        "psql postgres://u:{S}@h/db",
        "psql 'host=h user=u password={S}'",
        "openssl pkcs12 -in a -passin pass:{S}",
        "openssl enc -aes-256-cbc -k {S} -in a",
        "openssl req -passout 'pass:{S}' -newkey rsa:2048",
        "zip -P {S} a.zip a",
        "zip -rP {S} a.zip a",
        "unzip -P {S} a.zip",
        "7z a -p{S} a.7z a",
        "7z x '-p{S}' a.7z",
        "gpg --batch --passphrase {S} -c a",
        "gpg --passphrase={S} -d a",
        "keytool -list -keystore a -storepass {S}",
        "keytool -genkey -keypass {S} -srcstorepass {S}",
        "jarsigner -storepass {S} a.jar x",
        "htpasswd -b f u {S}",
        "htpasswd -bc f u {S}",
        "htpasswd -nb u {S}",
        "htpasswd -nbB u {S} > f",
        "curl -u u:{S} h",
        "curl -uu:{S} h",
        "curl --user u:{S} h",
        "curl --proxy http://u:{S}@h:3128 x",
        "curl ftp://u:{S}@h/a",
        "curl --key-pass {S} h",
        "curl --aws-sigv4 aws:amz -u AK:{S} h",
        "wget --user u --password {S} h",
        "wget --http-password={S} h",
        "ansible all -m ping -e ansible_password={S}",
        "ansible all -e 'ansible_user=u ansible_become_pass={S}'",
        "ansible-playbook x -e '{\"ansible_password\":\"{S}\"}'",
        "h ansible_host=1.2.3.4 ansible_ssh_pass={S}",
        "curl -H 'X-Api-Key: {S}' h",
        "curl -H X-Api-Key:{S} h",
        "curl --header \"x-auth-token: {S}\" h",
        "curl -H 'Cookie: sid={S}; a=b' h",
        "curl --cookie sid={S} h",
        "http POST h Authorization:'Bearer {S}'",
        "wget --header='Authorization: token {S}' h",
        "snmpwalk -v2c -c {S} h",
        "snmpget -v3 -u me -A {S} -X {S} h",
        "mosquitto_pub -u me -P {S} -t a -m b",
        "mongosh 'mongodb+srv://u:{S}@h/db'",
        "sqlcmd -S h -U sa -P {S} -Q 'select 1'",
        "evil-winrm -i h -u u -p {S}",
        "az ad sp create-for-rbac && az login --service-principal -u a -p {S} --tenant t",
        "gcloud auth activate-refresh-token a {S}",
        "kubectl config set-credentials u --token={S}",
        "helm upgrade x y --set db.password={S}",
        "git -c http.extraheader='Authorization: Basic {S}' fetch",
        "git remote set-url origin https://u:{S}@h/r",
        "npm config set _auth {S}",
        "composer config http-basic.h u {S}",
        "pip install --index-url https://u:{S}@h/simple x",
        "wpa_passphrase ssid {S}",
        "iwctl --passphrase {S} station wlan0 connect x",
        "networksetup -setairportnetwork en0 x {S}",
        "borg init && BORG_PASSPHRASE={S} borg create",
        "tailscale up --authkey {S}",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn a_secret_is_found_in_prose_of_other_languages() {
    let leaked = leaked(&[
        "Passwort: {S}",
        "Das Passwort lautet: {S}",
        "Kennwort: {S}",
        "mot de passe : {S}",
        "Mot de passe\u{a0}: {S}",
        "Mot de passe : « {S} »",
        "contraseña: {S}",
        "Contraseña: {S}",
        "La contrasena es: {S}",
        "clave: {S}",
        "senha: {S}",
        "Senha: {S}",
        "wachtwoord: {S}",
        "lösenord: {S}",
        "hasło: {S}",
        "heslo: {S}",
        "şifre: {S}",
        "пароль: {S}",
        "Пароль: {S}",
        "ПАРОЛЬ={S}",
        "Ваш пароль — {S}",
        "密码：{S}",
        "密码:{S}",
        "密码是{S}。",
        "密碼：{S}",
        "口令: {S}",
        "パスワード: {S}",
        "パスワード：{S}",
        "パスワードは{S}です",
        "비밀번호: {S}",
        "{\"contraseña\":\"{S}\"}",
        "{\"密码\": \"{S}\"}",
        "**Пароль:** `{S}`",
        "| пароль | {S} |",
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn tokens_of_more_services_are_known_by_how_they_begin() {
    let body = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k";
    let mut leaked = Vec::new();
    for start in [
        "secret_",
        "sk-admin-",
        "sk-None-",
        "sk-ant-oat01-",
        "sk-ant-admin01-",
        "sk_org_live_",
        "glc_",
        "glsa_",
        "dapi0123456789",
        "rubygems_",
        "pscale_tkn_",
        "pscale_pw_",
        "NRAK-",
        "LTAI",
        "lin_oauth_",
        "dckr_oat_",
        "CFPAT-",
        "HRKU-",
        "fm2_",
        "dp.ct.",
        "dt0c01.",
        "ATBB",
        "bkua_",
        "xoxe.xoxp-1-",
        "1//0",
        "vcp_",
        "EAAB",
        "api_org_",
        "tvly-",
        "fc-",
        "e2b_",
        "ntn_",
        "apify_api_",
        "hooks.slack.com/services/T0/B0/",
    ] {
        for text in
            [format!("{start}{body}"), format!("see ({start}{body}) there"), format!("x={start}{body}\n")]
        {
            leaked.extend(Some(redact(&text).into_owned()).filter(|shown| shown.contains(body)));
        }
    }
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn what_only_looks_like_a_secret_stays_readable() {
    let mut eaten = Vec::new();
    for text in [
        "git commit -m 'Auth: rotate the keys'",
        "git commit -m \"auth: rotate the keys\"",
        "Auth: rotate the keys",
        "fix(auth): rotate the keys",
        "# pass: 12",
        "pass: 12, fail: 0",
        "pass 12\nfail 0",
        "tests: 14 | pass: 12 | skip: 2",
        "openssl req -new -key server.key -out server.csr",
        "openssl req -newkey rsa:2048 -nodes -keyout server1.key -x509 -out a.pem",
        "openssl rsa -in server.key -pubout",
        "page_token:\"next\"",
        "{\"nextPageToken\": \"next\"}",
        "token count: 12",
        "token_count: 1200",
        "Token usage: 1200 in, 80 out",
        "?monkey=banana42x",
        "monkey=banana42x",
        "the keyboard: a1b2c3d4e5",
        "keyboard=us-intl2",
        "primary key: user42id",
        "PRIMARY KEY (id)",
        "primary_key=order12item3",
        "sort_key=created12at3",
        "https://h/p?sort_key=created12at3&page=2",
        "x --key-file path/to/server1.pem",
        "x --key-file server12a.pem",
        "x --private-key ./keys/deploy1.pem",
        "ssh_key: ~/.ssh/id_ed25519",
        "the net user growth was 12%",
        "net new users: 12",
        "rotate token,\nupdate, restart",
        "- name: token\n  in: query\n\n- name: page\n  value: 2",
        "auth: retried 3 times",
        "compat=1 --pat-h x path=a/b1c2 pattern: 'a1b2c3d4'",
        "Pat: I will send the report tomorrow",
        "code: 404",
        "error codes: 404, 500",
        "| key | value |\n|---|---|\n| sort | up |",
        "https://ntfy.example/docs/publish",
        "see https://docs.ntfy.sh/publish/",
        "https://discord.com/channels/1234567890/1234567890",
        "https://pipedream.com/docs/workflows",
        "o desenho e a resenha: veja a desenhada",
        "kubectl patch deployment x -p '{\"spec\":{\"replicas\":3}}'",
        "tar -k -t a.tar; ls -t",
        "fly -t prod sync",
        "the password field is required",
        "select name from users where password is null",
        "Session: planning for 2025",
        "signature: fn(a: u32) -> bool",
        "mc mirror a b/c",
        "git log --pretty=format:%h --author=pat",
        "secret_manager_service_account_for_the_build",
    ] {
        eaten.extend(Some(redact(text).into_owned()).filter(|shown| shown != text));
    }
    for params in [
        json!({"type": "text", "text": "hello"}),
        json!({"type": "code", "value": "let x = 1;"}),
        json!({"type": "session", "data": {"a": 1}}),
        json!({"page_token": "next", "pageToken": "next"}),
        json!({"path": "src/pat.rs", "pattern": "a1b2c3d4e5", "file_path": "/srv/compat1/x2.rs"}),
        json!({"element": "Submit button", "ref": "e12", "text": "hello"}),
    ] {
        let shown = summary(&params, 2_000);
        eaten.extend(Some(shown).filter(|shown| shown.contains("redacted")));
    }
    for key in [
        "git-push:github.com/acme/app/main",
        "http:POST:discord.com/api/v10/channels/1/messages",
        "http:POST:docs.ntfy.sh/publish",
        "email:pat@example.com",
    ] {
        eaten.extend(Some(redact_key(key).into_owned()).filter(|shown| shown != key));
    }
    assert!(eaten.is_empty(), "{eaten:#?}");
}

#[test]
fn what_is_marked_already_is_not_marked_again() {
    for key in [
        "git-push:https://[redacted:5eec0e5a]@github.com/acme/app/main",
        "call:https://me:[redacted:5eec0e5a]@h/p",
        "http:POST:api.telegram.org/bot[redacted:5eec0e5a]/sendMessage",
        "x:password: \"a [redacted:5eec0e5a]\"",
    ] {
        let shown = redact_key(key);
        assert!(
            !shown.contains("[[") && !shown.contains("[redacted:[") && shown.contains("[redacted:5eec0e5a]"),
            "{shown}"
        );
        assert_eq!(redact_key(&shown), shown);
    }
    // What only looks like a mark's beginning hides nothing.
    assert!(!redact(&format!("password: \"x [redacted {S}\"")).contains(S));
}

#[test]
fn what_somebody_says_of_a_secret_stays_readable() {
    let mut eaten = Vec::new();
    for text in [
        "git commit -m 'password: reset flow'",
        "git commit -m 'token: bump'",
        "git commit -m \"cookie: fix banner\"",
        "git commit -m 'Secrets: document how to rotate'",
        "gh issue create --title 'Password: field too short'",
        "git commit -m 'pin: python==3.11.4'",
        "grep -rn password= src",
        "rg -n 'token' src",
    ] {
        eaten.extend(Some(redact(text).into_owned()).filter(|shown| *shown != text));
    }
    assert!(eaten.is_empty(), "{eaten:#?}");
    for text in
        ["login with password: hunter and go2", "x mnemonic: abandon ability able", "grep password={S} f"]
    {
        assert_ne!(redact(text), text);
    }
}
