//! `Link` fields: bounded, and relation types in lower case.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::fetch::link_header;

fuzz_target!(|text: &str| {
    let links = link_header::parse(text.lines());
    assert!(links.len() <= 200);
    for link in &links {
        assert!(text.contains(&link.target));
        assert!(link.rels.iter().all(|rel| !rel.bytes().any(|byte| byte.is_ascii_uppercase())));
        assert!(link.rels.iter().all(|rel| !rel.is_empty()));
    }
});
