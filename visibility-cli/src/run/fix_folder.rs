//! `--write-fixes`: the files of fixes, each below the site and the check that they are for.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use visibility_core::audit::result::AuditResult;
use visibility_core::report::labels::Labels;
use visibility_core::report::paste::{how, placement_label as place_label};
use visibility_core::rubric::fix::{FileMode, FixFile, Placement};
use visibility_core::scan::result::{CheckResult, ScanResult};
use visibility_core::text::escape::printable;

use crate::args::OutputArgs;
use crate::console::Console;
use crate::console::text::cut;
use crate::error::CommandError;

/// Parts of a path that are kept, and characters of a part.
const MAX_PARTS: usize = 12;
const MAX_PART_CHARS: usize = 100;
const INDEX: &str = "README.txt";

/// What a fix brings for its files.
pub(crate) struct Fix<'a> {
    id: &'a str,
    title: &'a str,
    hint: &'a str,
    files: &'a [FixFile],
    needs_input: &'a [String],
    note: Option<&'a str>,
}

/// A result that has fixes.
pub(crate) trait HasFixes {
    /// The fixes with files, in the order in which to make them.
    fn fixes(&self) -> Vec<Fix<'_>>;
}

impl HasFixes for ScanResult {
    fn fixes(&self) -> Vec<Fix<'_>> {
        let in_plan = |check: &&CheckResult| {
            self.fix_plan.iter().position(|step| step.check == check.id).unwrap_or(usize::MAX)
        };
        let mut checks: Vec<&CheckResult> = self.checks.iter().collect();
        checks.sort_by_key(in_plan);
        let fixes = checks.into_iter().filter_map(|check| {
            let fix = check.fix.as_ref()?;
            Some(Fix {
                id: &check.id,
                title: &check.title,
                hint: &fix.hint,
                files: &fix.files,
                needs_input: &fix.needs_input,
                note: fix.note.as_deref(),
            })
        });
        fixes.filter(|fix| !fix.files.is_empty()).collect()
    }
}

impl HasFixes for AuditResult {
    fn fixes(&self) -> Vec<Fix<'_>> {
        let fixes = self.fixes.iter().map(|fix| Fix {
            id: &fix.signal,
            title: &fix.title,
            hint: &fix.hint,
            files: &fix.files,
            needs_input: &fix.needs_input,
            note: fix.note.as_deref(),
        });
        fixes.filter(|fix| !fix.files.is_empty()).collect()
    }
}

/// The folder of the fixes of a run.
#[derive(Debug)]
pub(crate) struct FixFolder {
    root: PathBuf,
    words: Labels,
    index: String,
    fixes: usize,
    used: BTreeSet<PathBuf>,
}

impl FixFolder {
    /// The folder that `--write-fixes` names, if it does. It is created with its first file.
    pub(crate) fn from_args(
        arguments: &OutputArgs,
        labels: Labels,
    ) -> Result<Option<Self>, CommandError> {
        let folder = arguments.write_fixes.as_deref();
        folder.map(|folder| Self::open(folder, arguments.force, labels)).transpose()
    }

    /// One that is there and not empty is used only with `force`.
    fn open(root: &Path, force: bool, labels: Labels) -> Result<Self, CommandError> {
        let failed = |source| CommandError::Write { path: root.to_owned(), source };
        let is_empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(failed(error)),
        };
        if !is_empty && !force {
            return Err(CommandError::usage_with(
                format!("`{}` is not empty", root.display()),
                "choose another folder, or write into this one with --force",
            ));
        }
        let index = format!("{}\n", labels.label("fixes-index"));
        Ok(Self { root: root.to_owned(), words: labels, index, fixes: 0, used: BTreeSet::new() })
    }

    /// Writes the files of a result.
    pub(crate) fn add(
        &mut self,
        subject: &str,
        result: &impl HasFixes,
    ) -> Result<(), CommandError> {
        for fix in result.fixes() {
            self.fixes += 1;
            let folder = PathBuf::from(part(subject)).join(part(fix.id));
            let (title, subject) = (printable(fix.title), printable(subject));
            self.index.push_str(&format!("\n{}. {subject}: {title}\n", self.fixes));
            self.index.push_str(&format!("   {}\n", printable(fix.hint)));
            if !fix.needs_input.is_empty() {
                let names: Vec<String> =
                    fix.needs_input.iter().map(|name| printable(name).into_owned()).collect();
                let label = self.words.label("needs-input");
                self.index.push_str(&format!("   {label} {}\n", names.join(", ")));
            }
            for file in fix.files {
                let path = self.free(folder.join(relative(file)));
                self.write(&path, file.content.as_bytes())?;
                self.describe(&path, file);
            }
            if let Some(note) = fix.note {
                let label = self.words.label("fixes-note");
                self.index.push_str(&format!("   {label} {}\n", printable(note)));
            }
        }
        Ok(())
    }

    /// Writes the index, if there is anything in it. The number of files.
    pub(crate) fn finish(self) -> Result<usize, CommandError> {
        if !self.used.is_empty() {
            self.write(Path::new(INDEX), self.index.as_bytes())?;
        }
        Ok(self.used.len())
    }

    /// The path, with a number if another file of this run has it.
    fn free(&mut self, path: PathBuf) -> PathBuf {
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let numbered = (2..).map(|number| path.with_file_name(format!("{number}-{name}")));
        let free = std::iter::once(path.clone()).chain(numbered);
        let found = free.into_iter().find(|path| !self.used.contains(path)).unwrap_or(path);
        self.used.insert(found.clone());
        found
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), CommandError> {
        let path = self.root.join(path);
        let folder = path.parent().unwrap_or(&self.root);
        let written: io::Result<()> =
            fs::create_dir_all(folder).and_then(|()| fs::write(&path, content));
        written.map_err(|source| CommandError::Write { path, source })
    }

    /// Where a file goes, and what to do with it.
    fn describe(&mut self, path: &Path, file: &FixFile) {
        let path = path.to_string_lossy().replace('\\', "/");
        let place = file.place.map(|place| place_label(place, self.words));
        let named = file.path.as_deref().map(|path| printable(path).into_owned());
        let place: Vec<String> = named.into_iter().chain(place).collect();
        let (at, what) = (self.words.label("fixes-where"), self.words.label("fixes-do"));
        self.index.push_str(&format!(
            "   - {path}\n     {at} {}\n     {what} {}\n",
            place.join(", "),
            instruction(file, self.words)
        ));
    }
}

/// What to do with a file, in a sentence.
fn instruction(file: &FixFile, labels: Labels) -> String {
    if let Some(old) = &file.replaces {
        const MAX_QUOTED: usize = 120;
        let first = cut(old.content.lines().next().unwrap_or_default(), MAX_QUOTED);
        return format!("{}: {first}", how(file, labels));
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
        (_, FileMode::Create) => "do-create",
        (_, FileMode::Append) if is_configuration => "do-add-rule",
        (_, FileMode::Append) => "do-append",
        (_, FileMode::Replace) => "do-replace",
    };
    labels.label(id)
}

/// Ends the folder, and says what is in it.
pub(crate) fn report(fixes: FixFolder, console: &Console) -> Result<(), CommandError> {
    let folder = fixes.root.display().to_string();
    let count = fixes.finish()?;
    let id = if count == 0 { "fixes-none" } else { "fixes-written" };
    let values: [(&'static str, &dyn ToString); 2] = [("count", &count), ("folder", &folder)];
    console.note(&printable(&console.labels().sentence(id, &values)));
    Ok(())
}

/// Where a file goes below the folder of its fix. The path comes from a report, so that nothing of it
/// may lead out.
fn relative(file: &FixFile) -> PathBuf {
    let named =
        file.path.as_deref().unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    let parts = named.split(['/', '\\']).map(part).filter(|part| part != "_");
    let path: PathBuf = parts.take(MAX_PARTS).collect();
    if path.as_os_str().is_empty() {
        let place = file.place.map_or("file", |place| place.as_str());
        return PathBuf::from(format!("{place}.{}", extension(&file.media_type)));
    }
    let path = if named.ends_with('/') { path.join("index.html") } else { path };
    if file.place == Some(Placement::Header) { with_suffix(&path, ".header.txt") } else { path }
}

/// The path with more behind its name: the header of a file is not of its type.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
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

fn extension(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "text/html" => "html",
        "text/markdown" => "md",
        "application/json" => "json",
        other if other.ends_with("+json") => "json",
        "application/xml" | "text/xml" => "xml",
        _ => "txt",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Component;

    use super::*;

    fn file(path: Option<&str>) -> FixFile {
        FixFile {
            path: path.map(str::to_owned),
            place: Some(Placement::Head),
            media_type: "text/html".to_owned(),
            mode: FileMode::Create,
            replaces: None,
            content: String::new(),
        }
    }

    #[test]
    fn no_path_leads_out_of_the_folder() {
        for (path, expected) in [
            (Some("/robots.txt"), "robots.txt"),
            (Some("netlify.toml"), "netlify.toml"),
            (Some(".htaccess"), ".htaccess"),
            (Some("/.well-known/agent-card.json"), ".well-known/agent-card.json"),
            (Some("../../etc/passwd"), "etc/passwd"),
            (Some("/a/../../b"), "a/b"),
            (Some("..\\..\\windows\\x"), "windows/x"),
            (Some("C:\\x"), "C_/x"),
            (Some("/a\0b\u{202e}/c?d#e"), "a_b_/c"),
            (Some("/docs/"), "docs/index.html"),
            (Some("/"), "head.html"),
            (Some("..."), "head.html"),
            (None, "head.html"),
        ] {
            let found = relative(&file(path));
            assert_eq!(found, PathBuf::from(expected), "{path:?}");
            assert!(found.components().all(|part| matches!(part, Component::Normal(_))));
        }
        let header = FixFile { place: Some(Placement::Header), ..file(Some("/a/card.json")) };
        assert_eq!(relative(&header), PathBuf::from("a/card.json.header.txt"));
        assert_eq!(part(".."), "_");
        assert_eq!(part("localhost:3000"), "localhost_3000");
        assert_eq!(part(&"a".repeat(1000)).len(), MAX_PART_CHARS);
        assert!(relative(&file(Some(&"a/".repeat(1000)))).components().count() <= MAX_PARTS + 1);
    }
}
