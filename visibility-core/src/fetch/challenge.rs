//! Detects challenge pages, which ask for proof of being human.
//!
//! A header field that only a challenge carries is enough. A body must be all of these: an answer
//! with a status that challenges use, small, HTML, nearly without text, and with the marks of one
//! product in its title or markup. What a page merely says about challenges is text and no mark.

mod skeleton;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::fetch::Response;
use crate::text::note::Note;
use skeleton::Skeleton;

/// Statuses of challenge pages.
const STATUSES: [u16; 7] = [200, 202, 401, 403, 405, 429, 503];
/// Bytes of the largest body that is looked into.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Characters of visible text that a challenge page may have.
const MAX_TEXT_CHARS: usize = 1_200;

/// The sign by which a response is a challenge, such as `cf-mitigated: challenge`; `None` if it is
/// an ordinary answer.
pub(crate) fn marker(response: &Response) -> Option<&'static str> {
    let by_header = FIELDS.iter().find(|field| field.is_in(response)).map(|field| field.sign);
    by_header.or_else(|| marker_of_body(response))
}

/// A sign for people: a product and what its page is, or a header field as it was sent.
pub(crate) fn note(sign: &'static str) -> Note {
    let of_product = |note: Note, product: &str| note.with("product", product);
    match sign.rsplit_once(' ') {
        _ if sign.contains(':') => Note::verbatim(sign),
        Some((product, "challenge")) => of_product(Note::new("challenge-of"), product),
        Some((product, "captcha")) => of_product(Note::new("captcha-of"), product),
        Some((product, "checkpoint")) => of_product(Note::new("checkpoint-of"), product),
        _ if sign == BROWSER_CHECK => Note::new("browser-check"),
        _ => Note::verbatim(sign),
    }
}

/// The product that a sign names; `None` where it names none.
pub(crate) fn product(sign: &'static str) -> Option<&'static str> {
    if let Some((field, _)) = sign.split_once(':') {
        let product = |(name, product)| (name == field).then_some(product);
        return PRODUCTS_OF_FIELDS.into_iter().find_map(product);
    }
    let (product, kind) = sign.rsplit_once(' ')?;
    matches!(kind, "challenge" | "captcha" | "checkpoint").then_some(product)
}

/// Whose header fields are signs.
const PRODUCTS_OF_FIELDS: [(&str, &str); 4] = [
    ("cf-mitigated", "Cloudflare"),
    ("x-vercel-mitigated", "Vercel"),
    ("x-amzn-waf-action", "AWS WAF"),
    ("sg-captcha", "SiteGround"),
];

/// A header field that only a challenge carries.
struct HeaderField {
    sign: &'static str,
    name: &'static str,
    value: &'static str,
    /// Statuses that it counts with; empty for any.
    statuses: &'static [u16],
}

impl HeaderField {
    fn is_in(&self, response: &Response) -> bool {
        let mut values = response.headers.all(self.name).iter();
        (self.statuses.is_empty() || self.statuses.contains(&response.status))
            && values.any(|value| value.trim().eq_ignore_ascii_case(self.value))
    }
}

const FIELDS: [HeaderField; 5] = [
    HeaderField {
        sign: "cf-mitigated: challenge",
        name: "cf-mitigated",
        value: "challenge",
        statuses: &[],
    },
    HeaderField {
        sign: "x-vercel-mitigated: challenge",
        name: "x-vercel-mitigated",
        value: "challenge",
        statuses: &[],
    },
    // AWS WAF answers 202 with a script and 405 with a CAPTCHA.
    HeaderField {
        sign: "x-amzn-waf-action: challenge",
        name: "x-amzn-waf-action",
        value: "challenge",
        statuses: &[202, 405],
    },
    HeaderField {
        sign: "x-amzn-waf-action: captcha",
        name: "x-amzn-waf-action",
        value: "captcha",
        statuses: &[202, 405],
    },
    HeaderField {
        sign: "sg-captcha: challenge",
        name: "sg-captcha",
        value: "challenge",
        statuses: &[],
    },
];

fn marker_of_body(response: &Response) -> Option<&'static str> {
    if !STATUSES.contains(&response.status)
        || response.body.len() > MAX_BODY_BYTES
        || !(response.looks_like_html() || response.media_type().ends_with("html"))
    {
        return None;
    }
    let may_have_mark = FIRST_PARTS.as_ref().is_none_or(|parts| parts.is_match(&response.body));
    if !may_have_mark {
        return None;
    }
    let page = Skeleton::parse(&response.body);
    if page.text_chars > MAX_TEXT_CHARS {
        return None;
    }
    let mark = MARKS.iter().find(|mark| {
        page.title.contains(mark.title)
            && mark.markup.iter().all(|part| page.markup.contains(part))
            && (!mark.markup.is_empty() || response.status >= 400)
    });
    mark.map(|mark| mark.sign)
}

/// What the challenge page of one product looks like, all in lower case.
struct PageMark {
    sign: &'static str,
    /// Part of the title; empty for any.
    title: &'static str,
    /// Parts of tags and scripts, all of them. Without any, the title counts with an error status
    /// only: an article may have the same.
    markup: &'static [&'static str],
}

impl PageMark {
    /// What every page with the mark has somewhere.
    fn first_part(&self) -> &'static str {
        self.markup.first().copied().unwrap_or(self.title)
    }
}

/// Finds the first part of any mark. An ordinary page has none, and is not taken apart; `None` if no
/// automaton could be built.
static FIRST_PARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let parts = MARKS.iter().map(PageMark::first_part);
    AhoCorasick::builder().ascii_case_insensitive(true).build(parts).ok()
});

/// The sign of a page that names no product.
const BROWSER_CHECK: &str = "browser check";

/// Scripts that the same products put into ordinary pages are not marks: each row names something
/// that only the challenge has.
const MARKS: [PageMark; 21] = [
    PageMark { sign: "Cloudflare challenge", title: "just a moment", markup: &["cf_chl"] },
    PageMark { sign: "Cloudflare challenge", title: "just a moment", markup: &["cf-chl"] },
    PageMark {
        sign: "Cloudflare challenge",
        title: "just a moment",
        markup: &["/cdn-cgi/challenge-platform/"],
    },
    PageMark { sign: "Cloudflare challenge", title: "just a moment...", markup: &[] },
    PageMark { sign: "Cloudflare challenge", title: "attention required", markup: &["cf-captcha"] },
    PageMark { sign: BROWSER_CHECK, title: "checking your browser", markup: &[] },
    PageMark { sign: "Vercel checkpoint", title: "vercel security checkpoint", markup: &[] },
    PageMark { sign: "SiteGround captcha", title: "", markup: &["/.well-known/sgcaptcha/"] },
    PageMark { sign: "DataDome captcha", title: "", markup: &["captcha-delivery.com", "dd="] },
    PageMark { sign: "HUMAN captcha", title: "", markup: &["px-captcha", "_pxappid"] },
    PageMark {
        sign: "Imperva challenge",
        title: "",
        markup: &["/_incapsula_resource", "incident_id="],
    },
    PageMark {
        sign: "Imperva challenge",
        title: "",
        markup: &["/_incapsula_resource", "content=\"noindex,nofollow\""],
    },
    PageMark { sign: "Akamai challenge", title: "", markup: &["sec-if-cpt-container"] },
    PageMark { sign: "Akamai challenge", title: "", markup: &["/_sec/cp_challenge/"] },
    PageMark { sign: "Sucuri challenge", title: "", markup: &["sucuri_cloudproxy_js"] },
    PageMark { sign: "AWS WAF challenge", title: "", markup: &["gokuprops", "awswaf.com"] },
    PageMark { sign: "Anubis challenge", title: "", markup: &["anubis_challenge"] },
    PageMark {
        sign: "DDoS-Guard challenge",
        title: "ddos-guard",
        markup: &["/.well-known/ddos-guard/"],
    },
    PageMark { sign: "Kasada challenge", title: "", markup: &["kpsdk", "ips.js"] },
    PageMark { sign: "F5 challenge", title: "", markup: &["bobcmn", "/tspd/"] },
    PageMark { sign: "Alibaba challenge", title: "", markup: &["acw_sc__v2", "arg1"] },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::{BodyEnd, Headers};
    use crate::text::locale::{Catalog, Lang};

    fn response(status: u16, fields: &[(&str, &str)], body: &str) -> Response {
        Response {
            url: "https://e.example/".parse().unwrap(),
            status,
            version: "HTTP/1.1".to_owned(),
            headers: fields.iter().copied().collect::<Headers>(),
            body: body.to_owned().into(),
            body_end: BodyEnd::Complete,
            wire_bytes: 0,
            hops: Vec::new(),
            ttfb_ms: 1,
            total_ms: 1,
            retries: 0,
            tls: None,
        }
    }

    const HTML: (&str, &str) = ("content-type", "text/html; charset=utf-8");

    #[test]
    fn a_field_that_only_challenges_carry_is_enough() {
        for (status, name, value, expected) in [
            (403, "cf-mitigated", "challenge", true),
            (503, "cf-mitigated", "Challenge", true),
            (403, "cf-mitigated", "block", false),
            (429, "x-vercel-mitigated", "challenge", true),
            (403, "x-vercel-mitigated", "deny", false),
            (202, "x-amzn-waf-action", "challenge", true),
            (405, "x-amzn-waf-action", "captcha", true),
            (200, "x-amzn-waf-action", "captcha", false),
            (202, "sg-captcha", "challenge", true),
            (403, "server", "cloudflare", false),
        ] {
            let marker = marker(&response(status, &[(name, value)], ""));
            assert_eq!(marker.is_some(), expected, "{status} {name}: {value}");
        }
    }

    const CHALLENGES: [(u16, &str, &str); 12] = [
        (
            403,
            "Cloudflare challenge",
            "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>\
                 <script>window._cf_chl_opt={cvId:'3'};</script>\
                 <noscript>Enable JavaScript and cookies to continue</noscript></body></html>",
        ),
        (
            503,
            "Cloudflare challenge",
            "<html><title>Just a moment...</title><form id=\"challenge-form\" \
                 action=\"/?__cf-chl-jschl-tk=x\"></form></html>",
        ),
        (
            503,
            "browser check",
            "<html><head><title>Checking your browser before accessing</title></head>\
                 <body><script>check()</script>Please wait</body></html>",
        ),
        (
            202,
            "SiteGround captcha",
            "<html><head><meta http-equiv=\"refresh\" \
                 content=\"0;/.well-known/sgcaptcha/?r=%2F\"></meta></head></html>",
        ),
        (
            403,
            "DataDome captcha",
            "<html><head><title>e.example</title></head><body><script>var dd={'rt':'c'}\
                 </script><script src=\"https://ct.captcha-delivery.com/c.js\"></script></body></html>",
        ),
        (
            403,
            "HUMAN captcha",
            "<!doctype html><html><head><title>Access to this page has been denied</title>\
                 <script>window._pxAppId='PX1';</script></head><body><div id=\"px-captcha\"></div></body></html>",
        ),
        (
            200,
            "Imperva challenge",
            "<html><head><META NAME=\"robots\" CONTENT=\"noindex,nofollow\"><script \
                 src=\"/_Incapsula_Resource?SWJIYLWA=5\"></script></head><body></body></html>",
        ),
        (
            403,
            "Imperva challenge",
            "<html><head></head><body><iframe id=\"main-iframe\" src=\"/_Incapsula_Resource?\
                 incident_id=1\">Request unsuccessful.</iframe></body></html>",
        ),
        (
            429,
            "Akamai challenge",
            "<html><head></head><body><div id=\"sec-if-cpt-container\"></div></body></html>",
        ),
        (
            200,
            "Sucuri challenge",
            "<html><title>You are being redirected...</title><script>var s={},u,c;\
                 S='x';sucuri_cloudproxy_js=''</script></html>",
        ),
        (
            200,
            "Anubis challenge",
            "<!doctype html><html><head><title>Making sure you&#39;re not a bot!</title>\
                 <script id=\"anubis_challenge\" type=\"application/json\">{}</script></head></html>",
        ),
        (429, "Vercel checkpoint", "<html><title>Vercel Security Checkpoint</title></html>"),
    ];

    #[test]
    fn a_small_page_with_the_marks_of_a_product_is_a_challenge() {
        for (status, sign, body) in CHALLENGES {
            assert_eq!(marker(&response(status, &[HTML], body)), Some(sign), "{body}");
        }
    }

    #[test]
    fn every_sign_has_a_sentence_in_both_languages_unless_it_is_a_header_field() {
        let signs = MARKS.iter().map(|mark| mark.sign).chain(FIELDS.iter().map(|field| field.sign));
        for sign in signs {
            let note = note(sign);
            assert_eq!(note.id == "verbatim", sign.contains(':'), "{sign}");
            let [english, turkish] = Lang::ALL.map(|lang| note.sentence(Catalog::for_lang(lang)));
            assert_eq!(english, sign);
            assert_eq!(english == turkish, sign.contains(':'), "{turkish}");
        }
    }

    #[test]
    fn an_article_about_challenges_is_none() {
        let text = "The Just a moment page of Cloudflare sets _cf_chl_opt. ".repeat(40);
        let short = "<p>What is cf-chl and px-captcha? See <code>_cf_chl_opt</code>, \
                     captcha-delivery.com, dd=, /_Incapsula_Resource, incident_id=1.</p>";
        for body in [
            format!(
                "<html><title>Just a moment: how cf-chl works</title><script>var cf_chl=1</script>\
                 <body>{text}</body></html>"
            ),
            format!("<html><title>Just a moment please</title><body>{short}</body></html>"),
            format!("<html><title>Checking your browser</title><body>{short}</body></html>"),
            format!("<html><title>Captchas</title><!-- px-captcha _pxAppId --><body>{short}"),
        ] {
            assert_eq!(marker(&response(200, &[HTML], &body)), None, "{body}");
        }
    }

    #[test]
    fn scripts_of_the_same_products_in_ordinary_pages_are_none() {
        for script in [
            "<script src=\"/cdn-cgi/challenge-platform/scripts/jsd/main.js\"></script>",
            "<script src=\"https://challenges.cloudflare.com/turnstile/v0/api.js\"></script>",
            "<script src=\"/_Incapsula_Resource?SWJIYLWA=719\" async></script>",
            "<script src=\"https://js.datadome.co/tags.js\"></script>",
            "<script>window._pxAppId='PX1'</script>",
            "<script src=\"https://x.token.awswaf.com/x/challenge.js\"></script>",
        ] {
            let body = format!("<html><title>Shop</title><body><div id=root></div>{script}</html>");
            assert_eq!(marker(&response(200, &[HTML], &body)), None, "{script}");
        }
    }

    #[test]
    fn other_statuses_and_other_types_are_none() {
        let body = "<html><title>Vercel Security Checkpoint</title></html>";
        assert!(marker(&response(429, &[HTML], body)).is_some());
        for status in [200, 404, 500] {
            assert_eq!(marker(&response(status, &[HTML], body)), None, "{status}");
        }
        let large = format!("{body}<!--{}-->", "x".repeat(64 * 1024));
        assert_eq!(marker(&response(429, &[HTML], &large)), None);
        let robots = "User-agent: *\nDisallow: /.well-known/sgcaptcha/\n";
        assert_eq!(marker(&response(200, &[("content-type", "text/plain")], robots)), None);
        let json = "{\"a\":\"<title>Vercel Security Checkpoint</title>\"}";
        assert_eq!(marker(&response(429, &[("content-type", "application/json")], json)), None);
    }
}
