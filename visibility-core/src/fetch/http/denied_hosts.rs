//! Hosts that are never requested, wherever their name comes from.

use url::Host;

/// Hosts that are asked for nothing: neither at first, nor behind a redirect or a link.
#[derive(Clone, Debug, Default)]
pub struct DeniedHosts {
    with_all_below: Vec<String>,
    alone: Vec<String>,
}

impl DeniedHosts {
    /// Refuses a host and all names below it.
    pub fn deny_with_subdomains(&mut self, host: &str) {
        self.with_all_below.extend(normal(host));
    }

    /// Refuses a host and no other.
    pub fn deny(&mut self, host: &str) {
        self.alone.extend(normal(host));
    }

    /// Whether a host is refused, however it is written.
    pub fn contains(&self, host: &str) -> bool {
        let Some(host) = normal(host) else { return false };
        self.alone.contains(&host)
            || self.with_all_below.iter().any(|parent| {
                let rest = host.strip_suffix(parent.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            })
    }
}

/// A host as URLs have it, without the dot that ends a name; `None` if nothing is left.
fn normal(host: &str) -> Option<String> {
    let host = host.trim().trim_matches('.');
    let normal = Host::parse(host).map_or_else(|_| host.to_ascii_lowercase(), |h| h.to_string());
    (!normal.is_empty()).then_some(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_goes_with_all_below_or_alone_however_it_is_written() {
        let mut hosts = DeniedHosts::default();
        hosts.deny_with_subdomains(".Denied.com.");
        hosts.deny_with_subdomains("şirket.com.tr");
        hosts.deny("logs.example.com");
        hosts.deny("192.0.2.1");
        hosts.deny("[2001:DB8:0::1]");
        for host in [
            "denied.com",
            "DENIED.com.",
            "a.b.denied.com",
            "xn--irket-idb.com.tr",
            "Logs.example.com",
            "192.0.2.1",
            "3221225985",
            "[2001:db8::1]",
        ] {
            assert!(hosts.contains(host), "{host}");
        }
        for host in
            ["", ".", "com", "notdenied.com", "denied.com.tr", "a.logs.example.com", "example.com"]
        {
            assert!(!hosts.contains(host), "{host}");
        }
    }

    #[test]
    fn an_empty_entry_refuses_nothing() {
        let mut hosts = DeniedHosts::default();
        for entry in ["", " ", ".", ".."] {
            hosts.deny_with_subdomains(entry);
            hosts.deny(entry);
        }
        assert!(!hosts.contains("example.com") && !hosts.contains("example.com.."));
        assert!(!hosts.contains(""));
    }
}
