//! Domains: what is accepted is a host, and accepted again as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use url::Url;
use visibility_core::fetch::domain::Domain;

fuzz_target!(|text: &str| {
    let Ok(domain) = text.parse::<Domain>() else { return };
    let host = domain.as_str();
    assert_eq!(host.parse::<Domain>().as_ref(), Ok(&domain));
    assert!(host.is_ascii() && host.len() <= 253 && host.contains('.'));
    assert_eq!(host, host.to_ascii_lowercase());
    assert!(host.ends_with(domain.registrable()));
    let url = Url::parse(&format!("https://{host}/")).expect("a host");
    // Not an IP address in disguise, and nothing that a URL would read otherwise.
    assert_eq!(url.domain(), Some(host));
    assert_eq!(domain.https_root(), url);
});
