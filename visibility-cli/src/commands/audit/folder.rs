//! The pages below a folder.

use std::fs;
use std::path::{Component, Path, PathBuf};

use url::Url;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::report::labels::Labels;

use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetErrorKind};
use crate::run::fix_folder;
use crate::run::page_input::{LocalPage, PageInput, PageSource, is_page};

/// Folders within folders; what is deeper is a loop or a mistake.
const MAX_DEPTH: usize = 64;

/// All pages below a folder, by path.
pub(super) fn pages(
    folder: &Path,
    base: Option<&PageUrl>,
    labels: Labels,
) -> Result<Vec<PageInput>, CommandError> {
    let root = fs::canonicalize(folder).map_err(unreadable(folder))?;
    if !root.is_dir() {
        return Err(CommandError::usage_with(
            format!("`{}` is not a folder", folder.display()),
            format!("to audit one file: `visibility audit {}`", folder.display()),
        ));
    }
    let mut found = Vec::new();
    walk(folder, &root, 0, &mut found)?;
    if found.is_empty() {
        return Err(CommandError::usage_with(
            format!("there are no pages in `{}`", folder.display()),
            "pages are files that end in .html, .htm or .xhtml",
        ));
    }
    found.sort();
    Ok(found.into_iter().map(|path| input(&path, folder, base, labels)).collect())
}

/// Collects the pages of a folder and of those in it. Links are followed to what lies below the root.
fn walk(
    folder: &Path,
    root: &Path,
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), CommandError> {
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        let path = entry.path();
        let mut kind = entry.file_type().map_err(unreadable(&path))?;
        if kind.is_symlink() {
            // A link that leads nowhere is not a page.
            let Ok(target) = fs::canonicalize(&path) else { continue };
            let Ok(metadata) = fs::metadata(&target) else { continue };
            // What a link to a folder leads to is found without it, or lies outside.
            if metadata.is_dir() || !target.starts_with(root) {
                continue;
            }
            kind = metadata.file_type();
        }
        // What fixes were written to is no part of the site.
        let is_site = || !path.join(fix_folder::LIST).exists();
        if kind.is_dir() && depth < MAX_DEPTH && is_site() {
            walk(&path, root, depth + 1, found)?;
        } else if kind.is_file() && is_page(&path) {
            found.push(path);
        }
    }
    Ok(())
}

fn input(path: &Path, folder: &Path, base: Option<&PageUrl>, labels: Labels) -> PageInput {
    let Some(name) = path.to_str().map(str::to_owned) else {
        let name = path.to_string_lossy().into_owned();
        let message = labels.label("bad-file-name");
        let error = TargetError::new(TargetErrorKind::BadInput, "FILE_NAME", message)
            .hint(labels.label("rename-file"));
        return PageInput { name, source: PageSource::Unusable(error) };
    };
    let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let url = base.and_then(|base| address(base, relative));
    let local = LocalPage { path: Some(path.to_owned()), url };
    PageInput { name, source: PageSource::Local(local) }
}

/// The address of a file below a base address; an index has the address of its folder.
fn address(base: &PageUrl, relative: &Path) -> Option<PageUrl> {
    let mut url: Url = base.as_url().clone();
    url.set_query(None);
    let mut parts: Vec<&str> = relative
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    if parts.last().is_some_and(|name| matches!(*name, "index.html" | "index.htm")) {
        parts.pop();
        parts.push("");
    }
    url.path_segments_mut().ok()?.pop_if_empty().extend(parts);
    url.as_str().parse().ok()
}

fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> CommandError + use<> {
    let path = path.to_owned();
    |source| CommandError::Read { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_below_the_base_and_an_index_at_its_folder() {
        for (base, path, expected) in [
            ("https://example.com", "a/b.html", "https://example.com/a/b.html"),
            ("https://example.com/", "index.html", "https://example.com/"),
            ("https://example.com/docs", "x/index.html", "https://example.com/docs/x/"),
            ("https://example.com/docs/", "index.htm", "https://example.com/docs/"),
            ("https://example.com/?q=1", "a b?.html", "https://example.com/a%20b%3F.html"),
        ] {
            let base: PageUrl = base.parse().unwrap();
            let url = address(&base, Path::new(path)).map(|url| url.to_string());
            assert_eq!(url.as_deref(), Some(expected), "{path}");
        }
    }
}
