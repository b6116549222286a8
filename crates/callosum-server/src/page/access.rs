//! Who may see the page: whoever was given the link, in the browser that opened it.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use hyper::header::{ACCEPT, HOST, HeaderMap, HeaderName, ORIGIN};
use subtle::ConstantTimeEq;

/// 128 bits from the system's randomness, in hex.
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

/// What the server knows its callers by. Any page in any browser may call it, and so may every user of this machine.
pub(super) struct Access {
    port: u16,
    /// Opens the page once, then is gone.
    code: Mutex<Option<Secret>>,
    /// In the page that the link opens, and in what that page asks. No cookie: browsers send those of this address to
    /// every port of it, to other users' servers too.
    token: Secret,
}

impl Access {
    /// For the server on `port`; nobody may see anything yet.
    pub(super) fn new(port: u16) -> Result<Self, getrandom::Error> {
        Ok(Self { port, code: Mutex::default(), token: Secret::new()? })
    }

    /// A link that opens the page once; the one before it opens nothing any more.
    pub(super) fn fresh_link(&self) -> Result<String, getrandom::Error> {
        let code = Secret::new()?;
        let link = format!("http://127.0.0.1:{}/?code={}", self.port, code.0);
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

    /// Whether the caller means this server: a name that somebody lets point here is not ours.
    pub(super) fn is_own_host(&self, headers: &HeaderMap) -> bool {
        only(headers, &HOST).is_some_and(|host| {
            [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)]
                .contains(&host.to_owned())
        })
    }

    /// Whether it is our page that posts.
    pub(super) fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, &HOST).unwrap_or_default();
        only(headers, &ORIGIN).is_some_and(|origin| origin == format!("http://{host}"))
    }
}

/// The value of a header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
