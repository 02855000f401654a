//! Rules `HOST1:PORT1:HOST2:PORT2`, which redirect connections.

use std::str::FromStr;

use url::Host;

/// A rule that sends connections elsewhere, in curl's form `HOST1:PORT1:HOST2:PORT2`.
///
/// A request for the first host and port connects to the second; name, certificate and `Host` stay
/// those of the first. Any of the four may be empty: the first two then match everything, the last
/// two leave things as they are. IPv6 addresses are in brackets.
///
/// Two things differ from curl: rules match names only, not addresses, and a URL with a port other
/// than its scheme's cannot be led to a different port.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConnectTo {
    from_host: Option<String>,
    from_port: Option<u16>,
    to_host: Option<Host>,
    to_port: Option<u16>,
}

impl ConnectTo {
    /// Where a request for this name and port goes: `None` if the rule is not about it. Without a
    /// host the name stays as it is, and only the port is another.
    pub(super) fn target(&self, name: &str, port: u16) -> Option<(Option<Host>, u16)> {
        let is_meant = self.from_host.as_deref().is_none_or(|host| host == name)
            && self.from_port.is_none_or(|from| from == port);
        is_meant.then(|| (self.to_host.clone(), self.to_port.unwrap_or(port)))
    }
}

impl FromStr for ConnectTo {
    type Err = ConnectToError;

    fn from_str(text: &str) -> Result<Self, ConnectToError> {
        let fault = || ConnectToError { text: text.chars().take(200).collect() };
        let mut rest = text;
        let mut next = || {
            let after_host = rest.strip_prefix('[').and_then(|inner| inner.find(']'));
            let start = after_host.map_or(0, |bracket| bracket + 1);
            let colon = rest.get(start..).and_then(|tail| tail.find(':'));
            let end = colon.map_or(rest.len(), |colon| start + colon);
            let part = rest.get(..end).unwrap_or_default();
            let more = colon.is_some();
            rest = rest.get(end + usize::from(more)..).unwrap_or_default();
            (part, more)
        };
        let parts = [next(), next(), next(), next()];
        let [(from_host, true), (from_port, true), (to_host, true), (to_port, false)] = parts
        else {
            return Err(fault());
        };
        let host = |part: &str| match part {
            "" => Ok(None),
            part => Host::parse(part).ok().map(Some).ok_or_else(fault),
        };
        let port = |part: &str| match part {
            "" => Ok(None),
            part => part.parse::<u16>().ok().map(Some).ok_or_else(fault),
        };
        Ok(Self {
            from_host: host(from_host)?.map(|host| host.to_string()),
            from_port: port(from_port)?,
            to_host: host(to_host)?,
            to_port: port(to_port)?,
        })
    }
}

/// A text is not of the form `HOST1:PORT1:HOST2:PORT2`.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{text}` does not have the form `HOST1:PORT1:HOST2:PORT2`")]
pub struct ConnectToError {
    /// The text, cut at 200 characters.
    text: String,
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    fn rule(text: &str) -> ConnectTo {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_rule_matches_the_name_and_port_that_it_names() {
        let to = |port| Some((Some(Host::Ipv4(Ipv4Addr::LOCALHOST)), port));
        assert_eq!(rule("a.com:443:127.0.0.1:8443").target("a.com", 443), to(8443));
        assert_eq!(rule("A.com:443:127.0.0.1:8443").target("a.com", 443), to(8443));
        assert_eq!(rule("a.com:443:127.0.0.1:8443").target("a.com", 80), None);
        assert_eq!(rule("a.com:443:127.0.0.1:8443").target("b.com", 443), None);
        assert_eq!(rule("::127.0.0.1:8443").target("b.com", 80), to(8443));
        assert_eq!(rule(":80:127.0.0.1:").target("b.com", 80), to(80));
        assert_eq!(rule("a.com:::81").target("a.com", 80), Some((None, 81)));
        let six = Some((Some(Host::Ipv6(Ipv6Addr::LOCALHOST)), 80));
        assert_eq!(rule("::[::1]:").target("a.com", 80), six);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "a.com",
            "a.com:443",
            "a.com:443:b.com",
            "a.com:443:b.com:80:",
            "a.com:x:b.com:80",
            "a.com:65536:b.com:80",
            "a com:443:b.com:80",
            "::[::1:80",
            "::::1",
            "a:-1:b:1",
        ] {
            assert!(text.parse::<ConnectTo>().is_err(), "{text}");
        }
    }
}
