//! The page of an audit and the cache key of its result.

use std::net::IpAddr;

use visibility_core::audit::profile::Profile;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::page_url::PageUrl;

use crate::access::limiter::network;
use crate::access::limiter::subject::Subject;

/// A page, and the kind that a client says it is.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct RequestedPage {
    url: PageUrl,
    profile: Option<Profile>,
    name: String,
}

impl RequestedPage {
    /// A page, with the kind that the caller gave or that is to be detected.
    pub(crate) fn new(url: PageUrl, profile: Option<Profile>) -> Self {
        // No profile has a space, so that no two pages share a name.
        let kind = profile.map_or("any", Profile::as_str);
        let name = format!("{kind} {url}");
        Self { url, profile, name }
    }

    pub(crate) fn url(&self) -> &PageUrl {
        &self.url
    }

    /// The kind that it is said to be.
    pub(crate) fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// What its result is kept by: results of the same page as different kinds differ.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Who is spared too many audits: the registrable domain, or the address, or its /64 of IPv6.
    pub(crate) fn host(&self) -> Subject {
        let host = self.url.host();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        if let Ok(address) = address {
            return Subject::host(format!("host/{}", network(address)));
        }
        let domain = host.parse::<Domain>().ok();
        let spared = domain.as_ref().map_or(host, Domain::registrable);
        Subject::host(format!("host/{spared}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str) -> RequestedPage {
        RequestedPage::new(url.parse().unwrap(), None)
    }

    #[test]
    fn one_page_has_one_name_however_it_is_written() {
        let name = |url: &str| page(url).name().to_owned();
        assert_eq!(
            name("https://Shop.example.com:443/a/../b#top"),
            "any https://shop.example.com/b"
        );
        assert_ne!(name("https://shop.example.com/b"), name("https://shop.example.com/b?"));
        let chosen = RequestedPage::new("https://a.com/".parse().unwrap(), Some(Profile::Product));
        assert_eq!(chosen.name(), "product https://a.com/");
    }

    #[test]
    fn hosts_of_one_domain_are_spared_together() {
        for (url, host) in [
            ("https://shop.example.com.tr/a", "host/example.com.tr"),
            ("http://www.example.com:8080/", "host/example.com"),
            ("https://192.0.2.1/", "host/192.0.2.1"),
            ("https://[2001:db8:1:2::3]/", "host/2001:db8:1:2::"),
            ("https://[2001:db8:1:2:ffff::4]/b", "host/2001:db8:1:2::"),
            ("https://[::ffff:192.0.2.1]/", "host/192.0.2.1"),
            ("https://localhost/", "host/localhost"),
            ("https://a.github.io/", "host/a.github.io"),
        ] {
            assert_eq!(page(url).host().as_str(), host, "{url}");
        }
    }
}
