//! Links of a page as absolute addresses.

use url::Url;

use crate::limits::MAX_URL_BYTES;
use crate::page::{Anchor, Page};

impl Page {
    /// The address that relative links of the page start from: `<base href>`, else its own.
    ///
    /// A `<base href>` of more than 2,048 bytes is ignored.
    pub fn base_url(&self, page_url: &Url) -> Url {
        let base = self.base.as_deref().and_then(|base| web_url(page_url, base));
        base.unwrap_or_else(|| page_url.clone())
    }

    /// A link of the page as an absolute address; `None` if it is no `http(s)` URL, or one of more
    /// than 2,048 bytes.
    pub fn resolve(&self, page_url: &Url, href: &str) -> Option<Url> {
        self.resolver(page_url)(href)
    }

    /// [`Page::resolve`] for many links: the base is read once.
    pub fn resolver(&self, page_url: &Url) -> impl Fn(&str) -> Option<Url> + use<> {
        let base = self.base_url(page_url);
        move |href| web_url(&base, href)
    }

    /// Anchors with their absolute addresses; those that [`Page::resolve`] has none for are left
    /// out.
    pub fn resolved_anchors<'a>(
        &'a self,
        page_url: &Url,
    ) -> impl Iterator<Item = (&'a Anchor, Url)> + use<'a> {
        let resolve = self.resolver(page_url);
        self.anchors.iter().filter_map(move |anchor| Some((anchor, resolve(&anchor.href)?)))
    }
}

/// A reference as an `http(s)` URL, if neither is longer than is followed.
fn web_url(base: &Url, reference: &str) -> Option<Url> {
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
    let url = (reference.len() <= MAX_URL_BYTES).then(|| base.join(reference).ok())??;
    (is_web(&url) && url.as_str().len() <= MAX_URL_BYTES).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), None)
    }

    #[test]
    fn links_start_from_the_base() -> Result<(), url::ParseError> {
        let at = Url::parse("https://example.com/a/b")?;
        let cases = [
            ("", "c", Some("https://example.com/a/c")),
            ("<base href=/x/>", "c", Some("https://example.com/x/c")),
            ("<base href='//cdn.example/'>", "c", Some("https://cdn.example/c")),
            ("<base href='data:x'>", "c", Some("https://example.com/a/c")),
            ("", "mailto:a@example.com", None),
            ("", "https://[", None),
        ];
        for (head, href, resolved) in cases {
            let found = page(head).resolve(&at, href);
            assert_eq!(found.as_ref().map(Url::as_str), resolved, "{head} {href}");
        }
        let page = page("<base href=/x/><a href=y></a><a href='tel:1'></a>");
        let anchors: Vec<String> =
            page.resolved_anchors(&at).map(|(_, url)| url.to_string()).collect();
        assert_eq!(anchors, ["https://example.com/x/y"]);
        Ok(())
    }

    #[test]
    fn long_references_are_not_followed() -> Result<(), url::ParseError> {
        let at = Url::parse("https://example.com/a/b")?;
        let long = |bytes: usize| "x".repeat(bytes);
        let origin = "https://example.com/".len();
        let fits = page(&format!("<base href='/{}/'>", long(MAX_URL_BYTES - origin - 2)));
        assert_eq!(fits.resolve(&at, "y").map(|url| url.as_str().len()), Some(MAX_URL_BYTES));
        assert_eq!(fits.resolve(&at, "yy"), None);
        let ignored = page(&format!("<base href='/{}/'>", long(MAX_URL_BYTES)));
        assert_eq!(ignored.base_url(&at), at);
        assert_eq!(page("").resolve(&at, &format!("{}/../c", long(MAX_URL_BYTES))), None);
        assert_eq!(page("").resolve(&at, &"ş".repeat(MAX_URL_BYTES / 2)), None);
        let anchor = page(&format!("<a href='/{}'></a>", long(MAX_URL_BYTES)));
        assert_eq!(anchor.resolved_anchors(&at).count(), 0);
        Ok(())
    }
}
