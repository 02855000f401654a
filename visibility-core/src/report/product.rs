//! The name of the program in reports, and where it explains what it judges.

/// The name.
pub const NAME: &str = "visibility";

/// Where the program is at home.
pub const HOME: &str = env!("CARGO_PKG_HOMEPAGE");

/// The page that explains a check.
pub fn check_page(id: &str) -> String {
    page("checks", id)
}

/// The page that explains a signal of an audit.
pub fn signal_page(id: &str) -> String {
    page("signals", id)
}

/// The part of a document of the project. An id from a stranger's file leads nowhere else.
fn page(document: &str, id: &str) -> String {
    let part: String = id.chars().filter(|ch| ch.is_ascii_alphanumeric() || *ch == '-').collect();
    format!("{HOME}/blob/main/docs/{document}.md#{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_one_of_the_project() {
        assert_eq!(check_page("llms-txt"), format!("{HOME}/blob/main/docs/checks.md#llms-txt"));
        assert_eq!(signal_page("a/../\"x"), format!("{HOME}/blob/main/docs/signals.md#ax"));
    }
}
