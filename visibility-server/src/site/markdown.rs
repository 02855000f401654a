//! Renders our Markdown as HTML and rewrites its links to the addresses of the site.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What Markdown becomes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct RenderedMarkdown {
    /// Text of the first heading of level 1.
    pub(super) title: String,
    /// HTML of everything.
    pub(super) html: String,
}

const OPTIONS: Options = Options::ENABLE_TABLES;

/// Renders a text; `link` says where a link leads instead. Headings can be linked to, tables scroll,
/// and HTML in the text is shown as text.
pub(super) fn render(text: &str, link: impl Fn(&str) -> Option<String>) -> RenderedMarkdown {
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, OPTIONS).collect();
    let headings = headings(&events);
    let mut ids = headings.iter().map(|heading| heading.id.clone());
    for event in &mut events {
        match event {
            Event::Start(Tag::Heading { id, .. }) => *id = ids.next().map(CowStr::from),
            Event::Start(Tag::Link { dest_url, .. }) => {
                if let Some(target) = link(dest_url) {
                    *dest_url = target.into();
                }
            }
            Event::Start(Tag::HtmlBlock) => *event = Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => *event = Event::End(TagEnd::Paragraph),
            Event::Html(text) | Event::InlineHtml(text) => *event = Event::Text(text.clone()),
            _ => {}
        }
    }
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events.into_iter().flat_map(scrolling));
    let first = headings.into_iter().find(|heading| heading.level == HeadingLevel::H1);
    RenderedMarkdown { title: first.map(|heading| heading.text).unwrap_or_default(), html }
}

/// The text with other targets in its links, and nothing else changed.
pub(super) fn relink(text: &str, link: impl Fn(&str) -> Option<String>) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
        let Some(target) = link(&dest_url) else { continue };
        // The target comes last in `[words](target)`.
        let found = text.get(range.clone()).and_then(|whole| whole.rfind(&format!("({dest_url}")));
        let Some(start) = found.map(|offset| range.start + offset + 1) else { continue };
        changed.push_str(text.get(done..start).unwrap_or_default());
        changed.push_str(&target);
        done = start + dest_url.len();
    }
    changed.push_str(text.get(done..).unwrap_or_default());
    changed
}

/// A table in an element that scrolls sideways, so that a narrow screen keeps its page in place. It and code can have
/// the focus, since who has no mouse scrolls them with the arrow keys.
fn scrolling(event: Event<'_>) -> impl Iterator<Item = Event<'_>> {
    let events = match event {
        Event::Start(Tag::Table(_)) => {
            vec![Event::Html("<div class=\"scroll\" tabindex=\"0\">\n".into()), event]
        }
        Event::Start(Tag::CodeBlock(kind)) => {
            let language = match kind {
                CodeBlockKind::Fenced(language) => language,
                CodeBlockKind::Indented => "".into(),
            };
            if language.is_empty() {
                vec![Event::Html("<pre tabindex=\"0\"><code>".into())]
            } else {
                let start = Event::Html("<pre tabindex=\"0\"><code class=\"language-".into());
                vec![start, Event::Text(language), Event::Html("\">".into())]
            }
        }
        Event::End(TagEnd::CodeBlock) => vec![Event::Html("</code></pre>\n".into())],
        Event::End(TagEnd::Table) => vec![event, Event::Html("</div>\n".into())],
        event => vec![event],
    };
    events.into_iter()
}

struct Heading {
    level: HeadingLevel,
    text: String,
    id: String,
}

/// The headings with the ids that code hosts give them, each id once.
fn headings(events: &[Event<'_>]) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut is_inside = false;
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                headings.push(Heading { level: *level, text: String::new(), id: String::new() });
                is_inside = true;
            }
            Event::End(TagEnd::Heading(_)) => is_inside = false,
            Event::Text(text) | Event::Code(text) if is_inside => {
                if let Some(heading) = headings.last_mut() {
                    heading.text.push_str(text);
                }
            }
            _ => {}
        }
    }
    let mut seen: Vec<String> = Vec::new();
    for heading in &mut headings {
        let slug = slug(&heading.text);
        let before = seen.iter().filter(|known| **known == slug).count();
        heading.id = if before == 0 { slug.clone() } else { format!("{slug}-{before}") };
        seen.push(slug);
    }
    headings
}

fn slug(text: &str) -> String {
    let text = text.to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        render(text, |_| None).html
    }

    #[test]
    fn headings_can_be_linked_to() {
        let rendered = render("# A `b`, c\n\n## Speed, and size\n\n## Speed, and size\n", |_| None);
        assert_eq!(rendered.title, "A b, c");
        assert!(rendered.html.contains("<h1 id=\"a-b-c\">"), "{}", rendered.html);
        assert!(rendered.html.contains("<h2 id=\"speed-and-size\">"), "{}", rendered.html);
        assert!(rendered.html.contains("<h2 id=\"speed-and-size-1\">"), "{}", rendered.html);
    }

    #[test]
    fn tables_scroll() {
        let html = html("| a |\n|---|\n| b |\n");
        assert!(html.starts_with("<div class=\"scroll\" tabindex=\"0\">\n<table>"), "{html}");
        assert!(html.ends_with("</table>\n</div>\n"), "{html}");
    }

    #[test]
    fn code_scrolls_and_is_text() {
        let fenced = "<pre tabindex=\"0\"><code class=\"language-sh\">a &lt;b&gt;\n</code></pre>\n";
        assert_eq!(html("```sh\na <b>\n```\n"), fenced);
        assert_eq!(html("    a\n"), "<pre tabindex=\"0\"><code>a\n</code></pre>\n");
    }

    #[test]
    fn markup_in_the_text_is_text() {
        for text in ["<script>alert(1)</script>\n", "a <b onclick=x>c</b>\n", "<!-- a -->\n"] {
            let html = html(text);
            assert!(html.starts_with("<p>"), "{html}");
            assert!(!html.contains("<script") && !html.contains("<b ") && !html.contains("<!"));
        }
    }

    #[test]
    fn links_lead_elsewhere_in_both_forms() {
        let text = "See [`a` (b)](a.md#x \"Title\"), [c](https://c/) and `[d](a.md)`.\n\n[a](a.md)";
        let link = |target: &str| target.strip_prefix("a.md").map(|rest| format!("/a{rest}"));
        let expected = "See [`a` (b)](/a#x \"Title\"), [c](https://c/) and `[d](a.md)`.\n\n[a](/a)";
        assert_eq!(relink(text, link), expected);
        let html = render(text, link).html;
        assert!(html.contains("<a href=\"/a#x\" title=\"Title\">"), "{html}");
        assert!(html.contains("<code>[d](a.md)</code>"), "{html}");
    }
}
