//! Where a call comes from, as far as limits go.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::{Extensions, HeaderMap};
use ipnet::IpNet;

use super::connections::Peer;

/// The header by which a proxy says whom it calls for.
const FORWARDED: &str = "x-forwarded-for";

/// The address at the other end of a call's connection.
pub(super) fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get().map(|Peer(address)| address.ip())
}

/// Addresses of proxies that are believed.
#[derive(Clone, Debug, Default)]
pub struct Proxies(pub Vec<IpNet>);

impl Proxies {
    /// Whether an address is a proxy's.
    fn has(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }

    /// The address that a connection counts for; `None` for a proxy's.
    pub(super) fn connecting(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        (!self.has(peer)).then(|| counted(peer))
    }

    /// The address that a call counts for: that of whoever called the outermost proxy. `None` for a proxy that
    /// doesn't say whom it calls for: it is a back end of the operator's own.
    pub(super) fn caller(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer?.to_canonical();
        if !self.has(peer) {
            return Some(counted(peer));
        }
        let lists = headers.get_all(FORWARDED).iter().rev();
        let hops = lists.flat_map(|list| list.as_bytes().rsplit(|byte| *byte == b','));
        // From the nearest on, each proxy is believed about the next. What can't be read is nobody: then it is
        // the last who could be that pays.
        let mut last = None;
        for hop in hops {
            match hop_address(hop) {
                Some(address) if self.has(address) => last = Some(address),
                address => return Some(counted(address.or(last).unwrap_or(peer))),
            }
        }
        // Proxies all the way: one of the operator's own machines calls.
        None
    }
}

/// The address that a proxy names, perhaps with a port.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(hop).ok()?.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let address = bare.unwrap_or(text).parse();
    let address = address.or_else(|_| text.parse().map(|address: SocketAddr| address.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// What an address is counted as: of version 6 its network of 64 bits, which one customer has.
fn counted(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let network = u128::from(address) & !u128::from(u64::MAX);
            Ipv6Addr::from(network).into()
        }
    }
}

/// The address that a call counts for, in its extensions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted(pub(super) Option<IpAddr>);
