//! The files of a fix as blocks to paste, as reports show them.

use crate::audit::result::AuditFixResult;
use crate::audit::signal::SnippetLanguage;
use crate::report::labels::Labels;
use crate::rubric::fix::{FixFile, Placement};
use crate::scan::result::FixResult;
use crate::text::escape::is_safe;

/// Characters of a path that are shown.
const MAX_PATH: usize = 120;

/// A block to paste.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PasteBlock<'a> {
    /// The path or the place, how the content gets there and its language, with backticks around code; `None`
    /// if none of it is known.
    pub heading: Option<String>,
    /// A name of the language that Markdown knows; empty if it has none.
    pub language: &'static str,
    /// The content. May quote the site; untrusted.
    pub content: &'a str,
}

/// The blocks of a fix of a scan: its files, or else its snippet.
pub fn scan_blocks(fix: &FixResult, labels: Labels) -> Vec<PasteBlock<'_>> {
    file_blocks(&fix.files, labels, scan_place).unwrap_or_else(|| {
        let content = fix.snippet.as_deref();
        content
            .map(|content| PasteBlock { heading: None, language: "", content })
            .into_iter()
            .collect()
    })
}

/// The blocks of a fix of an audit: its files, or else its snippet.
pub fn audit_blocks(fix: &AuditFixResult, labels: Labels) -> Vec<PasteBlock<'_>> {
    let place_of = |file: &FixFile, labels| file.place.map(|place| placement_label(place, labels));
    file_blocks(&fix.files, labels, place_of).unwrap_or_else(|| {
        let language = fix.language.map_or("", name_of);
        let heading = fix.placement_label.clone().map(|place| heading(&[&place, language]));
        let content = fix.snippet.as_deref();
        content.map(|content| PasteBlock { heading, language, content }).into_iter().collect()
    })
}

/// Blocks of files, with what says where in a page or a response each belongs.
fn file_blocks(
    files: &[FixFile],
    labels: Labels,
    place_of: impl Fn(&FixFile, Labels) -> Option<String>,
) -> Option<Vec<PasteBlock<'_>>> {
    let blocks = files.iter().map(|file| {
        let language = language(&file.media_type);
        let parts = file.path.as_deref().map(quoted).into_iter().chain(place_of(file, labels));
        let place = parts.collect::<Vec<_>>().join(", ");
        let mode = how(file, labels);
        PasteBlock {
            heading: Some(heading(&[&place, &mode, language])),
            language,
            content: &file.content,
        }
    });
    (!files.is_empty()).then(|| blocks.collect())
}

/// What to do with the content of a file: `add these lines`, or `in place of line 4`.
pub fn how(file: &FixFile, labels: Labels) -> String {
    let Some(old) = &file.replaces else {
        return labels.label(&format!("mode-{}", file.mode.as_str()));
    };
    let (line, last) = (old.line, old.last_line());
    let verb = if file.content.trim().is_empty() { "remove" } else { "replace" };
    let number = if line == last { "line" } else { "lines" };
    let values: [(&'static str, &dyn ToString); 2] = [("line", &line), ("last", &last)];
    labels.sentence(&format!("mode-{verb}-{number}"), &values)
}

fn heading(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// Where in a page, a response or a setting a content belongs: `inside <head>`.
pub fn placement_label(place: Placement, labels: Labels) -> String {
    labels.catalog().text(&["placements", place.as_str()])
}

/// The same for a file of a fix of a scan, whose page is the home page: `inside <head> of the home page only`.
pub fn scan_place(file: &FixFile, labels: Labels) -> Option<String> {
    let place = file.place?;
    let is_header_of_file = place == Placement::Header && file.path.is_some();
    let of_home = labels.catalog().find(&["home_placements", place.as_str()]);
    let of_home = of_home.filter(|_| !is_header_of_file).map(str::to_owned);
    Some(of_home.unwrap_or_else(|| placement_label(place, labels)))
}

/// A path as code. Other characters than those of plain paths become `?`: a heading is ours.
fn quoted(path: &str) -> String {
    let plain =
        path.chars().take(MAX_PATH).map(|ch| if is_safe(ch) && ch != ' ' { ch } else { '?' });
    format!("`{}`", plain.collect::<String>())
}

fn name_of(language: SnippetLanguage) -> &'static str {
    match language {
        SnippetLanguage::Html => "html",
        SnippetLanguage::Json => "json",
        SnippetLanguage::Xml => "xml",
        SnippetLanguage::Http => "http",
        SnippetLanguage::Robots | SnippetLanguage::Text => "text",
    }
}

/// The language of a media type.
fn language(media_type: &str) -> &'static str {
    let names = [
        ("html", "html"),
        ("json", "json"),
        ("xml", "xml"),
        ("yaml", "yaml"),
        ("toml", "toml"),
        ("markdown", "markdown"),
        ("javascript", "javascript"),
        ("typescript", "typescript"),
        ("python", "python"),
        ("php", "php"),
        ("nginx", "nginx"),
        ("http", "http"),
    ];
    let found = names.iter().find(|(part, _)| media_type.contains(part));
    found.map_or("text", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::rubric::fix::FileMode;
    use crate::text::locale::Lang;

    #[test]
    fn each_file_is_a_block_with_place_mode_and_language() {
        let mut fix = sample::with_files().checks[1].fix.clone().unwrap();
        let labels = Labels::new(Lang::En);
        let headings: Vec<String> =
            scan_blocks(&fix, labels).into_iter().filter_map(|block| block.heading).collect();
        assert_eq!(
            headings,
            [
                "`/llms.txt` · new file · markdown",
                "`nginx.conf`, in the server configuration · add these lines · nginx",
                "inside <head> of the home page only · replaces the quoted text · html",
            ]
        );
        fix.files.clear();
        let blocks = scan_blocks(&fix, labels);
        assert_eq!(blocks.len(), 1, "the snippet");
        assert_eq!(blocks[0].heading, None);
    }

    #[test]
    fn a_path_cannot_leave_its_quotes() {
        let file = FixFile {
            path: Some("/a` ignore\n```<b>".to_owned()),
            place: None,
            media_type: "text/plain".to_owned(),
            mode: FileMode::Create,
            replaces: None,
            content: String::new(),
        };
        let blocks =
            file_blocks(std::slice::from_ref(&file), Labels::new(Lang::En), scan_place).unwrap();
        assert_eq!(blocks[0].heading.as_deref(), Some("`/a??ignore?????b?` · new file · text"));
    }
}
