//! Which addresses a guest may reach: public unicast, and what the operator opened. Metadata services never.
//!
//! The rule names what is public rather than what is not, so that a range that nobody thought of is closed. Special
//! ranges are those of the IANA special-purpose address registries (RFC 6890 and its successors).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A range of addresses, such as `10.0.0.0/8` or `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

/// A text that is no range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a range of addresses: expected an address or `address/prefix`, such as `10.0.0.0/8`")]
pub struct NetworkError(String);

impl Network {
    /// Whether `address` lies in the range. IPv4 addresses inside IPv6 ones count as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let (base, address, width) = match (self.base, embedded(address)) {
            (IpAddr::V4(base), IpAddr::V4(address)) => (u128::from(base.to_bits()), u128::from(address.to_bits()), 32),
            (IpAddr::V6(base), IpAddr::V6(address)) => (base.to_bits(), address.to_bits(), 128),
            _ => return false,
        };
        let host_bits = u32::from(width - self.prefix.min(width));
        base.checked_shr(host_bits).unwrap_or(0) == address.checked_shr(host_bits).unwrap_or(0)
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || NetworkError(text.to_owned());
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let base: IpAddr = address.trim().parse().map_err(|_| error())?;
        let width = if base.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(width), |prefix| prefix.trim().parse::<u8>().map_err(|_| error()))?;
        if prefix > width { Err(error()) } else { Ok(Self { base, prefix }) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

/// Whether a guest may connect to `address`, given what the operator opened.
pub(super) fn reachable(address: IpAddr, opened: &[Network]) -> bool {
    if is_metadata(address) {
        return false;
    }
    is_public(address) || opened.iter().any(|network| network.contains(address))
}

/// Services that hand credentials to whoever runs on a machine.
fn is_metadata(address: IpAddr) -> bool {
    match embedded(address) {
        // 169.254.169.254 and its relatives, Alibaba, Oracle, Azure's wire server (a public address).
        IpAddr::V4(address) => {
            address.is_link_local()
                || [[100, 100, 100, 200], [192, 0, 0, 192], [168, 63, 129, 16]].contains(&address.octets())
        }
        // fd00:ec2::/64 (AWS), fd20:ce::/64 (Google), fe80::a9fe:a9fe and the other link-local ones.
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            matches!([a, b, c, d], [0xfd00, 0xec2, 0, 0] | [0xfd20, 0xce, 0, 0]) || address.is_unicast_link_local()
        }
    }
}

fn is_public(address: IpAddr) -> bool {
    match (address, embedded(address)) {
        (IpAddr::V4(address), _) => is_public_v4(address),
        // Both forms reach the IPv4 address itself; every other tunnel is outside of what counts as public.
        (IpAddr::V6(v6), IpAddr::V4(v4)) if is_mapped_or_nat64(v6) => is_public_v4(v4),
        (IpAddr::V6(v6), _) => is_public_v6(v6),
    }
}

fn is_mapped_or_nat64(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, ..] = address.segments();
    matches!([a, b, c, d, e, f], [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0])
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = match (a, b, c) {
        (0 | 10 | 127 | 224..=255, _, _) => true,
        (100, 64..=127, _) => true, // shared address space, RFC 6598
        (169, 254, _) => true,      // link-local
        (172, 16..=31, _) | (192, 168, _) => true,
        (192, 0, 0) => true,                                  // protocol assignments
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => true, // documentation
        (192, 88, 99) => true,                                // 6to4 relays
        (198, 18..=19, _) => true,                            // benchmarks
        _ => false,
    };
    !special && address.octets() != [168, 63, 129, 16]
}

/// Inside 2000::/3, without what is special there.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let global_unicast = a & 0xe000 == 0x2000;
    let special = match (a, b) {
        (0x2001, 0..=0x1ff) => true, // protocol assignments, Teredo, benchmarks, ORCHID
        (0x2001, 0xdb8) => true,     // documentation
        (0x2002, _) => true,         // 6to4
        (0x3fff, 0..=0xfff) => true, // documentation
        _ => false,
    };
    global_unicast && !special
}

/// The IPv4 address that an IPv6 address leads to, where it is one of the kinds that carry one.
fn embedded(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let [a, b, c, d, e, f, g, h] = v6.segments();
    let v4 = |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] => v4(g, h),                                    // mapped
        [0, 0, 0, 0, 0, 0] if (g, h) != (0, 0) && (g, h) != (0, 1) => v4(g, h), // compatible, deprecated
        [0x64, 0xff9b, 0, 0, 0, 0] => v4(g, h),                                 // NAT64, RFC 6052
        [0x2002, high, low, ..] => v4(high, low),                               // 6to4
        [0x2001, 0, ..] => v4(!g, !h),                                          // Teredo: the client's, inverted
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_range_is_closed() {
        let closed = [
            "127.0.0.1",
            "127.255.255.255",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "168.63.129.16",
            "192.0.0.192",
            "192.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "198.18.0.1",
            "198.19.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "224.0.0.1",
            "239.255.255.255",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "192.88.99.1",
            "::",
            "::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fe80::a9fe:a9fe",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "::10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::",
            "2001:0:4136:e378:8000:63bf:80ff:fffe",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2002:808:808::1",
            "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
            "::8.8.8.8",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "4000::1",
            "5f00::1",
        ];
        for text in closed {
            let address: IpAddr = text.parse().expect(text);
            assert!(!reachable(address, &[]), "{text} must be closed");
        }
    }

    #[test]
    fn public_addresses_are_open() {
        let open = [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.215.14",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "168.63.129.17",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ];
        for text in open {
            let address: IpAddr = text.parse().expect(text);
            assert!(reachable(address, &[]), "{text} must be open");
        }
    }

    #[test]
    fn an_operator_opens_private_ranges_and_never_metadata() {
        let opened = ["127.0.0.0/8", "0.0.0.0/0", "::/0", "fd00::/8"].map(|text| text.parse::<Network>().expect(text));
        let reach = |text: &str| reachable(text.parse().expect(text), &opened);
        for text in ["127.0.0.1", "10.0.0.1", "::ffff:10.0.0.1", "fd12::1", "::1"] {
            assert!(reach(text), "{text} was opened");
        }
        let never = [
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::",
            "fe80::a9fe:a9fe",
        ];
        for text in never {
            assert!(!reach(text), "{text} is never opened");
        }
    }

    #[test]
    fn ranges_are_parsed_strictly() {
        for text in ["10.0.0.0/8", "10.0.0.1", "fd00::/8", "::1/128", "0.0.0.0/0"] {
            text.parse::<Network>().expect(text);
        }
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "localhost", "10.0.0.0/-1", "10.0.0.0/8/8"] {
            text.parse::<Network>().expect_err(text);
        }
    }
}
