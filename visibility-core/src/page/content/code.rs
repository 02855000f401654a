//! The languages of blocks of code, as pages name them for their highlighters.

use crate::page::element::Element;
use crate::page::tree::{NodeId, Tree};

/// Elements around a `pre` that may name its language.
const MAX_OUTER: usize = 3;
/// Elements within it that are looked at.
const MAX_INNER: usize = 3;
/// Characters of the name of a language.
const MAX_NAME_CHARS: usize = 30;

/// The language of a `pre`: named by itself, the code in it or the boxes around it.
pub(super) fn language(tree: &Tree, pre: NodeId) -> Option<String> {
    let inner =
        std::iter::successors(tree.children(pre).find(|id| tree.element(*id).is_some()), |id| {
            tree.children(*id).find(|id| tree.element(*id).is_some())
        });
    let outer = std::iter::successors(tree.parent(pre), |id| tree.parent(*id));
    let near = std::iter::once(pre).chain(inner.take(MAX_INNER)).chain(outer.take(MAX_OUTER));
    near.filter_map(|id| tree.element(id)).find_map(of_element)
}

fn of_element(element: &Element) -> Option<String> {
    let data = ["data-lang", "data-language"].into_iter().find_map(|name| element.attribute(name));
    let class = || {
        element.attribute("class").unwrap_or_default().split_ascii_whitespace().find_map(of_class)
    };
    data.and_then(name).or_else(class)
}

/// The language in a class, as highlighters write it: `language-rust`, `lang-rust`, `highlight-source-rust`,
/// `highlight-rust`, `brush:rust`.
fn of_class(class: &str) -> Option<String> {
    const PREFIXES: [&str; 6] =
        ["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:"];
    name(PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix))?)
}

/// A name, unless it says that there is none.
fn name(text: &str) -> Option<String> {
    let name = text.trim().trim_end_matches(';').to_ascii_lowercase();
    let is_name = name.starts_with(|ch: char| ch.is_ascii_alphabetic())
        && name
            .chars()
            .all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '+' | '#' | '-' | '.' | '_'))
        && name.len() <= MAX_NAME_CHARS;
    (is_name && !["none", "default", "notranslate"].contains(&name.as_str())).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::page::Document;

    #[test]
    fn highlighters_name_languages() {
        for (html, expected) in [
            ("<pre><code class=language-Rust>a</code></pre>", Some("rust")),
            ("<pre class='prettyprint lang-c++'>a</pre>", Some("c++")),
            ("<div class='highlight highlight-source-shell'><pre>a</pre></div>", Some("shell")),
            (
                "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>a</code></pre></div></div>",
                Some("ruby"),
            ),
            ("<div class=highlight><pre><code data-lang=toml>a</code></pre></div>", Some("toml")),
            ("<div class=highlight-default><pre>a</pre></div>", None),
            ("<pre><code class=language-none>a</code></pre>", None),
            ("<pre><code class='hljs'>a</code></pre>", None),
            ("<div class='language-switch <b>'><pre>a</pre></div>", Some("switch")),
            ("<pre>a</pre>", None),
        ] {
            let html = format!("<main><h1>x</h1><p>Some text.</p>{html}</main>");
            let content = Document::parse(html.as_bytes(), None).content();
            let block = content.blocks.last().unwrap();
            assert_eq!(block.code_language.as_deref(), expected, "{html}");
        }
    }
}
