//! Pages of the documentation, for programs that show them. The files are copies of those in `docs/` of the repository,
//! made by `cargo run --bin generate-documents`, so that the crate has all that it is made of.

/// Each check of a scan.
pub const CHECKS: &str = include_str!("../../docs/checks.md");
/// How a scan is scored.
pub const SCORING: &str = include_str!("../../docs/scoring.md");
/// The audit of a page.
pub const AUDIT: &str = include_str!("../../docs/audit.md");
/// Each signal of an audit.
pub const SIGNALS: &str = include_str!("../../docs/signals.md");
/// The codes of errors.
pub const ERRORS: &str = include_str!("../../docs/errors.md");
