//! The documents of `docs/` that are made of code and texts. `cargo run --bin generate-documents` writes them.

use std::path::{Path, PathBuf};

use visibility_server::printed_description;

use crate::{checks_page, signals_page};

/// Each document, with what it should be.
pub fn documents() -> [(PathBuf, String); 4] {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("docs");
    [
        (folder.join("checks.md"), checks_page::render()),
        (folder.join("signals.md"), signals_page::render()),
        (folder.join("openapi.json"), printed_description(false)),
        (folder.join("openapi-ingestion.json"), printed_description(true)),
    ]
}
