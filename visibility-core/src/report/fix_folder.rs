//! The fixes of results as a folder: one file for each path of a site, and a README that leads through the work.
//!
//! A file has its own name only if it is whole, so that a copy of the folder over a site loses nothing. What belongs into a
//! file that was not read is below `edits`, with its place in words.

use std::collections::BTreeMap;

use crate::audit::result::AuditResult;
use crate::report::labels::Labels;
use crate::report::paste::{how, placement_label, scan_place};
use crate::report::plan::vendor_pages;
use crate::rubric::fix::{FileMode, FixFile, Placement};
use crate::scan::result::ScanResult;
use crate::text::escape::printable;
use crate::text::excerpt::excerpt;
use crate::text::locale::comment_lines;

/// What leads through the work.
pub const README: &str = "README.txt";

/// The folder of what belongs into files that were not read.
const EDITS: &str = "edits";

/// Parts of a path that are kept, and characters of a part.
const MAX_PARTS: usize = 12;
const MAX_PART_CHARS: usize = 100;

/// A file to write.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FolderFile {
    /// Its path below the folder, with slashes. Nothing of it leads out of the folder.
    pub path: String,
    /// Its content. May quote the site; untrusted.
    pub content: String,
}

/// The folder of a result of a scan, with its README; empty if there is nothing to write.
pub fn fix_folder(result: &ScanResult, labels: Labels) -> Vec<FolderFile> {
    let mut folder = FixFolder::new(labels);
    let mut files = folder.add_scan(result);
    files.extend(folder.readme());
    files
}

/// A folder for several results, of which the README is written last.
#[derive(Debug)]
pub struct FixFolder {
    labels: Labels,
    readme: String,
    fixes: usize,
}

/// A fix, and what it writes.
struct FolderFix<'a> {
    title: &'a str,
    hint: &'a str,
    needs_input: &'a [String],
    note: Option<&'a str>,
    files: Vec<usize>,
}

/// A file of fixes in the folder.
struct Piece<'a> {
    file: &'a FixFile,
    is_whole: bool,
    /// Its path below the folder of the site.
    path: String,
    /// Where it goes, in words.
    place: String,
}

impl FixFolder {
    /// A folder without files.
    pub fn new(labels: Labels) -> Self {
        let readme = format!("{}\n", labels.label("fixes-index"));
        Self { labels, readme, fixes: 0 }
    }

    /// The files of a site, in the folder of its name.
    pub fn add_scan(&mut self, result: &ScanResult) -> Vec<FolderFile> {
        let pieces: Vec<Piece<'_>> = result
            .plan_files
            .iter()
            .map(|one| {
                let place = scan_place(&one.file, self.labels);
                Piece::new(&one.file, one.is_whole, place, "index.html")
            })
            .collect();
        let in_plan = result.fix_plan.iter().map(|step| step.check.as_str());
        let mut order: Vec<&str> = in_plan.collect();
        for check in result.plan_files.iter().flat_map(|one| &one.checks) {
            if !order.contains(&check.as_str()) {
                order.push(check);
            }
        }
        let fixes = order.into_iter().filter_map(|id| {
            let check = result.checks.iter().find(|check| check.id == id)?;
            let has_check = |one: &usize| {
                result.plan_files.get(*one).is_some_and(|one| one.checks.iter().any(|of| of == id))
            };
            // What the steps together make necessary has no fix of its own.
            let follow_ups = result.fix_plan.iter().flat_map(|step| &step.includes);
            let follow_up = follow_ups.into_iter().find(|one| one.check == id);
            let fix = check.fix.as_ref();
            let hint = fix.map(|fix| &fix.hint).or(follow_up.map(|one| &one.hint));
            Some(FolderFix {
                title: &check.title,
                hint: hint.map(String::as_str).unwrap_or_default(),
                needs_input: fix.map(|fix| fix.needs_input.as_slice()).unwrap_or_default(),
                note: fix.and_then(|fix| fix.note.as_deref()),
                files: (0..pieces.len()).filter(has_check).collect(),
            })
        });
        let fixes: Vec<FolderFix<'_>> = fixes.collect();
        let files = self.add(&result.domain, &fixes, &pieces);
        if let Some(pages) = vendor_pages(result, self.labels).filter(|_| !files.is_empty()) {
            self.readme.push_str(&format!("\n{}\n", printable(&pages)));
        }
        files
    }

    /// The files of a page, in the folder of its address.
    pub fn add_audit(&mut self, subject: &str, result: &AuditResult) -> Vec<FolderFile> {
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        let mut fixes = Vec::new();
        for fix in &result.fixes {
            let first = pieces.len();
            pieces.extend(fix.files.iter().map(|file| {
                let place = file.place.map(|place| placement_label(place, self.labels));
                Piece::new(file, false, place, "page.html")
            }));
            fixes.push(FolderFix {
                title: &fix.title,
                hint: &fix.hint,
                needs_input: &fix.needs_input,
                note: fix.note.as_deref(),
                files: (first..pieces.len()).collect(),
            });
        }
        self.add(subject, &fixes, &pieces)
    }

    /// What leads through the files of all results; `None` if there are none.
    pub fn readme(&self) -> Option<FolderFile> {
        let (path, content) = (README.to_owned(), self.readme.clone());
        (self.fixes > 0).then_some(FolderFile { path, content })
    }

    fn add(
        &mut self,
        subject: &str,
        fixes: &[FolderFix<'_>],
        pieces: &[Piece<'_>],
    ) -> Vec<FolderFile> {
        let folder = part(subject);
        for fix in fixes.iter().filter(|fix| !fix.files.is_empty()) {
            let pieces = fix.files.iter().filter_map(|index| pieces.get(*index));
            self.describe(subject, &folder, fix, pieces);
        }
        let mut contents: BTreeMap<&str, String> = BTreeMap::new();
        for piece in pieces {
            let content = contents.entry(&piece.path).or_default();
            if piece.is_whole {
                content.clone_from(&piece.file.content);
                continue;
            }
            if !content.is_empty() {
                content.push('\n');
            }
            let place = format!("{}: {}", piece.place, instruction(piece, self.labels));
            content.push_str(&in_comment(piece.file, &place));
            content.push_str(&piece.file.content);
            if !content.ends_with('\n') {
                content.push('\n');
            }
        }
        let files = contents.into_iter();
        files
            .map(|(path, content)| FolderFile { path: format!("{folder}/{path}"), content })
            .collect()
    }

    /// What to do for a fix, and with each of its files.
    fn describe<'p, 'f: 'p>(
        &mut self,
        subject: &str,
        folder: &str,
        fix: &FolderFix<'_>,
        pieces: impl Iterator<Item = &'p Piece<'f>>,
    ) {
        self.fixes += 1;
        let (title, subject) = (printable(fix.title), printable(subject));
        self.readme.push_str(&format!("\n{}. {subject}: {title}\n", self.fixes));
        self.readme.push_str(&format!("   {}\n", printable(fix.hint)));
        if !fix.needs_input.is_empty() {
            let names: Vec<String> =
                fix.needs_input.iter().map(|name| printable(name).into_owned()).collect();
            let label = self.labels.label("needs-input");
            self.readme.push_str(&format!("   {label} {}\n", names.join(", ")));
        }
        let (at, what) = (self.labels.label("fixes-where"), self.labels.label("fixes-do"));
        for piece in pieces {
            let todo = match &piece.file.replaces {
                Some(old) if !piece.is_whole => {
                    let first = old.content.lines().next().unwrap_or_default();
                    format!("{}: {}", how(piece.file, self.labels), excerpt(first))
                }
                _ => instruction(piece, self.labels),
            };
            let (path, place) = (&piece.path, printable(&piece.place));
            self.readme.push_str(&format!(
                "   - {folder}/{path}\n     {at} {place}\n     {what} {todo}\n"
            ));
        }
        if let Some(note) = fix.note {
            let label = self.labels.label("fixes-note");
            self.readme.push_str(&format!("   {label} {}\n", printable(note)));
        }
    }
}

impl<'a> Piece<'a> {
    /// A file, with the words for its place, and the name of the page that it may belong to.
    fn new(file: &'a FixFile, is_whole: bool, place: Option<String>, page: &str) -> Self {
        let named = file.path.as_deref().map(|path| printable(path).into_owned());
        let path = if is_whole { site_path(file) } else { edits_path(file, page) };
        let parts: Vec<String> = named.into_iter().chain(place).collect();
        Self { file, is_whole, path, place: parts.join(", ") }
    }
}

/// The path of a whole file below the folder of its site.
fn site_path(file: &FixFile) -> String {
    sanitized(file.path.as_deref().unwrap_or_default()).unwrap_or_else(|| "index.html".to_owned())
}

/// The path of what belongs into a file that was not read.
fn edits_path(file: &FixFile, page: &str) -> String {
    let named = file.path.as_deref().and_then(sanitized);
    let name = match (named, file.place) {
        (_, Some(Placement::Header)) => "response-headers".to_owned(),
        (Some(path), _) => path,
        (None, Some(Placement::Firewall)) => "firewall".to_owned(),
        (None, Some(Placement::Server)) => "server".to_owned(),
        (None, Some(Placement::RobotsTxt)) => "robots.txt".to_owned(),
        (None, Some(Placement::Sitemap)) => "sitemap.xml".to_owned(),
        (None, _) => page.to_owned(),
    };
    format!("{EDITS}/{name}.add.txt")
}

/// What to do with a file, in a sentence.
fn instruction(piece: &Piece<'_>, labels: Labels) -> String {
    let file = piece.file;
    if !piece.is_whole && file.replaces.is_some() {
        return how(file, labels);
    }
    let is_configuration = matches!(file.path.as_deref(), Some("nginx.conf" | "Caddyfile"));
    let is_script = file.media_type == "application/x-sh";
    let id = match (file.place, file.mode) {
        (Some(Placement::Firewall), _) => "do-add-firewall-rule",
        (Some(Placement::Server), _) => "do-add-rule",
        (Some(Placement::Header), FileMode::Replace) => "do-set-fields",
        (Some(Placement::Header), _) => "do-send-fields",
        (Some(Placement::HtmlElement), _) => "do-replace-start-tag",
        (Some(Placement::Main), FileMode::Append) => "do-add-to-main",
        (Some(Placement::Head), FileMode::Append) => "do-add-to-head",
        (_, FileMode::Create) if is_script => "do-run",
        (_, FileMode::Create) if piece.is_whole => "do-create",
        (_, FileMode::Create) => "do-create-unread",
        (_, FileMode::Append) if is_configuration => "do-add-rule",
        (_, FileMode::Append) => "do-append",
        (_, FileMode::Replace) => "do-replace",
    };
    labels.label(id)
}

/// A sentence as a comment of the language of a file; as it is where there are no comments.
fn in_comment(file: &FixFile, sentence: &str) -> String {
    let path = file.path.as_deref().unwrap_or_default();
    let media_type = file.media_type.split(';').next().unwrap_or_default();
    let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    // Fields belong into a setting, whatever they are sent with.
    if file.place == Some(Placement::Header) {
        comment_lines("#", sentence)
    } else if ends(&[".liquid"]) {
        format!("{{%- comment -%}} {sentence} {{%- endcomment -%}}\n")
    } else if ends(&[".php", ".js", ".ts", ".tsx"]) {
        comment_lines("//", sentence)
    } else if media_type == "text/html" || media_type.ends_with("xml") {
        format!("<!-- {sentence} -->\n")
    } else if ends(&[".json", ".md"])
        || media_type.ends_with("json")
        || media_type == "text/markdown"
    {
        format!("{sentence}\n\n")
    } else {
        comment_lines("#", sentence)
    }
}

/// A path with parts that lead nowhere else; `None` if nothing is left. It comes from a result, and so may be
/// of a stranger.
fn sanitized(path: &str) -> Option<String> {
    let named = path.split(['?', '#']).next().unwrap_or_default();
    let parts = named.split(['/', '\\']).map(part).filter(|part| part != "_");
    let parts: Vec<String> = parts.take(MAX_PARTS).collect();
    if parts.is_empty() {
        return None;
    }
    let index = if named.ends_with('/') { "/index.html" } else { "" };
    Some(parts.join("/") + index)
}

/// A text as one part of a path: letters, digits and `.-_`, never a parent or the folder itself.
fn part(text: &str) -> String {
    let part: String = text
        .chars()
        .map(|ch| if ch.is_alphanumeric() || "._-".contains(ch) { ch } else { '_' })
        .take(MAX_PART_CHARS)
        .collect();
    if part.chars().all(|ch| matches!(ch, '.' | '_')) { "_".to_owned() } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::text::locale::Lang;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        for (path, expected) in [
            ("/robots.txt", Some("robots.txt")),
            ("netlify.toml", Some("netlify.toml")),
            (".htaccess", Some(".htaccess")),
            ("/.well-known/agent-card.json", Some(".well-known/agent-card.json")),
            ("../../etc/passwd", Some("etc/passwd")),
            ("/a/../../b", Some("a/b")),
            ("..\\..\\windows\\x", Some("windows/x")),
            ("C:\\x", Some("C_/x")),
            ("/a\0b\u{202e}/c?d#e", Some("a_b_/c")),
            ("/docs/", Some("docs/index.html")),
            ("/", None),
            ("...", None),
            ("", None),
        ] {
            let found = sanitized(path);
            assert_eq!(found.as_deref(), expected, "{path:?}");
        }
        assert_eq!(part(".."), "_");
        assert_eq!(part("localhost:3000"), "localhost_3000");
        assert_eq!(part(&"a".repeat(1000)).len(), MAX_PART_CHARS);
        assert_eq!(
            sanitized(&"a/".repeat(1000)).map(|path| path.matches('/').count()),
            Some(MAX_PARTS)
        );
    }

    #[test]
    fn a_file_has_its_name_only_if_it_is_whole() {
        let result = sample::with_files();
        let files = fix_folder(&result, Labels::new(Lang::En));
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "shop.example.com/edits/index.html.add.txt",
                "shop.example.com/edits/nginx.conf.add.txt",
                "shop.example.com/llms.txt",
                "README.txt"
            ]
        );
    }
}
