//! Makes what a test of TLS needs: an authority of its own (`ca.pem`), and a certificate of it for 127.0.0.1 (`cert.pem`, `key.pem`).
//!
//! `make-certificate DIRECTORY` puts the three files there.

use std::fs;
use std::path::Path;

use callosum_bench::{Result, arguments};
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};

fn main() -> Result<()> {
    let [directory] = arguments("make-certificate DIRECTORY")?;
    let put = |name: &str, text: String| fs::write(Path::new(&directory).join(name), text);

    let mut authority = CertificateParams::new([])?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    authority.distinguished_name.push(rcgen::DnType::CommonName, "Callosum's tests");
    let authority_key = KeyPair::generate()?;
    put("ca.pem", authority.self_signed(&authority_key)?.pem())?;

    let mut own = CertificateParams::new(["127.0.0.1".to_owned()])?;
    own.use_authority_key_identifier_extension = true;
    own.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    own.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    put("cert.pem", own.signed_by(&key, &Issuer::new(authority, authority_key))?.pem())?;
    put("key.pem", key.serialize_pem())?;
    Ok(())
}
