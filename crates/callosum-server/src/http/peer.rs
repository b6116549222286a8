//! Who is at the other end of a connection.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};

use axum::http::HeaderMap;
use axum::http::header::{HOST, HeaderName, ORIGIN};
use callosum_core::machine;
use callosum_runtimes::{is_program, shell_variables};

use super::guests::Guest;
use crate::seats::Seat;

/// A connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer(Arc<Connection>);

#[derive(Debug)]
struct Connection {
    end: End,
    guest: Guest,
    /// Of one that has shown a token.
    place: OnceLock<Seat>,
    /// Of one on the socket: whether an agent asks. Found out once.
    is_agent: OnceLock<bool>,
    name: OnceLock<String>,
}

/// The other end, and the address that it reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// A process of this user, on the socket.
    Process(Option<u32>),
    /// Somebody at the first address, who reached the second.
    Address(SocketAddr, SocketAddr),
}

impl Peer {
    pub(crate) fn new(end: End, guest: Guest) -> Self {
        let (place, is_agent, name) = Default::default();
        // Who listens on all addresses of version 6 is reached by those of version 4 in disguise, on loopback, too.
        let plain = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        let end = match end {
            // What the kernel says of one in another pid namespace, as containers have: nobody can tell what it is.
            End::Process(pid) => End::Process(pid.filter(|pid| *pid != 0)),
            End::Address(peer, reached) => End::Address(plain(peer), plain(reached)),
        };
        Self(Arc::new(Connection { end, guest, place, is_agent, name }))
    }

    pub(crate) fn guest(&self) -> &Guest {
        &self.0.guest
    }

    /// It has shown a token: it keeps its connection, while there is a place.
    pub(crate) fn is_known(&self, place: impl FnOnce() -> Option<Seat>) {
        if self.0.place.get().is_none()
            && let Some(place) = place()
        {
            self.0.guest.is_known();
            let _ = self.0.place.set(place);
        }
    }

    /// The address, for who tried a wrong token.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.0.end {
            End::Process(_) => None,
            End::Address(peer, _) => Some(peer.ip()),
        }
    }

    /// Whether it reached this service on loopback: it is on this machine then.
    pub(crate) fn is_on_loopback(&self) -> bool {
        matches!(self.0.end, End::Address(_, reached) if reached.ip().is_loopback())
    }

    /// As the log tells it.
    pub(crate) fn name(&self) -> &str {
        self.0.name.get_or_init(|| match self.0.end {
            End::Process(Some(pid)) => format!("process {pid}"),
            End::Process(None) => "socket".to_owned(),
            End::Address(peer, _) => peer.to_string(),
        })
    }

    /// Whether an agent asks by the socket: its process, or one that it started. A process that can't be told from one is an
    /// agent's.
    pub(crate) fn is_agent(&self) -> bool {
        *self.0.is_agent.get_or_init(|| match self.0.end {
            // Who was put into the background has another parent, and still the variables of an agent's shell.
            End::Process(Some(pid)) => {
                let is_shells = |name: &str| shell_variables().any(|known| known == name);
                machine::is_below(pid, is_program) || machine::is_started_with(pid, is_shells)
            }
            End::Process(None) => true,
            End::Address(..) => false,
        })
    }

    /// Whether a request means this service. On loopback any name may be made to point here, and any page may ask.
    ///
    /// # Errors
    /// The header that tells otherwise.
    pub(crate) fn is_meant(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let End::Address(_, reached) = self.0.end else { return Ok(()) };
        let host = only(headers, &HOST).ok_or("Host")?;
        let mut schemes = ["http", "https"].as_slice();
        if reached.ip().is_loopback() && !is_on_loopback(host, reached) {
            // The standard port of a scheme is left out.
            schemes = match reached.port() {
                80 => &["http"],
                443 => &["https"],
                _ => return Err("Host"),
            };
            if !is_on_loopback(&format!("{host}:{}", reached.port()), reached) {
                return Err("Host");
            }
        }
        // A program that is no page says nothing.
        if headers.contains_key(ORIGIN) {
            let origin = only(headers, &ORIGIN).ok_or("Origin")?;
            let is_own = schemes.iter().any(|scheme| origin == format!("{scheme}://{host}"));
            return if is_own { Ok(()) } else { Err("Origin") };
        }
        Ok(())
    }
}

/// Whether a host with its port is the address of loopback that was reached.
fn is_on_loopback(host: &str, reached: SocketAddr) -> bool {
    let is_own = |(name, port): (&str, &str)| {
        ["127.0.0.1", "localhost", "[::1]"].contains(&name) && port == reached.port().to_string()
    };
    host.rsplit_once(':').is_some_and(is_own) || host == reached.to_string()
}

/// The value of a header that is there once.
pub(crate) fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use axum::http::HeaderValue;

    use super::*;
    use crate::http::guests::Guests;

    #[test]
    fn who_is_in_another_pid_namespace_can_t_be_told_from_an_agent() {
        for pid in [Some(0), None] {
            assert!(Peer::new(End::Process(pid), Arc::new(Guests::new(1)).enter()).is_agent(), "{pid:?}");
        }
    }

    #[test]
    fn the_standard_port_of_a_scheme_may_be_left_out() {
        for (reached, host, origin, expected) in [
            ("127.0.0.1:80", "127.0.0.1", None, Ok(())),
            ("127.0.0.1:80", "localhost:80", None, Ok(())),
            ("[::1]:80", "[::1]", Some("http://[::1]"), Ok(())),
            ("127.0.0.1:443", "localhost", Some("https://localhost"), Ok(())),
            // A page of another service, on the other port.
            ("127.0.0.1:443", "localhost", Some("http://localhost"), Err("Origin")),
            ("127.0.0.1:80", "evil.example", None, Err("Host")),
            ("127.0.0.1:80", "localhost:443", None, Err("Host")),
            ("127.0.0.1:7411", "localhost", None, Err("Host")),
        ] {
            let end = End::Address("127.0.0.1:50000".parse().unwrap(), reached.parse().unwrap());
            let peer = Peer::new(end, Arc::new(Guests::new(1)).enter());
            let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            headers.extend(origin.map(|origin| (ORIGIN, HeaderValue::from_static(origin))));
            assert_eq!(peer.is_meant(&headers), expected, "{reached} {host} {origin:?}");
        }
    }

    #[test]
    fn loopback_is_loopback_by_whatever_address_it_is_reached() {
        for reached in ["127.0.0.1:7411", "[::1]:7411", "[::ffff:127.0.0.1]:7411"] {
            let end = End::Address("127.0.0.1:50000".parse().unwrap(), reached.parse().unwrap());
            let peer = Peer::new(end, Arc::new(Guests::new(1)).enter());
            let is_meant =
                |host| peer.is_meant(&HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]));
            assert!(peer.is_on_loopback(), "{reached}");
            assert_eq!(is_meant("localhost:7411"), Ok(()), "{reached}");
            assert_eq!(is_meant("evil.example:7411"), Err("Host"), "{reached}");
        }
    }
}
