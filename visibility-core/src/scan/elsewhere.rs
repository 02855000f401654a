//! Finds the site at the other name of the domain, with `www.` or without it, when the name that was asked for leads to
//! none.

use url::Url;

use crate::fetch::domain::Domain;
use crate::fetch::{Resource, Response};
use crate::page::Page;
use crate::scan::nothing_to_read::{self, NothingToRead};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::{home, parked};

/// The other name of an apex or of its `www.`; `None` for any other host.
pub(super) fn other_name(domain: &Domain) -> Option<String> {
    let registrable = domain.registrable();
    match domain.as_str().strip_prefix("www.") {
        Some(apex) if apex == registrable => Some(apex.to_owned()),
        None if domain.as_str() == registrable => Some(format!("www.{registrable}")),
        _ => None,
    }
}

/// The home page at the other name, where the name that was asked for has no site.
pub(super) fn find(site: &SiteSnapshot) -> Option<&Response> {
    let other = site.response(&Resource::OtherHost).filter(|other| is_site(site, other))?;
    has_no_site(site, other).then_some(other)
}

/// Whether a response is the home page of a site of this domain, at another name.
fn is_site(site: &SiteSnapshot, other: &Response) -> bool {
    let asked = Some(site.domain().as_str());
    let is_other = other.url.host_str() != asked && site.owns(&other.url);
    is_other
        && site.challenge(other).is_none()
        && Page::of_response(other).is_some_and(|page| says_something(site, &page, &other.url))
}

fn says_something(site: &SiteSnapshot, page: &Page, address: &Url) -> bool {
    nothing_to_read::is_written(page) && parked::sign_on(page, address, site.domain()).is_none()
}

/// Whether the name that was asked for has no page, or one that is not of its owner.
fn has_no_site(site: &SiteSnapshot, other: &Response) -> bool {
    if home::unreadable(site).is_some() {
        return true;
    }
    let is_same = site.home().is_none_or(|home| home.url == other.url || home.body == other.body);
    !is_same
        && site.page().is_some_and(|page| {
            matches!(
                nothing_to_read::find(site, page),
                Some(NothingToRead::Parked(_) | NothingToRead::Placeholder(_))
            )
        })
}
