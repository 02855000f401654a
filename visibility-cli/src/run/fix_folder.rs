//! `--write-fixes`: writes the folder that the core makes of results, and over no file that it did not write.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use visibility_core::audit::result::AuditResult;
use visibility_core::report::fix_folder::{FixFolder as Fixes, FolderFile};
use visibility_core::report::labels::Labels;
use visibility_core::scan::result::ScanResult;
use visibility_core::text::escape::printable;

use crate::args::OutputArgs;
use crate::console::Console;
use crate::error::CommandError;

/// The names of the files that were written, one in a line. A folder that has it is no part of a site.
pub(crate) const LIST: &str = ".visibility-fixes";

/// The folder of the fixes of a run.
#[derive(Debug)]
pub(crate) struct FixFolder {
    root: PathBuf,
    fixes: Fixes,
    /// What an earlier run wrote, and this one has not written again.
    earlier: BTreeSet<String>,
    written: BTreeSet<String>,
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
        let earlier = match fs::read_to_string(root.join(LIST)) {
            Ok(list) => list.lines().filter(|name| is_below(name)).map(str::to_owned).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeSet::new(),
            Err(error) => return Err(failed(error)),
        };
        let written = BTreeSet::new();
        Ok(Self { root: root.to_owned(), fixes: Fixes::new(labels), earlier, written })
    }

    /// Writes the files of a scan.
    pub(crate) fn add_scan(&mut self, result: &ScanResult) -> Result<(), CommandError> {
        let files = self.fixes.add_scan(result);
        files.iter().try_for_each(|file| self.write(file))
    }

    /// Writes the files of an audit.
    pub(crate) fn add_audit(
        &mut self,
        subject: &str,
        result: &AuditResult,
    ) -> Result<(), CommandError> {
        let files = self.fixes.add_audit(subject, result);
        files.iter().try_for_each(|file| self.write(file))
    }

    /// Writes what leads through the files, and removes what only an earlier run wrote. The number of files.
    fn finish(mut self) -> Result<usize, CommandError> {
        let count = self.written.len();
        if let Some(readme) = self.fixes.readme() {
            self.write(&readme)?;
        }
        for name in &self.earlier {
            let path = self.root.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(CommandError::Write { path, source: error });
                }
                _ => self.remove_empty_parents(&path),
            }
        }
        if !self.written.is_empty() || !self.earlier.is_empty() {
            let list: String = self.written.iter().flat_map(|name| [name, "\n"]).collect();
            let path = self.root.join(LIST);
            fs::write(&path, list).map_err(|source| CommandError::Write { path, source })?;
        }
        Ok(count)
    }

    /// Removes the folders that a file was the last one in.
    fn remove_empty_parents(&self, path: &Path) {
        let below = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
        for folder in below {
            // One that has other files stays, and with it those above it.
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }

    fn write(&mut self, file: &FolderFile) -> Result<(), CommandError> {
        let path = self.root.join(&file.path);
        let is_own = self.earlier.remove(&file.path) || self.written.contains(&file.path);
        if !is_own && path.exists() {
            return Err(CommandError::usage_with(
                format!("`{}` is there, and no earlier run wrote it", path.display()),
                "choose another folder, or move the file away",
            ));
        }
        let folder = path.parent().unwrap_or(&self.root);
        let written: io::Result<()> =
            fs::create_dir_all(folder).and_then(|()| fs::write(&path, &file.content));
        written.map_err(|source| CommandError::Write { path, source })?;
        self.written.insert(file.path.clone());
        Ok(())
    }
}

/// Whether a name in a list leads to a file below the folder.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_nothing_outside_of_its_folder() {
        for (name, expected) in
            [("a.txt", true), ("a/b", true), ("", false), ("../a", false), ("/etc/passwd", false)]
        {
            assert_eq!(is_below(name), expected, "{name}");
        }
    }
}
