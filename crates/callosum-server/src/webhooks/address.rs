//! Which addresses may be connected to: that of a name is judged where the connection is made, so that no name can lead elsewhere
//! than it seemed to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why no connection to `address` may be made; none if one may.
pub(super) fn refusal(address: IpAddr, is_tls: bool, allow_private: bool) -> Option<String> {
    match (is_public(address), is_tls, allow_private) {
        (true, true, _) | (false, _, true) => None,
        (true, false, _) => Some(format!(
            "{address} is a public address, and events would go there in the clear: use `https://`"
        )),
        (false, _, false) => Some(format!(
            "{address} is a private address: where that is meant, set `\"allowPrivate\": true` on the webhook"
        )),
    }
}

/// Whether anybody's packets to `address` go into the internet, by IANA's registries of special-purpose addresses.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped().or_else(|| translated(address)) {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && b & 0xc0 == 64;
    let is_protocol = (a, b, c) == (192, 0, 0);
    let is_benchmark = a == 198 && b & 0xfe == 18;
    !(a == 0
        || a >= 240
        || is_shared
        || is_protocol
        || is_benchmark
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast())
}

/// The address of version 4 that a translator (NAT64, RFC 6052) reaches for this one.
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = address.segments() else { return None };
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Some(Ipv4Addr::new(a, b, c, d))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_protocol = first == 0x2001 && second < 0x200;
    let is_documentation = (first, second) == (0x2001, 0xdb8) || first == 0x3fff && second < 0x1000;
    let is_6to4 = first == 0x2002;
    is_global && !is_protocol && !is_documentation && !is_6to4
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn private_addresses_are_told_from_public_ones_however_they_are_written() {
        for public in ["1.1.1.1", "162.159.128.233", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "127.0.0.1",
            "127.255.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.7",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "fe80::1",
            "fd00::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn private_ones_need_to_be_meant_and_public_ones_tls() {
        let (public, private) = ("1.1.1.1".parse().unwrap(), "10.0.0.1".parse().unwrap());
        for allow in [false, true] {
            assert_eq!(refusal(public, true, allow), None);
            assert!(refusal(public, false, allow).unwrap().contains("https://"));
            for tls in [false, true] {
                assert_eq!(refusal(private, tls, allow).is_none(), allow);
            }
        }
        assert!(refusal(private, true, false).unwrap().contains("allowPrivate"));
    }
}
