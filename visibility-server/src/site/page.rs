//! Pages for one person: in the language that they chose, never stored by a cache.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LOCATION, REFERRER_POLICY,
    SET_COOKIE, VARY, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use bytes::Bytes;
use maud::{Markup, html};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::{Catalog, Lang, Values};

use super::base_url::BaseUrl;
use super::layout::{Frame, FrameKind, layout, signed_fields};
use super::local_path::LocalPath;
use crate::http::validators::matches_etag;
use crate::http::{language, response};
use crate::settings::Settings;
use visibility_core::text::markup::{Shown, sentence, shown};

/// The policy of a page whose forms lead to us, as the one with the password does.
const STRICT: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// What of a request its page depends on.
#[derive(Clone, Debug)]
pub(crate) struct PageContext {
    pub(crate) base: BaseUrl,
    /// The language of the page.
    pub(crate) lang: Lang,
    /// Path of the page, such as `/sign-in`.
    path: String,
    /// The query that the page was requested with, such as the authorization request of a program.
    pub(crate) query: String,
    /// The field that has the browser remember a language that was just chosen.
    language_cookie: Option<HeaderValue>,
}

impl PageContext {
    /// That of a request.
    pub(crate) fn from_request(
        settings: &Settings,
        path: &str,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Self {
        let query = uri.query().unwrap_or_default().to_owned();
        Self::new(settings, path, query, headers)
    }

    /// That of another URL, in a request with these headers.
    pub(crate) fn new(settings: &Settings, path: &str, query: String, headers: &HeaderMap) -> Self {
        let chosen = language::chosen(&query)
            .filter(|chosen| language::remembered(headers) != Some(*chosen));
        Self {
            base: BaseUrl::new(settings),
            lang: language::negotiate(&query, headers),
            path: path.to_owned(),
            language_cookie: chosen.and_then(|chosen| language::remember(settings, chosen)),
            query,
        }
    }

    /// Sets the language that a form names, if it names one.
    #[must_use]
    pub(crate) fn with_form_language(mut self, field: &str) -> Self {
        self.lang = field.parse().unwrap_or(self.lang);
        self
    }

    /// The path of the page.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Where the page is shown.
    pub(crate) fn address(&self) -> String {
        self.base.link(&self.path_and_query())
    }

    /// The path and the query of the page, below the address of the service.
    pub(crate) fn path_and_query(&self) -> String {
        self.path_with(&self.query)
    }

    /// Where it is shown in the other language, below the address of the service. The page of an error has the path of
    /// the request, which a stranger may have made for a link that leads away.
    fn translated_path(&self) -> Option<String> {
        LocalPath::parse(&self.path)?;
        let pairs = self.query.split('&');
        let mut kept: Vec<&str> =
            pairs.filter(|pair| !pair.is_empty() && !pair.starts_with("lang=")).collect();
        let lang = format!("lang={}", self.other_lang());
        kept.push(&lang);
        Some(self.path_with(&kept.join("&")))
    }

    fn path_with(&self, query: &str) -> String {
        if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) }
    }

    fn other_lang(&self) -> Lang {
        match self.lang {
            Lang::En => Lang::Tr,
            Lang::Tr => Lang::En,
        }
    }

    /// A sentence of a page.
    pub(crate) fn text(&self, page: &str, id: &str) -> Shown<'static> {
        shown(Catalog::for_lang(self.lang).text(&["accounts", page, id]))
    }

    /// A sentence with a value.
    pub(crate) fn fill(&self, page: &str, id: &str, value: (&'static str, &str)) -> Shown<'static> {
        let values = Values::from([(value.0, value.1.to_owned())]);
        shown(Catalog::for_lang(self.lang).fill(&["accounts", page, id], &values))
    }
}

/// What the status of a page depends on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PageKind {
    /// What was asked for.
    Wanted,
    /// A request that is refused, with the code of its problem.
    Problem(ErrorCode),
    /// A request or a form that cannot be used as it is.
    BadRequest,
    /// The person may not do this.
    Refused,
    /// It cannot be done as things are.
    Conflict,
    TooManyRequests,
    Unavailable,
}

/// The one place that gives pages a status.
fn status_of(kind: PageKind) -> StatusCode {
    match kind {
        PageKind::Wanted => StatusCode::OK,
        PageKind::Problem(code) => response::status_of(code),
        PageKind::BadRequest => StatusCode::BAD_REQUEST,
        PageKind::Refused => StatusCode::FORBIDDEN,
        PageKind::Conflict => StatusCode::CONFLICT,
        PageKind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        PageKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// By whom a page may be kept, with what its content is known by.
#[derive(Clone, Debug)]
pub(crate) enum PageCaching {
    /// By the browser, which asks each time whether it is still the same.
    Private(String),
    /// By everyone, for a minute.
    Public(String),
}

/// What a page shows.
#[derive(Debug)]
pub(crate) struct PageContent<'a> {
    pub(crate) kind: PageKind,
    pub(crate) title: Shown<'static>,
    /// With one `h1`.
    pub(crate) body: Markup,
    pub(crate) frame: FrameKind<'a>,
    pub(crate) policy: HeaderValue,
    /// Whether it is text, and not made of the parts of a report.
    pub(crate) is_text: bool,
    /// How it may be kept, and the headers of the request; not at all without.
    pub(crate) caching: Option<(PageCaching, &'a HeaderMap)>,
}

impl<'a> PageContent<'a> {
    /// A page whose forms lead to us.
    pub(crate) fn new(
        kind: PageKind,
        title: Shown<'static>,
        frame: FrameKind<'a>,
        body: Markup,
    ) -> Self {
        Self { kind, title, body, frame, policy: STRICT, is_text: true, caching: None }
    }

    /// Made of the parts of a report, and not of text.
    #[must_use]
    pub(crate) fn of_parts(mut self) -> Self {
        self.is_text = false;
        self
    }

    /// May be kept, for a request with these headers.
    #[must_use]
    pub(crate) fn cached(mut self, caching: PageCaching, asked: &'a HeaderMap) -> Self {
        self.caching = Some((caching, asked));
        self
    }
}

/// The answer with a page.
pub(crate) fn respond(context: &PageContext, page: PageContent<'_>) -> Response {
    let whole = render(context, &page);
    respond_with(context, page, whole)
}

/// The whole of a page.
pub(crate) fn render(context: &PageContext, page: &PageContent<'_>) -> Bytes {
    let translated = context.translated_path();
    let frame = Frame {
        title: page.title.as_str(),
        lang: context.lang,
        translation: translated.as_deref().map(|path| (context.other_lang(), path)),
        kind: page.frame,
    };
    let body = &page.body;
    let whole = if page.is_text {
        layout(&context.base, &frame, &html! { div.prose { (body) } })
    } else {
        layout(&context.base, &frame, body)
    };
    whole.into_string().into()
}

/// The answer with a page that was rendered.
pub(crate) fn respond_with(context: &PageContext, page: PageContent<'_>, whole: Bytes) -> Response {
    let mut response = Response::new(Body::from(whole));
    *response.status_mut() = status_of(page.kind);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, page.policy);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    let opener_policy = match page.frame {
        // Clients open these pages as a pop-up, and `same-origin` would cut them off for good: the client takes the
        // pop-up for closed, and gives up. What it would keep from the client is the number of our frames: none.
        FrameKind::Gate => "unsafe-none",
        FrameKind::Site { .. } | FrameKind::Plain | FrameKind::Account(_) => "same-origin",
    };
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static(opener_policy));
    match (&context.language_cookie, page.caching) {
        // A page that sets a cookie is for one browser, now.
        (Some(cookie), _) => with_cookies(response, [Some(cookie.clone())]),
        (None, Some((caching, asked))) => keep(response, &caching, asked),
        (None, None) => response,
    }
}

/// A page that may be kept: it is not sent to one who has it.
fn keep(mut response: Response, caching: &PageCaching, asked: &HeaderMap) -> Response {
    let (tag, rule) = match caching {
        PageCaching::Private(tag) => (tag, "private, no-cache"),
        PageCaching::Public(tag) => (tag, "public, max-age=60"),
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(rule));
    headers.insert(VARY, HeaderValue::from_static("Cookie, Accept-Language"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    let Ok(tag) = HeaderValue::try_from(format!("\"{tag}\"")) else { return response };
    headers.insert(ETAG, tag.clone());
    if matches_etag(asked, &tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
        *response.body_mut() = Body::empty();
    }
    response
}

/// Sends a browser elsewhere, to be asked for with `GET` whatever was done here: RFC 9110 section 15.4.4.
pub(crate) fn see_other(address: &str) -> Response {
    let mut response = Response::new(Body::empty());
    let Ok(address) = HeaderValue::try_from(address) else {
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return response;
    };
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, address);
    response
}

/// With fields that set cookies.
pub(crate) fn with_cookies(
    mut response: Response,
    cookies: impl IntoIterator<Item = Option<HeaderValue>>,
) -> Response {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The fields that every form has: its sign, and the language of its page.
pub(crate) fn hidden(context: &PageContext, sign: &str) -> Markup {
    signed_fields(context.lang, sign)
}

/// Characters of a value that are shown again.
const MAX_FIELD_CHARS: usize = 2_048;

/// What a field shows of a value that was sent.
pub(crate) fn field_value(value: &str) -> Shown<'static> {
    shown(value.chars().take(MAX_FIELD_CHARS).collect::<String>())
}

/// What is wrong with the value of a field that is described by this element.
pub(crate) fn field_error(context: &PageContext, id: &str, problem: Option<&Problem>) -> Markup {
    let Some(problem) = problem else { return html! {} };
    let object = problem.object(context.lang);
    html! {
        p.alert id=(id) role="alert" {
            (sentence(&object.message))
            @if let Some(hint) = &object.hint { " " (sentence(hint)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_language_is_that_of_the_same_request() {
        for (query, address) in [
            ("", "/authorize?lang=tr"),
            ("a=1&b=2", "/authorize?a=1&b=2&lang=tr"),
            ("lang=tr&a=1", "/authorize?a=1&lang=en"),
            ("a=1&lang=en&&lang=tr", "/authorize?a=1&lang=tr"),
        ] {
            let settings = Settings::default();
            let context =
                PageContext::new(&settings, "/authorize", query.to_owned(), &HeaderMap::new());
            assert_eq!(context.translated_path().as_deref(), Some(address), "{query}");
        }
    }

    #[test]
    fn a_browser_is_not_sent_where_no_header_can_lead() {
        assert_eq!(see_other("/a\r\nset-cookie: b").status(), StatusCode::BAD_REQUEST);
        assert_eq!(see_other("https://a.example/?b").status(), StatusCode::SEE_OTHER);
    }
}
