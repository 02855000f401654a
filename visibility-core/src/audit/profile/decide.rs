//! Decides the profile of a page: each sign adds points to a profile, and the one with the most points wins.
//!
//! The points were set on labelled pages of the web; `docs/audit.md` has the table of what comes out
//! right and wrong.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::address::AddressSigns;
use super::products::Products;
use super::{Profile, ProfileDecision, sells};
use crate::audit::availability::folded;
use crate::audit::markup::{Entity, Family, Markup, types_of};
use crate::audit::money::prices;
use crate::page::Page;
use crate::page::content::{Block, BlockKind, Content};

/// Products that a page without a list may be about and still be one of a product.
const MAX_PRODUCTS: usize = 6;
/// Buttons that sell on a page of one product.
const MAX_BUY_BUTTONS: usize = 3;
/// Articles that a page may be about and still be one of an article.
const MAX_ARTICLES: usize = 3;
/// Words of a paragraph that counts, and of a long one.
const MIN_PARAGRAPH_WORDS: usize = 15;
const LONG_PARAGRAPH_WORDS: usize = 40;
/// Words of a link that names a thing with a page of its own.
const MIN_TITLE_WORDS: usize = 4;
/// Prices that are more than one thing has with its alternatives.
const MANY_PRICES: usize = 12;

/// Types of markup for what people say to each other.
const THREADS: [&str; 2] = ["DiscussionForumPosting", "QAPage"];
/// Types of markup for what explains a product.
const MANUALS: [&str; 2] = ["TechArticle", "APIReference"];
/// Software of forums, and of documentation, as `generator` names it.
const FORUM_SOFTWARE: [&str; 11] = [
    "discourse",
    "phpbb",
    "vbulletin",
    "xenforo",
    "flarum",
    "nodebb",
    "mybb",
    "smf",
    "vanilla",
    "invision",
    "lemmy",
];
const MANUAL_SOFTWARE: [&str; 11] = [
    "sphinx",
    "mkdocs",
    "docusaurus",
    "gitbook",
    "vitepress",
    "mdbook",
    "readthedocs",
    "asciidoctor",
    "doxygen",
    "starlight",
    "docfx",
];
/// Segments of addresses that lead to what a visitor is about to buy.
const CARTS: [&str; 10] = [
    "cart",
    "basket",
    "bag",
    "checkout",
    "warenkorb",
    "panier",
    "carrito",
    "carrello",
    "sepet",
    "sepetim",
];
/// What links and buttons that invite to use a service begin with, folded.
const CALLS: [&str; 34] = [
    "get",
    "request",
    "book",
    "schedule",
    "start",
    "try",
    "contact",
    "talk",
    "sign up",
    "apply",
    "join",
    "find a",
    "find your",
    "call",
    "free",
    "learn more",
    "see pricing",
    "view pricing",
    "enroll",
    "register",
    "hire",
    "donate",
    "watch demo",
    "take the",
    "teklif al",
    "iletisime gec",
    "bize ulas",
    "basvur",
    "randevu",
    "hemen basla",
    "kontakt",
    "jetzt",
    "demander",
    "solicitar",
];
/// Characters of a link or button that calls for something.
const MAX_CALL_CHARS: usize = 40;

/// The points of the kinds, and the sign of each that says most.
struct Signs([(i32, Option<(i32, ProfileDecision)>); Profile::ALL.len()]);

impl Signs {
    fn points(&self, profile: Profile) -> i32 {
        self.for_profile(profile).map_or(0, |(points, _)| *points)
    }

    fn for_profile(&self, profile: Profile) -> Option<&(i32, Option<(i32, ProfileDecision)>)> {
        self.0.get(profile as usize)
    }

    /// Points without a reason of their own.
    fn weigh(&mut self, profile: Profile, points: i32) {
        if let Some((sum, _)) = self.0.get_mut(profile as usize) {
            *sum += points;
        }
    }

    fn add(&mut self, points: i32, decision: ProfileDecision) {
        if points == 0 {
            return;
        }
        if let Some((sum, best)) = self.0.get_mut(decision.profile as usize) {
            *sum += points;
            if best.as_ref().is_none_or(|(most, _)| points > *most) {
                *best = Some((points, decision));
            }
        }
    }

    /// The kind with the most points; of equals, the first one in this order.
    fn decided(mut self) -> ProfileDecision {
        const ORDER: [Profile; 7] = [
            Profile::Product,
            Profile::Collection,
            Profile::Forum,
            Profile::Documentation,
            Profile::Listing,
            Profile::Landing,
            Profile::Article,
        ];
        let most = ORDER.iter().map(|profile| self.points(*profile)).max().unwrap_or_default();
        let profile = ORDER
            .into_iter()
            .find(|profile| self.points(*profile) == most)
            .unwrap_or(Profile::Landing);
        let best = self.0.get_mut(profile as usize).and_then(|(_, best)| best.take());
        best.map_or_else(
            || ProfileDecision::new(Profile::Landing, "nothing-else"),
            |(_, best)| best,
        )
    }
}

/// What of a page several signs need.
struct Shape<'a> {
    page: &'a Page,
    content: &'a Content,
    address: AddressSigns,
    /// Types of the outer entities and of the items in the text.
    types: BTreeSet<&'a str>,
    /// Buttons that sell.
    selling: Vec<&'a str>,
    is_shop: bool,
    prices: usize,
    /// Headings of the content that are links.
    linked_headings: usize,
    /// Links of the whole page that name something, by address.
    titles: usize,
    /// Words in paragraphs, and in long ones.
    paragraph_words: usize,
    long_paragraph_words: usize,
    /// Links and buttons that call for something.
    calls: usize,
}

/// Tells the kind of a page.
pub(super) fn decide(
    page: &Page,
    content: &Content,
    markup: &Markup,
    address: AddressSigns,
) -> ProfileDecision {
    let shape = Shape::new(page, content, markup, address);
    let mut signs = Signs(Default::default());
    shape.forum(&mut signs);
    shape.documentation(&mut signs);
    shape.goods(&Products::from_markup(markup), &mut signs);
    shape.listing(&mut signs);
    shape.article(markup, &mut signs);
    shape.landing(markup, &mut signs);
    signs.decided()
}

impl<'a> Shape<'a> {
    fn new(
        page: &'a Page,
        content: &'a Content,
        markup: &'a Markup,
        address: AddressSigns,
    ) -> Self {
        let outer = markup.top_level().flat_map(|entity| &entity.types);
        let items = content.items.iter().take(100).flat_map(|item| &item.types);
        let selling = selling(page, content);
        let is_shop = !selling.is_empty() || page.anchors.iter().any(|it| leads_to_cart(&it.href));
        let link_texts: BTreeSet<&str> = content
            .links
            .iter()
            .map(|link| link.text.as_str())
            .filter(|it| !it.is_empty())
            .collect();
        // The texts before a heading in their order: one that it begins with is the last of them.
        let begins_with_link = |text: &str| {
            let before = link_texts.range::<str, _>((Bound::Unbounded, Bound::Included(text)));
            before.into_iter().next_back().is_some_and(|link| text.starts_with(link))
        };
        let is_title = |text: &str| text.split_whitespace().nth(MIN_TITLE_WORDS - 1).is_some();
        let titled = page.anchors.iter().filter(|anchor| is_title(&anchor.text));
        let titles: BTreeSet<&str> = titled.map(|anchor| anchor.href.as_str()).collect();
        let is_prose = |kind| matches!(kind, BlockKind::Paragraph | BlockKind::Quote);
        let paragraphs = || {
            let prose = content.blocks.iter().filter(move |block| is_prose(block.kind));
            prose.map(Block::words)
        };
        Self {
            prices: prices(&page.visible_text).len(),
            linked_headings: content
                .blocks
                .iter()
                .filter(|block| {
                    matches!(block.kind, BlockKind::Heading(_)) && begins_with_link(&block.text)
                })
                .count(),
            titles: titles.len(),
            paragraph_words: paragraphs().filter(|words| *words >= MIN_PARAGRAPH_WORDS).sum(),
            long_paragraph_words: paragraphs().filter(|words| *words >= LONG_PARAGRAPH_WORDS).sum(),
            calls: calls(page, content),
            types: outer.chain(items).map(String::as_str).collect(),
            page,
            content,
            address,
            selling,
            is_shop,
        }
    }

    /// Whether paragraphs are at least this share, in percent, of the content.
    fn is_prose(&self, percent: usize) -> bool {
        self.paragraph_words * 100 >= self.content.words * percent
    }

    fn type_of(&self, types: &[&'static str]) -> Option<&'static str> {
        types.iter().copied().find(|name| self.types.contains(name))
    }

    fn generator(&self, names: &[&'static str]) -> Option<&'static str> {
        let generators = self.page.metas("generator").take(4);
        let named: Vec<String> = generators.map(|meta| meta.content.to_lowercase()).collect();
        names.iter().copied().find(|name| named.iter().any(|text| text.contains(name)))
    }

    fn has_open_graph_type(&self, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        let mut types = self.page.metas("og:type").take(4);
        types.find(|meta| wanted(&meta.content.to_ascii_lowercase())).map(|meta| meta.line)
    }

    fn forum(&self, signs: &mut Signs) {
        let sign = |reason| ProfileDecision::new(Profile::Forum, reason);
        if let Some(name) = self.type_of(&THREADS) {
            signs.add(6, sign("thread-type").with("type", name));
        }
        if let Some(name) = self.generator(&FORUM_SOFTWARE) {
            signs.add(4, sign("software").with("name", name));
        }
        if let Some(label) = self.address.forum_host() {
            signs.add(2, sign("address").with("part", label));
        }
        if let Some(part) = self.address.thread() {
            signs.add(5, sign("address").with("part", part));
        } else if self.address.is_numbered() {
            signs.weigh(Profile::Forum, 2);
        }
    }

    fn documentation(&self, signs: &mut Signs) {
        let sign = |reason| ProfileDecision::new(Profile::Documentation, reason);
        if let Some((part, points)) = self.address.manual() {
            signs.add(points, sign("address").with("part", part));
        }
        if let Some(part) = self.address.book_host() {
            signs.add(2, sign("address").with("part", part));
        }
        if let Some(name) = self.generator(&MANUAL_SOFTWARE) {
            signs.add(2, sign("software").with("name", name));
        }
        if let Some(name) = self.type_of(&MANUALS) {
            signs.add(2, sign("manual-type").with("type", name));
        }
        let code = self
            .content
            .blocks
            .iter()
            .filter(|block| block.kind == BlockKind::Preformatted)
            .count();
        let points = if code >= 3 { 2 } else { i32::from(code > 0) };
        signs.add(points, sign("code").with("count", code));
    }

    /// Signs of things that are sold: of one, or of many to choose from.
    fn goods(&self, products: &Products, signs: &mut Signs) {
        let product = |reason| ProfileDecision::new(Profile::Product, reason);
        let collection = |reason| ProfileDecision::new(Profile::Collection, reason);
        let name = products.first.as_deref().unwrap_or("–");
        // Ratings are often attached to a product that is not for sale.
        let sold = if self.is_shop || self.prices > 0 { 5 } else { 3 };
        match products.own {
            0 => {}
            1 => signs.add(sold, product("one-product").with("name", name)),
            2..=MAX_PRODUCTS if products.collection.is_none() && products.listed == 0 => {
                signs.add(sold, product("few-products").with("count", products.own));
            }
            count => signs.add(6, collection("many-products").with("count", count)),
        }
        if let Some(line) = self.has_open_graph_type(|kind| {
            ["product", "og:product", "product.item"].contains(&kind) || kind.ends_with(":item")
        }) {
            signs.add(4, product("og-product").with("line", line));
        }
        if let Some(line) = self.has_open_graph_type(|kind| kind == "product.group") {
            signs.add(3, collection("og-product-group").with("line", line));
        }
        match (self.selling.as_slice(), self.prices) {
            ([], _) => {}
            ([first, ..], 1..) if self.selling.len() <= MAX_BUY_BUTTONS => {
                signs.add(4, product("buy-button").with("text", first));
            }
            (buttons, _) if buttons.len() > MAX_BUY_BUTTONS => {
                signs.add(3, collection("many-buy-buttons").with("count", buttons.len()));
            }
            _ => signs.weigh(Profile::Product, 1),
        }
        self.shelves(products, signs);
    }

    /// Signs of a shop in the address, in lists and in prices.
    fn shelves(&self, products: &Products, signs: &mut Signs) {
        let product = |reason| ProfileDecision::new(Profile::Product, reason);
        let collection = |reason| ProfileDecision::new(Profile::Collection, reason);
        let shop = i32::from(self.is_shop);
        if let Some(part) = self.address.item() {
            signs.add(2, product("address").with("part", part));
        }
        if let Some(part) = self.address.shelf() {
            signs.add(4, collection("address").with("part", part));
        } else if let Some(part) = self.address.category() {
            signs.add(1 + 2 * shop, collection("address").with("part", part));
            signs.weigh(Profile::Listing, 1);
        }
        if let Some((kind, line)) = &products.collection {
            // A list of products is for sale; what another list has, its type does not say.
            let goods = if products.listed > 0 { 3 } else { 0 };
            let sign = collection("collection-type").with("type", kind).with("line", line);
            signs.add(1 + shop + goods, sign);
            let sign = ProfileDecision::new(Profile::Listing, "collection-type");
            signs.add(3 - shop - goods, sign.with("type", kind).with("line", line));
        }
        let is_front = self.address.is_root() && !self.is_shop;
        let many = collection("many-prices").with("count", self.prices);
        match self.prices {
            MANY_PRICES.. if is_front || self.address.post().is_some() => signs.add(1, many),
            MANY_PRICES.. => {
                signs.add(3, many);
                signs.weigh(Profile::Listing, -1);
            }
            6.. => signs.add(1, many),
            0..2 if !self.is_shop => signs.weigh(Profile::Collection, -1),
            _ => {}
        }
        if self.prices >= 20 && self.linked_headings >= 20 {
            signs.weigh(Profile::Collection, 3);
        }
        if self.is_shop {
            signs.weigh(Profile::Collection, 1);
            if !self.address.is_root() {
                signs.weigh(Profile::Product, 1);
            }
            let is_numbered = self.prices > 0 && self.address.is_article_number();
            if is_numbered && signs.points(Profile::Collection) < 3 {
                signs.weigh(Profile::Product, 2);
            }
        }
    }

    fn listing(&self, signs: &mut Signs) {
        let sign = |reason| ProfileDecision::new(Profile::Listing, reason);
        if let Some(part) = self.address.list() {
            signs.add(3, sign("address").with("part", part));
        }
        let dated = self.content.times.len();
        if self.address.is_root() && dated >= 5 {
            signs.add(3, sign("dated-entries").with("count", dated));
        } else if dated >= 8 && !self.is_prose(50) {
            signs.add(2, sign("dated-entries").with("count", dated));
        }
        let words = |text: &str| text.split_whitespace().count();
        let linked: usize = self.content.links.iter().map(|link| words(&link.text)).sum();
        let titles = sign("many-links").with("count", self.titles.max(self.linked_headings));
        if linked * 2 >= self.content.words.max(1) {
            // Lists of links leave the main text, and are links of the content all the same.
            let outweighs = linked > self.content.words.max(1);
            signs.add(2 + i32::from(outweighs), titles.clone());
            signs.weigh(Profile::Collection, 1);
        } else if linked * 4 >= self.content.words.max(1) {
            signs.weigh(Profile::Listing, 1);
        }
        if self.titles >= 25 && !self.is_prose(50) {
            signs.add(2, titles.clone());
        } else if self.titles >= 12 && !self.is_prose(60) {
            signs.add(1, titles.clone());
        }
        if self.linked_headings >= 6 {
            signs.add(2, titles);
            signs.weigh(Profile::Collection, 1);
        }
        if self.is_shop {
            signs.weigh(Profile::Listing, -2);
        }
        if signs.points(Profile::Forum) >= 5 || signs.points(Profile::Documentation) >= 4 {
            signs.weigh(Profile::Listing, -3);
        }
    }

    fn article(&self, markup: &Markup, signs: &mut Signs) {
        let sign = |reason| ProfileDecision::new(Profile::Article, reason);
        if self.address.is_root() {
            signs.weigh(Profile::Article, -3);
        }
        if let Some((kind, line)) = article_type(markup) {
            signs.add(4, sign("article-type").with("type", kind).with("line", line));
        }
        let published = self.page.metas("article:published_time").find(|it| !it.content.is_empty());
        if let Some(meta) = published {
            signs.add(2, sign("published-time").with("line", meta.line));
        }
        if let Some(line) = self.has_open_graph_type(|kind| kind == "article") {
            signs.add(1, sign("og-article").with("line", line));
        }
        if let Some(part) = self.address.post() {
            signs.add(3, sign("address").with("part", part));
        }
        let has_author = self.page.metas("author").any(|meta| !meta.content.is_empty());
        let has_time = self.content.times.iter().any(|time| time.is_main);
        let signed = sign("signed-paragraphs").with("words", self.paragraph_words);
        signs.add(i32::from(has_author), signed.clone());
        signs.add(i32::from(has_time), signed);
        let (words, long) = (self.paragraph_words, self.long_paragraph_words);
        let shape = [
            long >= 300,
            words >= 300,
            words > 150 && self.is_prose(55),
            long >= 600 && self.is_prose(50),
        ];
        let points = shape.into_iter().map(i32::from).sum();
        signs.add(points, sign("long-paragraphs").with("words", words));
        if signs.points(Profile::Documentation) >= 4 {
            signs.weigh(Profile::Article, -1);
        }
    }

    fn landing(&self, markup: &Markup, signs: &mut Signs) {
        let sign = |reason| ProfileDecision::new(Profile::Landing, reason);
        signs.weigh(Profile::Landing, 3);
        if self.address.is_root() && self.titles < 10 {
            signs.add(1, sign("front-page"));
        }
        let calls = i32::from(self.calls >= 8) + i32::from(self.calls >= 4 && !self.is_prose(60));
        signs.add(calls, sign("calls").with("count", self.calls));
        let is_offering =
            |entity: &&Entity| Family::from_types(&entity.types) == Some(Family::Offering);
        if let Some(entity) = markup.top_level().find(is_offering) {
            let kind = entity.types.join(", ");
            signs.add(2, sign("offering-type").with("type", kind).with("line", entity.line));
        }
        if let Some(part) = self.address.offer().filter(|_| !self.is_shop) {
            signs.add(2, sign("address").with("part", part));
        }
    }
}

/// Buttons that sell: those of the content, else those of forms.
fn selling<'a>(page: &'a Page, content: &'a Content) -> Vec<&'a str> {
    let of_forms = || page.forms.iter().flat_map(|form| &form.buttons).map(String::as_str);
    let of_content = content.buttons.iter().map(|button| button.text.as_str());
    if content.buttons.is_empty() {
        of_forms().filter(|text| sells(text)).take(50).collect()
    } else {
        of_content.filter(|text| sells(text)).take(50).collect()
    }
}

/// Whether an address leads to a shopping cart.
fn leads_to_cart(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|segment| {
        let name = segment.split('.').next().unwrap_or_default();
        CARTS.iter().any(|cart| name.eq_ignore_ascii_case(cart))
    })
}

/// Distinct texts of links and buttons that call for something.
fn calls(page: &Page, content: &Content) -> usize {
    let buttons = content.buttons.iter().map(|button| button.text.as_str());
    let links = page.anchors.iter().map(|anchor| anchor.text.as_str());
    let texts: BTreeSet<&str> = buttons.chain(links).map(str::trim).collect();
    texts.iter().filter(|text| is_call(text)).count()
}

/// Whether a text of a link or button calls for something.
fn is_call(text: &str) -> bool {
    let is_short = !text.is_empty() && text.chars().nth(MAX_CALL_CHARS).is_none();
    is_short && {
        let text = folded(text);
        let text = text.trim();
        CALLS.iter().any(|call| {
            text.strip_prefix(call)
                .is_some_and(|rest| !rest.starts_with(|ch: char| ch.is_alphanumeric()))
        })
    }
}

/// An outer article, or the one that the page names as its main entity: its type and its line.
fn article_type(markup: &Markup) -> Option<(String, usize)> {
    let outer: Vec<&Entity> = markup
        .top_level()
        .filter(|entity| is_article(&entity.types))
        .take(MAX_ARTICLES + 1)
        .collect();
    if outer.len() > MAX_ARTICLES {
        return None;
    }
    let first = outer.first().map(|entity| (entity.types.clone(), entity.line));
    let (types, line) = first.or_else(|| {
        markup.top_level().take(100).find_map(|entity| {
            let is_page = Family::from_types(&entity.types) == Some(Family::Site);
            let main = markup.objects(&entity.object, "mainEntity").next().filter(|_| is_page)?;
            let types = types_of(main);
            is_article(&types).then_some((types, entity.line))
        })
    })?;
    let kind = types.into_iter().find(|name| Family::from_type(name) == Some(Family::Article))?;
    Some((kind, line))
}

fn is_article(types: &[String]) -> bool {
    Family::from_types(types) == Some(Family::Article)
        && !types
            .iter()
            .any(|name| THREADS.contains(&name.as_str()) || MANUALS.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn decided(html: &str) -> (String, &'static str) {
        let snapshot = fixture(html);
        let page = snapshot.audited();
        (page.profile().as_str().to_owned(), page.decision.reason)
    }

    fn json(text: &str) -> String {
        format!("<script type=application/ld+json>{text}</script>")
    }

    fn product(name: &str) -> String {
        format!(r#"{{"@type":"Product","name":"{name}"}}"#)
    }

    #[test]
    fn markup_tells_the_kind_of_a_page() {
        let six: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(product).into();
        let seven: Vec<String> = ["a", "b", "c", "d", "e", "f", "g"].map(product).into();
        let listed =
            |products: &str| format!(r#"{{"@type":"ItemList","itemListElement":[{products}]}}"#);
        let yoast = |kind: &str| {
            format!(
                r##"{{"@context":"https://schema.org","@graph":[{{"@type":"{kind}","@id":"#a","headline":"x"}},
                {{"@type":["WebPage","ItemPage"],"@id":"#w"}},{{"@type":"WebSite"}},{{"@type":"Person","name":"p"}}]}}"##
            )
        };
        for (text, profile, reason) in [
            (product("a"), "product", "one-product"),
            (r#"{"@graph":[{"@type":["Thing","Product"],"name":"a"}]}"#.to_owned(), "product", "one-product"),
            (r#"{"@type":"WebPage","mainEntity":{"@type":"Product","name":"a"}}"#.to_owned(), "product", "one-product"),
            (r#"{"@type":"ProductGroup","name":"a","hasVariant":[{"@type":"Product","name":"b"},{"@type":"Product","name":"c"}]}"#.to_owned(), "product", "one-product"),
            (r#"{"@type":"Product","name":"a","isRelatedTo":[{"@type":"Product","name":"b"}],"isSimilarTo":{"@type":"Product","name":"c"}}"#.to_owned(), "product", "one-product"),
            (format!("[{},{}]", product("a"), listed(&product("b"))), "product", "one-product"),
            (format!("[{}]", six.join(",")), "product", "few-products"),
            (format!("[{},{}]", six.join(","), listed("")), "collection", "many-products"),
            (format!("[{}]", seven.join(",")), "collection", "many-products"),
            (listed(&product("a")), "collection", "collection-type"),
            (listed(&format!(r#"{{"@type":"ListItem","item":{}}}"#, product("a"))), "collection", "collection-type"),
            (r#"{"@type":["WebPage","CollectionPage"]}"#.to_owned(), "listing", "collection-type"),
            (r#"{"@type":"NewsArticle","isPartOf":{"@type":["CreativeWork","Product"],"name":"daily"}}"#.to_owned(), "article", "article-type"),
            (r#"{"@type":"DiscussionForumPosting"}"#.to_owned(), "forum", "thread-type"),
            (yoast("Article"), "article", "article-type"),
            (yoast("BlogPosting"), "article", "article-type"),
            (r#"{"@type":"WebPage","mainEntity":{"@type":"NewsArticle"}}"#.to_owned(), "article", "article-type"),
            (format!("[{},{}]", r#"{"@type":"Article"}"#, listed("")), "article", "article-type"),
            (r#"{"@type":"Blog","blogPost":[{"@type":"BlogPosting"}]}"#.to_owned(), "landing", "nothing-else"),
            (r#"[{"@type":"Article"},{"@type":"Article"},{"@type":"Article"},{"@type":"Article"}]"#.to_owned(), "landing", "nothing-else"),
            (r#"{"@type":"SoftwareApplication"}"#.to_owned(), "landing", "offering-type"),
            (r#"{"@type":"Product","name":"a",}"#.to_owned(), "product", "one-product"),
        ] {
            assert_eq!(decided(&json(&text)), (profile.to_owned(), reason), "{text}");
        }
    }

    #[test]
    fn microdata_tells_it_where_json_ld_does_not() {
        let item = |name: &str| {
            format!(
                "<div itemscope itemtype=https://schema.org/Product><p itemprop=name>{name}</p></div>"
            )
        };
        assert_eq!(decided(&item("a")).1, "one-product");
        let many: String = ["a", "b", "c", "d", "e", "f", "g"].map(item).concat();
        assert_eq!(decided(&many).1, "many-products");
        assert_eq!(decided(&format!("{many}{}", json(&product("x")))).1, "one-product");
    }

    #[test]
    fn one_thing_in_two_blocks_is_one() {
        let html = format!("{}{}", json(&product("Lamp")), json(&product("LAMP")));
        assert_eq!(decided(&html).1, "one-product");
    }

    #[test]
    fn metadata_buttons_and_paragraphs_tell_it_without_markup() {
        let paragraph = format!("<p>{}</p>", "word ".repeat(50));
        let button = "<p>€20</p><button>Add to cart</button>";
        for (html, profile, reason) in [
            ("<meta property=og:type content=product>".to_owned(), "product", "og-product"),
            ("<p>349 TL</p><button>Sepete Ekle</button>".to_owned(), "product", "buy-button"),
            (
                "<p>349 TL</p><form><input type=submit value='SATIN AL'></form>".to_owned(),
                "product",
                "buy-button",
            ),
            ("<button>Add to cart</button>".to_owned(), "landing", "nothing-else"),
            (button.repeat(4), "collection", "many-buy-buttons"),
            (
                "<meta property=article:published_time content=2026-01-01><meta property=og:type \
                 content=article><meta name=author content=Ada>"
                    .to_owned(),
                "article",
                "published-time",
            ),
            ("<meta property=og:type content=article>".to_owned(), "landing", "nothing-else"),
            (format!("<meta property=og:type content=article>{button}"), "product", "buy-button"),
            (
                format!("<meta name=author content=Ada>{}", paragraph.repeat(7)),
                "article",
                "long-paragraphs",
            ),
            (paragraph.repeat(7), "landing", "nothing-else"),
            (paragraph.repeat(13), "article", "long-paragraphs"),
            ("<p>Home of short words</p>".repeat(300), "landing", "nothing-else"),
        ] {
            assert_eq!(decided(&html), (profile.to_owned(), reason), "{html}");
        }
    }

    #[test]
    fn a_user_decides_against_all_signs() {
        let snapshot = fixture(&json(&product("a"))).with_profile(Profile::Article);
        assert_eq!(snapshot.audited().decision, ProfileDecision::chosen(Profile::Article));
    }

    #[test]
    fn every_reason_has_its_sentence() {
        use crate::text::locale::{Catalog, Lang};
        let html = json(r#"{"@type":"Article"}"#);
        let decision = fixture(&html).audited().decision;
        for lang in Lang::ALL {
            let text = Catalog::for_lang(lang)
                .fill(&["profile_reasons", decision.reason], &decision.values);
            assert!(text.contains("Article") && !text.contains('{'), "{text}");
        }
    }
}
