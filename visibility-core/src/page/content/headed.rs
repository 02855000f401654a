//! Parts whose heading says that they are about something else: other pages, or who wrote this one.

use std::collections::HashMap;

use crate::page::content::measure::{ElementSums, Measures};
use crate::page::content::siblings;
use crate::page::tree::{NodeId, Tree};
use crate::text::fold::fold;

/// Characters of a heading of such a part.
const MAX_HEADING_CHARS: u32 = 48;
/// Characters of what follows a heading from which on it is what the heading is of.
const MIN_PART_CHARS: u32 = 60;
/// Parts that are looked for, and elements beside a heading that are looked at.
const MAX_PARTS: usize = 128;
const MAX_SIBLINGS: usize = 256;
/// Elements around a heading that may hold nothing else before it.
const MAX_AROUND: usize = 6;

/// What a heading says that follows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Subject {
    /// Other pages that are like this one.
    OtherPages,
    /// Other pages that are new or much read, which may be what a page is about.
    Feed,
    /// Who wrote this page.
    Author,
}

/// Headings over what leads to pages that are like this one: in lower case, Turkish ones as [`fold`] makes them.
const OTHER_PAGES: &[&str] = &[
    // English.
    "compare products",
    "compare similar items",
    "compare similar products",
    "compare with similar items",
    "customers also bought",
    "customers also viewed",
    "customers who bought this also bought",
    "customers who viewed this item also viewed",
    "explore related products",
    "explore similar items",
    "frequently bought together",
    "keep reading",
    "more articles like this",
    "more like this",
    "pairs well with",
    "people also bought",
    "people also viewed",
    "read next",
    "recently viewed",
    "recently viewed items",
    "recently viewed products",
    "recommended articles",
    "recommended for you",
    "recommended posts",
    "recommended products",
    "recommended stories",
    "related",
    "related articles",
    "related blog posts",
    "related blogs",
    "related categories",
    "related collections",
    "related content",
    "related insights",
    "related items",
    "related news",
    "related pages",
    "related posts",
    "related products",
    "related questions",
    "related reading",
    "related resources",
    "related searches",
    "related stories",
    "related threads",
    "related topics",
    "related videos",
    "similar articles",
    "similar items",
    "similar jobs",
    "similar posts",
    "similar products",
    "similar questions",
    "similar threads",
    "similar topics",
    "suggested articles",
    "suggested topics",
    "up next",
    "what to read next",
    "you may also be interested in",
    "you may also enjoy",
    "you may also like",
    "you might also be interested in",
    "you might also enjoy",
    "you might also like",
    "you may like",
    "you might like",
    "you recently viewed",
    // German.
    "andere kunden kauften auch",
    "auch interessant",
    "das könnte dich auch interessieren",
    "das könnte dich interessieren",
    "das könnte ihnen auch gefallen",
    "das könnte dir auch gefallen",
    "das könnte sie auch interessieren",
    "das könnte sie interessieren",
    "kunden kauften auch",
    "mehr zum thema",
    "passend dazu",
    "verwandte artikel",
    "verwandte beiträge",
    "verwandte themen",
    "weitere artikel",
    "weitere artikel zum thema",
    "weitere beiträge",
    "weiterlesen",
    "wird oft zusammen gekauft",
    "zuletzt angesehen",
    "ähnliche artikel",
    "ähnliche beiträge",
    "ähnliche produkte",
    "ähnliche themen",
    // French.
    "articles associés",
    "articles connexes",
    "articles liés",
    "articles similaires",
    "ces articles peuvent vous intéresser",
    "dans la même catégorie",
    "lire aussi",
    "produits apparentés",
    "produits associés",
    "produits similaires",
    "sur le même sujet",
    "sur le même thème",
    "vous aimerez aussi",
    "vous aimerez peut-être aussi",
    "vous pourriez aussi aimer",
    "à lire aussi",
    "à lire également",
    "à voir aussi",
    // Spanish.
    "articulos relacionados",
    "artículos relacionados",
    "entradas relacionadas",
    "noticias relacionadas",
    "otros artículos",
    "productos relacionados",
    "productos similares",
    "te puede interesar",
    "también te puede gustar",
    "también te puede interesar",
    "temas relacionados",
    "quizá te interese",
    // Italian.
    "articoli correlati",
    "articoli simili",
    "leggi anche",
    "potrebbe interessarti",
    "potrebbe interessarti anche",
    "potrebbero interessarti",
    "prodotti correlati",
    "prodotti simili",
    "ti potrebbe interessare",
    // Portuguese.
    "artigos relacionados",
    "conteúdos relacionados",
    "leia também",
    "notícias relacionadas",
    "posts relacionados",
    "produtos relacionados",
    "produtos similares",
    "você também pode gostar",
    "veja também",
    // Dutch.
    "dit vind je misschien ook leuk",
    "gerelateerde artikelen",
    "gerelateerde berichten",
    "gerelateerde producten",
    "lees ook",
    "vergelijkbare producten",
    // Polish.
    "czytaj także",
    "czytaj też",
    "może cię zainteresować",
    "podobne artykuły",
    "podobne produkty",
    "podobne wpisy",
    "polecane artykuły",
    "powiązane artykuły",
    "powiązane produkty",
    "powiązane wpisy",
    // Turkish.
    "benzer haberler",
    "benzer içerikler",
    "benzer ilanlar",
    "benzer yazilar",
    "benzer ürünler",
    "bunlar da ilginizi çekebilir",
    "bunlari da beğenebilirsiniz",
    "bunlara da göz atin",
    "ilgili haberler",
    "ilgili içerikler",
    "ilgili makaleler",
    "ilgili yazilar",
    "ilgili ürünler",
    "ilginizi çekebilir",
    "önerilen içerikler",
    "önerilen yazilar",
    "önerilen ürünler",
    // Russian.
    "вам может понравиться",
    "вас может заинтересовать",
    "похожие записи",
    "похожие статьи",
    "похожие товары",
    "с этим товаром покупают",
    "читайте также",
    // Arabic.
    "اقرأ أيضا",
    "اقرأ أيضاً",
    "قد يعجبك أيضا",
    "قد يعجبك أيضاً",
    "مقالات ذات صلة",
    "منتجات ذات صلة",
    "مواضيع ذات صلة",
    // Japanese, Chinese, Korean.
    "あわせて読みたい",
    "おすすめ記事",
    "よく一緒に購入されている商品",
    "関連コンテンツ",
    "関連商品",
    "関連記事",
    "延伸閱讀",
    "推荐阅读",
    "推薦閱讀",
    "猜你喜欢",
    "相关产品",
    "相关推荐",
    "相关文章",
    "相關文章",
    "관련 글",
    "관련 기사",
    "관련 상품",
    "관련기사",
    "추천 상품",
    "함께 본 상품",
];

/// Headings over what is new or much read.
const FEEDS: &[&str] = &[
    "don't miss",
    "editor's picks",
    "editors' picks",
    "explore more",
    "featured articles",
    "featured posts",
    "featured stories",
    "from our blog",
    "from the blog",
    "in other news",
    "latest articles",
    "latest blog posts",
    "latest blogs",
    "latest insights",
    "latest news",
    "latest posts",
    "latest stories",
    "more articles",
    "more blog posts",
    "more insights",
    "more news",
    "more posts",
    "more resources",
    "more stories",
    "more to explore",
    "more to read",
    "most popular",
    "most read",
    "most viewed",
    "popular articles",
    "popular posts",
    "popular stories",
    "recent articles",
    "recent blog posts",
    "recent news",
    "recent posts",
    "recent stories",
    "top stories",
    "trending",
    "trending articles",
    "trending now",
    "trending stories",
    "am beliebtesten",
    "aktuelle beiträge",
    "beliebte artikel",
    "beliebte beiträge",
    "meistgelesen",
    "meistgelesene artikel",
    "neueste artikel",
    "neueste beiträge",
    "weitere nachrichten",
    "weitere themen",
    "articles populaires",
    "articles récents",
    "derniers articles",
    "les plus lus",
    "plus d'articles",
    "entradas recientes",
    "lo más leído",
    "los más leídos",
    "más artículos",
    "más noticias",
    "últimas noticias",
    "articoli recenti",
    "i più letti",
    "ultime notizie",
    "ultimi articoli",
    "mais lidas",
    "mais lidos",
    "posts recentes",
    "últimas notícias",
    "meer nieuws",
    "meest gelezen",
    "meest recente berichten",
    "recente berichten",
    "najczęściej czytane",
    "najnowsze artykuły",
    "najnowsze wpisy",
    "ostatnie wpisy",
    "en çok okunanlar",
    "popüler yazilar",
    "son haberler",
    "son yazilar",
    "последние новости",
    "последние записи",
    "свежие записи",
    "самое читаемое",
    "الأكثر قراءة",
    "أحدث المقالات",
    "人気記事",
    "新着記事",
    "最新記事",
    "最新文章",
    "热门文章",
    "熱門文章",
    "많이 본 기사",
    "많이 본 뉴스",
    "최신 글",
];

/// What headings of such parts begin with.
const FEED_BEGINNINGS: &[&str] = &[
    "more from ",
    "more in ",
    "also on ",
    "also in ",
    "mehr aus ",
    "mehr von ",
    "plus de ",
    "más de ",
];

/// Headings over what is said of an author.
const AUTHORS: &[&str] = &[
    "about author",
    "about the author",
    "about the authors",
    "about the writer",
    "über den autor",
    "über die autorin",
    "über die autoren",
    "zum autor",
    "à propos de l'auteur",
    "à propos de l'autrice",
    "à propos des auteurs",
    "sobre el autor",
    "sobre la autora",
    "acerca del autor",
    "sull'autore",
    "l'autore",
    "sull'autrice",
    "sobre o autor",
    "sobre a autora",
    "over de auteur",
    "o autorze",
    "o autorce",
    "yazar hakkinda",
    "об авторе",
    "عن الكاتب",
    "この記事を書いた人",
    "关于作者",
    "關於作者",
    "글쓴이 소개",
];

/// What a heading says that follows, if it is one of those above.
fn subject(heading: &str) -> Option<Subject> {
    let folded = fold(heading);
    let text = folded.trim_matches(|ch: char| !ch.is_alphanumeric());
    if OTHER_PAGES.contains(&text) {
        return Some(Subject::OtherPages);
    }
    if AUTHORS.contains(&text) {
        return Some(Subject::Author);
    }
    let is_feed = FEEDS.contains(&text)
        || FEED_BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
    is_feed.then_some(Subject::Feed)
}

/// A part below a heading.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadedPart {
    pub(super) subject: Subject,
    /// Those of all its elements.
    pub(super) sums: ElementSums,
}

/// The parts of a page below such headings.
#[derive(Debug, Default)]
pub(super) struct HeadedParts {
    parts: Vec<HeadedPart>,
    /// Places of parts, by each of their outermost elements.
    places: HashMap<NodeId, usize>,
}

impl HeadedParts {
    pub(super) fn find(tree: &Tree, measures: &Measures) -> Self {
        let mut parts = Self::default();
        for heading in measures.short_lines(MAX_HEADING_CHARS) {
            if parts.parts.len() == MAX_PARTS {
                break;
            }
            let Some(subject) = subject(&tree.text_of(heading, usize::MAX)) else { continue };
            let nodes = nodes_below(tree, measures, heading);
            let place = parts.parts.len();
            let mut sums = ElementSums::default();
            for node in nodes {
                sums.add(measures.sums(node));
                parts.places.entry(node).or_insert(place);
            }
            parts.parts.push(HeadedPart { subject, sums });
        }
        parts
    }

    /// The part that an element is or belongs to.
    pub(super) fn of(&self, id: NodeId) -> Option<HeadedPart> {
        let place = self.places.get(&id)?;
        self.parts.get(*place).copied()
    }
}

/// What is below a heading: what is beside it or beside what holds nothing but it, of one kind.
fn nodes_below(tree: &Tree, measures: &Measures, heading: NodeId) -> Vec<NodeId> {
    let mut head = heading;
    for _ in 0..MAX_AROUND {
        let Some(around) = tree.parent(head) else { break };
        let (before, after) = beside(tree, measures, around, head);
        let is_long = |id: &NodeId| measures.sums(*id).shown() >= MIN_PART_CHARS;
        if let Some(first) = after.iter().position(is_long) {
            let below = after.get(first..).unwrap_or_default();
            let kind = below.first().map(|id| kind(tree, *id));
            let alike = below.iter().take_while(|id| Some(self::kind(tree, **id)) == kind);
            let nodes: Vec<NodeId> = alike.copied().collect();
            let is_all = before == 0 && nodes.len() == below.len();
            return if is_all && tree.element(around).is_some() { vec![around] } else { nodes };
        }
        if before > 0 {
            break;
        }
        head = around;
    }
    Vec::new()
}

/// How many elements with text there are before a child, and those after it.
fn beside(tree: &Tree, measures: &Measures, around: NodeId, child: NodeId) -> (usize, Vec<NodeId>) {
    let shown = tree.children(around).filter(|id| *id == child || measures.sums(*id).shown() > 0);
    let shown: Vec<NodeId> = shown.take(MAX_SIBLINGS).collect();
    let Some(at) = shown.iter().position(|id| *id == child) else {
        return (usize::MAX, Vec::new());
    };
    (at, shown.into_iter().skip(at + 1).collect())
}

fn kind(tree: &Tree, id: NodeId) -> u64 {
    tree.element(id).map_or(0, |element| siblings::kind(&element.name(), element))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Document;
    use crate::page::content::Content;

    const PARAGRAPH: &str = "<p>The mill grinds two tonnes of rye each day, and what it does not sell by the \
                             evening goes to the bakery beside it, which bakes through the night.</p>";

    fn read(html: &str) -> Content {
        Document::parse(html.as_bytes(), None).content()
    }

    fn has(content: &Content, text: &str) -> bool {
        content.blocks.iter().any(|block| block.text.contains(text))
    }

    fn cards(count: usize) -> String {
        let card = |at| {
            format!(
                "<li><a href=/bread/{at}>Bread of the week {at}</a><p>How it is baked in the oven of the village, \
                 and why it keeps for a week and longer than that, number {at}.</p></li>"
            )
        };
        (1..=count).map(card).collect()
    }

    #[test]
    fn a_heading_says_that_it_is_about_other_pages() {
        for (heading, found) in [
            ("Related articles", Some(Subject::OtherPages)),
            ("YOU MAY ALSO LIKE…", Some(Subject::OtherPages)),
            ("İlgili Yazılar", Some(Subject::OtherPages)),
            ("Das könnte Sie auch interessieren:", Some(Subject::OtherPages)),
            ("関連記事", Some(Subject::OtherPages)),
            ("More from the bakery", Some(Subject::Feed)),
            ("Most read", Some(Subject::Feed)),
            ("Über die Autorin", Some(Subject::Author)),
            ("Related work", None),
            ("Related articles of the law", None),
            ("About the mill", None),
            ("See also", None),
            ("", None),
        ] {
            assert_eq!(subject(heading), found, "{heading}");
        }
    }

    #[test]
    fn what_is_below_such_a_heading_is_not_the_page() {
        let text = PARAGRAPH.repeat(6);
        for (heading, list) in [
            ("<h2>Related articles</h2>", format!("<ul>{}</ul>", cards(3))),
            ("<div class=head><h3>You may also like</h3></div>", format!("<ul>{}</ul>", cards(3))),
            ("<p>Read next</p>", format!("<ul>{}</ul>", cards(3))),
            ("<h2>Benzer ürünler</h2><a href=/all>Hepsi</a>", format!("<ul>{}</ul>", cards(3))),
        ] {
            for page in [
                format!("<section>{heading}{list}</section>"),
                format!("{heading}{list}<h2>Delivery</h2><p>The day after.</p>"),
            ] {
                let content = read(&format!("<main><h1>Rye</h1>{text}{page}</main>"));
                assert!(!has(&content, "Bread of the week"), "{page}");
                assert_eq!(has(&content, "The day after."), page.contains("after."), "{page}");
            }
        }
        let author = "<div><h3>About the author</h3><p>Ines has baked in three countries and writes about bread and \
                      the people who bake it, most of all in the north.</p></div>";
        let content = read(&format!("<main><h1>Rye</h1>{}{author}</main>", PARAGRAPH.repeat(16)));
        assert!(!has(&content, "three countries"));
    }

    /// What honest pages have below headings that read the same.
    #[test]
    fn what_is_the_page_is_read_below_such_a_heading() {
        let text = PARAGRAPH.repeat(6);
        for page in [
            // The page is the list.
            format!(
                "<h1>Rye</h1><p>All about it.</p><h2>Related articles</h2><ul>{}</ul>",
                cards(9)
            ),
            format!("<h1>Blog</h1><h2>Latest posts</h2><ul>{}</ul>", cards(9)),
            format!("<h1>The mill</h1>{text}<h2>Latest news</h2><ul>{}</ul>", cards(9)),
            // No links: a part of the text.
            format!(
                "<h1>Rye</h1>{text}<h2>Related</h2><p>Bread of the week 1 is made of rye, too, and so is \
                     every other that the bakery has on Sundays.</p>"
            ),
            // Texts that are longer than teasers.
            format!(
                "<h1>Rye</h1>{text}<h2>Related products</h2><div>Bread of the week 1 {} \
                     <a href=/a>Order</a></div>",
                PARAGRAPH.repeat(3)
            ),
            // The title of the page is below it.
            format!(
                "{text}<h2>Recommended for you</h2><div><h1>Rye</h1><a href=/a>Bread of the week 1</a> \
                     and all that belongs to it, with butter and salt.</div>"
            ),
        ] {
            let content = read(&format!("<main>{page}</main>"));
            let is_read = has(&content, "Bread of the week 1")
                && content.dropped.iter().all(|part| part.rule != "further");
            assert!(is_read, "{page}");
        }
        let page = "<main><h1>Ines</h1><div><h3>About the author</h3><p>Ines has baked in three countries and writes \
                    about bread and the people who bake it.</p></div></main>";
        assert!(has(&read(page), "three countries"));
    }
}
