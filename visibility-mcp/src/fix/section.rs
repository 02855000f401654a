//! The parts of what a check offers to paste: one for each file or server that it is for.

/// What a line of a part begins with that says what the part is for.
const HEADS: [&str; 5] = ["nginx", "Caddy", "robots.txt", "/", "Response header"];

/// A part.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Section {
    /// What it is for; empty for what stands before the first line that says so.
    pub(super) head: String,
    /// Its lines.
    pub(super) body: String,
}

/// The parts of a snippet, in its order.
pub(super) fn sections(snippet: &str) -> Vec<Section> {
    let mut found = vec![Section::default()];
    for line in snippet.lines() {
        let head = line.strip_prefix("# ").filter(|text| HEADS.iter().any(|h| text.starts_with(h)));
        match (head, found.last_mut()) {
            (Some(head), _) => {
                found.push(Section { head: head.to_owned(), body: String::new() });
            }
            (None, Some(section)) => {
                section.body.push_str(line);
                section.body.push('\n');
            }
            (None, None) => {}
        }
    }
    for section in &mut found {
        section.body.truncate(section.body.trim_end().len());
        if !section.body.is_empty() {
            section.body.push('\n');
        }
    }
    found.retain(|section| !section.body.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_falls_into_the_parts_that_it_names() {
        let of = |snippet: &str| -> Vec<(String, String)> {
            sections(snippet).into_iter().map(|part| (part.head, part.body)).collect()
        };
        let part = |head: &str, body: &str| (head.to_owned(), body.to_owned());
        assert_eq!(of(""), []);
        assert_eq!(of("# A site\n\n> about it"), [part("", "# A site\n\n> about it\n")]);
        assert_eq!(
            of("<urlset/>\n\n# robots.txt\nSitemap: x\n"),
            [part("", "<urlset/>\n"), part("robots.txt", "Sitemap: x\n")]
        );
        assert_eq!(
            of("# /.well-known/a\n{}\n\n# /.well-known/b\n[]\n"),
            [part("/.well-known/a", "{}\n"), part("/.well-known/b", "[]\n")]
        );
        assert_eq!(
            of("# nginx: x\ngzip on;\n\n# Caddy: y\nencode\n"),
            [part("nginx: x", "gzip on;\n"), part("Caddy: y", "encode\n")]
        );
    }
}
