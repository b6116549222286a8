//! Secrets, and what they sign: the symmetric scheme of Standard Webhooks 1.0.0.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What the text of a secret begins with.
const PREFIX: &str = "whsec_";
/// Bytes that a secret may have.
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// A secret. It is never shown.
#[derive(Clone)]
pub(super) struct Secret(Hmac<Sha256>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// `whsec_` and the base64 of 24 to 64 bytes.
    pub(super) fn read(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        if !BYTES.contains(&bytes.len()) {
            return None;
        }
        Hmac::new_from_slice(&bytes).ok().map(Self)
    }

    /// The signature of a message, as `webhook-signature` has it. `timestamp`: seconds since 1970.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// The example that the libraries of Standard Webhooks are tested by.
    #[test]
    fn a_message_is_signed_as_the_specification_has_it() {
        let secret = Secret::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature =
            secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn what_is_no_secret_is_none_and_none_is_shown() {
        let of = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        for wrong in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_?", &of(23), &of(65)] {
            assert!(Secret::read(wrong).is_none(), "{wrong}");
        }
        assert!(Secret::read(&of(64)).is_some());
        assert_eq!(format!("{:?}", Secret::read(&of(24)).unwrap()), "Secret");
    }
}
