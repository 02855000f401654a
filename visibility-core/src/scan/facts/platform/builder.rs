//! Recognizes pages that a site builder makes and serves, so that their owner has settings and no server.

use memchr::memmem;

use crate::fetch::Response;
use crate::page::Page;
use crate::rubric::fix::Platform;
use crate::scan::snapshot::SiteSnapshot;

/// Parts of `<meta name=generator>`, in lower case.
const GENERATORS: [(&str, Platform); 18] = [
    ("wix.com", Platform::Wix),
    ("squarespace", Platform::Squarespace),
    ("webflow", Platform::Webflow),
    ("framer", Platform::Framer),
    ("blogger", Platform::Hosted),
    ("carrd", Platform::Hosted),
    ("duda", Platform::Hosted),
    ("jimdo", Platform::Hosted),
    ("mozello", Platform::Hosted),
    ("mywebsite", Platform::Hosted),
    ("site123", Platform::Hosted),
    ("strikingly", Platform::Hosted),
    ("tilda", Platform::Hosted),
    ("webnode", Platform::Hosted),
    ("weebly", Platform::Hosted),
    // The rule beside the names: they say what they are.
    ("website builder", Platform::Hosted),
    ("site builder", Platform::Hosted),
    ("sitebuilder", Platform::Hosted),
];

/// Hosts of the scripts and style sheets that a builder puts into each of its pages. A picture from there may be on any
/// page.
const ADDRESSES: [(&str, Platform); 13] = [
    ("static.parastorage.com", Platform::Wix),
    ("static.wixstatic.com", Platform::Wix),
    ("static1.squarespace.com", Platform::Squarespace),
    ("assets.squarespace.com", Platform::Squarespace),
    ("website-files.com", Platform::Webflow),
    ("framerusercontent.com", Platform::Framer),
    ("www.gstatic.com/_/atari/", Platform::GoogleSites),
    ("cdn2.editmysite.com", Platform::Hosted),
    ("jimstatic.com", Platform::Hosted),
    ("img1.wsimg.com", Platform::Hosted),
    ("cdn-website.com", Platform::Hosted),
    ("tildacdn.com", Platform::Hosted),
    ("strikinglycdn.com", Platform::Hosted),
];

/// The builder that serves the page; `None` where nothing shows one, and where the pages of one were exported to another
/// server.
pub(super) fn detect(site: &SiteSnapshot, server: Option<Platform>) -> Option<Platform> {
    let (home, page) = (site.home()?, site.page()?);
    let builder = by_generator(page).or_else(|| by_marks(home)).or_else(|| by_addresses(page))?;
    // Webflow itself serves pages by openresty.
    let is_builders = matches!(server, None | Some(Platform::Cloudflare))
        || builder == Platform::Webflow && has_server(home, "openresty");
    (is_builders || !can_export(builder)).then_some(builder)
}

/// Whether a builder gives away its pages, for any server.
fn can_export(builder: Platform) -> bool {
    matches!(builder, Platform::Webflow | Platform::Hosted)
}

fn has_server(home: &Response, name: &str) -> bool {
    let server = home.headers.first("server").unwrap_or_default();
    server.to_ascii_lowercase().starts_with(name)
}

fn by_generator(page: &Page) -> Option<Platform> {
    let mut names = page.metas("generator").map(|meta| meta.content.to_lowercase());
    names.find_map(|name| known(&GENERATORS, &name))
}

/// What only the builder writes into a page.
fn by_marks(home: &Response) -> Option<Platform> {
    if memmem::find(&home.body, b"<!-- This is Squarespace. -->").is_some() {
        return Some(Platform::Squarespace);
    }
    let start = memmem::find(&home.body, b"<html")?;
    let tag = home.body.get(start..)?.split(|byte| *byte == b'>').next()?;
    memmem::find(tag, b" data-wf-site=").map(|_| Platform::Webflow)
}

fn by_addresses(page: &Page) -> Option<Platform> {
    let scripts = page.scripts.iter().filter_map(|script| script.src.as_deref());
    let styles = page.links("stylesheet").map(|link| link.href.as_str());
    scripts.chain(styles).find_map(|address| known(&ADDRESSES, address))
}

fn known(parts: &[(&str, Platform)], text: &str) -> Option<Platform> {
    parts.iter().find(|(part, _)| text.contains(part)).map(|(_, platform)| *platform)
}
