//! The documents that help a client to use the tools.

use crate::text::docs;

/// A document.
#[derive(Debug)]
pub(crate) struct DocumentResource {
    /// Its name in the address.
    pub(crate) slug: &'static str,
    /// What it is about.
    pub(crate) about: &'static str,
    /// Markdown.
    pub(crate) text: &'static str,
}

impl DocumentResource {
    /// Its first heading.
    pub(crate) fn title(&self) -> &'static str {
        let heading = self.text.lines().find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(self.slug)
    }
}

/// All documents.
pub(super) static DOCUMENTS: [DocumentResource; 5] = [
    DocumentResource {
        slug: "checks",
        about: "Each check of a scan: why it matters, its possible results, how to fix it.",
        text: docs::CHECKS,
    },
    DocumentResource {
        slug: "scoring",
        about: "How verdicts become points, caps, tiers and a fix plan.",
        text: docs::SCORING,
    },
    DocumentResource {
        slug: "audit",
        about: "What a page audit reads, and how it computes its score.",
        text: docs::AUDIT,
    },
    DocumentResource {
        slug: "signals",
        about: "Each signal of a page audit, with the evidence that it matters.",
        text: docs::SIGNALS,
    },
    DocumentResource {
        slug: "errors",
        about: "All error codes, and what to do about them.",
        text: docs::ERRORS,
    },
];

/// A document by its name.
pub(super) fn find(slug: &str) -> Option<&'static DocumentResource> {
    DOCUMENTS.iter().find(|document| document.slug == slug)
}

/// The section of the third level with this heading, which becomes the first one; empty without one.
pub(super) fn section(text: &str, heading: &str) -> String {
    let mut section = String::new();
    for line in text.lines() {
        match line.strip_prefix("### ") {
            Some(found) if found == heading => section.push_str(&format!("# {found}\n")),
            Some(_) if !section.is_empty() => break,
            _ if !section.is_empty() && (line.starts_with("## ") || line.starts_with("# ")) => {
                break;
            }
            _ if !section.is_empty() => {
                section.push_str(line);
                section.push('\n');
            }
            _ => {}
        }
    }
    section.truncate(section.trim_end().len());
    section
}

#[cfg(test)]
mod tests {
    use crate::scan::checks::CHECKS;

    use super::*;

    #[test]
    fn each_document_has_a_title_of_its_own() {
        for document in &DOCUMENTS {
            assert!(std::ptr::eq(find(document.slug).unwrap(), document));
            assert_ne!(document.title(), document.slug, "{document:?}");
        }
        assert!(find("../Cargo.toml").is_none());
    }

    #[test]
    fn each_check_has_a_section_that_ends_where_the_next_begins() {
        for check in CHECKS {
            let section = section(docs::CHECKS, check.id);
            assert!(section.starts_with(&format!("# {}\n", check.id)), "{}", check.id);
            assert!(section.len() > 300, "{section}");
            assert_eq!(section.lines().filter(|line| line.starts_with('#')).count(), 1);
        }
        assert_eq!(section(docs::CHECKS, "no-such"), "");
        assert_eq!(section("### a\n\nx\n\n### b\ny", "a"), "# a\n\nx");
        assert_eq!(section("### a\nx\n## c\ny", "a"), "# a\nx");
    }
}
