//! The style sheet of everything that people look at: files of reports, and the pages of the service.
//!
//! It is one sheet in parts, so that a file of a report has only the rules that it uses. No rule fetches anything:
//! fonts are those of the system, and pictures are elements of SVG, which have their colors from here.

/// The rules that the file of a report has inside.
pub const OF_REPORTS: &str =
    concat!(include_str!("style/base.css"), include_str!("style/report.css"));

/// The rules that the file of a report on access logs has inside.
pub const OF_LOGS: &str =
    concat!(include_str!("style/base.css"), include_str!("style/traffic.css"));

/// The whole sheet, which pages link to.
pub const WHOLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/report.css"),
    include_str!("style/traffic.css"),
    include_str!("style/pages.css")
);

#[cfg(test)]
mod tests;
