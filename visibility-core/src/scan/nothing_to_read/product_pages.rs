//! Whole pages that servers and hosts make: each is known by its title and by sentences that belong to it, and not by one
//! phrase, which an article about the product has as well.

use crate::page::Page;
use crate::text::fold::fold;

/// A page that a product makes.
struct ProductPage {
    /// How its title or its first heading begins, as [`fold`] writes it; empty if it may be anything.
    headline: &'static str,
    /// What its text or a link of it has, all of it, as [`fold`] writes it.
    marks: &'static [&'static str],
}

const fn page(headline: &'static str, marks: &'static [&'static str]) -> ProductPage {
    ProductPage { headline, marks }
}

const PAGES: [ProductPage; 34] = [
    page("welcome to nginx", &["is successfully installed and working", "nginx.org"]),
    page("welcome to nginx", &["further configuration is required", "thank you for using nginx"]),
    page("welcome to openresty", &["successfully installed and working", "openresty"]),
    page("welcome to tengine", &["successfully installed", "tengine"]),
    page("apache2 ubuntu default page", &["/var/www/html", "replace this file"]),
    page("apache2 debian default page", &["/var/www/html", "replace this file"]),
    page("apache2 default page", &["default welcome page", "/var/www/html"]),
    page("apache http server test page", &["proper operation of the apache", "/var/www/html"]),
    page("http server test page", &["proper operation of the http server", "/var/www/html"]),
    page("http server test page", &["proper operation of an http server", "website administrator"]),
    page("test page for the", &["proper operation of the", "website administrator"]),
    page("test page for the", &["proper operation of the", "/etc/"]),
    page("welcome to your new fedora server", &["fedora", "website administrator"]),
    page("iis windows", &["microsoft.com"]),
    page("internet information services", &["iis", "microsoft.com"]),
    page("apache tomcat", &["successfully installed tomcat", "manager webapp"]),
    page("it works", &["catalina", "tomcat"]),
    page("caddy works", &["caddyfile", "congratulations"]),
    page("welcome to lighttpd", &["placeholder page", "lighttpd"]),
    page("domain default page", &["plesk"]),
    page("web server's default page", &["plesk"]),
    page("default web site page", &["cpanel"]),
    page("default web site page", &["owner of this website", "hosting provider"]),
    page("welcome to your website", &["default index page of your website", "replace"]),
    page("success! your new web server is ready to use", &["hestia"]),
    page("account suspended", &["hosting provider"]),
    page("account suspended", &["this account has been suspended"]),
    page("this account has been suspended", &["billing"]),
    page("default page", &["hpanel"]),
    page("", &["this site was just created", "hosting", "coming soon", "log in to your"]),
    page("site not found", &["there isn't a github pages site here"]),
    page("site not found", &["broken link", "netlify"]),
    page("404: not_found", &["deployment_not_found"]),
    page("sorry, this shop is currently unavailable", &["shopify"]),
];

/// Bytes of the text of the longest of these pages.
const MAX_BYTES: usize = 6_000;

/// The title or the heading of a page that a known product has made.
pub(super) fn find(page: &Page) -> Option<&str> {
    if page.visible_text.len() > MAX_BYTES {
        return None;
    }
    let title = page.title.iter().map(|title| title.value.as_str());
    let heading = page.headings.iter().take(1).map(|heading| heading.text.as_str());
    let headlines: Vec<(&str, String)> =
        title.chain(heading).map(|headline| (headline, fold(headline))).collect();
    let links = page.anchors.iter().map(|anchor| anchor.href.as_str());
    let text = [page.visible_text.as_str()].into_iter().chain(links).collect::<Vec<_>>().join(" ");
    let text = fold(&text);
    PAGES.iter().find_map(|known| {
        let begins =
            |(_, folded): &&(&str, String)| folded.trim_start().starts_with(known.headline);
        let headline = headlines.iter().find(begins)?;
        known.marks.iter().all(|mark| text.contains(mark)).then_some(headline.0)
    })
}
