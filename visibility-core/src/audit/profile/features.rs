//! What is measured of a page to tell its kind: counts and shares of its structure, signs of its address, its
//! markup and its words. Each is a named function with its definition.

use url::Url;

use crate::audit::markup::{Entity, Family, Markup};
use crate::audit::profile::Profile;
use crate::audit::profile::url_signs::Address;
use crate::audit::profile::value::{
    FeatureValue, count, density, mean, part, share, signs, size, yes,
};
use crate::audit::profile::words::{self, Person, Topic, WORDS};
use crate::page::Page;
use crate::page::content::{BlockKind, Content, NameSign, Root, Shape};

/// A page, as far as its kind depends on it.
#[derive(Debug)]
pub struct Facts<'a> {
    page: &'a Page,
    content: &'a Content,
    shape: &'a Shape,
    text: TextFacts,
    links: LinkFacts,
    address: Address,
    markup: MarkupFacts,
    software: Software,
    body: Vec<String>,
    /// Buttons and links that sell, and those that invite.
    buys: usize,
    calls: usize,
    title: Vec<String>,
}

/// A feature.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Its name, in the model and in the table of the documentation.
    pub id: &'static str,
    /// What it is, in words.
    pub definition: &'static str,
    /// The sentence that says it to a reader, in `locales/` under `profile_reasons`. Features that say much the same
    /// share the one of the feature with this name.
    pub sentence: &'static str,
    /// Reads it.
    pub read: fn(&Facts<'_>) -> FeatureValue,
}

macro_rules! features {
    (@sentence $name:ident) => { stringify!($name) };
    (@sentence $name:ident $shared:ident) => { stringify!($shared) };
    ($($(#[doc = $definition:literal])+ $name:ident $(as $shared:ident)?: $read:expr;)+) => {
        $(
            $(#[doc = $definition])+
            fn $name(facts: &Facts<'_>) -> FeatureValue {
                let read: fn(&Facts<'_>) -> FeatureValue = $read;
                read(facts)
            }
        )+

        /// All features, in the order of the model.
        pub const FEATURES: &[Feature] = &[
            $(Feature {
                id: stringify!($name),
                definition: concat!($($definition),+),
                sentence: features!(@sentence $name $($shared)?),
                read: $name,
            },)+
        ];
    };
}

features! {
    /// The front page of a site.
    front_page: |f| yes(f.address.is_front_page());
    /// The path has one segment of one word.
    short_path: |f| yes(f.address.is_short());
    /// Segments of the path (ln).
    path_depth: |f| count(f.address.segments().len());
    /// The last segment has a number of four digits or more.
    number_in_address: |f| yes(f.address.has_number());
    /// Words of the last segment (ln).
    words_of_address: |f| count(f.address.slug_words());
    /// The last segment has five words or more.
    headline_address as words_of_address: |f| yes(f.address.slug_words() >= 5);
    /// The last segment has a word such as how, why or guide.
    explaining_address: |f| yes(f.address.last_has(Topic::Explanation));
    /// The address ends in `.html` or the like.
    file_address: |f| yes(f.address.has_extension());
    /// The path leads through articles: blog, news.
    under_articles: |f| yes(f.address.is_below(Topic::Article));
    /// The path leads through lists: tag, topics, jobs.
    under_listings: |f| yes(f.address.is_below(Topic::Listing));
    /// The path leads through products.
    under_products: |f| yes(f.address.is_below(Topic::Product));
    /// The path leads through services.
    under_services: |f| yes(f.address.is_below(Topic::Service));
    /// The path leads through a forum.
    under_forums: |f| yes(f.address.is_below(Topic::Forum));
    /// The path leads through documentation.
    under_documentation: |f| yes(f.address.is_below(Topic::Documentation));
    /// The last segment names articles.
    ends_in_articles: |f| yes(f.address.ends_in(Topic::Article));
    /// The address has the form of a category in shop software: `/c/`, `/collections/`, `-c-9`.
    category_address: |f| yes(f.address.has_category_form());
    /// The address has the form of one product in shop software: `/dp/`, `/p/`, `-p-123`.
    product_address: |f| yes(f.address.has_product_form());
    /// The address has the form of a thread: `/t/name/12`, `viewtopic`, `/questions/9`.
    thread_address: |f| yes(f.address.has_thread_form());
    /// The host is called after a forum.
    forum_host: |f| yes(f.address.host_names(Topic::Forum));
    /// The host is called after documentation.
    documentation_host: |f| yes(f.address.host_names(Topic::Documentation));

    /// The markup describes a product.
    product_markup as products_of_markup: |f| yes(f.markup.products > 0);
    /// Products of the markup (ln).
    products_of_markup: |f| count(f.markup.products);
    /// The markup describes an article.
    article_markup: |f| yes(f.markup.articles == 1);
    /// The markup describes a list or a collection.
    list_markup: |f| yes(f.markup.lists > 0);
    /// The markup describes a discussion or questions.
    thread_markup: |f| yes(f.markup.threads > 0);
    /// The markup describes a service, a business or software.
    offer_markup: |f| yes(f.markup.offers > 0);
    /// The markup has nothing but the site.
    no_markup: |f| yes(f.markup.is_bare());
    /// `og:type` is article.
    open_graph_article: |f| yes(f.has_open_graph("article"));
    /// `og:type` is a product.
    open_graph_product: |f| yes(f.has_open_graph("product"));
    /// A meta element has the time of publication.
    publication_time: |f| yes(f.has_meta("article:published_time") || f.has_meta("date"));

    /// The software is that of a shop.
    shop_software: |f| yes(f.software.shop);
    /// The software is WordPress.
    wordpress: |f| yes(f.software.wordpress);
    /// The body is called a single post.
    single_body: |f| yes(f.is_body(&["single", "postid", "article", "post"]));
    /// The body is called a page or the front page.
    page_body: |f| yes(f.is_body(&["page", "home", "landing", "front", "frontpage"]));
    /// The body is called a product.
    product_body: |f| yes(f.is_body(&["product", "item"]));

    /// Words of the title (ln).
    title_words: |f| count(f.title.len());
    /// The title begins with a number, best or top.
    counting_title: |f| yes(f.has_counting_title());
    /// The title has a question mark.
    asking_title: |f| yes(f.has_title_with(['?', '؟', '？']));
    /// The title has a word such as how, why or guide.
    explaining_title: |f| yes(f.title.iter().any(|word| WORDS.has_segment(Topic::Explanation, word)));

    /// The title has a word of articles.
    title_of_article: |f| yes(f.title_has(Topic::Article));
    /// The title has a word of lists.
    title_of_listing: |f| yes(f.title_has(Topic::Listing));
    /// The title has a word of services.
    title_of_service: |f| yes(f.title_has(Topic::Service));
    /// The title has a word of forums.
    title_of_forum: |f| yes(f.title_has(Topic::Forum));
    /// The title has a word of documentation.
    title_of_documentation: |f| yes(f.title_has(Topic::Documentation));

    /// Signs of one product: markup, Open Graph, address, page name, one to three ways to buy (0 to 3).
    signs_of_product: |f| signs(f.signs_of_product(), 3);
    /// Signs of an article: markup, Open Graph, date, author, page name, address (0 to 4).
    signs_of_article: |f| signs(f.signs_of_article(), 4);
    /// Signs of a collection: markup, page name, address, software of a shop (0 to 3).
    signs_of_collection: |f| signs(f.signs_of_collection(), 3);
    /// Signs of documentation: software, page name, host, address, markup (0 to 3).
    signs_of_documentation: |f| signs(f.signs_of_documentation(), 3);
    /// Two signs of documentation or more.
    sure_documentation as signs_of_documentation: |f| yes(f.signs_of_documentation() >= 2);
    /// Signs of a forum: address, markup, software, page name, host (0 to 3).
    signs_of_forum: |f| signs(f.signs_of_forum(), 3);
    /// Two signs of a forum or more.
    sure_forum as signs_of_forum: |f| yes(f.signs_of_forum() >= 2);

    /// Share of the text that is links.
    link_share: |f| share(f.shape.linked_chars, f.shape.chars);
    /// Share of the text of the whole page that is links.
    link_share_of_page as link_share: |f| share(f.shape.page_linked_chars, f.shape.page_chars);
    /// Links per 600 characters (ln).
    link_density as link_share: |f| density(f.shape.links, f.shape.chars);
    /// Links (ln).
    links: |f| size(f.shape.links);
    /// Characters of the paragraphs of one text (ln).
    running_text as running_text_share: |f| size(f.shape.text_chars);
    /// Share of the text that is paragraphs of one text.
    running_text_share: |f| share(f.shape.text_chars, f.shape.chars);
    /// That share, of a text without links.
    single_text as running_text_share: |f| {
        share(f.shape.text_chars, f.shape.chars) * (1.0 - share(f.shape.linked_chars, f.shape.chars).number)
    };
    /// Paragraphs (ln).
    paragraphs: |f| size(f.shape.paragraphs);
    /// Under 1,200 characters.
    short_text: |f| yes(f.shape.chars < 1_200);
    /// The main content is in an `article`.
    article_root: |f| yes(matches!(f.content.root, Root::Article(_)));
    /// Paragraphs of forty words or more (ln).
    long_paragraphs: |f| count(f.text.long_paragraphs);
    /// Share of the words that are in them.
    long_paragraph_share as long_paragraphs: |f| part(f.text.long_words, f.content.words);
    /// Share of the words that are items of lists.
    list_share: |f| part(f.text.list_words, f.content.words);
    /// Headings with a question mark (ln).
    asking_headings: |f| count(f.text.questions);
    /// Share of the first words that speak of us.
    we_share: |f| part(f.text.we, f.text.words);
    /// Share of the first words that speak to you.
    you_share: |f| part(f.text.you, f.text.words);
    /// Share of the first words that speak of me.
    i_share: |f| part(f.text.i, f.text.words);
    /// Share of the page's links that have four words or more.
    titled_link_share: |f| part(f.links.titled, f.page.anchors.len());
    /// Share of the content's links that leave the host.
    leaving_share: |f| part(f.links.leaving, f.content.links.len());
    /// Links of breadcrumbs (ln).
    breadcrumbs: |f| count(f.content.breadcrumbs.len());
    /// A next page.
    next_page: |f| yes(f.links.has_next);
    /// Headings of the second to the fourth level (ln).
    headings: |f| size(f.shape.headings);
    /// Characters for each heading (ln).
    section_length: |f| mean(f.shape.chars, f.shape.headings + 1);
    /// Characters of the main heading (ln).
    heading_length: |f| size(f.shape.title_chars);
    /// Rows of tables (ln).
    rows: |f| size(f.shape.rows);
    /// Blocks of code (ln).
    code_blocks: |f| size(f.shape.code_blocks);
    /// Pieces of code in lines, per 600 characters (ln).
    code_density: |f| density(f.shape.inline_code, f.shape.chars);

    /// Figures (ln).
    figures: |f| size(f.shape.figures);
    /// Images per 600 characters (ln).
    image_density: |f| density(f.shape.images, f.shape.chars);
    /// Share of the images that are links.
    linked_image_share: |f| share(f.shape.linked_images, f.shape.images);
    /// A date is at the main heading.
    date_at_heading: |f| yes(f.shape.has_date_at_title);
    /// A price follows the main heading.
    price_at_heading: |f| yes(f.shape.prices_at_title > 0);
    /// Dates (ln).
    dates: |f| size(f.shape.dates);
    /// Names of people (ln).
    persons: |f| size(f.shape.persons);
    /// Share of the largest group of siblings that has a date.
    dated_group: |f| share(f.shape.largest_group.dated, f.shape.largest_group.count);
    /// Share of the largest group of siblings that names a person.
    signed_group: |f| share(f.shape.largest_group.signed, f.shape.largest_group.count);

    /// The markup describes one product that can be bought.
    sold_product as products_of_markup: |f| yes(f.markup.products == 1 && (f.buys > 0 || f.shape.prices > 0));
    /// The address or the host is one of a shop.
    shop_address: |f| yes(f.has_shop_address());
    /// The page is links, and nothing is sold.
    plain_links as link_share: |f| share(if f.is_shop() { 0 } else { f.shape.linked_chars }, f.shape.chars);
    /// The page is running text, and has a date at its heading.
    dated_text as date_at_heading: |f| share(if f.shape.has_date_at_title { f.shape.text_chars } else { 0 }, f.shape.chars);
    /// Something can be bought.
    buying: |f| yes(f.buys > 0);
    /// One to three ways to buy.
    buying_once as buying: |f| yes((1..=3).contains(&f.buys));
    /// Parts that are called specification, variant, quantity or gallery (ln).
    specifications: |f| size(f.shape.named(NameSign::Specification));
    /// Parts that are called product (ln).
    product_parts: |f| size(f.shape.named(NameSign::Product));
    /// Parts that are called filter or sort (ln).
    filters: |f| size(f.shape.named(NameSign::Filter));
    /// Parts that are called cart (ln).
    cart_parts: |f| size(f.shape.named(NameSign::Cart));
    /// A shop, and no date.
    undated_shop: |f| yes((f.buys > 0 || f.shape.prices > 2) && f.shape.dates == 0);

    /// Links and buttons of the content that invite to begin or to get in touch (ln).
    calls: |f| count(f.calls);
    /// The same, where neither a date nor an author is given.
    unsigned_calls as calls: |f| count(if f.signs_of_article() == 0 { f.calls } else { 0 });
    /// Parts that are called hero, feature, testimonial or pricing (ln).
    offer_parts: |f| size(f.shape.named(NameSign::Offer));
    /// Buttons (ln).
    buttons: |f| size(f.shape.buttons);
    /// Parts that are called article or entry (ln).
    article_parts: |f| size(f.shape.named(NameSign::Article));
    /// A part that is called the text of an article.
    article_body: |f| yes(f.shape.named(NameSign::Body) > 0);
    /// Parts that are called post, reply or comment (ln).
    post_parts: |f| size(f.shape.named(NameSign::Post));
    /// Parts of a manual (ln).
    manual_parts: |f| size(f.shape.named(NameSign::Manual));

    /// Siblings of the largest group (ln).
    group_size: |f| size(f.shape.largest_group.count);
    /// Share of the largest group that has a link.
    linked_group: |f| share(f.shape.largest_group.linked, f.shape.largest_group.count);
    /// Cards (ln).
    cards: |f| size(f.shape.cards.count);
    /// Share of the text in cards.
    card_share: |f| share(f.shape.cards.chars, f.shape.chars);
    /// Cards with a price (ln).
    priced_cards: |f| size(f.shape.cards.priced);
    /// Cards with an image (ln).
    pictured_cards: |f| size(f.shape.cards.with_image);
    /// Cards of a shop (ln).
    shop_cards as cards: |f| size(if f.is_shop() { f.shape.cards.count } else { 0 });
    /// Something of a shop: prices, a cart, its software.
    shop: |f| yes(f.is_shop());
}

impl<'a> Facts<'a> {
    /// Reads what the features need of a page.
    pub fn new(
        page: &'a Page,
        content: &'a Content,
        shape: &'a Shape,
        markup: &Markup,
        url: Option<&Url>,
    ) -> Self {
        let title = page.title.as_ref().map(|title| title.value.as_str()).unwrap_or_default();
        let words_of = |text: &str| -> Vec<String> {
            text.split(|ch: char| !ch.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect()
        };
        Self {
            page,
            content,
            text: TextFacts::new(content),
            links: LinkFacts::new(page, content, url),
            address: Address::new(url),
            markup: MarkupFacts::new(markup),
            software: Software::of(page),
            body: words_of(&shape.body_names),
            shape,
            buys: words::buys(page, content),
            calls: words::calls(content),
            title: words_of(title),
        }
    }

    /// Characters of text, navigation left out.
    pub fn chars(&self) -> u32 {
        self.shape.chars
    }

    /// The profile that the markup states, if it states one.
    pub(super) fn stated(&self) -> Option<(Profile, &'static str)> {
        self.markup.stated()
    }

    /// The values of all features.
    pub fn values(&self) -> Vec<FeatureValue> {
        FEATURES.iter().map(|feature| (feature.read)(self)).collect()
    }

    fn has_open_graph(&self, kind: &str) -> bool {
        let mut types = self.page.metas("og:type").take(4);
        types.any(|meta| meta.content.to_ascii_lowercase().contains(kind))
    }

    fn has_meta(&self, key: &str) -> bool {
        self.page.metas(key).any(|meta| !meta.content.is_empty())
    }

    fn is_body(&self, names: &[&str]) -> bool {
        self.body.iter().any(|word| names.contains(&word.as_str()))
    }

    fn has_counting_title(&self) -> bool {
        self.title.first().is_some_and(|first| {
            first.starts_with(|ch: char| ch.is_ascii_digit()) || first == "best" || first == "top"
        })
    }

    fn has_title_with<const N: usize>(&self, signs: [char; N]) -> bool {
        self.page.title.as_ref().is_some_and(|title| title.value.contains(signs))
    }

    fn title_has(&self, topic: Topic) -> bool {
        self.title.iter().any(|word| word.len() > 2 && WORDS.has_segment(topic, word))
    }

    fn has_shop_address(&self) -> bool {
        self.address.is_below(Topic::Collection)
            || self.address.ends_in(Topic::Collection)
            || self.address.has_category_form()
            || self.address.host_names(Topic::Collection)
    }

    fn is_shop(&self) -> bool {
        self.buys > 0 || self.shape.prices > 3 || self.software.shop || self.markup.products > 0
    }

    fn signs_of_product(&self) -> u32 {
        sum([
            self.markup.products == 1,
            self.has_open_graph("product"),
            self.has_meta("product:price:amount") || self.has_meta("og:price:amount"),
            self.is_body(&["product", "item"]),
            self.address.is_below(Topic::Product),
            self.address.has_product_form(),
            (1..=3).contains(&self.buys),
        ])
    }

    fn signs_of_article(&self) -> u32 {
        sum([
            self.markup.articles == 1,
            self.has_open_graph("article"),
            self.has_meta("article:published_time") || self.has_meta("date"),
            self.has_meta("author"),
            self.is_body(&["single", "postid"]),
            self.address.has_date(),
            self.address.slug_words() >= 5,
        ])
    }

    fn signs_of_collection(&self) -> u32 {
        sum([
            self.markup.lists > 0,
            self.is_body(&["category", "archive", "collection"]),
            self.address.is_below(Topic::Collection) || self.address.ends_in(Topic::Collection),
            self.address.has_category_form(),
            self.software.shop,
        ])
    }

    fn signs_of_documentation(&self) -> u32 {
        sum([
            self.software.documentation,
            self.is_body(&["docs", "doc", "documentation", "docsearch"]),
            self.address.host_names(Topic::Documentation),
            self.address.is_below(Topic::Documentation),
            self.markup.manuals > 0,
            self.page.links.iter().any(|link| link.rels.iter().any(|rel| rel == "edit")),
        ])
    }

    fn signs_of_forum(&self) -> u32 {
        sum([
            self.address.has_thread_form(),
            self.address.is_below(Topic::Forum),
            self.markup.threads > 0,
            self.software.forum,
            self.is_body(&["forum", "topic", "thread", "discussion", "viewtopic"]),
            self.address.host_names(Topic::Forum),
        ])
    }
}

/// What the text of the main content is like.
#[derive(Debug, Default)]
struct TextFacts {
    long_paragraphs: usize,
    long_words: usize,
    list_words: usize,
    questions: usize,
    /// Words that were looked at, and those of each person.
    words: usize,
    we: usize,
    you: usize,
    i: usize,
}

impl TextFacts {
    fn new(content: &Content) -> Self {
        const LONG_PARAGRAPH_WORDS: usize = 40;
        const MAX_WORDS: usize = 400;
        // Longer ones say no more of whom the page speaks.
        const MAX_WORDS_OF_BLOCK: usize = 5_000;
        let mut facts = Self::default();
        for block in &content.blocks {
            let number = block.words();
            match block.kind {
                BlockKind::Paragraph | BlockKind::Quote if number >= LONG_PARAGRAPH_WORDS => {
                    facts.long_paragraphs += 1;
                    facts.long_words += number;
                }
                BlockKind::Heading(_) => {
                    facts.questions += usize::from(block.text.trim_end().ends_with(['?', '？']));
                }
                BlockKind::ListItem => facts.list_words += number,
                _ => {}
            }
            if facts.words < MAX_WORDS {
                let words = block.text.split(|ch: char| !ch.is_alphabetic());
                let words = words.filter(|word| !word.is_empty());
                for word in words.take(MAX_WORDS_OF_BLOCK) {
                    facts.words += 1;
                    match WORDS.person(word) {
                        Some(Person::We) => facts.we += 1,
                        Some(Person::You) => facts.you += 1,
                        Some(Person::I) => facts.i += 1,
                        None => {}
                    }
                }
            }
        }
        facts
    }
}

/// Where the links of a page lead.
#[derive(Debug, Default)]
struct LinkFacts {
    titled: usize,
    leaving: usize,
    has_next: bool,
}

impl LinkFacts {
    fn new(page: &Page, content: &Content, url: Option<&Url>) -> Self {
        const MIN_TITLE_WORDS: usize = 4;
        let host = url.and_then(Url::host_str).unwrap_or_default();
        let name = host.strip_prefix("www.").unwrap_or(host);
        let leaves = |href: &str| {
            let rest = href.strip_prefix("https://").or_else(|| href.strip_prefix("http://"));
            rest.is_some_and(|rest| !rest.split('/').next().unwrap_or_default().ends_with(name))
        };
        let is_title = |text: &str| text.split_whitespace().nth(MIN_TITLE_WORDS - 1).is_some();
        let is_next = |href: &str| {
            ["page=2", "/page/2", "?p=2", "&p=2"].iter().any(|part| href.contains(part))
        };
        Self {
            titled: page.anchors.iter().filter(|anchor| is_title(&anchor.text)).count(),
            leaving: content.links.iter().filter(|link| leaves(&link.href)).count(),
            has_next: page.links.iter().any(|link| link.rels.iter().any(|rel| rel == "next"))
                || page.anchors.iter().any(|anchor| is_next(&anchor.href)),
        }
    }
}

/// Entities of the markup that are no part of another one.
#[derive(Debug, Default)]
struct MarkupFacts {
    products: usize,
    articles: usize,
    lists: usize,
    threads: usize,
    offers: usize,
    manuals: usize,
    others: usize,
    has_list_of_products: bool,
}

impl MarkupFacts {
    fn new(markup: &Markup) -> Self {
        const THREADS: [&str; 3] = ["DiscussionForumPosting", "QAPage", "Question"];
        const MANUALS: [&str; 3] = ["TechArticle", "APIReference", "HowTo"];
        const MAX_ENTITIES: usize = 200;
        let mut facts = Self::default();
        for entity in markup.top_level().take(MAX_ENTITIES) {
            let is =
                |names: &[&str]| entity.types.iter().any(|name| names.contains(&name.as_str()));
            if is(&THREADS) {
                facts.threads += 1;
            } else if is(&MANUALS) {
                facts.manuals += 1;
            } else {
                match Family::from_types(&entity.types) {
                    Some(Family::Product) => facts.products += 1,
                    Some(Family::Article) => facts.articles += 1,
                    Some(Family::Collection) => facts.lists += 1,
                    Some(Family::Offering) => facts.offers += 1,
                    Some(Family::Other) => facts.others += 1,
                    Some(Family::Site) | None => {}
                }
            }
        }
        let is_product =
            |entity: &Entity| Family::from_types(&entity.types) == Some(Family::Product);
        facts.has_list_of_products = facts.lists > 0
            && facts.products == 0
            && markup.entities.iter().take(MAX_ENTITIES).any(is_product);
        facts
    }

    /// The one profile that the markup states, and the feature that says so.
    fn stated(&self) -> Option<(Profile, &'static str)> {
        let kinds = [
            (self.threads, Profile::Forum, "thread_markup"),
            (usize::from(self.has_list_of_products), Profile::Collection, "list_markup"),
            (
                if self.lists == 0 { self.products } else { 0 },
                Profile::Product,
                "products_of_markup",
            ),
            (self.articles, Profile::Article, "article_markup"),
        ];
        let mut stated = kinds.into_iter().filter(|(count, ..)| *count > 0);
        let (count, profile, sentence) = stated.next()?;
        (count == 1 && stated.next().is_none()).then_some((profile, sentence))
    }

    fn is_bare(&self) -> bool {
        let Self { products, articles, lists, threads, offers, manuals, others, .. } = self;
        products + articles + lists + threads + offers + manuals + others == 0
    }
}

/// What the page was made with.
#[derive(Debug, Default)]
struct Software {
    forum: bool,
    shop: bool,
    documentation: bool,
    wordpress: bool,
}

impl Software {
    fn of(page: &Page) -> Self {
        const FORUM: [&str; 11] = [
            "discourse",
            "phpbb",
            "vbulletin",
            "xenforo",
            "flarum",
            "nodebb",
            "mybb",
            "simple machines",
            "vanilla",
            "invision",
            "lemmy",
        ];
        const SHOP: [&str; 9] = [
            "shopify",
            "woocommerce",
            "magento",
            "prestashop",
            "bigcommerce",
            "opencart",
            "shopware",
            "demandware",
            "ecwid",
        ];
        const DOCUMENTATION: [&str; 11] = [
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
        let generators = page.metas("generator").take(4).map(|meta| meta.content.to_lowercase());
        let generators: Vec<String> = generators.collect();
        let scripts = page.scripts.iter().filter_map(|script| script.src.as_deref());
        let links = page.links.iter().map(|link| link.href.as_str());
        let sources: Vec<&str> = scripts.chain(links).take(200).collect();
        let is = |names: &[&str]| {
            generators.iter().any(|text| names.iter().any(|name| text.contains(name)))
                || sources.iter().any(|text| names.iter().any(|name| text.contains(name)))
        };
        Self {
            forum: is(&FORUM),
            shop: is(&SHOP),
            documentation: is(&DOCUMENTATION),
            wordpress: is(&["wordpress", "/wp-content/", "/wp-includes/"]),
        }
    }
}

fn sum<const N: usize>(signs: [bool; N]) -> u32 {
    signs.into_iter().map(u32::from).sum()
}
