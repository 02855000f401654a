//! Detects the platform of a site from its home page and header fields.

mod builder;

use crate::fetch::{Resource, Response};
use crate::rubric::fix::{Edit, Platform, is_promised, needs_htaccess, next, realized_where};
use crate::scan::snapshot::SiteSnapshot;

/// Parts of addresses that pages of a platform load from.
const ADDRESSES: [(&str, Platform); 6] = [
    ("cdn.shopify.com", Platform::Shopify),
    ("/cdn/shop/", Platform::Shopify),
    ("/wp-content/", Platform::WordPress),
    ("/wp-includes/", Platform::WordPress),
    ("/_next/static/", Platform::NextJs),
    ("/_next/image", Platform::NextJs),
];

/// Header fields that only these platforms send.
const FIELDS: [(&str, Platform); 6] = [
    ("x-shopid", Platform::Shopify),
    ("x-shopify-stage", Platform::Shopify),
    ("x-nextjs-cache", Platform::NextJs),
    ("x-vercel-id", Platform::Vercel),
    ("x-nf-request-id", Platform::Netlify),
    ("cf-ray", Platform::Cloudflare),
];

/// Beginnings of `Server`, in lower case. An application says more than the server in front of it,
/// and a proxy says least: it hides what is behind it.
const SERVERS: [(&str, Platform); 9] = [
    ("vercel", Platform::Vercel),
    ("netlify", Platform::Netlify),
    ("nginx", Platform::Nginx),
    ("openresty", Platform::Nginx),
    ("apache", Platform::Apache),
    ("litespeed", Platform::Apache),
    ("caddy", Platform::Caddy),
    ("cloudflare", Platform::Cloudflare),
    ("github.com", Platform::Generic),
];

/// What the site runs on: `Generic` where nothing shows it.
pub(crate) fn detect(site: &SiteSnapshot) -> Platform {
    let Some(home) = site.home() else { return Platform::Generic };
    let server = || server(site, home);
    application(site, home)
        .or_else(|| builder::detect(site, server()))
        .or_else(server)
        .unwrap_or_default()
}

/// The file of a home page that a project of Next.js does not have, as its page shows which router made it.
pub(crate) fn absent_page(site: &SiteSnapshot) -> Option<&'static str> {
    let body = &site.home()?.body;
    let has = |text: &str| memchr::memmem::find(body, text.as_bytes()).is_some();
    if has("self.__next_f") || has("/_next/static/chunks/app/") {
        return Some(next::ROUTER_PAGE);
    }
    (has("__NEXT_DATA__") || has("/_next/static/chunks/pages/")).then_some(next::APP_PAGE)
}

/// The edits that can be made on the site, as far as anyone has written down.
pub(crate) fn possible(site: &SiteSnapshot, edits: &[Edit]) -> Vec<Edit> {
    realized_where(edits, |edit| can_make(site, edit))
}

/// Whether an edit can be made on the site.
pub(crate) fn can_make(site: &SiteSnapshot, edit: &Edit) -> bool {
    let platform = detect(site);
    let is_read = !needs_htaccess(edit, platform) || !has_other_server(site);
    is_promised(edit, platform) && is_read
}

/// Whether a server is named that does not read `.htaccess`.
fn has_other_server(site: &SiteSnapshot) -> bool {
    const READERS: [&str; 2] = ["apache", "litespeed"];
    const OTHERS: [&str; 5] = ["nginx", "openresty", "caddy", "microsoft-iis", "lighttpd"];
    let responses = [site.home(), site.response(&Resource::HttpHome)];
    let names: Vec<String> = responses
        .into_iter()
        .flatten()
        .filter_map(|response| response.headers.first("server"))
        .map(str::to_ascii_lowercase)
        .collect();
    let is_named =
        |known: &[&str]| names.iter().any(|name| known.iter().any(|known| name.starts_with(known)));
    is_named(&OTHERS) && !is_named(&READERS)
}

/// What makes the page.
fn application(site: &SiteSnapshot, home: &Response) -> Option<Platform> {
    let sends = |platform: Platform| {
        FIELDS.iter().any(|(name, of)| *of == platform && home.headers.first(name).is_some())
    };
    if sends(Platform::Shopify) {
        return Some(Platform::Shopify);
    }
    let powered = home.headers.first("x-powered-by").unwrap_or_default();
    if powered.starts_with("Next.js") || sends(Platform::NextJs) {
        return Some(Platform::NextJs);
    }
    let page = site.page()?;
    let generators = page.metas("generator").map(|meta| meta.content.as_str());
    if generators.into_iter().any(|name| name.starts_with("WordPress")) {
        return Some(Platform::WordPress);
    }
    let scripts = page.scripts.iter().filter_map(|script| script.src.as_deref());
    let addresses = scripts.chain(page.links.iter().map(|link| link.href.as_str()));
    addresses.into_iter().find_map(|address| {
        ADDRESSES.iter().find(|(part, _)| address.contains(part)).map(|(_, platform)| *platform)
    })
}

/// What sends the page.
fn server(site: &SiteSnapshot, home: &Response) -> Option<Platform> {
    for platform in [Platform::Vercel, Platform::Netlify] {
        let of =
            |(name, of): &&(&str, Platform)| *of == platform && home.headers.first(name).is_some();
        if FIELDS.iter().find(of).is_some() {
            return Some(platform);
        }
    }
    let http = site.response(&Resource::HttpHome);
    let named = [Some(home), http].into_iter().flatten().filter_map(|response| {
        let server = response.headers.first("server")?.to_ascii_lowercase();
        SERVERS.iter().find(|(name, _)| server.starts_with(name)).map(|(_, platform)| *platform)
    });
    named.into_iter().next()
}
