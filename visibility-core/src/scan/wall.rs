//! Recognizes challenge pages of unknown products by their behavior. Every bot
//! gets the same small page, and a browser gets the site.

use bytes::Bytes;

use crate::fetch::challenge;
use crate::fetch::{Exchange, Resource, Response};
use crate::page::Page;

/// Bytes of the largest page that is compared.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Characters of visible text that such a page has at most: it says to wait, and nothing of the site.
const MAX_TEXT_CHARS: usize = 500;
/// Characters of visible text that a browser gets at least, so that there is a page to miss.
const MIN_BROWSER_CHARS: usize = 200;
/// Agents that must have got the page, beside ourselves.
const MIN_AGENTS: usize = 2;

/// A page that bots get instead of the site.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    body: Bytes,
    title: String,
    text: String,
}

impl Wall {
    /// The page that we and all agents got, and the browser did not; `page` is our home page as read.
    pub(super) fn find<'a>(
        exchanges: impl Iterator<Item = &'a Exchange>,
        page: &Page,
    ) -> Option<Self> {
        let chars = page.visible_chars();
        if chars > MAX_TEXT_CHARS {
            return None;
        }
        let (mut home, mut browser, mut agents) = (None, None, Vec::new());
        for exchange in exchanges {
            let Ok(response) = &exchange.result else { continue };
            match exchange.probe.resource {
                Resource::Home => home = Some(response),
                Resource::HomeAsBrowser => browser = Some(response),
                Resource::HomeAsAgent(_) => agents.push(response),
                _ => {}
            }
        }
        let home = home.filter(|home| is_candidate(home))?;
        let wall =
            Self { body: home.body.clone(), title: title(page), text: page.visible_text.clone() };
        if agents.len() < MIN_AGENTS || !agents.iter().all(|response| wall.is_sent_as(response)) {
            return None;
        }
        let browser = browser?;
        let is_page = browser.is_success() && challenge::marker(browser).is_none();
        if !is_page || browser.body == home.body {
            return None;
        }
        let shown =
            Page::parse(&browser.body, browser.headers.first("content-type")).visible_chars();
        (shown >= MIN_BROWSER_CHARS && 2 * chars < shown).then_some(wall)
    }

    /// Whether a response is this page. Tokens in its markup may differ from one response to the next.
    pub(super) fn is_sent_as(&self, response: &Response) -> bool {
        if !is_candidate(response) {
            return false;
        }
        if self.body == response.body {
            return true;
        }
        // A page without any text has only its markup to be known by.
        if self.text.is_empty() {
            return false;
        }
        let page = Page::parse(&response.body, response.headers.first("content-type"));
        page.visible_text == self.text && title(&page) == self.title
    }
}

fn is_candidate(response: &Response) -> bool {
    response.is_success()
        && response.body.len() <= MAX_BODY_BYTES
        && !response.body_end.is_broken_off()
        && (response.is_blank()
            || response.looks_like_html()
            || response.media_type().ends_with("html"))
}

fn title(page: &Page) -> String {
    page.title.as_ref().map(|title| title.value.clone()).unwrap_or_default()
}

/// The sign under which such a page is reported, as those of [`challenge::marker`].
pub(super) const SIGN: &str = "one page for all bots";
