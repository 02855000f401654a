//! Domains that are not scanned: those that the operator has named, and the service itself.

use axum::http::Uri;
use visibility_core::domain::Domain;
use visibility_core::error::{ErrorCode, Problem};

use crate::settings::Settings;

/// Domains that are not scanned.
#[derive(Clone, Debug)]
pub(super) struct Excluded {
    /// With all that is below them.
    denied: Vec<String>,
    own: Vec<String>,
}

impl Excluded {
    pub(super) fn new(settings: &Settings) -> Self {
        let normal = |text: &String| {
            text.parse::<Domain>().map_or_else(|_| text.to_ascii_lowercase(), String::from)
        };
        let urls = [settings.base_url.as_ref(), settings.ingest_url.as_ref()];
        let own = urls.into_iter().flatten().filter_map(|url| {
            let host = url.parse::<Uri>().ok()?.host()?.to_owned();
            Some(normal(&host))
        });
        Self { denied: settings.fetch.deny.iter().map(normal).collect(), own: own.collect() }
    }

    /// Refuses a domain that is not scanned.
    pub(super) fn check(&self, domain: &Domain) -> Result<(), Problem> {
        let domain = domain.as_str();
        let is_below = |parent: &String| {
            let rest = domain.strip_suffix(parent.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if !self.denied.iter().any(is_below) && !self.own.iter().any(|own| own == domain) {
            return Ok(());
        }
        Err(Problem::new(ErrorCode::DomainNotAllowed, "site-excluded").detail("reason", "excluded"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denied_domain_goes_with_all_below_and_nothing_else() {
        let mut settings = Settings::default();
        settings.fetch.deny = vec!["Example.com".to_owned(), "şirket.com.tr".to_owned()];
        let excluded = Excluded::new(&settings);
        let is_excluded = |text: &str| excluded.check(&text.parse().unwrap()).is_err();
        for domain in ["example.com", "a.example.com", "a.b.example.com", "xn--irket-idb.com.tr"] {
            assert!(is_excluded(domain), "{domain}");
        }
        for domain in ["badexample.com", "example.com.tr", "example.net", "sirket.com.tr"] {
            assert!(!is_excluded(domain), "{domain}");
        }
    }

    #[test]
    fn the_service_does_not_scan_itself() {
        let settings = Settings {
            base_url: Some("https://Visibility.example.com:8443/base/".to_owned()),
            ingest_url: Some("https://logs.example.com".to_owned()),
            ..Settings::default()
        };
        let excluded = Excluded::new(&settings);
        let is_excluded = |text: &str| excluded.check(&text.parse().unwrap()).is_err();
        assert!(is_excluded("visibility.example.com"));
        assert!(is_excluded("logs.example.com"));
        assert!(!is_excluded("example.com"));
        assert!(!is_excluded("www.visibility.example.com"));
    }
}
