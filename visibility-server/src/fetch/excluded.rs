//! Hosts that are not visited: those that the operator has named, and the service itself.

use axum::http::Uri;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::http::DeniedHosts;

use crate::settings::Settings;

/// The hosts that nothing asks, whether they are what was named or a site leads there.
pub(super) fn refused_hosts(settings: &Settings) -> DeniedHosts {
    let mut hosts = denied_hosts(settings);
    for url in [&settings.base_url, &settings.ingest_url].into_iter().flatten() {
        let url = url.parse::<Uri>();
        if let Some(own) = url.as_ref().ok().and_then(Uri::host) {
            hosts.deny(own);
        }
    }
    hosts
}

/// The hosts that the operator has named, with all below them.
pub(crate) fn denied_hosts(settings: &Settings) -> DeniedHosts {
    let mut hosts = DeniedHosts::default();
    for denied in &settings.fetch.deny {
        hosts.deny_with_subdomains(denied);
    }
    hosts
}

/// Refuses a domain that is one of these hosts.
///
/// # Errors
///
/// When it is.
pub(crate) fn check(refused: &DeniedHosts, domain: &Domain) -> Result<(), Problem> {
    if !refused.contains(domain.as_str()) {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::DomainNotAllowed, "site-excluded").detail("reason", "excluded"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denied_domain_goes_with_all_below_and_nothing_else() {
        let mut settings = Settings::default();
        settings.fetch.deny = vec!["Example.com".to_owned(), "şirket.com.tr".to_owned()];
        let refused = refused_hosts(&settings);
        let is_excluded = |text: &str| check(&refused, &text.parse().unwrap()).is_err();
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
        let refused = refused_hosts(&settings);
        let is_excluded = |text: &str| check(&refused, &text.parse().unwrap()).is_err();
        assert!(is_excluded("visibility.example.com"));
        assert!(is_excluded("logs.example.com"));
        assert!(!is_excluded("example.com"));
        assert!(!is_excluded("www.visibility.example.com"));
    }
}
