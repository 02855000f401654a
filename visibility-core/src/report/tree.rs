//! The elements of a document as an indented list, for snapshots that a reviewer can read.

use std::fmt::Write;

use scraper::{Html, Node};

/// Each element of a document on a line of its own, with its attributes by name, and each text as a quotation. Left
/// out are the rules of a style sheet, and line breaks between elements.
pub(super) fn tree(html: &str) -> String {
    let document = Html::parse_document(html);
    let mut lines = String::new();
    // Nodes still to write, the next one last, each with its depth.
    let mut waiting = vec![(document.tree.root(), 0_usize)];
    while let Some((node, depth)) = waiting.pop() {
        let indent = "  ".repeat(depth);
        let mut next_depth = depth;
        match node.value() {
            Node::Element(element) => {
                let mut attributes: Vec<(&str, &str)> = element.attrs().collect();
                attributes.sort_unstable();
                write!(lines, "{indent}{}", element.name()).expect("a string takes everything");
                for (name, value) in attributes {
                    write!(lines, " {name}={value:?}").expect("a string takes everything");
                }
                lines.push('\n');
                if element.name() == "style" {
                    continue;
                }
                next_depth += 1;
            }
            Node::Text(text) => {
                let is_exact = node.parent().is_some_and(|parent| {
                    parent.value().as_element().is_some_and(|element| element.name() == "pre")
                });
                let text = if is_exact { text.to_string() } else { shown_text(text) };
                if !text.is_empty() {
                    writeln!(lines, "{indent}{text:?}").expect("a string takes everything");
                }
            }
            Node::Document => {}
            other => writeln!(lines, "{indent}{other:?}").expect("a string takes everything"),
        }
        let children: Vec<_> = node.children().collect();
        waiting.extend(children.into_iter().rev().map(|child| (child, next_depth)));
    }
    lines
}

/// The elements of a document, each with the names of its attributes and without their values.
pub(super) fn shape(html: &str) -> Vec<String> {
    let document = Html::parse_document(html);
    let elements = document.tree.nodes().filter_map(|node| node.value().as_element());
    elements
        .map(|element| {
            let mut names: Vec<&str> = element.attrs().map(|(name, _)| name).collect();
            names.sort_unstable();
            format!("{} {}", element.name(), names.join(" "))
        })
        .collect()
}

/// A text with single blanks. Blanks at its ends count, unless a line breaks there: those stand between blocks.
fn shown_text(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let body = text.trim();
    let (before, after) = match text.split_once(body) {
        Some((before, after)) if !body.is_empty() => (before, after),
        _ => (text, ""),
    };
    let blank = |edge: &str| if edge.is_empty() || edge.contains('\n') { "" } else { " " };
    format!("{}{}{}", blank(before), words.join(" "), blank(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_texts_count_and_line_breaks_between_them_do_not() {
        let close = tree("<p id=a class='b'>One <b>two</b> three</p><pre>a\n b</pre>");
        let apart = tree("<p class=b id=a>\nOne <b>two</b> three\n</p>\n<pre>a\n b</pre>\n");
        assert_eq!(close, apart);
        for other in [
            "<p id=a class='b'>One<b>two</b> three</p><pre>a\n b</pre>",
            "<p id=a>One <b>two</b> three</p><pre>a\n b</pre>",
            "<p id=a class='b'>One <i>two</i> three</p><pre>a\n b</pre>",
            "<p id=a class='b'>One <b>two</b> three</p><pre>a\nb</pre>",
        ] {
            assert_ne!(close, tree(other), "{other}");
        }
    }
}
