//! JSON-LD: nodes of objects, or the place of an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::page::json_ld::JsonLdBlock;

fuzz_target!(|text: &str| {
    let block = JsonLdBlock::parse(text, 7);
    assert_eq!(block.line, 7);
    match &block.nodes {
        Ok(nodes) => {
            assert!(nodes.len() <= text.len());
            for node in nodes {
                assert!(node.object.keys().all(|key| key.len() <= text.len()));
                let _ = (node.text("name"), node.text("url"), node.is("Product"));
            }
        }
        Err(error) => {
            assert!(error.line >= 7 && error.column >= 1);
            assert!(error.context.chars().count() <= 40);
        }
    }
});
