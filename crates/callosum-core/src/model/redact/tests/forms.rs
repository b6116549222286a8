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
fn more_programs_that_are_given_secrets_are_known() {
    let leaked = leaked(&[
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
    ]);
    assert!(leaked.is_empty(), "{leaked:#?}");
}

#[test]
fn what_is_taken_out_of_an_address_ends_before_its_host() {
    for user in ["x-access-token:{S}", "token:{S}", "u:{S}"] {
        let shown = redact(&format!("git push https://{user}@github.com/acme/app main").replace("{S}", S))
            .into_owned();
        assert!(shown.ends_with("[redacted]@github.com/acme/app main"), "{shown}");
    }
}
