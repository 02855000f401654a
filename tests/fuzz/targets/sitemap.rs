//! Sitemaps: between 1 and 50,000 entries, and no date that is both valid and invalid.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::documents::sitemap::Sitemap;

fuzz_target!(|body: &[u8]| {
    for cut in [false, true] {
        if let Ok(sitemap) = Sitemap::parse(body, cut) {
            assert!((1..=50_000).contains(&sitemap.entries.len()));
            for entry in &sitemap.entries {
                assert_eq!(entry.loc, entry.loc.trim());
                assert!(!(entry.bad_lastmod && entry.lastmod.is_some()));
            }
        }
    }
});
