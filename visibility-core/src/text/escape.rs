//! Escapes untrusted text for each output format.
//!
//! Sentences of reports mark code with backticks, as Markdown does, and values that a site chose may
//! are in them. A value with a backtick can move where code begins and ends; it can do no more,
//! since both parts are escaped.

use std::borrow::Cow;

use crate::text::excerpt::is_unprintable;

/// A part of a sentence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Span<'a> {
    /// Prose.
    Text(&'a str),
    /// What was between backticks.
    Code(&'a str),
}

/// Splits a sentence at its backticks. An odd backtick is prose.
pub fn spans(sentence: &str) -> Vec<Span<'_>> {
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some((text, (code, after))) = rest
        .split_once('`')
        .and_then(|(text, tail)| tail.split_once('`').map(|split| (text, split)))
    {
        found.push(Span::Text(text));
        found.push(Span::Code(code));
        rest = after;
    }
    found.push(Span::Text(rest));
    found.retain(|span| !matches!(span, Span::Text("") | Span::Code("")));
    found
}

/// What shows nothing and can carry a message all the same: soft hyphens, joiners, fillers, selectors of
/// variants, tags.
pub fn is_hidden(ch: char) -> bool {
    matches!(
        ch,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether a character can neither end a quotation nor begin markup.
pub fn is_safe(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || matches!(ch, ' ' | '.' | '_' | '/' | ':' | '-')
}

/// One line without what hides, and without control characters and characters that turn text: each of
/// those becomes a space.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(|ch| is_unprintable(ch) || is_hidden(ch)) {
        let shown = text.chars().filter(|ch| !is_hidden(*ch));
        shown.map(|ch| if is_unprintable(ch) { ' ' } else { ch }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// Like [`printable`], but line ends and tabs stay.
pub fn printable_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let keep = |ch| matches!(ch, '\n' | '\t');
    let shown = text.chars().filter(|ch| !is_hidden(*ch));
    shown.map(|ch| if is_unprintable(ch) && !keep(ch) { ' ' } else { ch }).collect()
}

/// JSON with its invisible characters escaped, so that a terminal that shows it obeys none of them. The value
/// is the same: outside of strings JSON has no such characters.
pub fn json(text: &str) -> Cow<'_, str> {
    use std::fmt::Write;

    let is_escaped = |ch: char| !ch.is_ascii() && (is_unprintable(ch) || is_hidden(ch));
    // Most lines are ASCII, which is seen much faster.
    if !text.lines().any(|line| !line.is_ascii() && line.chars().any(is_escaped)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for ch in text.chars() {
        if is_escaped(ch) {
            for unit in ch.encode_utf16(&mut [0; 2]) {
                // A string takes everything.
                _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(ch);
        }
    }
    Cow::Owned(escaped)
}

/// Text for an HTML element or a quoted attribute, in one line.
pub fn html(text: &str) -> String {
    html_entities(&printable(text))
}

/// Text for an HTML `pre` element.
pub fn html_lines(text: &str) -> String {
    html_entities(&printable_lines(text))
}

/// A sentence for HTML; what is between backticks becomes `code`.
pub fn html_sentence(sentence: &str) -> String {
    spans(sentence)
        .into_iter()
        .map(|span| match span {
            Span::Text(text) => html(text),
            Span::Code(code) => format!("<code>{}</code>", html(code)),
        })
        .collect()
}

/// The text of which the functions above made text for HTML.
pub(crate) fn from_html_entities(text: &str) -> String {
    // `&amp;` last, so that `&amp;lt;` becomes `&lt;`.
    const ENTITIES: [(&str, &str); 5] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, ch)| text.replace(entity, ch))
}

fn html_entities(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(ch),
        }
    }
    escaped
}

/// Where a piece of Markdown is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MarkdownContext {
    /// At the start of a paragraph or a list item, where `#` or `1.` would begin a block.
    Start,
    /// Within a line.
    Inline,
    /// In a cell of a table, which a pipe ends even within code.
    Cell,
}

/// A sentence for Markdown; what is between backticks stays code.
pub fn markdown_sentence(sentence: &str, place: MarkdownContext) -> String {
    let parts = spans(sentence);
    let mut written = String::new();
    for (index, span) in parts.into_iter().enumerate() {
        match span {
            Span::Text(text) if index == 0 && place == MarkdownContext::Start => {
                written.push_str(&markdown_start(&markdown_text(text)));
            }
            Span::Text(text) => written.push_str(&markdown_text(text)),
            Span::Code(code) => written.push_str(&markdown_code(code, place)),
        }
    }
    written
}

/// Text as Markdown that shows it letter by letter: no markup, no link, no mention of a user.
pub fn markdown_text(text: &str) -> String {
    let text = printable(text);
    let mut escaped = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '$' | '&' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(ch);
            }
            // A zero-width space: forges notify users whose names follow the sign.
            '@' => escaped.push_str("@&#8203;"),
            _ => escaped.push(ch),
        }
    }
    // Bare addresses become links in GitHub's dialect.
    escaped.replace("://", "\\://").replace("www.", "www\\.")
}

/// Markdown of [`markdown_text`] for people who read it as it is: without what keeps its text from being markup.
pub(crate) fn markdown_plain(markdown: &str) -> String {
    let markdown = markdown.replace("@&#8203;", "@");
    let mut plain = String::with_capacity(markdown.len());
    let mut chars = markdown.chars().peekable();
    while let Some(ch) = chars.next() {
        let escaped = chars.next_if(|next| ch == '\\' && next.is_ascii_punctuation());
        plain.push(escaped.unwrap_or(ch));
    }
    plain
}

/// Markdown within a line at the start of a block, where some characters begin a list, a quote or a heading.
pub(crate) fn markdown_start(inline: &str) -> String {
    let escaped = inline.trim_start().to_owned();
    let digits = escaped.chars().take_while(char::is_ascii_digit).count();
    match escaped.chars().nth(digits) {
        Some('#' | '+' | '-' | '=' | ':') if digits == 0 => format!("\\{escaped}"),
        Some(mark @ ('.' | ')')) if digits > 0 => {
            let (number, rest) = escaped.split_once(mark).unwrap_or((&escaped, ""));
            format!("{number}\\{mark}{rest}")
        }
        _ => escaped,
    }
}

/// A code span that holds exactly this text; nothing for an empty text.
pub fn markdown_code(text: &str, place: MarkdownContext) -> String {
    let text = printable(text);
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let body = match place {
        MarkdownContext::Start | MarkdownContext::Inline => text.to_owned(),
        MarkdownContext::Cell => text.replace('|', "\\|"),
    };
    format!("{fence}{pad}{body}{pad}{fence}")
}

/// A fenced block that holds exactly this text.
pub fn markdown_block(text: &str, label: &str) -> String {
    let text = printable_lines(text);
    let fence = "`".repeat((longest_run(&text, '`') + 1).max(3));
    format!("{fence}{label}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for ch in text.chars() {
        run = if ch == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_of_json_are_escaped_and_its_value_stays() {
        let value = serde_json::json!({ "a": "x\u{202e}y\u{9b}\u{ad}\u{e0041}\u{1b}ç\n" });
        let plain = value.to_string();
        let escaped = json(&plain);
        assert_eq!(escaped, "{\"a\":\"x\\u202ey\\u009b\\u00ad\\udb40\\udc41\\u001bç\\n\"}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
        assert!(matches!(json("{\"a\":\"ç\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn markdown_without_its_escapes_is_the_text() {
        for text in
            ["", "\\$89.00 *or* [less]", "a@b.c & <i>", "https://www.example.com/a_b", "\\", "ç\\ç"]
        {
            assert_eq!(markdown_plain(&markdown_text(text)), text);
        }
    }

    #[test]
    fn backticks_make_code_and_an_odd_one_is_prose() {
        let cases: [(&str, &[Span<'_>]); 5] = [
            ("plain", &[Span::Text("plain")]),
            (
                "served as `a/b`, so",
                &[Span::Text("served as "), Span::Code("a/b"), Span::Text(", so")],
            ),
            ("`a`", &[Span::Code("a")]),
            ("an odd ` one", &[Span::Text("an odd ` one")]),
            ("``x", &[Span::Text("x")]),
        ];
        for (sentence, expected) in cases {
            assert_eq!(spans(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn nothing_that_controls_a_terminal_or_turns_text_is_printable() {
        let hostile = "a\u{1b}[31mb\u{7}\u{202e}c\u{200b}d\u{9b}e\r\nf";
        assert_eq!(printable(hostile), "a [31mb  c d e  f");
        assert_eq!(printable_lines(hostile), "a [31mb  c d e\nf");
    }

    #[test]
    fn what_shows_nothing_is_left_out() {
        let hostile = "so\u{ad}ft\u{fe00}\u{fe0f}\u{34f}\u{3164}\u{e0041}\u{e0101}\u{180e}";
        assert_eq!(printable(hostile), "soft");
        assert_eq!(printable_lines(hostile), "soft");
        assert_eq!(markdown_text(hostile), "soft");
        assert_eq!(markdown_code(hostile, MarkdownContext::Inline), "`soft`");
        assert_eq!(markdown_block(hostile, ""), "```\nsoft\n```\n");
        assert_eq!(html(hostile), "soft");
    }

    #[test]
    fn html_has_no_markup_of_strangers() {
        assert_eq!(
            html_sentence("`<script>` & \"it's\" <b>"),
            "<code>&lt;script&gt;</code> &amp; &quot;it&#39;s&quot; &lt;b&gt;"
        );
    }

    #[test]
    fn markdown_has_no_markup_of_strangers() {
        let cases = [
            ("a|b", r"a\|b"),
            ("<img src=x>", r"\<img src=x\>"),
            ("[click](https://evil.example)", r"\[click\](https\://evil.example)"),
            ("www.evil.example", r"www\.evil.example"),
            ("@someone", "@&#8203;someone"),
            ("# not a heading", r"\# not a heading"),
            ("- not a list", r"\- not a list"),
            ("12. not a list", r"12\. not a list"),
            ("12 is a number", "12 is a number"),
            ("> not a quote", r"\> not a quote"),
            ("two\nlines", "two lines"),
            ("*a* _b_ ~c~ $d$", r"\*a\* \_b\_ \~c\~ \$d\$"),
        ];
        for (text, expected) in cases {
            assert_eq!(markdown_sentence(text, MarkdownContext::Start), expected, "{text}");
        }
    }

    #[test]
    fn a_code_span_outlasts_the_backticks_in_it() {
        let cases = [
            ("a", MarkdownContext::Inline, "`a`"),
            ("a`b", MarkdownContext::Inline, "``a`b``"),
            ("`", MarkdownContext::Inline, "`` ` ``"),
            ("a|b", MarkdownContext::Cell, r"`a\|b`"),
            ("a|b", MarkdownContext::Inline, "`a|b`"),
            (" ", MarkdownContext::Inline, ""),
        ];
        for (text, place, expected) in cases {
            assert_eq!(markdown_code(text, place), expected, "{text}");
        }
        assert_eq!(markdown_block("```\nx", "text"), "````text\n```\nx\n````\n");
    }
}
