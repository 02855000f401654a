//! The descriptions that are checked in.

use std::fs;
use std::path::Path;

use crate::server::program::Place;

#[test]
fn the_descriptions_that_are_checked_in_are_those_of_the_code() {
    let place = Place::new();
    for (file, arguments) in [
        ("openapi.json", &["openapi"][..]),
        ("openapi-ingestion.json", &["openapi", "--ingestion"]),
    ] {
        let run = place.run(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == run.stdout,
            "docs/{file} is not what the program prints: cargo run --bin generate-documents"
        );
    }
}
