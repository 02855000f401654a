//! The pages of results, in the frame of the one who asks.

use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::REFRESH;
use axum::response::Response;
use maud::{Markup, html};
use visibility_core::text::markup::{Shown, shown};

use super::asker::{Asker, PageRequest};
use super::layout::{FrameKind, Person, SitePart};
use super::page::{PageCaching, PageContent, PageContext, PageKind, render, respond, respond_with};
use crate::http::validators::digest;
use crate::jobs::cache::pages::RenderedPages;

/// How long a form is kept waiting for a result: most scans and audits are over by then.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);
/// After how many seconds a browser looks again.
const LOOK_AGAIN: HeaderValue = HeaderValue::from_static("2");

/// The page of a result that is not there yet, with how far it is. It loads again by itself.
pub(super) fn waiting(
    context: &PageContext,
    title: Shown<'static>,
    how_far: &Shown<'_>,
) -> Response {
    let body = html! {
        h1 { (title) }
        p role="status" { (how_far) }
        p.soft { (context.text("scan", "waiting-reload")) }
    };
    let page = PageContent::new(PageKind::Wanted, title, FrameKind::Plain, body);
    let mut response = respond(context, page);
    response.headers_mut().insert(REFRESH, LOOK_AGAIN);
    response
}

/// A page in the frame of the one who asks.
pub(super) fn respond_to(
    asked: PageRequest<'_>,
    asker: &Asker,
    kind: PageKind,
    title: Shown<'static>,
    body: Markup,
) -> Response {
    let PageRequest { state, context, .. } = asked;
    let Asker::Person(session) = asker else {
        return respond(context, PageContent::new(kind, title, FrameKind::Plain, body).of_parts());
    };
    let sign = state.shared().accounts.sign(session);
    let person = Person::new(&session.user.user, &sign, SitePart::Scan);
    respond(context, PageContent::new(kind, title, FrameKind::Account(&person), body).of_parts())
}

/// The page of a result that may be kept: for visitors who all see the same, it is rendered once.
#[derive(Debug)]
pub(super) struct ResultPage<'a> {
    pages: &'a RenderedPages,
    /// What the content of the page is known by.
    tag: String,
    is_public: bool,
    /// What the page for everyone is kept by.
    shared_key: Option<String>,
}

impl<'a> ResultPage<'a> {
    /// The page of a result with a name and a tag, for one who asks. The page of a person is never public.
    pub(super) fn new(
        context: &PageContext,
        pages: &'a RenderedPages,
        (name, tag): (&str, &str),
        (asker, may_all_see): (&Asker, bool),
    ) -> Self {
        let is_public = may_all_see && matches!(asker, Asker::Visitor { .. });
        let tag = format!("{tag}-{}-{}", context.lang, env!("CARGO_PKG_VERSION"));
        let is_shared = is_public && context.query.is_empty();
        let shared_key = is_shared.then(|| format!("{name} {tag}"));
        Self { pages, tag, is_public, shared_key }
    }

    /// The answer, if the page was rendered for everyone before.
    pub(super) fn rendered(&self, asked: PageRequest<'_>) -> Option<Response> {
        let whole = self.pages.get(self.shared_key.as_deref()?)?;
        let page = PageContent::new(PageKind::Wanted, shown(""), FrameKind::Plain, html! {});
        let caching = PageCaching::Public(self.tag.clone());
        Some(respond_with(asked.context, page.cached(caching, asked.headers), whole))
    }

    /// The answer with the page.
    pub(super) fn respond(
        self,
        asked: PageRequest<'_>,
        asker: &Asker,
        title: Shown<'static>,
        body: Markup,
    ) -> Response {
        let PageRequest { state, context, headers, .. } = asked;
        let Self { pages, tag, is_public, shared_key } = self;
        if let Asker::Person(session) = asker {
            let sign = state.shared().accounts.sign(session);
            // The page has a form of the session, so another session has another page.
            let tag = format!("{tag}-{}", digest(sign.as_bytes()));
            let person = Person::new(&session.user.user, &sign, SitePart::Scan);
            let page = PageContent::new(PageKind::Wanted, title, FrameKind::Account(&person), body);
            return respond(context, page.of_parts().cached(PageCaching::Private(tag), headers));
        }
        let caching = if is_public { PageCaching::Public(tag) } else { PageCaching::Private(tag) };
        let page = PageContent::new(PageKind::Wanted, title, FrameKind::Plain, body);
        let page = page.of_parts().cached(caching, headers);
        let whole = render(context, &page);
        if let Some(key) = shared_key {
            pages.insert(&key, whole.clone());
        }
        respond_with(context, page, whole)
    }
}
