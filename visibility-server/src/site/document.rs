//! A page or file that is rendered at the start, in one or two formats, each compressed when it is first requested.

use std::sync::OnceLock;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LINK, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;

use crate::http::accept;
use crate::http::validators::{STATIC_CACHE_CONTROL, etag, gzip, matches_etag};

/// What a page may load: our stylesheet and our pictures, and nothing runs.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const MARKDOWN: HeaderValue = HeaderValue::from_static("text/markdown; charset=utf-8");
/// Bytes below which compressing gains nothing: they fit into one packet.
const WORTH_GZIP: usize = 1400;

/// A page or a file, ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    main: DocumentVariant,
    /// The Markdown of a page.
    markdown: Option<DocumentVariant>,
    links: Option<HeaderValue>,
    /// For how long it may be kept without asking.
    cached: HeaderValue,
    /// Whether a browser with a cookie may get another page at its address.
    depends_on_cookies: bool,
}

/// One form of a document.
#[derive(Clone, Debug)]
struct DocumentVariant {
    media_type: HeaderValue,
    bytes: Bytes,
    /// Made by the first request: most documents of a service are rarely read, and compressing all of them would be a
    /// third of its start.
    encodings: OnceLock<Encodings>,
}

/// A form in each coding.
#[derive(Clone, Debug)]
struct Encodings {
    plain: EncodedBody,
    gzip: Option<EncodedBody>,
}

/// The bytes of a form in one coding.
#[derive(Clone, Debug)]
struct EncodedBody {
    bytes: Bytes,
    etag: HeaderValue,
}

impl Document {
    /// A page: HTML, and Markdown at the same address for clients that accept it.
    pub(crate) fn page(html: String, markdown: Option<String>) -> Self {
        Self {
            main: DocumentVariant::new(HTML, html.into()),
            markdown: markdown.map(|text| DocumentVariant::new(MARKDOWN, text.into())),
            links: None,
            cached: STATIC_CACHE_CONTROL,
            depends_on_cookies: false,
        }
    }

    pub(crate) fn file(media_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        Self {
            main: DocumentVariant::new(HeaderValue::from_static(media_type), bytes.into()),
            markdown: None,
            links: None,
            cached: STATIC_CACHE_CONTROL,
            depends_on_cookies: false,
        }
    }

    /// With a `Link` field: RFC 8288. One that cannot be a field is left out.
    #[must_use]
    pub(crate) fn with_links(mut self, links: &str) -> Self {
        self.links = HeaderValue::from_str(links).ok();
        self
    }

    /// One in whose place people who are signed in get another page.
    #[must_use]
    pub(crate) fn dependent_on_cookies(self) -> Self {
        Self { depends_on_cookies: true, ..self }
    }

    /// One that changes with the settings alone.
    #[must_use]
    pub(crate) fn cacheable_for_an_hour(self) -> Self {
        Self { cached: HeaderValue::from_static("public, max-age=3600"), ..self }
    }

    /// The answer to a request with this head: the form that it asks for, or that it has it already.
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response {
        let form = match &self.markdown {
            Some(markdown) if accept::prefers_markdown(request) => markdown,
            _ => &self.main,
        };
        let encodings = form.encodings();
        let gzip = encodings.gzip.as_ref().filter(|_| accept::accepts_gzip(request));
        let coded = gzip.unwrap_or(&encodings.plain);
        let has_it = matches_etag(request, &coded.etag);
        let mut response = Response::new(Body::empty());
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, self.cached.clone());
        headers.insert(ETAG, coded.etag.clone());
        if let Some(vary) = self.vary() {
            headers.insert(VARY, HeaderValue::from_static(vary));
        }
        if self.depends_on_cookies {
            headers.append(VARY, HeaderValue::from_static("Cookie"));
        }
        if let Some(links) = &self.links {
            headers.insert(LINK, links.clone());
        }
        if has_it {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        headers.insert(CONTENT_TYPE, form.media_type.clone());
        if gzip.is_some() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if form.media_type == HTML {
            protect(headers);
        }
        *response.body_mut() = Body::from(coded.bytes.clone());
        response
    }

    /// What the answer depends on.
    fn vary(&self) -> Option<&'static str> {
        let is_coded = [Some(&self.main), self.markdown.as_ref()]
            .into_iter()
            .flatten()
            .any(|variant| variant.encodings().gzip.is_some());
        match (self.markdown.is_some(), is_coded) {
            (true, true) => Some("Accept, Accept-Encoding"),
            (true, false) => Some("Accept"),
            (false, true) => Some("Accept-Encoding"),
            (false, false) => None,
        }
    }
}

impl DocumentVariant {
    fn new(media_type: HeaderValue, bytes: Bytes) -> Self {
        Self { media_type, bytes, encodings: OnceLock::new() }
    }

    fn encodings(&self) -> &Encodings {
        self.encodings.get_or_init(|| Encodings::new(self.bytes.clone()))
    }
}

impl Encodings {
    fn new(bytes: Bytes) -> Self {
        // One that cannot be compressed is served as it is.
        let compress = || gzip(&bytes, Compression::best()).ok();
        let gzip = (bytes.len() >= WORTH_GZIP).then(compress).flatten();
        // A coding that gains nothing is left out.
        let gzip = gzip.filter(|coded| coded.len() < bytes.len());
        Self { gzip: gzip.map(EncodedBody::new), plain: EncodedBody::new(bytes) }
    }
}

impl EncodedBody {
    fn new(bytes: Bytes) -> Self {
        Self { etag: etag(&bytes), bytes }
    }
}

/// What a browser is to keep away from a page.
fn protect(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
}

#[cfg(test)]
mod tests {
    use axum::http::header::{ACCEPT, ACCEPT_ENCODING, IF_NONE_MATCH};

    use super::*;

    fn long_page() -> Document {
        Document::page("<p>a</p>".repeat(500), Some("a\n\n".repeat(500)))
    }

    fn asked(document: &Document, fields: &[(HeaderName, &str)]) -> Response {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(name, value.parse().unwrap());
        }
        document.respond(&headers)
    }

    fn tag(response: &Response) -> String {
        response.headers()[ETAG].to_str().unwrap().to_owned()
    }

    #[test]
    fn each_form_and_coding_has_a_tag_of_its_own() {
        let page = long_page();
        let forms = [
            vec![],
            vec![(ACCEPT_ENCODING, "gzip")],
            vec![(ACCEPT, "text/markdown")],
            vec![(ACCEPT, "text/markdown"), (ACCEPT_ENCODING, "gzip")],
        ];
        let tags: std::collections::BTreeSet<_> =
            forms.iter().map(|fields| tag(&asked(&page, fields))).collect();
        assert_eq!(tags.len(), forms.len());
    }

    #[test]
    fn a_client_that_has_it_gets_no_body() {
        let page = long_page();
        let first = asked(&page, &[(ACCEPT_ENCODING, "gzip")]);
        let tag = tag(&first);
        let again = asked(&page, &[(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, &tag)]);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers()[ETAG], tag.as_str());
        assert_eq!(again.headers()[VARY], "Accept, Accept-Encoding");
        assert_eq!(again.headers().get(CONTENT_TYPE), None);
        // The same tag names no other form.
        assert_eq!(asked(&page, &[(IF_NONE_MATCH, &tag)]).status(), StatusCode::OK);
    }

    #[test]
    fn pages_are_protected_and_their_markdown_needs_no_protection() {
        let page = long_page();
        assert!(asked(&page, &[]).headers().contains_key(CONTENT_SECURITY_POLICY));
        let markdown = asked(&page, &[(ACCEPT, "text/markdown")]);
        assert_eq!(markdown.headers()[CONTENT_TYPE], "text/markdown; charset=utf-8");
        assert_eq!(markdown.headers().get(CONTENT_SECURITY_POLICY), None);
    }

    #[test]
    fn what_fits_into_a_packet_is_not_compressed() {
        let file = Document::file("text/plain; charset=utf-8", "short");
        let answer = asked(&file, &[(ACCEPT_ENCODING, "gzip")]);
        assert_eq!(answer.headers().get(CONTENT_ENCODING), None);
        assert_eq!(answer.headers().get(VARY), None);
    }
}
