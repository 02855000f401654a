//! What a wall answers instead of the page, and who runs it, as far as the response says so.

use crate::fetch::{Response, challenge};
use crate::rubric::finding::Detection;
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::wall;
use crate::text::note::Note;

/// Pages of vendors that say how to let bots through.
const PAGES: [(&str, &str); 7] = [
    ("Cloudflare", "https://developers.cloudflare.com/bots/additional-configurations/custom-rules"),
    ("Vercel", "https://vercel.com/docs/bot-management"),
    (
        "AWS WAF",
        "https://docs.aws.amazon.com/waf/latest/developerguide/waf-bot-control-example-allow-verified-bots.html",
    ),
    ("Anubis", "https://github.com/TecharoHQ/anubis/blob/main/data/botPolicies.yaml"),
    ("DataDome", "https://docs.datadome.co/docs/rule-responses"),
    ("DDoS-Guard", "https://ddos-guard.net/tutorials/website-protection/robots-list"),
    ("Akamai", "https://techdocs.akamai.com/cloud-security/docs/detection-methods"),
];

/// Adds what the wall answered (`answer`), with the page where its vendor says how to let bots through, if that is known.
/// Without a response, the connection broke.
pub(super) fn add_to(
    found: Detection,
    site: &SiteSnapshot,
    response: Option<&Response>,
) -> Detection {
    let product = response.and_then(|response| product(site, response));
    let answer = answer(site, response, product);
    let page = PAGES.iter().find(|(name, _)| Some(*name) == product);
    found.with_note(
        "answer",
        match page {
            Some((_, url)) => {
                Note::new("answer-documented").with_note("answer", answer).with("url", url)
            }
            None => answer,
        },
    )
}

fn answer(site: &SiteSnapshot, response: Option<&Response>, product: Option<&str>) -> Note {
    let Some(response) = response else { return Note::new("answer-cut-off") };
    let is_challenge = site.challenge(response).is_some();
    match (product, site.challenge(response)) {
        (_, Some(wall::SIGN)) => Note::new("answer-page-for-bots"),
        (Some(product), _) if is_challenge => {
            Note::new("answer-challenge").with("product", product)
        }
        (None, Some(_)) => Note::new("answer-browser-check"),
        (Some(product), _) => {
            Note::new("answer-refused-by").with("product", product).with("status", response.status)
        }
        (None, None) => Note::new("answer-refused").with("status", response.status),
    }
}

/// The product that a response itself names as the wall. That a site is behind a network says nothing: its own server may
/// be what refuses.
fn product(site: &SiteSnapshot, response: &Response) -> Option<&'static str> {
    let field = |name: &str| response.headers.first(name).unwrap_or_default().to_ascii_lowercase();
    if let Some(product) = site.challenge(response).and_then(challenge::product) {
        return Some(product);
    }
    if response.is_success() {
        return None;
    }
    let has_text = |part: &str| response.text().contains(part);
    if !field("x-vercel-mitigated").is_empty() {
        Some("Vercel")
    } else if !field("x-amzn-waf-action").is_empty() {
        Some("AWS WAF")
    } else if !field("x-datadome").is_empty() {
        Some("DataDome")
    } else if field("server").starts_with("akamaighost") {
        Some("Akamai")
    } else if field("server") == "cloudflare" && has_text("cf-error-details") {
        Some("Cloudflare")
    } else {
        None
    }
}
