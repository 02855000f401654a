//! The title, the markup and the amount of text of a small page, without parsing it.

use crate::fetch::lossy;

/// What is left of a page without its text.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Skeleton {
    /// The first title, in lower case.
    pub(super) title: String,
    /// Tags and scripts, in lower case; comments are left out.
    pub(super) markup: String,
    /// Characters that a reader may see; runs of white space count once.
    pub(super) text_chars: usize,
}

/// Elements whose content is not markup: its name, and whether the content is code.
const RAW: [(&str, TextContent); 4] = [
    ("script", TextContent::Code),
    ("style", TextContent::Nothing),
    ("title", TextContent::Title),
    ("noscript", TextContent::Nothing),
];

#[derive(Clone, Copy)]
enum TextContent {
    Code,
    Nothing,
    Title,
}

impl Skeleton {
    /// Reads a page in one pass.
    pub(super) fn parse(body: &[u8]) -> Self {
        let page = lossy(body).to_ascii_lowercase();
        let mut skeleton = Self::default();
        let mut rest = page.as_str();
        while let Some((text, tag)) = rest.split_once('<') {
            skeleton.text(text);
            rest = match tag.strip_prefix("!--") {
                Some(comment) => comment.split_once("-->").unwrap_or_default().1,
                None => skeleton.element(tag),
            };
        }
        skeleton.text(rest);
        skeleton
    }

    /// Takes a tag and, of some elements, the content; gives what is behind.
    fn element<'a>(&mut self, tag: &'a str) -> &'a str {
        let (inside, behind) = tag.split_once('>').unwrap_or((tag, ""));
        self.markup.push('<');
        self.markup.push_str(inside);
        let name = inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let Some((name, content)) = RAW.iter().find(|(raw, _)| *raw == name) else {
            return behind;
        };
        let end = behind.find(&format!("</{name}")).unwrap_or(behind.len());
        let (inside, behind) = behind.split_at_checked(end).unwrap_or((behind, ""));
        match content {
            TextContent::Code => self.markup.push_str(inside),
            TextContent::Title if self.title.is_empty() => {
                inside.trim().clone_into(&mut self.title);
            }
            TextContent::Title | TextContent::Nothing => {}
        }
        behind
    }

    fn text(&mut self, text: &str) {
        self.text_chars +=
            text.split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_markup_are_distinguished() {
        let page = Skeleton::parse(
            b"<html><head><TITLE> Hi </TITLE><style>x{}</style></head><body a=B>one  two\
              <!-- three --><script>Four<5</script><noscript>six</noscript></body>",
        );
        assert_eq!(page.title, "hi");
        assert_eq!(page.text_chars, 8);
        assert!(page.markup.contains("<body a=b") && page.markup.contains("four<5"));
        assert!(!page.markup.contains("three") && !page.markup.contains("six"));
    }

    #[test]
    fn an_unfinished_page_ends() {
        for page in ["<", "<!--", "<script", "<script>x", "<title>y", "a<b", "<<<>>>", ""] {
            Skeleton::parse(page.as_bytes());
        }
        assert_eq!(Skeleton::parse(b"<title>y").title, "y");
    }
}
