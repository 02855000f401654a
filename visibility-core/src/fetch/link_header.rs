//! `Link` header fields, [RFC 8288](https://www.rfc-editor.org/rfc/rfc8288), section 3.

/// Links that are read of one response.
const MAX_LINKS: usize = 200;

/// One link.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Link {
    /// The target as written between `<` and `>`.
    pub target: String,
    /// Relation types, in lower case.
    pub rels: Vec<String>,
    /// `type` in lower case, without parameters.
    pub media_type: Option<String>,
    /// `anchor` as written: the context, if it is not the page itself.
    pub anchor: Option<String>,
}

/// Parses all `Link` fields of a response; what cannot be parsed is skipped. At most 200 links.
#[expect(single_use_lifetimes, reason = "`impl Trait` takes no anonymous lifetime yet")]
pub fn parse<'a>(fields: impl IntoIterator<Item = &'a str>) -> Vec<Link> {
    let values = fields.into_iter().flat_map(|field| Pieces { rest: field, separator: ',' });
    values.filter_map(link).take(MAX_LINKS).collect()
}

fn link(value: &str) -> Option<Link> {
    let (target, parameters) = value.trim_start().strip_prefix('<')?.split_once('>')?;
    let mut link = Link { target: target.trim().to_owned(), ..Link::default() };
    let mut has_rel = false;
    for parameter in (Pieces { rest: parameters, separator: ';' }) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = unquoted(value.trim());
        match name.trim().to_ascii_lowercase().as_str() {
            // Section 3.3: occurrences of `rel` after the first one are ignored.
            "rel" if !has_rel => {
                has_rel = true;
                link.rels = value.split_whitespace().map(str::to_lowercase).collect();
            }
            "type" if link.media_type.is_none() => {
                let essence = value.split(';').next().unwrap_or_default();
                link.media_type = Some(essence.trim().to_ascii_lowercase());
            }
            "anchor" if link.anchor.is_none() => link.anchor = Some(value),
            _ => {}
        }
    }
    Some(link)
}

/// The content of a quoted string, or a token as it is.
fn unquoted(value: &str) -> String {
    let Some(quoted) = value.strip_prefix('"') else { return value.to_owned() };
    let mut content = String::new();
    let mut chars = quoted.chars();
    while let Some(ch) = chars.next() {
        match ch {
            '"' => break,
            '\\' => content.extend(chars.next()),
            _ => content.push(ch),
        }
    }
    content
}

/// Parts of a text between separators that are neither in quotes nor between `<` and `>`.
struct Pieces<'a> {
    rest: &'a str,
    separator: char,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let mut until = None;
        let mut escaped = false;
        let end = self.rest.char_indices().find(|(_, ch)| {
            match (until, *ch) {
                (Some('"'), '\\') if !escaped => {
                    escaped = true;
                    return false;
                }
                (Some(end), ch) if ch == end && !escaped => until = None,
                (None, '"') => until = Some('"'),
                (None, '<') => until = Some('>'),
                (None, ch) if ch == self.separator => return true,
                _ => {}
            }
            escaped = false;
            false
        });
        let at = end.map_or(self.rest.len(), |(at, _)| at);
        let (piece, rest) = self.rest.split_at(at);
        self.rest = rest.strip_prefix(self.separator).unwrap_or(rest);
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn targets(field: &str) -> Vec<(String, Vec<String>)> {
        parse([field]).into_iter().map(|link| (link.target, link.rels)).collect()
    }

    fn expected(links: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
        let owned = |rels: &[&str]| rels.iter().map(|rel| (*rel).to_owned()).collect();
        links.iter().map(|(target, rels)| ((*target).to_owned(), owned(rels))).collect()
    }

    /// RFC 8288, section 3.5 and appendix B.
    #[test]
    fn fields_are_split_where_rfc_8288_splits_them() {
        type Case = (&'static str, &'static [(&'static str, &'static [&'static str])]);
        let cases: [Case; 12] = [
            (
                "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
                &[("http://example.com/TheBook/chapter2", &["previous"])],
            ),
            (
                "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel=\"next\"",
                &[("/TheBook/chapter2", &["previous"]), ("/TheBook/chapter4", &["next"])],
            ),
            (
                "<http://example.org/>; rel=\"start http://example.net/relation/other\"",
                &[("http://example.org/", &["start", "http://example.net/relation/other"])],
            ),
            (
                "</a,b;c>; title=\"x, y; <z> \\\" ,\"; REL=Next, </d>;rel=a",
                &[("/a,b;c", &["next"]), ("/d", &["a"])],
            ),
            ("</a>; rel=first; rel=second", &[("/a", &["first"])]),
            ("</a>; rel; rel=second", &[("/a", &[])]),
            ("</a>", &[("/a", &[])]),
            ("<>;rel=self", &[("", &["self"])]),
            ("garbage, </a>;rel=a, <b, c>; rel=b, ,,", &[("/a", &["a"]), ("b, c", &["b"])]),
            ("</a>;;; rel = \"a\" ;", &[("/a", &["a"])]),
            ("</a;rel=a", &[]),
            ("</a>; title=\"unclosed, </b>; rel=b", &[("/a", &[])]),
        ];
        for (field, links) in cases {
            assert_eq!(targets(field), expected(links), "{field}");
        }
    }

    #[test]
    fn type_and_anchor_are_read() {
        let links = parse([
            "</x>; rel=alternate; TYPE=\"Text/Markdown; charset=utf-8\"; type=b",
            "</y>; anchor=\"/ctx\"",
        ]);
        assert_eq!(links[0].media_type.as_deref(), Some("text/markdown"));
        assert_eq!((links[0].anchor.as_deref(), links[1].anchor.as_deref()), (None, Some("/ctx")));
    }

    #[test]
    fn at_most_two_hundred_links_are_read() {
        assert_eq!(parse(["</a>,".repeat(1_000).as_str()]).len(), MAX_LINKS);
    }

    proptest! {
        #[test]
        fn no_field_makes_the_parser_panic(field in ".{0,80}", odd in "[<>;,=\"\\\\a ]{0,40}") {
            let _ = parse([field.as_str(), odd.as_str()]);
        }
    }
}
