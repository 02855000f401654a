//! What is measured of a page to tell its kind: counts and shares of its structure, signs of its address, its
//! markup and its words. Each is a named function with its definition.

use url::Url;

use crate::audit::markup::{Family, Markup};
use crate::audit::profile::url_signs::Address;
use crate::audit::profile::words::{self, Person, Topic, WORDS};
use crate::page::content::{BlockKind, Content, NameSign, Root, Shape};
use crate::page::{Document, Page};

/// A page, as far as its kind depends on it.
#[derive(Debug)]
pub struct Facts<'a> {
    page: &'a Page,
    content: &'a Content,
    shape: Shape,
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
    /// Reads it.
    pub read: fn(&Facts<'_>) -> f64,
}

macro_rules! features {
    ($($(#[doc = $definition:literal])+ $name:ident: $read:expr;)+) => {
        $(
            $(#[doc = $definition])+
            fn $name(facts: &Facts<'_>) -> f64 {
                let read: fn(&Facts<'_>) -> f64 = $read;
                read(facts)
            }
        )+

        /// All features, in the order of the model.
        pub const FEATURES: &[Feature] = &[
            $(Feature {
                id: stringify!($name),
                definition: concat!($($definition),+),
                read: $name,
            },)+
        ];
    };
}

features! {
    /// The path has one segment of one word.
    short_path: |f| yes(f.address.is_short());
    /// Segments of the path (ln).
    path_depth: |f| count(f.address.segments().len());
    /// The last segment has a number of four digits or more.
    number_in_address: |f| yes(f.address.has_number());
    /// Words of the last segment (ln).
    words_of_address: |f| count(f.address.slug_words());
    /// The last segment has five words or more.
    headline_address: |f| yes(f.address.slug_words() >= 5);
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
    product_markup: |f| yes(f.markup.products > 0);
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
    signs_of_product: |f| f.signs_of_product().min(3.0);
    /// Signs of an article: markup, Open Graph, date, author, page name, address (0 to 4).
    signs_of_article: |f| f.signs_of_article().min(4.0);
    /// Signs of a collection: markup, page name, address, software of a shop (0 to 3).
    signs_of_collection: |f| f.signs_of_collection().min(3.0);
    /// Signs of documentation: software, page name, host, address, markup (0 to 3).
    signs_of_documentation: |f| f.signs_of_documentation().min(3.0);
    /// Two signs of documentation or more.
    sure_documentation: |f| yes(f.signs_of_documentation() >= 2.0);
    /// Signs of a forum: address, markup, software, page name, host (0 to 3).
    signs_of_forum: |f| f.signs_of_forum().min(3.0);
    /// Two signs of a forum or more.
    sure_forum: |f| yes(f.signs_of_forum() >= 2.0);

    /// Share of the text that is links.
    link_share: |f| share(f.shape.linked_chars, f.shape.chars);
    /// Share of the text of the whole page that is links.
    link_share_of_page: |f| share(f.shape.page_linked_chars, f.shape.page_chars);
    /// Links per 600 characters (ln).
    link_density: |f| density(f.shape.links, f.shape.chars);
    /// Links (ln).
    links: |f| size(f.shape.links);
    /// Characters of the paragraphs of one text (ln).
    running_text: |f| size(f.shape.text_chars);
    /// Share of the text that is paragraphs of one text.
    running_text_share: |f| share(f.shape.text_chars, f.shape.chars);
    /// That share, of a text without links.
    single_text: |f| share(f.shape.text_chars, f.shape.chars) * (1.0 - share(f.shape.linked_chars, f.shape.chars));
    /// Paragraphs (ln).
    paragraphs: |f| size(f.shape.paragraphs);
    /// Under 1,200 characters.
    short_text: |f| yes(f.shape.chars < 1_200);
    /// The main content is in an `article`.
    article_root: |f| yes(matches!(f.content.root, Root::Article(_)));
    /// Paragraphs of forty words or more (ln).
    long_paragraphs: |f| count(f.text.long_paragraphs);
    /// Share of the words that are in them.
    long_paragraph_share: |f| part(f.text.long_words, f.content.words);
    /// Share of the words that are items of lists.
    list_share: |f| part(f.text.list_words, f.content.words);
    /// Headings with a question mark (ln).
    asking_headings: |f| count(f.text.questions);
    /// Share of the first words that speak of us.
    we_share: |f| f.text.we;
    /// Share of the first words that speak to you.
    you_share: |f| f.text.you;
    /// Share of the first words that speak of me.
    i_share: |f| f.text.i;
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
    sold_product: |f| yes(f.markup.products == 1 && (f.buys > 0 || f.shape.prices > 0));
    /// The address or the host is one of a shop.
    shop_address: |f| yes(f.has_shop_address());
    /// The page is links, and nothing is sold.
    plain_links: |f| if f.is_shop() { 0.0 } else { share(f.shape.linked_chars, f.shape.chars) };
    /// The page is running text, and has a date at its heading.
    dated_text: |f| if f.shape.has_date_at_title { share(f.shape.text_chars, f.shape.chars) } else { 0.0 };
    /// Something can be bought.
    buying: |f| yes(f.buys > 0);
    /// One to three ways to buy.
    buying_once: |f| yes((1..=3).contains(&f.buys));
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
    unsigned_calls: |f| if f.signs_of_article() < 1.0 { count(f.calls) } else { 0.0 };
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
    shop_cards: |f| if f.is_shop() { size(f.shape.cards.count) } else { 0.0 };
    /// Something of a shop: prices, a cart, its software.
    shop: |f| yes(f.is_shop());
}

impl<'a> Facts<'a> {
    /// Reads what the features need of a page.
    pub fn new(
        document: &'a Document,
        content: &'a Content,
        markup: &Markup,
        url: Option<&Url>,
    ) -> Self {
        let (page, shape) = (document.page(), document.shape());
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

    /// The values of all features.
    pub fn values(&self) -> Vec<f64> {
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

    fn signs_of_product(&self) -> f64 {
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

    fn signs_of_article(&self) -> f64 {
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

    fn signs_of_collection(&self) -> f64 {
        sum([
            self.markup.lists > 0,
            self.is_body(&["category", "archive", "collection"]),
            self.address.is_below(Topic::Collection) || self.address.ends_in(Topic::Collection),
            self.address.has_category_form(),
            self.software.shop,
        ])
    }

    fn signs_of_documentation(&self) -> f64 {
        sum([
            self.software.documentation,
            self.is_body(&["docs", "doc", "documentation", "docsearch"]),
            self.address.host_names(Topic::Documentation),
            self.address.is_below(Topic::Documentation),
            self.markup.manuals > 0,
            self.page.links.iter().any(|link| link.rels.iter().any(|rel| rel == "edit")),
        ])
    }

    fn signs_of_forum(&self) -> f64 {
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
    we: f64,
    you: f64,
    i: f64,
}

impl TextFacts {
    fn new(content: &Content) -> Self {
        const LONG_PARAGRAPH_WORDS: usize = 40;
        const MAX_WORDS: usize = 400;
        let mut facts = Self::default();
        let (mut words, mut we, mut you, mut i) = (0, 0, 0, 0);
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
            if words < MAX_WORDS {
                for word in
                    block.text.split(|ch: char| !ch.is_alphabetic()).filter(|it| !it.is_empty())
                {
                    words += 1;
                    match WORDS.person(word) {
                        Some(Person::We) => we += 1,
                        Some(Person::You) => you += 1,
                        Some(Person::I) => i += 1,
                        None => {}
                    }
                }
            }
        }
        (facts.we, facts.you, facts.i) = (part(we, words), part(you, words), part(i, words));
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
        facts
    }

    fn is_bare(&self) -> bool {
        let Self { products, articles, lists, threads, offers, manuals, others } = self;
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

fn yes(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

fn sum<const N: usize>(signs: [bool; N]) -> f64 {
    signs.into_iter().map(yes).sum()
}

/// The logarithm of a count: the tenth of something says less than the second.
fn count(number: usize) -> f64 {
    size(u32::try_from(number).unwrap_or(u32::MAX))
}

fn size(number: u32) -> f64 {
    libm::log1p(f64::from(number))
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { (f64::from(part) / f64::from(whole)).min(1.0) }
}

fn part(part: usize, whole: usize) -> f64 {
    share(u32::try_from(part).unwrap_or(u32::MAX), u32::try_from(whole).unwrap_or(u32::MAX))
}

fn mean(sum: u32, number: u32) -> f64 {
    if number == 0 { 0.0 } else { libm::log1p(f64::from(sum) / f64::from(number)) }
}

fn density(number: u32, chars: u32) -> f64 {
    libm::log1p(f64::from(number) * 600.0 / f64::from(chars.max(600)))
}
