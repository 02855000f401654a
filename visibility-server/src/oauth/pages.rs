//! The pages on which a person signs in and decides. They work without scripts, and load our stylesheet and
//! nothing else.

mod consent;
mod language;
mod notice;
mod sign_in;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use maud::{Markup, html};
use visibility_core::error::ErrorCode;
use visibility_core::text::locale::{Catalog, Lang, Values};

pub(super) use self::consent::consent;
pub(super) use self::notice::{client_error, cross_origin_form, refused, signed_out};
pub(super) use self::sign_in::{SignInNotice, sign_in};
use crate::http::response;
use crate::site::BaseUrl;
use crate::site::layout::{Frame, FrameKind, layout};
use crate::site::markup::{Shown, shown};
use crate::state::AppState;

/// Where people sign in and decide.
pub(super) const PATH: &str = "/authorize";
/// Where people sign out.
pub(super) const SIGN_OUT_PATH: &str = "/sign-out";

/// The policy of a page whose forms lead to us, as the one with the password does.
const STRICT: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// The policy of the page on which a person decides, without `form-action`: Chrome and Safari apply that to
/// every redirect that follows a form, and this form ends at the client. To name the redirect URI is not
/// enough, as hosted clients send the browser on to a program of theirs, such as from
/// `https://claude.ai/api/mcp/auth_callback` to `claude:`. The page has no secret but the sign of its form,
/// and where the browser goes was checked before.
const LEADING_AWAY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
);
const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// What of a request its pages depend on.
#[derive(Clone, Debug)]
pub(super) struct PageContext {
    place: BaseUrl,
    /// The language of the pages.
    pub(super) lang: Lang,
    /// The authorization request from the address.
    pub(super) query: String,
}

impl PageContext {
    /// That of a request.
    pub(super) fn from_request(state: &AppState, uri: &Uri, headers: &HeaderMap) -> Self {
        let query = uri.query().unwrap_or_default().to_owned();
        Self::new(state, query, headers)
    }

    /// The language of an authorization request in another URL.
    pub(super) fn new(state: &AppState, query: String, headers: &HeaderMap) -> Self {
        let place = BaseUrl::new(&state.shared().settings);
        Self { place, lang: language::negotiate(&query, headers), query }
    }

    /// Sets the language that a form names, if it names one.
    #[must_use]
    pub(super) fn with_form_language(mut self, field: &str) -> Self {
        self.lang = field.parse().unwrap_or(self.lang);
        self
    }

    /// Where the request for authorization is shown.
    pub(super) fn address(&self) -> String {
        self.place.link(&path_with(&self.query))
    }

    /// Where it is shown in the other language, below the address of the service.
    fn translated_path(&self) -> String {
        let pairs = self.query.split('&');
        let mut kept: Vec<&str> =
            pairs.filter(|pair| !pair.is_empty() && !pair.starts_with("lang=")).collect();
        let lang = format!("lang={}", self.other_lang());
        kept.push(&lang);
        path_with(&kept.join("&"))
    }

    fn other_lang(&self) -> Lang {
        match self.lang {
            Lang::En => Lang::Tr,
            Lang::Tr => Lang::En,
        }
    }

    /// A sentence.
    fn text(&self, page: &str, id: &str) -> Shown<'static> {
        shown(Catalog::for_lang(self.lang).text(&["oauth", page, id]))
    }

    /// A sentence with a value.
    fn fill(&self, page: &str, id: &str, value: (&'static str, &str)) -> Shown<'static> {
        let values = Values::from([(value.0, value.1.to_owned())]);
        shown(Catalog::for_lang(self.lang).fill(&["oauth", page, id], &values))
    }
}

/// The path of the authorization endpoint, with a query.
fn path_with(query: &str) -> String {
    if query.is_empty() { PATH.to_owned() } else { format!("{PATH}?{query}") }
}

/// What the status of a page depends on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PageKind {
    /// What was asked for.
    Wanted,
    /// A request that is refused, with the code of its problem.
    Problem(ErrorCode),
    /// The program has sent the browser with a request that cannot be used.
    BadRequest,
    /// The person may not do this.
    Refused,
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
        PageKind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        PageKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// What a page shows.
#[derive(Debug)]
struct PageContent<'a> {
    kind: PageKind,
    title: &'a Shown<'static>,
    /// With one `h1`.
    body: Markup,
    policy: HeaderValue,
}

/// The answer with a page.
fn respond(context: &PageContext, page: PageContent<'_>) -> Response {
    let translated = context.translated_path();
    let frame = Frame {
        title: page.title.as_str(),
        lang: context.lang,
        translation: Some((context.other_lang(), &translated)),
        kind: FrameKind::Gate,
    };
    let whole = layout(&context.place, &frame, &page.body).into_string();
    let mut response = Response::new(Body::from(whole));
    *response.status_mut() = status_of(page.kind);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, page.policy);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    // Clients open this page as a pop-up, and `same-origin` would cut it off from them for good: they take
    // it for closed, and give up. What it would keep from them is the number of our frames: none.
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("unsafe-none"));
    response
}

/// Sends a browser elsewhere, to be asked for with `GET` whatever was done here: RFC 9110 section 15.4.4.
pub(super) fn see_other(address: &str) -> Response {
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
pub(super) fn with_cookies(
    mut response: Response,
    cookies: impl IntoIterator<Item = Option<HeaderValue>>,
) -> Response {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The fields that every form has: its sign, and the language of its page.
fn hidden(context: &PageContext, sign: &str) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(sign);
        input type="hidden" name="lang" value=(context.lang);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> PageContext {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let state = AppState::for_tests(folder.path());
            PageContext::new(&state, query.to_owned(), &HeaderMap::new())
        })
    }

    #[test]
    fn the_other_language_is_that_of_the_same_request() {
        for (query, address) in [
            ("", "/authorize?lang=tr"),
            ("a=1&b=2", "/authorize?a=1&b=2&lang=tr"),
            ("lang=tr&a=1", "/authorize?a=1&lang=en"),
            ("a=1&lang=en&&lang=tr", "/authorize?a=1&lang=tr"),
        ] {
            assert_eq!(asked(query).translated_path(), address, "{query}");
        }
    }

    #[test]
    fn a_browser_is_not_sent_where_no_header_can_lead() {
        assert_eq!(see_other("/a\r\nset-cookie: b").status(), StatusCode::BAD_REQUEST);
        assert_eq!(see_other("https://a.example/?b").status(), StatusCode::SEE_OTHER);
    }
}
