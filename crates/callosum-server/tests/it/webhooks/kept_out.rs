//! What webhooks don't do: reach where they were not allowed to, follow whoever sends them elsewhere, trust anybody, tell secrets.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::Home;

use super::receiver::{Does, Receiver, Stream, secret};
use super::{configure, note, notes, status};

#[test]
fn a_private_target_is_refused_however_it_is_named() {
    let (home, target) = (Home::new(), Receiver::new());
    for url in [
        target.url("/hook"),
        format!("https://127.0.0.1:{}/", target.port),
        "https://[::1]/".to_owned(),
        "https://0.0.0.0/".to_owned(),
        "https://[::]/".to_owned(),
        "https://[::ffff:127.0.0.1]/".to_owned(),
        "https://[::ffff:7f00:1]/".to_owned(),
        "https://[64:ff9b::10.0.0.1]/".to_owned(),
        "https://169.254.169.254/latest/meta-data".to_owned(),
    ] {
        configure(&home, &[target.webhook("ci", &json!({ "url": url, "allowPrivate": false }))]);
        let refused = home.program(&["serve", "--listen", "none"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{url}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("allowPrivate"), "{refused:?}");
    }
    // What a name leads to shows only when it is connected to. To a resolver these numbers are addresses.
    let names = ["localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "localhost."];
    let webhooks = names.iter().enumerate().map(|(number, name)| {
        let url = format!("https://{name}:{}/hook", target.port);
        target.webhook(&format!("ci-{number}"), &json!({ "url": url, "allowPrivate": false }))
    });
    configure(&home, &webhooks.collect::<Vec<_>>());
    let serve = home.serve();
    notes(&serve, 0..1);
    for (number, name) in names.iter().enumerate() {
        let webhook = status(&serve, &format!("ci-{number}"), |webhook| webhook["state"] == "failing");
        let error = webhook["error"].as_str().unwrap();
        let is_refused = error.contains("is a private address") || error.contains("leads nowhere");
        assert!(is_refused, "{name}: {error}");
    }
    assert!(target.is_silent());
}

#[test]
fn a_redirect_is_not_followed() {
    let (home, target, elsewhere) = (Home::new(), Receiver::new(), Receiver::new());
    configure(&home, &[target.webhook("ci", &json!({}))]);
    let serve = home.serve();
    let location: &'static str = Box::leak(format!("Location: {}\r\n", elsewhere.url("/")).into_boxed_str());
    target.then(&[Does::Answer(307, location), Does::Answer(301, location), Does::Answer(307, location)]);
    notes(&serve, 0..1);
    let webhook = status(&serve, "ci", |webhook| webhook["state"] == "failing");
    assert!(webhook["error"].as_str().unwrap().contains("redirects are not followed"), "{webhook}");
    for _ in 0..4 {
        assert_eq!(target.next().call(), "0");
    }
    assert!(elsewhere.is_silent());
}

#[test]
fn what_is_wrong_with_a_webhook_is_told_with_its_place_and_name_and_no_secret() {
    let (home, target) = (Home::new(), Receiver::new());
    let twice = target.webhook("ci", &json!({}));
    let one = |more: Value| vec![target.webhook("ok", &json!({})), target.webhook("ci", &more)];
    for (webhooks, said) in [
        (one(json!({ "url": "hooks.example/TOKEN" })), "webhooks[1]: `url` of the webhook `ci`"),
        (one(json!({ "secret": "TOKEN" })), "webhooks[1]: `secret` of the webhook `ci`"),
        (one(json!({ "secret": null })), "whsec_$(openssl rand -base64 32)"),
        (one(json!({ "topics": "call.*" })), "webhooks[1].topics"),
        (one(json!({ "topics": [] })), "webhooks[1]: `topics` of the webhook `ci`"),
        (one(json!({ "format": "slack" })), "webhooks[1].format"),
        (one(json!({ "retries": 3 })), "webhooks[1].retries"),
        (one(json!({ "url": "https://me:TOKEN@hooks.example/" })), "without a user or a password"),
        (
            one(json!({ "url": "https://hooks.example/\r\nX: TOKEN" })),
            "webhooks[1]: `url` of the webhook `ci`",
        ),
        (one(json!({ "topics": ["call.*\r\nX: y"] })), "webhooks[1]: `topics` of the webhook `ci`"),
        // An address where a webhook belongs.
        (vec![json!("https://hooks.example/\"TOKEN")], "webhooks[0]: invalid type: a text, expected"),
        (one(json!({ "name": "a b" })), "webhooks[1]: `name` is `a b`"),
        (vec![twice.clone(), twice], "two `webhooks` have the name `ci`"),
    ] {
        configure(&home, &webhooks);
        let refused = home.program(&["serve", "--listen", "none"]).output().unwrap();
        let text = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}: {text}");
        assert!(text.contains("serve.json") && text.contains(said), "{said}: {text}");
        assert!(text.contains("to fix it") && !text.contains("TOKEN") && !text.contains(&secret()), "{text}");
    }
    fs::write(home.path().join("webhooks.json"), "{").unwrap();
    configure(&home, &[target.webhook("ci", &json!({}))]);
    let refused = home.program(&["serve", "--listen", "none"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("webhooks.json` is not what"), "{refused:?}");
}

#[test]
fn neither_the_secret_nor_the_address_is_in_the_log_the_status_or_the_file() {
    let (home, target) = (Home::new(), Receiver::new());
    let url = target.url("/SECRETPATH?token=SECRETQUERY");
    configure(&home, &[target.webhook("ci", &json!({ "url": url }))]);
    let log = fs::File::create(home.path().join("log")).unwrap();
    let serve = home.start(home.program(&["serve", "--listen", "none"]).stderr(Stdio::from(log)));
    target.then(&[Does::Answer(500, ""), Does::Answer(410, "")]);
    notes(&serve, 0..1);
    status(&serve, "ci", |webhook| webhook["state"] == "parked");
    let mut client = serve.local();
    let told = ["/v1/status", "/metrics"].map(|path| client.get(path).text).concat();
    assert_eq!(serve.end().code(), Some(0));
    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    let (log, file) = (read("log"), read("webhooks.json"));
    assert!(log.contains("`ci` is given up") && told.contains("\"ci\"") && file.contains("\"ci\""), "{log}");
    for text in [told, log, file] {
        assert!(!text.contains("SECRET") && !text.contains("whsec_"), "{text}");
    }
}

/// A certificate for `localhost`, and its key.
fn certificate(folder: &Path) -> [std::path::PathBuf; 2] {
    let [chain, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name));
    let words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    let names = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"];
    let made = Command::new("openssl")
        .args(words)
        .args(names)
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&chain)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    [chain, key]
}

#[test]
fn over_tls_a_target_has_to_prove_its_name() {
    let home = Home::new();
    let [chain, key] = certificate(home.path());
    let certificates = CertificateDer::pem_file_iter(&chain).unwrap().map(Result::unwrap).collect();
    let tls = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, PrivateKeyDer::from_pem_file(&key).unwrap())
        .unwrap();
    let tls = Arc::new(tls);
    let target = Receiver::over(Arc::new(move |stream: TcpStream| {
        let mut session = ServerConnection::new(Arc::clone(&tls)).unwrap();
        let mut stream = stream;
        while session.is_handshaking() {
            session.complete_io(&mut stream).ok()?;
        }
        Some(Box::new(StreamOwned::new(session, stream)) as Box<dyn Stream>)
    }));
    let to = |name: &str, host: &str| {
        target.webhook(name, &json!({ "url": format!("https://{host}:{}/hook", target.port) }))
    };
    configure(&home, &[to("named", "localhost"), to("unnamed", "127.0.0.1")]);
    let serve = home.start(
        home.program(&["serve", "--listen", "none"]).env("SSL_CERT_FILE", &chain).stderr(Stdio::null()),
    );
    note(&mut serve.local(), "1");
    let request = target.next();
    assert!(request.is_signed() && request.call() == "1");
    let webhook = status(&serve, "unnamed", |webhook| webhook["state"] == "failing");
    assert!(webhook["error"].as_str().unwrap().contains("certificate"), "{webhook}");
    assert_eq!(serve.end().code(), Some(0));
    // Nobody has proved this one.
    let other = tempfile::tempdir().unwrap();
    let [other, _] = certificate(other.path());
    let serve = home.start(
        home.program(&["serve", "--listen", "none"]).env("SSL_CERT_FILE", &other).stderr(Stdio::null()),
    );
    note(&mut serve.local(), "2");
    let webhook = status(&serve, "named", |webhook| webhook["state"] == "failing");
    assert!(webhook["error"].as_str().unwrap().contains("certificate"), "{webhook}");
    assert!(target.is_silent());
}

#[test]
fn a_service_without_webhooks_leaves_no_trace_of_any_and_forgets_those_that_are_gone() {
    let (home, target) = (Home::new(), Receiver::new());
    let file = home.path().join("webhooks.json");
    assert_eq!(home.serve().end().code(), Some(0));
    assert!(!file.exists());
    configure(&home, &[target.webhook("old", &json!({})), target.webhook("ci", &json!({}))]);
    assert_eq!(home.serve().end().code(), Some(0));
    let names = || {
        let file: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        file["webhooks"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(), ["ci", "old"]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    configure(&home, &[target.webhook("ci", &json!({}))]);
    assert_eq!(home.serve().end().code(), Some(0));
    assert_eq!(names(), ["ci"]);
}
