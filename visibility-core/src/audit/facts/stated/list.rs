//! What a collection lists.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::offering::INVITATIONS;
use super::proven::{Proof, Proven};
use super::{UrlResolver, clean};
use crate::audit::availability::{Availability, folded};
use crate::audit::money::prices;
use crate::audit::page::AuditedPage;
use crate::audit::profile::sells;
use crate::page::NodeId;

/// Members of a list that are named, and how many make one.
const MAX_MEMBERS: usize = 20;
const MIN_MEMBERS: usize = 3;
/// Links that are looked at for them, and words of the name of one.
const MAX_LINKS: usize = 1_000;
const MAX_ITEM_WORDS: usize = 60;
/// Characters of an element that says no more than one item, and how many such elements are around a link.
const MAX_CARD_CHARS: usize = 400;
const MAX_CARD_DEPTH: usize = 5;
/// Addresses that one item has links to: itself, its reviews, its maker, and its seller.
const MAX_CARD_TARGETS: usize = 4;

/// What a collection lists: links of its main content to addresses of one form, each with a price of its own
/// beside it. Menus of categories, filters and banners have none.
pub(super) fn find(
    page: &AuditedPage<'_>,
    resolve: &UrlResolver,
) -> Option<Proven<Vec<(String, String)>>> {
    let own = page.snapshot.location();
    let cards = Cards::new(page);
    let mut found: BTreeMap<Url, (usize, String)> = BTreeMap::new();
    for (at, link) in page.content.links.iter().take(MAX_LINKS).enumerate() {
        let Some(name) = name_in(page, link.node) else { continue };
        let Some(mut url) = resolve(&link.href) else { continue };
        url.set_fragment(None);
        let is_other = own.is_none_or(|own| own.host() == url.host() && own.path() != url.path());
        if is_other && (found.contains_key(&url) || cards.has_price(link.node)) {
            let (_, known) = found.entry(url).or_insert_with(|| (at, name.clone()));
            if name.len() < known.len() {
                *known = name;
            }
        }
    }
    let mut forms: BTreeMap<String, Vec<(usize, String, Url)>> = BTreeMap::new();
    for (url, (at, name)) in found {
        forms.entry(form(&url)).or_default().push((at, name, url));
    }
    let mut items = forms.into_values().max_by_key(Vec::len)?;
    items.sort_unstable_by_key(|(at, _, _)| *at);
    let mut names: Vec<String> = items.iter().map(|(_, name, _)| folded(name)).collect();
    names.sort_unstable();
    let is_distinct = names.windows(2).all(|pair| pair.first() != pair.last());
    let items: Vec<(String, String)> =
        items.into_iter().take(MAX_MEMBERS).map(|(_, name, url)| (name, url.into())).collect();
    (is_distinct && items.len() >= MIN_MEMBERS).then(|| Proven::new(items, Proof::PricedList))
}

/// The name in the text of a link, its images left out: the first line that has a name of some words, as a whole
/// card may be one link.
fn name_in(page: &AuditedPage<'_>, link: NodeId) -> Option<String> {
    let text = page.document.text_of(link, MAX_CARD_CHARS);
    let is_word = |name: &String| name.chars().filter(|ch| ch.is_alphabetic()).count() > 2;
    let mut names = text.lines().filter_map(item_name).filter(is_word);
    let first = names.next()?;
    let longer = names.find(|name| name.contains(' ')).filter(|_| !first.contains(' '));
    Some(longer.unwrap_or(first))
}

/// The elements around the links of a page.
struct Cards<'p> {
    page: &'p AuditedPage<'p>,
    /// The addresses that the links in an element lead to.
    targets: BTreeMap<NodeId, BTreeSet<&'p str>>,
}

impl<'p> Cards<'p> {
    fn new(page: &'p AuditedPage<'_>) -> Self {
        let mut targets: BTreeMap<NodeId, BTreeSet<&str>> = BTreeMap::new();
        for link in page.content.links.iter().take(MAX_LINKS) {
            let address = link.href.split(['#', '?']).next().unwrap_or_default();
            for node in around(page, link.node) {
                targets.entry(node).or_default().insert(address);
            }
        }
        Self { page, targets }
    }

    /// Whether the element around a link that says no more than one item has a price. One that leads to many
    /// addresses is a menu: it may offer gifts under 50 dollars.
    fn has_price(&self, link: NodeId) -> bool {
        for node in around(self.page, link) {
            let targets = self.targets.get(&node).map_or(0, BTreeSet::len);
            let text = self.page.document.text_of(node, MAX_CARD_CHARS + 1);
            if targets > MAX_CARD_TARGETS || text.chars().count() > MAX_CARD_CHARS {
                return false;
            }
            if !prices(&text).is_empty() {
                return true;
            }
        }
        false
    }
}

/// A link, and the elements around it that may be the card of one item.
fn around(page: &AuditedPage<'_>, link: NodeId) -> impl Iterator<Item = NodeId> {
    let up = std::iter::successors(Some(link), |node| page.document.parent_of(*node));
    up.take(MAX_CARD_DEPTH)
}

/// An address without its last segment: what the items of a list have in common.
fn form(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned())
}

/// What links that name no thing begin with, folded.
const CALLS: [&str; 12] = [
    "skip to",
    "read more",
    "learn more",
    "view all",
    "see all",
    "show more",
    "more info",
    "terms",
    "filter",
    "quick view",
    "devamini oku",
    "tumunu gor",
];

/// The name of an item in the text of its link: what comes before its price, said once; `None` for what
/// invites to do something.
fn item_name(text: &str) -> Option<String> {
    const LABELS: [&str; 7] =
        ["view details", "quick view", "quick shop", "add to ", "on sale", "sold out", "rating: "];
    const OPENERS: [&str; 7] = ["from", "ab", "à partir de", "desde", "sale price", "price", "now"];
    let end = prices(text).first().map_or(text.len(), |price| price.range.start);
    let lower = text.to_ascii_lowercase();
    let end =
        LABELS.iter().filter_map(|label| lower.find(label)).min().map_or(end, |at| at.min(end));
    let mut name = text.get(..end)?.trim();
    for opener in OPENERS {
        let at = name.len().saturating_sub(opener.len());
        let tail = name.split_at_checked(at).filter(|(_, tail)| tail.eq_ignore_ascii_case(opener));
        name = tail.map_or(name, |(name, _)| name.trim_end());
    }
    let words: Vec<&str> = name.split_whitespace().take(MAX_ITEM_WORDS).collect();
    let once = (1..=words.len() / 2).find(|size| {
        words.chunks(*size).all(|chunk| chunk == words.get(..*size).unwrap_or_default())
    });
    let name = words.get(..once.unwrap_or(words.len()))?.join(" ");
    let folded = folded(&name);
    let is_rating = ["review", "reviews", "rating", "ratings", "yorum", "degerlendirme"]
        .iter()
        .any(|word| folded.trim_end_matches(')').ends_with(word));
    let is_stock = Availability::from_text(&name).is_some();
    let invites = is_rating
        || is_stock
        || INVITATIONS.iter().chain(&CALLS).any(|call| folded.trim_start().starts_with(call));
    (!invites && !sells(&name)).then(|| clean(&name)).flatten()
}
