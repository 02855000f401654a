//! RSL licenses: named by robots.txt, by a `<link>` or by a `Link` header, and fetched once.

use quick_xml::NsReader;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;

use crate::fetch::{FetchError, Resource, Response};
use crate::finding::{Outcome, Signal};
use crate::scan::snapshot::{Document, SiteSnapshot};

pub(super) const LICENSE: Outcome = Outcome::pass("license");
pub(super) const BROKEN: Outcome = Outcome::fail("license-broken");
pub(super) const UNREAD: Outcome = Outcome::unknown("license-unread");

/// Namespace of RSL 1.0.
const NAMESPACE: &[u8] = b"https://rslstandard.org/rsl";
/// XML events that are read of a document.
const MAX_EVENTS: usize = 100_000;

/// What became of the license that the site names; `None` if it names none.
pub(super) fn judge(site: &SiteSnapshot) -> Option<Signal> {
    let named = named(site)?;
    let document = site.document(&Resource::License);
    let broken = |problem: String| BROKEN.with("problem", problem);
    let signal = match document {
        // A license may well stand on the site of a collective.
        Document::Present(response) | Document::OffSite(response) => match fault(response) {
            None => LICENSE.found(),
            Some(fault) => broken(fault.to_owned()),
        },
        Document::SoftMissing(_) => broken("HTML".to_owned()),
        Document::Missing(response) => broken(format!("HTTP {}", response.status)),
        Document::Failed(
            error @ (FetchError::Dns { .. }
            | FetchError::Denied { .. }
            | FetchError::RedirectLoop { .. }
            | FetchError::TooManyRedirects { .. }
            | FetchError::BadRedirect { .. }),
        ) => broken(error.to_string()),
        Document::Refused(_) | Document::Broken(_) | Document::Failed(_) | Document::NotAsked => {
            UNREAD.found()
        }
    };
    Some(signal.with("url", named))
}

/// The address of the license that the site names.
fn named(site: &SiteSnapshot) -> Option<String> {
    let asked = site.exchange(&Resource::License).map(|exchange| exchange.probe.url.to_string());
    asked.or_else(|| site.robots().rules.licenses.first().map(|record| record.value.clone()))
}

/// What keeps a document from being RSL; `None` if it is one.
fn fault(response: &Response) -> Option<&'static str> {
    let mut reader = NsReader::from_reader(response.body.as_slice());
    let mut is_root = true;
    for _ in 0..MAX_EVENTS {
        let (namespace, event) = match reader.read_resolved_event() {
            Ok(read) => read,
            Err(_) => return Some("XML"),
        };
        let element = match &event {
            Event::Start(element) | Event::Empty(element) => element,
            Event::Eof => break,
            _ => continue,
        };
        let is_rsl = matches!(namespace, ResolveResult::Bound(name) if name.as_ref() == NAMESPACE);
        let name = element.local_name();
        if is_root && name.as_ref() != b"rsl" {
            return Some("<rsl>");
        }
        if is_root && !is_rsl {
            return Some("xmlns");
        }
        if is_rsl && matches!(name.as_ref(), b"content" | b"license") {
            return None;
        }
        is_root = false;
    }
    Some(if is_root { "<rsl>" } else { "<content>" })
}
