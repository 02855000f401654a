//! `cited-sources`: links to others that say where a claim comes from.

use std::collections::BTreeSet;

use url::Url;

use crate::audit::address;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::fact::{FactKind, facts};
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::audit::signals::number;
use crate::audit::signals::sources::{C_SEO_BENCH, GEO};
use crate::page::content::{Block, ContentLink};
use crate::rubric::Effort;
use crate::rubric::finding::{Finding, Outcome};

pub(super) const SIGNAL: Signal = Signal {
    id: "cited-sources",
    code: "EV04",
    pillar: Pillar::Evidence,
    weights: Weights {
        product: 10,
        collection: 0,
        article: 40,
        landing: 20,
        documentation: 20,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[CITED, FEW, NONE, NOTHING_CLAIMED],
    sources: &[GEO, C_SEO_BENCH],
    evaluate,
};

const CITED: Outcome = Outcome::pass("cited");
const FEW: Outcome = Outcome::warn("few");
const NONE: Outcome = Outcome::fail("none");
const NOTHING_CLAIMED: Outcome = Outcome::not_applicable("nothing-claimed");

/// Sources that are enough for the claims of an article.
const MAX_WANTED: usize = 3;

/// Hosts that are shown, and named.
const MAX_SHOWN: usize = 5;

/// Networks and messengers.
const SOCIAL: [&str; 29] = [
    "addtoany.com",
    "bit.ly",
    "bsky.app",
    "discord.com",
    "discord.gg",
    "facebook.com",
    "fb.com",
    "fb.me",
    "instagram.com",
    "linkedin.com",
    "mastodon.social",
    "messenger.com",
    "pinterest.com",
    "reddit.com",
    "snapchat.com",
    "t.co",
    "t.me",
    "telegram.me",
    "telegram.org",
    "threads.com",
    "threads.net",
    "tiktok.com",
    "tumblr.com",
    "twitter.com",
    "vk.com",
    "wa.me",
    "whatsapp.com",
    "x.com",
    "youtube.com",
];

/// Shops, and places where programs are sold.
const STORES: [&str; 16] = [
    "amzn.to",
    "apps.apple.com",
    "chromewebstore.google.com",
    "ciceksepeti.com",
    "etsy.com",
    "hepsiburada.com",
    "itunes.apple.com",
    "n11.com",
    "pazarama.com",
    "play.google.com",
    "shop.app",
    "trendyol.com",
    "walmart.com",
    "youtu.be",
    "aliexpress.com",
    "alibaba.com",
];

/// Assistants, which are linked to be asked.
const ASSISTANTS: [&str; 7] = [
    "chatgpt.com",
    "chat.openai.com",
    "claude.ai",
    "copilot.microsoft.com",
    "gemini.google.com",
    "grok.com",
    "perplexity.ai",
];

/// Names of hosts that have one domain for each country.
const COUNTRY_NAMES: [&str; 3] = ["amazon", "ebay", "pinterest"];

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let sources = sources(page);
    let claimed = claims(page).take(MAX_WANTED).count();
    if claimed == 0 && sources.is_empty() {
        return ScoredFinding::unscored(Finding::new(NOTHING_CLAIMED.detected()));
    }
    let is_article = page.profiles().is(Profile::Article);
    let wanted = if is_article { claimed.max(1) } else { 1 };
    let count = u32::try_from(sources.len()).unwrap_or(u32::MAX);
    let credit = Credit::ramp(f64::from(count), 0.0, number(wanted));
    let mut names: Vec<&str> = sources.iter().map(|(host, _)| host.as_str()).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names.truncate(MAX_SHOWN);
    let decisive = credit.pick([CITED, FEW, NONE]).with("count", count).with("wanted", wanted);
    let decisive =
        decisive.with("hosts", if names.is_empty() { "-".to_owned() } else { names.join(", ") });
    let shown = sources.iter().take(MAX_SHOWN);
    let evidence = shown.map(|(_, link)| page.evidence(&link.href, link.line, link.node));
    let claim =
        claims(page).next().filter(|_| credit < Credit::PASS).map(|block| page.block(block));
    ScoredFinding::new(
        credit,
        Finding::new(decisive).with_evidence(claim.into_iter().chain(evidence)),
    )
}

/// The passages that claim what their writer has from others: shares, and how many people or millions. What a thing weighs, costs
/// or measures needs no source.
fn claims<'a>(page: &'a AuditedPage<'_>) -> impl Iterator<Item = &'a Block> {
    let passages = page.prose.passages(&page.content).filter(|(_, measured)| measured.facts > 0);
    // Elsewhere shares are mostly the page's own: of what a thing is made, how full it is, how much it saves.
    let is_article = page.profiles().is(Profile::Article);
    let is_claim = move |block: &&Block| {
        facts(&block.text).any(|fact| {
            fact.is_of_others(&block.text) && (is_article || fact.kind != FactKind::Percentage)
        })
    };
    passages.map(|(block, _)| block).filter(is_claim)
}

/// Pages of others that the main content links to, each with its host and its first link, in the order of the page.
fn sources<'a>(page: &'a AuditedPage<'_>) -> Vec<(String, &'a ContentLink)> {
    let own = own_host(page);
    let resolve = page.page().resolver(&page.response.url);
    let mut known = BTreeSet::new();
    let links = page.content.links.iter().filter_map(|link| {
        let url = resolve(&link.href)?;
        let host = host_of(&url)?;
        let is_own =
            own.as_deref().is_some_and(|own| is_within(&host, own) || is_within(own, &host));
        let is_source = !is_own && !is_no_source(&host);
        (is_source && known.insert(address::permanent(&url).to_string())).then_some((host, link))
    });
    links.collect()
}

/// The host of the page; of a file, that of its canonical URL or `og:url`.
fn own_host(page: &AuditedPage<'_>) -> Option<String> {
    let canonical = page.page().canonicals().map(|link| link.href.as_str());
    let og = page.page().metas("og:url").map(|meta| meta.content.as_str());
    page.snapshot
        .location()
        .and_then(host_of)
        .or_else(|| canonical.chain(og).find_map(|url| host_of(&Url::parse(url).ok()?)))
}

fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// Whether a host is another one, or below it.
fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_no_source(host: &str) -> bool {
    let is_country_host = || {
        let mut labels = host.rsplit('.').skip(1);
        labels.any(|label| COUNTRY_NAMES.contains(&label))
    };
    let mut known = SOCIAL.iter().chain(&STORES).chain(&ASSISTANTS);
    known.any(|domain| is_within(host, domain)) || is_country_host() || !host.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn links(hrefs: &[&str]) -> String {
        let links = hrefs
            .iter()
            .map(|href| format!("<p>According to <a href='{href}'>them</a>, it is so.</p>\n"));
        format!("<main><h1>Kettles</h1>\n{}</main>", links.collect::<String>())
    }

    #[test]
    fn pages_of_others_are_counted_once() {
        use Profile::{Article, Landing, Product};
        for (hrefs, profile, credit, outcome) in [
            (
                vec!["https://www.who.int/a", "https://arxiv.org/abs/1", "https://tuik.gov.tr/x"],
                Article,
                1000,
                "cited",
            ),
            (vec!["https://www.who.int/a", "https://who.int/b"], Article, 667, "few"),
            (vec!["https://who.int/a"], Product, 1000, "cited"),
            (vec!["https://tuik.gov.tr/"], Landing, 1000, "cited"),
            (
                vec![
                    "/a",
                    "https://www.example.com/b",
                    "https://shop.example.com/",
                    "mailto:a@who.int",
                ],
                Article,
                0,
                "none",
            ),
            (
                vec![
                    "https://x.com/a",
                    "https://m.facebook.com/b",
                    "https://www.amazon.com.tr/c",
                    "https://play.google.com/d",
                    "https://chatgpt.com/?q=x",
                ],
                Landing,
                0,
                "none",
            ),
            (vec![], Product, 0, "none"),
        ] {
            let scored = fixture(&claimed(&links(&hrefs))).with_profile(profile).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{hrefs:?}"
            );
        }
    }

    /// A page with three claims.
    fn claimed(html: &str) -> String {
        let claim = |count| {
            format!(
                "<p>In a survey {count} participants said that they use rye flour for their bread.</p>"
            )
        };
        let claims = format!("<main>{}{}{}", claim(200), claim(400), claim(800));
        html.replacen("<main>", &claims, 1)
    }

    #[test]
    fn only_claims_need_sources() {
        let read = |text: &str| {
            let html = format!("<main><h1>Rye</h1><p>{text}</p></main>");
            let scored = fixture(&html).with_profile(Profile::Article).read(&SIGNAL);
            scored.finding.detections()[0].outcome.id
        };
        for text in [
            "The loaf weighs 2 kg, costs 4.20 EUR, and needs 3 hours at 220 °C in an oven of stone.",
            "The dough will rise by 40-70% in the warm kitchen, depending on the flour and on how old the leaven is.",
            "The course brings together 25 participants from all over the country, and each of them bakes at home.",
            "Delivery comes with 0% interest, and the bread is made with 100% rye flour from the mill of the village.",
            "We have baked here since 1994, and in 2024 we moved to the old station beside the river.",
        ] {
            assert_eq!(read(text), "nothing-claimed", "{text}");
        }
        for text in [
            "In a survey of last year 82 percent said that they buy their bread where it is baked.",
            "More than 40 million loaves of it are sold in the country each year, most of them in the north.",
            "Einer Studie mit 400 Teilnehmern zufolge hält Roggenbrot länger als jedes andere Brot im Haus.",
        ] {
            assert_eq!(read(text), "none", "{text}");
        }
    }

    #[test]
    fn a_source_is_shown_with_its_place() {
        let scored = fixture(&links(&["/a", "https://who.int/a"])).read(&SIGNAL);
        assert_eq!(scored.finding.evidence()[0].line, Some(3));
        assert_eq!(scored.finding.detections()[0].values["hosts"], "who.int");
    }

    #[test]
    fn a_file_knows_its_own_host_by_its_canonical_url() {
        let html = format!(
            "<link rel=canonical href='https://acme.example/'>{}",
            claimed(&links(&["https://acme.example/b"]))
        );
        assert_eq!(fixture(&html).file().read(&SIGNAL).credit, Some(Credit::NONE));
    }
}
