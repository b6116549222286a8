//! Who may see the page: whoever was given the link, in the browser that opened it.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, HOST, ORIGIN};
use subtle::ConstantTimeEq;

use crate::http::peer::only;

/// 128 bits from the system's randomness, in hex.
#[derive(Debug)]
struct Secret(String);

impl Secret {
    fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let mut text = String::new();
        for byte in bytes {
            // Writing into a string can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// Takes as long for a text that is nearly right as for one that is not.
    fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

/// What the page's callers are known by. Any page in any browser may call it, and so may every user of this machine.
#[derive(Debug)]
pub(super) struct Access {
    /// `http` or `https`.
    scheme: &'static str,
    /// Where it is served on loopback.
    address: SocketAddr,
    /// Opens the page once, then is gone.
    code: Mutex<Option<Secret>>,
    /// In the page that the link opens, and in what that page asks. No cookie: browsers send those of this address to
    /// every port of it, to other users' servers too.
    token: Secret,
}

impl Access {
    /// For the page at `address`; nobody may see anything yet.
    pub(super) fn new(scheme: &'static str, address: SocketAddr) -> Result<Self, getrandom::Error> {
        Ok(Self { scheme, address, code: Mutex::default(), token: Secret::new()? })
    }

    /// A link that opens the page once; the one before it opens nothing any more.
    pub(super) fn fresh_link(&self) -> Result<String, getrandom::Error> {
        let code = Secret::new()?;
        let link = format!("{}://{}/?code={}", self.scheme, self.address, code.0);
        *self.code.lock().unwrap_or_else(PoisonError::into_inner) = Some(code);
        Ok(link)
    }

    /// Whether `given` is the code of the link; it is used up then.
    pub(super) fn redeem(&self, given: &str) -> bool {
        self.code.lock().unwrap_or_else(PoisonError::into_inner).take_if(|code| code.is(given)).is_some()
    }

    /// The page's token.
    pub(super) fn token(&self) -> &str {
        &self.token.0
    }

    /// Whether the caller shows the page's token, in `Accept: application/json; token=…`: an address would be kept in
    /// histories and logs, and this header the page may send from wherever it is shown, in a gateway's frame too.
    pub(super) fn has_token(&self, headers: &HeaderMap) -> bool {
        only(headers, &ACCEPT).is_some_and(|accepted| {
            accepted
                .split(';')
                .skip(1)
                .filter_map(|parameter| parameter.trim().strip_prefix("token="))
                .any(|given| self.token.is(given))
        })
    }

    /// Whether it is our page that posts.
    pub(super) fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, &HOST).unwrap_or_default();
        only(headers, &ORIGIN).is_some_and(|origin| origin == format!("{}://{host}", self.scheme))
    }
}
