//! RSL licenses: named by robots.txt, by a `<link>` or by a `Link` header, and fetched once.

use crate::documents::rsl::RslLicense;
use crate::fetch::{FetchError, Resource};
use crate::rubric::finding::{Detection, Outcome};
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::note::Note;
use crate::text::syntax_error::XmlError;

pub(super) const LICENSE: Outcome = Outcome::pass("license");
pub(super) const BROKEN: Outcome = Outcome::fail("license-broken");
pub(super) const UNREAD: Outcome = Outcome::unknown("license-unread");

/// What became of the license that the site names; `None` if it names none.
pub(super) fn judge(site: &SiteSnapshot) -> Option<Detection> {
    let named = named(site)?;
    let document = site.document(&Resource::License);
    let broken = |problem: Note| BROKEN.with_note("problem", problem);
    let detection = match document {
        // A license may well be on the site of a collective.
        DocumentState::Present(response) | DocumentState::OffSite(response) => {
            match RslLicense::parse(&response.body) {
                Ok(_) => LICENSE.detected(),
                Err(problems) => {
                    let first = problems.into_iter().next();
                    broken(first.map_or_else(|| XmlError::Other.note(), |problem| problem.note))
                }
            }
        }
        DocumentState::SoftMissing(_) => broken(Note::verbatim("HTML")),
        DocumentState::Missing(response) => {
            broken(Note::verbatim(format!("HTTP {}", response.status)))
        }
        DocumentState::Failed(
            error @ (FetchError::Dns { .. }
            | FetchError::Denied { .. }
            | FetchError::RedirectLoop { .. }
            | FetchError::TooManyRedirects { .. }
            | FetchError::BadRedirect { .. }),
        ) => broken(error.note()),
        DocumentState::Refused(_)
        | DocumentState::Broken(_)
        | DocumentState::Failed(_)
        | DocumentState::NotAsked => UNREAD.detected(),
    };
    Some(detection.with("url", named))
}

/// The address of the license that the site names.
fn named(site: &SiteSnapshot) -> Option<String> {
    let asked = site.exchange(&Resource::License).map(|exchange| exchange.probe.url.to_string());
    asked.or_else(|| site.robots().rules.licenses.first().map(|record| record.value.clone()))
}
