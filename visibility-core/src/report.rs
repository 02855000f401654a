//! Pure renderers of results: what every face shows is written once, here.
//!
//! Each but those of a batch takes a result, which is in one language, and gives a text: a
//! [`ScanResult`](crate::scan::result::ScanResult), or below [`audit`] an
//! [`AuditResult`](crate::audit::result::AuditResult). Strangers' text in it is escaped for the form it goes to, whatever it holds.

mod annotation;
pub mod audit;
pub mod badge;
pub mod batch;
pub mod chart;
pub mod compare;
pub mod diff;
pub mod fix_folder;
pub mod github;
pub mod history;
pub mod html;
pub mod junit;
pub mod labels;
pub mod logs;
pub mod markdown;
pub mod opening;
pub mod parts;
pub mod paste;
pub mod plan;
pub mod product;
pub mod prompt;
pub mod reach;
pub mod sarif;
pub mod scale;
pub mod style;
pub mod traffic;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tree;
