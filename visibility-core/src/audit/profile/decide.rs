//! How the kind of a page is told.

use super::products::Products;
use super::{Decision, Profile, sells};
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
/// Words of a paragraph that counts.
const MIN_PARAGRAPH_WORDS: usize = 15;
/// Words in paragraphs of an article that says who wrote it or when.
const MIN_SIGNED_WORDS: usize = 300;
/// Words in paragraphs of an article that does not, and their share in percent.
const MIN_WORDS: usize = 600;
const MIN_PERCENT: usize = 60;

/// Tells the kind of a page. Markup wins over metadata, and that over what can be guessed.
pub(super) fn decide(page: &Page, content: &Content, markup: &Markup) -> Decision {
    let products = Products::of(markup);
    by_products(&products)
        .or_else(|| by_article(markup))
        .or_else(|| by_product_metadata(page, &products))
        .or_else(|| by_collection(&products))
        .or_else(|| by_buttons(page, content))
        .or_else(|| by_article_metadata(page))
        .or_else(|| by_paragraphs(page, content))
        .unwrap_or_else(|| Decision::new(Profile::Landing, "nothing-else"))
}

fn by_products(products: &Products) -> Option<Decision> {
    let name = products.first.as_deref().unwrap_or("–");
    match products.own {
        0 => None,
        1 => Some(Decision::new(Profile::Product, "one-product").with("name", name)),
        2..=MAX_PRODUCTS if products.collection.is_none() && products.listed == 0 => {
            Some(Decision::new(Profile::Product, "few-products").with("count", products.own))
        }
        count => Some(Decision::new(Profile::Collection, "many-products").with("count", count)),
    }
}

/// An outer article, or the one that the page names as its main entity.
fn by_article(markup: &Markup) -> Option<Decision> {
    let nested = |entity: &Entity| {
        let is_page = Family::of_types(&entity.types) == Some(Family::Site);
        let main = markup.objects(&entity.object, "mainEntity").next().filter(|_| is_page)?;
        let types = types_of(main);
        (Family::of_types(&types) == Some(Family::Article)).then_some((types, entity.line))
    };
    let is_article = |entity: &&Entity| Family::of_types(&entity.types) == Some(Family::Article);
    let outer: Vec<&Entity> = markup.outer().filter(is_article).take(MAX_ARTICLES + 1).collect();
    if outer.len() > MAX_ARTICLES {
        return None;
    }
    let first = outer.first().map(|entity| (entity.types.clone(), entity.line));
    let (types, line) = first.or_else(|| markup.outer().take(100).find_map(nested))?;
    let kind = types.into_iter().find(|name| Family::of_type(name) == Some(Family::Article))?;
    Some(Decision::new(Profile::Article, "article-type").with("type", kind).with("line", line))
}

fn by_product_metadata(page: &Page, products: &Products) -> Option<Decision> {
    let is_product = |content: &str| {
        ["product", "og:product", "product.item"]
            .iter()
            .any(|kind| content.eq_ignore_ascii_case(kind))
    };
    let meta = page.metas("og:type").find(|meta| is_product(&meta.content))?;
    let is_list = products.listed > MAX_PRODUCTS;
    (!is_list).then(|| Decision::new(Profile::Product, "og-product").with("line", meta.line))
}

fn by_collection(products: &Products) -> Option<Decision> {
    let (kind, line) = products.collection.as_ref()?;
    Some(
        Decision::new(Profile::Collection, "collection-type").with("type", kind).with("line", line),
    )
}

/// Buttons that sell, beside a price.
fn by_buttons(page: &Page, content: &Content) -> Option<Decision> {
    let of_forms = || page.forms.iter().flat_map(|form| &form.buttons).map(String::as_str);
    let of_content = content.buttons.iter().map(|button| button.text.as_str());
    let selling: Vec<&str> = if content.buttons.is_empty() {
        of_forms().filter(|text| sells(text)).take(50).collect()
    } else {
        of_content.filter(|text| sells(text)).take(50).collect()
    };
    let first = selling.first()?;
    if selling.len() > MAX_BUY_BUTTONS {
        return Some(
            Decision::new(Profile::Collection, "many-buy-buttons").with("count", selling.len()),
        );
    }
    let has_price = !page.prices.is_empty() || !prices(&page.visible_text).is_empty();
    has_price.then(|| Decision::new(Profile::Product, "buy-button").with("text", first))
}

fn by_article_metadata(page: &Page) -> Option<Decision> {
    if let Some(meta) = page.metas("article:published_time").find(|meta| !meta.content.is_empty()) {
        return Some(Decision::new(Profile::Article, "published-time").with("line", meta.line));
    }
    let meta = page.metas("og:type").find(|meta| meta.content.eq_ignore_ascii_case("article"))?;
    Some(Decision::new(Profile::Article, "og-article").with("line", meta.line))
}

fn by_paragraphs(page: &Page, content: &Content) -> Option<Decision> {
    let is_prose = |kind| matches!(kind, BlockKind::Paragraph | BlockKind::Quote);
    let paragraphs = content.blocks.iter().filter(|block| is_prose(block.kind));
    let words: usize =
        paragraphs.map(Block::words).filter(|words| *words >= MIN_PARAGRAPH_WORDS).sum();
    let is_signed = || {
        let has_author = page.metas("author").any(|meta| !meta.content.is_empty());
        has_author || content.times.iter().any(|time| time.is_main)
    };
    if words > MIN_SIGNED_WORDS && is_signed() {
        return Some(Decision::new(Profile::Article, "signed-paragraphs").with("words", words));
    }
    let is_long = words > MIN_WORDS && words * 100 > content.words * MIN_PERCENT;
    is_long.then(|| Decision::new(Profile::Article, "long-paragraphs").with("words", words))
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
            (r#"{"@type":["WebPage","CollectionPage"]}"#.to_owned(), "collection", "collection-type"),
            (yoast("Article"), "article", "article-type"),
            (yoast("BlogPosting"), "article", "article-type"),
            (r#"{"@type":"WebPage","mainEntity":{"@type":"NewsArticle"}}"#.to_owned(), "article", "article-type"),
            (format!("[{},{}]", r#"{"@type":"Article"}"#, listed("")), "article", "article-type"),
            (r#"{"@type":"Blog","blogPost":[{"@type":"BlogPosting"}]}"#.to_owned(), "landing", "nothing-else"),
            (r#"[{"@type":"Article"},{"@type":"Article"},{"@type":"Article"},{"@type":"Article"}]"#.to_owned(), "landing", "nothing-else"),
            (r#"{"@type":"SoftwareApplication"}"#.to_owned(), "landing", "nothing-else"),
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
                "<meta property=article:published_time content=2026-01-01>".to_owned(),
                "article",
                "published-time",
            ),
            ("<meta property=og:type content=article>".to_owned(), "article", "og-article"),
            (format!("<meta property=og:type content=article>{button}"), "product", "buy-button"),
            (
                format!("<meta name=author content=Ada>{}", paragraph.repeat(7)),
                "article",
                "signed-paragraphs",
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
        let snapshot = fixture(&json(&product("a"))).of_kind(Profile::Article);
        assert_eq!(snapshot.audited().decision, Decision::chosen(Profile::Article));
    }

    #[test]
    fn every_reason_has_its_sentence() {
        use crate::locale::{Catalog, Lang};
        let html = json(r#"{"@type":"Article"}"#);
        let decision = fixture(&html).audited().decision;
        for lang in Lang::ALL {
            let text =
                Catalog::of(lang).fill(&["profile_reasons", decision.reason], &decision.values);
            assert!(text.contains("Article") && !text.contains('{'), "{text}");
        }
    }
}
