//! TLS: who is spoken to, and what a wrong file, a wrong client or a stalled one gets.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::{Client, Home, Serve};

/// A certificate for 127.0.0.1, in two files.
pub(crate) struct Certificate {
    home: Home,
    der: CertificateDer<'static>,
}

impl Certificate {
    pub(crate) fn new() -> Self {
        let home = Home::new();
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        fs::write(home.path().join("cert.pem"), made.cert.pem()).unwrap();
        fs::write(home.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { home, der: made.cert.der().clone() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn serve(&self, home: &Home, listen: &str) -> Serve {
        let (cert, key) = (self.path("cert.pem"), self.path("key.pem"));
        let [cert, key] = [&cert, &key].map(|path| path.to_str().unwrap());
        home.serve_with(&["--listen", listen, "--tls-cert", cert, "--tls-key", key])
    }

    /// A client that trusts this certificate alone.
    fn client(&self, serve: &Serve, token: &str) -> Client {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let connection = ClientConnection::new(Arc::new(config), "127.0.0.1".try_into().unwrap()).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", serve.port)).unwrap();
        let mut client = Client::over(Box::new(StreamOwned::new(connection, stream)), &serve.host());
        client.head = format!("Authorization: Bearer {token}\r\n");
        client
    }
}

#[test]
fn over_tls_the_service_is_the_same() {
    let (home, certificate) = (Home::new(), Certificate::new());
    let token = home.token(&["ci"]);
    // With it, it may listen where other machines reach it.
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let serve = certificate.serve(&home, listen);
        let mut client = certificate.client(&serve, &token);
        let call = json!({ "tool": "note", "params": { "to": "a" }, "session": "s" });
        assert_eq!(client.ok("/v1/before", &call)["verdict"], "allow");
        assert_eq!(client.get("/v1/head").status, 200);
        assert_eq!(certificate.client(&serve, "none").get("/v1/head").status, 401);
        // A token goes nowhere in the clear: who speaks no TLS is told nothing.
        let mut plain = TcpStream::connect(("127.0.0.1", serve.port)).unwrap();
        // In one piece: after the first the service breaks off.
        let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", serve.host());
        plain.write_all(request.as_bytes()).unwrap();
        let mut said = Vec::new();
        let _ = plain.read_to_end(&mut said);
        assert!(!said.starts_with(b"HTTP"), "{said:?}");
        assert_eq!(serve.end().code(), Some(0));
    }
}

#[test]
fn who_never_agrees_on_tls_keeps_nobody_out() {
    let (home, certificate) = (Home::new(), Certificate::new());
    let token = home.token(&["ci"]);
    let serve = certificate.serve(&home, "127.0.0.1:0");
    let mut known = certificate.client(&serve, &token);
    assert_eq!(known.get("/v1/head").status, 200);
    // The begin of a handshake, and no more.
    let _stalled: Vec<_> = (0..400)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", serve.port)).unwrap();
            stream.write_all(&[22, 3, 1, 1, 0]).unwrap();
            stream
        })
        .collect();
    assert_eq!(known.get("/v1/head").status, 200);
    assert_eq!(certificate.client(&serve, &token).get("/v1/head").status, 200);
}

#[test]
fn files_that_are_no_certificate_and_no_key_of_it_are_named() {
    let (home, certificate, other) = (Home::new(), Certificate::new(), Certificate::new());
    fs::write(certificate.path("empty.pem"), "").unwrap();
    let refused = |cert: PathBuf, key: PathBuf| {
        let words = ["serve", "--listen", "127.0.0.1:0", "--tls-cert", cert.to_str().unwrap()];
        let words = [&words[..], &["--tls-key", key.to_str().unwrap()]].concat();
        let output = home.program(&words).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let (cert, key) = (certificate.path("cert.pem"), certificate.path("key.pem"));
    for (cert, key, named) in [
        (cert.clone(), other.path("key.pem"), other.path("key.pem")),
        (cert.clone(), cert.clone(), cert.clone()),
        (cert.clone(), certificate.path("none.pem"), certificate.path("none.pem")),
        (certificate.path("empty.pem"), key.clone(), certificate.path("empty.pem")),
    ] {
        let said = refused(cert, key);
        assert!(said.contains(named.to_str().unwrap()) && said.contains("PEM"), "{said}");
    }
}
