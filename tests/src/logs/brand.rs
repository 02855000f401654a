//! A brand's sites: their pages, and who asks for them.

use sha2::{Digest, Sha256};

use crate::random::Random;

/// Pages of a log of full size; a small one has fewer.
const PAGES: u64 = 120_000;
/// Addresses that agents come from.
const ADDRESSES: u32 = 4_000;

/// Agents by weight.
pub(super) const USER_AGENTS: [(u32, &str); 25] = [
    (
        20,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    ),
    (
        14,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
    ),
    (
        8,
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot",
    ),
    (
        13,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    ),
    (
        3,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)",
    ),
    (
        2,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-SearchBot/1.0; +https://www.anthropic.com)",
    ),
    (
        7,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
    ),
    (
        3,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)",
    ),
    (
        4,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GoogleOther) Chrome/131.0.6778.139 Safari/537.36",
    ),
    (
        2,
        "Mozilla/5.0 (compatible; Google-CloudVertexBot; +https://cloud.google.com/enterprise-search) AppleWebKit/537.36",
    ),
    (
        4,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/131.0.0.0 Safari/537.36",
    ),
    (
        4,
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
    ),
    (
        5,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36",
    ),
    (
        6,
        "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    ),
    (
        1,
        "meta-externalfetcher/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    ),
    (
        5,
        "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
    ),
    (3, "CCBot/2.0 (https://commoncrawl.org/faq/)"),
    (
        1,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-Index/1.0; +https://docs.mistral.ai/robots)",
    ),
    (1, "DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)"),
    (
        1,
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-User/1.0; +https://docs.mistral.ai/robots)",
    ),
    (1, "Mozilla/5.0 (compatible; YouBot/1.0; +https://about.you.com/youbot/)"),
    (1, "Mozilla/5.0 (compatible; Diffbot/0.1; +http://www.diffbot.com)"),
    (
        2,
        "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
    ),
    (1, "Timpibot/0.9 (+http://www.timpi.io)"),
    (1, "Mozilla/5.0 (compatible; AI2Bot/1.0; +https://allenai.org/crawler)"),
];

/// Browsers, tools, and a crawler that is not an AI agent.
pub(super) const OTHER_USER_AGENTS: [&str; 5] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "curl/8.5.0",
    "python-requests/2.32.3",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
];

pub(super) const HOSTS: [(u32, &str); 4] = [
    (70, "www.example-brand.com"),
    (15, "shop.example-brand.com"),
    (10, "docs.example-brand.com"),
    (5, "blog.example-brand.com"),
];

pub(super) const STATUSES: [(u32, u32); 10] = [
    (780, 200),
    (60, 304),
    (40, 301),
    (60, 404),
    (10, 302),
    (20, 403),
    (10, 429),
    (10, 410),
    (6, 500),
    (4, 503),
];

pub(super) const REFERRERS: [&str; 4] = [
    "https://chatgpt.com/",
    "https://www.perplexity.ai/",
    "https://www.google.com/",
    "https://www.example-brand.com/",
];

const ADJECTIVES: [&str; 24] = [
    "running",
    "trail",
    "waterproof",
    "leather",
    "mens",
    "womens",
    "kids",
    "summer",
    "winter",
    "light",
    "pro",
    "max",
    "ultra",
    "classic",
    "vegan",
    "organic",
    "cotton",
    "wool",
    "travel",
    "carry",
    "compact",
    "wireless",
    "solar",
    "steel",
];
const NOUNS: [&str; 22] = [
    "shoes",
    "jacket",
    "backpack",
    "tent",
    "bottle",
    "lamp",
    "headphones",
    "keyboard",
    "chair",
    "desk",
    "blender",
    "grill",
    "knife",
    "watch",
    "camera",
    "drone",
    "helmet",
    "gloves",
    "socks",
    "sweater",
    "scarf",
    "wallet",
];

/// A page of a site.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) path: String,
    pub(super) bytes: u32,
}

/// The sites.
#[derive(Debug)]
pub(super) struct Brand {
    pages: Vec<Page>,
    /// How often the pages up to each one are asked for, by Zipf's law.
    weights: Vec<f64>,
    address_hashes: Vec<String>,
}

impl Brand {
    /// Makes up sites for a log of so many records.
    pub(super) fn new(random: &mut Random, records: u64) -> Self {
        let count = u32::try_from(PAGES.min(records.max(100))).unwrap_or(u32::MAX);
        let mut sum = 0.0;
        let weight = |rank: u32| {
            sum += (f64::from(rank) + 1.0).powf(-0.9);
            sum
        };
        Self {
            weights: (0..count).map(weight).collect(),
            pages: (0..count).map(|rank| page(rank, random)).collect(),
            address_hashes: (0..ADDRESSES).map(address_hash).collect(),
        }
    }

    /// A page, popular ones often.
    pub(super) fn page(&self, random: &mut Random) -> &Page {
        let at = random.fraction() * self.weights.last().copied().unwrap_or_default();
        let index = self.weights.partition_point(|weight| *weight <= at);
        self.pages.get(index).or(self.pages.last()).expect("a site has a page")
    }

    /// The hash of an address, some of them often.
    pub(super) fn address_hash(&self, random: &mut Random) -> &str {
        let skewed = random.fraction().powi(3) * f64::from(ADDRESSES);
        let index = (0..ADDRESSES).find(|index| f64::from(*index) + 1.0 > skewed).unwrap_or(0);
        let index = usize::try_from(index).unwrap_or_default();
        self.address_hashes.get(index).expect("as many as there are addresses")
    }
}

fn address_hash(number: u32) -> String {
    let digest = Sha256::digest(format!("salt{number}"));
    digest.iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn page(rank: u32, random: &mut Random) -> Page {
    let path = match (rank, rank % 20) {
        (0, _) => "/".to_owned(),
        (1, _) => "/robots.txt".to_owned(),
        (2, _) => "/llms.txt".to_owned(),
        (3, _) => "/sitemap.xml".to_owned(),
        (_, 0..9) => format!("/products/{}-{}", slug(random), 1_000 + random.below(99_000)),
        (_, 9..13) => format!("/collections/{}/{}", random.pick(&NOUNS), slug(random)),
        (_, 13..16) => {
            let (year, month) = (2019 + random.below(8), 1 + random.below(12));
            format!("/blog/{year}/{month:02}/{}-{}", slug(random), slug(random))
        }
        (_, 16..18) => {
            let (version, adjective) = (1 + random.below(4), random.pick(&ADJECTIVES));
            format!("/docs/v{version}/{adjective}/{}/{}.html", random.pick(&NOUNS), slug(random))
        }
        _ => {
            let variant = 1_000_000_000 + random.below(3_000_000_000);
            let source = random.pick(&["chatgpt.com", "perplexity", "copilot"]);
            format!("/products/{}?variant={variant}&utm_source={source}", slug(random))
        }
    };
    // The size of a page: e^9.6 is about 15 kB.
    let kind = (9.6 + random.normal()).exp().clamp(200.0, 4_000_000.0);
    let bytes = format!("{kind:.0}").parse().unwrap_or(15_000);
    Page { path, bytes }
}

/// Words of a path, such as `wool-travel-scarf`.
pub(super) fn slug(random: &mut Random) -> String {
    let mut words: Vec<&str> = (0..=random.below(3)).map(|_| *random.pick(&ADJECTIVES)).collect();
    words.dedup();
    words.push(*random.pick(&NOUNS));
    words.join("-")
}
