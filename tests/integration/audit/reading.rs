//! What an engine reads of a page and what it leaves out are together all that people see: each word once.

use std::collections::BTreeMap;

use scraper::node::Node;
use scraper::{ElementRef, Html};
use visibility_core::page::Document;
use visibility_tests::pages;
use visibility_tests::pages::languages::languages;

/// Elements whose text no reader sees, or not as text of the page.
const UNSEEN: [&str; 18] = [
    "audio", "canvas", "datalist", "head", "iframe", "math", "noembed", "noframes", "noscript",
    "object", "script", "select", "style", "svg", "template", "title", "video", "wbr",
];

/// Words of a text, and how often each is there.
fn count(words: &mut BTreeMap<String, i64>, text: &str, by: i64) {
    let found = text.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in found {
        *words.entry(word.to_owned()).or_default() += by;
    }
}

/// Elements that do not part the words around them.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "ins", "kbd",
    "mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "u",
];

/// The text that a browser shows, by another parser: words of different blocks are apart.
fn seen(html: &str) -> String {
    let mut text = String::new();
    add_seen(Html::parse_document(html).root_element(), &mut text);
    text
}

fn add_seen(element: ElementRef<'_>, text: &mut String) {
    let value = element.value();
    let is = |name: &str, expected: &str| {
        let value = value.attr(name).unwrap_or_default().to_ascii_lowercase();
        value.split_whitespace().collect::<String>().contains(expected)
    };
    let is_hidden = value.attr("hidden").is_some()
        || is("aria-hidden", "true")
        || is("style", "display:none")
        || is("style", "visibility:hidden")
        || (value.name() == "dialog" && value.attr("open").is_none());
    if UNSEEN.contains(&value.name()) {
        return;
    }
    let gap = if INLINE.contains(&value.name()) { "" } else { "\n" };
    text.push_str(gap);
    // Two texts of several words are apart, though nothing is between their elements.
    let has_words = |element: ElementRef<'_>| {
        element.text().collect::<String>().trim().contains(char::is_whitespace)
    };
    let before = element.prev_sibling().and_then(ElementRef::wrap);
    if has_words(element) && before.is_some_and(has_words) {
        text.push('\n');
    }
    for child in element.children().filter(|_| !is_hidden) {
        match (child.value(), ElementRef::wrap(child)) {
            (Node::Text(piece), _) => text.push_str(piece),
            (_, Some(element)) => add_seen(element, text),
            _ => {}
        }
    }
    text.push_str(gap);
}

/// Words that are read or left out more or less often than they are seen.
fn differences(html: &str, seen: &str) -> BTreeMap<String, i64> {
    let document = Document::parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    let content = document.content();
    let mut words = BTreeMap::new();
    count(&mut words, seen, 1);
    for block in &content.blocks {
        count(&mut words, &block.text, -1);
    }
    for part in &content.dropped {
        count(&mut words, &document.shown_text_of(part.node, usize::MAX), -1);
    }
    words.retain(|_, times| *times != 0);
    words
}

#[test]
fn what_is_read_and_what_is_left_out_is_the_text_of_the_page() {
    let all = [
        pages::article(),
        pages::product(),
        pages::turkish_product(),
        pages::landing(),
        pages::shell(),
        pages::shop(7),
        pages::large_product(200_000),
    ];
    // Of pages that scripts fill, readers without scripts see what is in `noscript`.
    let languages = languages().map(|page| (page.html(), page.html().replace("noscript>", "div>")));
    let all: Vec<(String, String)> =
        all.into_iter().map(|html| (html.clone(), html)).chain(languages).collect();
    assert!(all.len() >= 20);
    for (html, shown) in all {
        let beginning: String = html.chars().take(200).collect();
        assert_eq!(differences(&html, &seen(&shown)), BTreeMap::new(), "{beginning}");
    }
}

#[test]
fn text_in_unusual_places_is_neither_lost_nor_there_twice() {
    let post = "The machine heats in 25 seconds and costs 349 EUR, I have had it for a year.";
    for html in [
        "before<main><p>within</main>after",
        "one<div>two<main>three<nav>four<div class=ad>five</div></nav></main>six</div>seven",
        "<main><p>a<nav>b <span hidden>c</span> d</nav>e</main>",
        "<nav hidden>a<p>b</nav><p>c",
        "<main><button>a</button><textarea>b</textarea><label>c</label><select><option>d</select></main>",
        "<details><summary>a</summary>b</details><dialog>c</dialog><dialog open>d</dialog>",
        "<table><caption>a<tr><th>b<td>c<tr><td>d</table>e",
        "<ul><li>a<ul><li>b</ul>c</ul><dl><dt>d<dd>e</dl><pre>f\ng</pre>",
        "<article><p>a</article><article><p>b</article><footer>c</footer>d",
        "<p>a<svg><text>b</text></svg>c<noscript>Please turn on JavaScript</noscript>",
        "<p>a</p><form><noscript>Please turn on JavaScript</noscript>b</form><footer>c</footer>",
        &format!("<p>{post}</p><blockquote><p>{post}</p></blockquote>"),
        &format!("<p>{post}</p><blockquote>{post}<footer>Ann</footer></blockquote>"),
        &format!("<ul><li>{post}<li>{post}<ul><li>x</ul></ul>"),
        &format!("<ul><li><b>{post}</b> y<li><b>{post}</b> y</ul>"),
        &format!("<blockquote>{post}<br><br>{post}<br><br>z</blockquote>"),
    ] {
        assert_eq!(differences(html, &seen(html)), BTreeMap::new(), "{html}");
    }
}
