//! Renders the main content as Markdown, the form that answer engines work with.

use crate::page::content::{Block, BlockKind, BlockPosition, Content};
use crate::text::escape;

/// Columns of a table from which on cells share the last one.
const MAX_COLUMNS: u32 = 64;
/// Spaces for each list around a line.
const INDENT: usize = 4;

/// What the texts of blocks become within a line.
pub(crate) trait InlineText {
    /// The text of a block.
    fn of(&self, block: &Block) -> String;
}

/// Text that stays text, whatever is in it: where others show what a stranger wrote.
struct Escaped;

impl InlineText for Escaped {
    fn of(&self, block: &Block) -> String {
        escape::markdown_text(&block.text)
    }
}

impl Content {
    /// The main content as Markdown. Text stays text: what would be markup in it is escaped.
    pub fn markdown(&self) -> String {
        let mut writer = Writer::new(&Escaped);
        for block in &self.blocks {
            writer.block(block);
        }
        writer.end_table();
        writer.out
    }

    /// Those blocks of the main content that are wanted as Markdown, up to about this many bytes.
    pub(crate) fn markdown_with(
        &self,
        texts: &impl InlineText,
        max_bytes: usize,
        mut is_wanted: impl FnMut(&Block) -> bool,
    ) -> String {
        let mut writer = Writer::new(texts);
        for block in &self.blocks {
            if writer.out.len() > max_bytes {
                break;
            }
            if is_wanted(block) {
                writer.block(block);
            }
        }
        writer.end_table();
        writer.out
    }

    /// The first blocks of [`Content::markdown`]: at most this many characters, and a line that says that
    /// there are more.
    pub(crate) fn markdown_beginning(&self, max_chars: usize) -> String {
        let mut writer = Writer::new(&Escaped);
        let mut end = 0;
        for block in &self.blocks {
            writer.block(block);
            if writer.out.chars().count() > max_chars {
                break;
            }
            end = writer.out.len();
        }
        if end == writer.out.len() {
            writer.end_table();
            return writer.out.trim_end().to_owned();
        }
        // One block alone may be longer.
        let all = writer.out.char_indices().nth(max_chars).map_or(end, |(at, _)| at);
        writer.out.truncate(if end == 0 { all } else { end });
        format!("{}\n\n…", writer.out.trim_end())
    }
}

struct Writer<'t, T> {
    texts: &'t T,
    out: String,
    /// Depths of the lists that are open, the inner ones deeper.
    depths: Vec<u8>,
    /// The kind of the last block.
    last: Option<BlockKind>,
    table: Option<Table>,
}

/// A table that is being written.
#[derive(Debug)]
struct Table {
    number: u32,
    row: u32,
    /// Rows with the columns and texts of their cells.
    rows: Vec<Vec<(u32, String)>>,
    /// Whether all cells of the first row are headings.
    has_head: bool,
}

impl<'t, T: InlineText> Writer<'t, T> {
    fn new(texts: &'t T) -> Self {
        Self { texts, out: String::new(), depths: Vec::new(), last: None, table: None }
    }

    fn block(&mut self, block: &Block) {
        if let BlockPosition::Table { table, row, column } = block.place {
            self.cell(block, [table, row, column]);
            return;
        }
        self.end_table();
        let inline = self.texts.of(block);
        let text = escape::markdown_start(&inline);
        match (block.kind, block.place) {
            (BlockKind::Heading(level), _) => {
                self.line(&format!("{} {text}", "#".repeat(usize::from(level.clamp(1, 6)))));
            }
            (BlockKind::ListItem, BlockPosition::List { depth, number }) => {
                self.item(&text, depth, number);
            }
            (_, BlockPosition::List { depth, .. }) => self.within_item(block, &text, depth),
            (BlockKind::Description, _) if self.last == Some(BlockKind::Term) => {
                // The term has its line already.
                self.out.truncate(self.out.trim_end().len());
                self.out.push_str(": ");
                self.out.push_str(&inline);
                self.out.push('\n');
            }
            (BlockKind::Term, _) => {
                let term = inline.trim_end_matches([':', ' ']);
                self.line(&format!("- **{}**", term.trim()));
            }
            (BlockKind::Description, _) => self.line(&format!("- {text}")),
            (BlockKind::Quote, _) => self.line(&format!("> {text}")),
            (BlockKind::Preformatted, _) => self.line(&fenced(block)),
            _ => self.line(&text),
        }
        self.last = Some(block.kind);
    }

    /// A block of its own, outside lists.
    fn line(&mut self, text: &str) {
        self.depths.clear();
        self.gap();
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn item(&mut self, text: &str, depth: u8, number: Option<u32>) {
        if self.last != Some(BlockKind::ListItem) || self.depths.is_empty() {
            self.gap();
        }
        while self.depths.pop_if(|open| *open >= depth).is_some() {}
        let indent = " ".repeat(INDENT * self.depths.len());
        let mark = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
        self.depths.push(depth);
        self.out.push_str(&format!("{indent}{mark} {text}\n"));
    }

    /// A further block of a list item.
    fn within_item(&mut self, block: &Block, text: &str, depth: u8) {
        while self.depths.pop_if(|open| *open > depth).is_some() {}
        let indent = " ".repeat(INDENT * self.depths.len());
        self.gap();
        let text = match block.kind {
            BlockKind::Preformatted => fenced(block),
            BlockKind::Heading(_) => format!("**{}**", self.texts.of(block)),
            BlockKind::Quote => format!("> {text}"),
            _ => text.to_owned(),
        };
        for line in text.lines() {
            self.out.push_str(&format!("{indent}{line}\n"));
        }
    }

    fn cell(&mut self, block: &Block, place: [u32; 3]) {
        let [number, row, column] = place;
        if self.table.as_ref().is_none_or(|table| table.number != number) {
            self.end_table();
            self.table = Some(Table { number, row: 0, rows: Vec::new(), has_head: true });
        }
        let text = self.texts.of(block);
        let Some(table) = &mut self.table else { return };
        if table.row != row {
            table.row = row;
            table.rows.push(Vec::new());
        }
        table.has_head &= table.rows.len() > 1 || block.kind == BlockKind::HeaderCell;
        let column = column.min(MAX_COLUMNS);
        let Some(cells) = table.rows.last_mut() else { return };
        match cells.last_mut() {
            Some((last, known)) if *last == column => {
                known.push(' ');
                known.push_str(&text);
            }
            _ => cells.push((column, text)),
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        self.depths.clear();
        self.last = None;
        self.gap();
        let columns = table.rows.iter().flatten().map(|(column, _)| *column).max().unwrap_or(1);
        let mut rows = table.rows.iter();
        let head = if table.has_head { rows.next() } else { None };
        self.row(head.map(Vec::as_slice).unwrap_or_default(), columns);
        self.out.push_str(&"| --- ".repeat(columns as usize));
        self.out.push_str("|\n");
        for cells in rows {
            self.row(cells, 0);
        }
    }

    /// Writes a row with at least so many columns.
    fn row(&mut self, cells: &[(u32, String)], columns: u32) {
        let mut written = 0;
        for (column, text) in cells {
            while written + 1 < *column {
                self.out.push_str("| ");
                written += 1;
            }
            self.out.push_str(&format!("| {text} "));
            written += 1;
        }
        while written < columns {
            self.out.push_str("| ");
            written += 1;
        }
        self.out.push_str("|\n");
    }
}

/// A block of code between fences, with its language.
fn fenced(block: &Block) -> String {
    escape::markdown_block(&block.raw, block.code_language.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::page::Document;

    fn markdown(html: &str) -> String {
        Document::parse(html.as_bytes(), None).content().markdown()
    }

    #[test]
    fn blocks_become_markdown() {
        let html = "<h1>Title</h1><p>One &amp; two.<ul><li>a<ul><li>b</ul><li><p>c<p>more</ul>\
             <ol start=3><li>x<li>y</ol><p>z<blockquote><p>Said.</blockquote>\
             <pre>a  b\n  c</pre><dl><dt>Size:<dd>3 cm<dd>4 cm</dl>\
             <table><caption>Cap</caption><tr><th>k<th>v<tr><td>a|b<td><ul><li>1<li>2</ul>\
             <tr><td><td>e</table><table><tr><td>f<td>g</table>";
        assert_eq!(
            markdown(html),
            "# Title\n\nOne \\& two.\n\n- a\n    - b\n- c\n\n    more\n\n3. x\n4. y\n\nz\n\n> Said.\n\n\
             ```\na  b\n  c\n```\n\n- **Size**: 3 cm\n\n- 4 cm\n\nCap\n\n| k | v |\n| --- | --- |\n\
             | a\\|b | 1 2 |\n| | e |\n\n| | |\n| --- | --- |\n| f | g |\n"
        );
    }

    #[test]
    fn text_stays_text() {
        let html = "<p># no heading<p>- no item<p>1. no number<p>*a* [b](c) <p>&lt;b>\
                    <li>> no quote";
        assert_eq!(
            markdown(html),
            "\\# no heading\n\n\\- no item\n\n1\\. no number\n\n\\*a\\* \\[b\\](c)\n\n\\<b\\>\n\n\
             - \\> no quote\n"
        );
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(markdown("<pre>```\nx</pre>"), "````\n```\nx\n````\n");
    }

    #[test]
    fn wide_tables_stay_small() {
        let wide = format!("<table><tr>{}", "<td>x".repeat(5_000));
        let tall = "<tr><td>y".repeat(5_000);
        assert!(markdown(&format!("{wide}{tall}")).len() < 100_000);
    }
}
