//! Audits of whole pages: what the rubric promises, page by page.

mod gates;
mod hostile;
mod judged;
mod promises;
mod statuses;
mod traps;
mod walk;
