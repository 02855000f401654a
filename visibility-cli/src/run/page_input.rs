//! Inputs of an audit: a URL, a file or standard input.

use std::path::{Path, PathBuf};

use visibility_core::audit::snapshot::AuditTarget;
use visibility_core::error::Problem;
use visibility_core::fetch::page_url::{PageUrl, PageUrlError};
use visibility_core::report::labels::Labels;

use crate::error::target_error::{TargetError, TargetErrorKind};

/// Ends of the names of pages.
const EXTENSIONS: [&str; 3] = ["html", "htm", "xhtml"];

/// What standard input is called.
pub(crate) const STDIN: &str = "stdin";

/// A page to audit.
#[derive(Debug)]
pub(crate) struct PageInput {
    /// What the one who asked calls it.
    pub(crate) name: String,
    pub(crate) source: PageSource,
}

/// Where a page is.
#[derive(Debug)]
pub(crate) enum PageSource {
    /// On the network.
    Url(PageUrl),
    /// Here.
    Local(LocalPage),
    /// Nowhere.
    Unusable(TargetError),
}

/// A page that takes no network.
#[derive(Debug)]
pub(crate) struct LocalPage {
    /// The file; standard input without one.
    pub(crate) path: Option<PathBuf>,
    /// The address that it will be published at, if that is known.
    pub(crate) url: Option<PageUrl>,
}

impl PageInput {
    /// What a user named.
    pub(crate) fn from_argument(text: &str, url: Option<&PageUrl>, labels: Labels) -> Self {
        let source = source(text, url, labels).unwrap_or_else(PageSource::Unusable);
        Self { name: text.to_owned(), source }
    }

    /// What the audit will say that was asked for, if it can be asked for.
    pub(crate) fn target(&self) -> Option<AuditTarget> {
        match &self.source {
            PageSource::Url(url) => Some(AuditTarget::Url(url.clone())),
            PageSource::Local(LocalPage { path, url }) => {
                let name = if path.is_some() { &self.name } else { STDIN };
                Some(AuditTarget::File { name: name.to_owned(), url: url.clone() })
            }
            PageSource::Unusable(_) => None,
        }
    }

    /// Whether it takes a network to read it.
    pub(crate) fn is_remote(&self) -> bool {
        matches!(self.source, PageSource::Url(_))
    }

    /// Whether it is on standard input, which can be read once.
    pub(crate) fn is_stdin(&self) -> bool {
        matches!(self.source, PageSource::Local(LocalPage { path: None, .. }))
    }

    /// Whether it is an ordinary file, which never keeps anybody waiting.
    pub(crate) fn is_regular_file(&self) -> bool {
        match &self.source {
            PageSource::Local(LocalPage { path: Some(path), .. }) => path.is_file(),
            _ => false,
        }
    }
}

fn source(text: &str, url: Option<&PageUrl>, labels: Labels) -> Result<PageSource, TargetError> {
    if text == "-" {
        return Ok(PageSource::Local(LocalPage { path: None, url: url.cloned() }));
    }
    if is_file(text) {
        return Ok(PageSource::Local(LocalPage { path: Some(text.into()), url: url.cloned() }));
    }
    if Path::new(text).is_dir() && !text.contains("://") && !text.contains('.') {
        return Err(TargetError::folder(text, labels));
    }
    PageUrl::from_typed(text)
        .map(PageSource::Url)
        .map_err(|error| TargetError::from_url_error(&error, text, labels))
}

/// Whether a text names a file and not a URL: it looks like a path, or such a file exists.
pub(crate) fn is_file(text: &str) -> bool {
    if text.contains("://") {
        return false;
    }
    let looks_so = ["/", "./", "../", "\\"].iter().any(|start| text.starts_with(start));
    looks_so || matches!(text, "." | "..") || is_page(Path::new(text)) || Path::new(text).is_file()
}

/// Whether a file is named as pages are.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

impl TargetError {
    /// A text that is not a URL. The hint for one of a file names the path.
    pub(crate) fn from_url_error(error: &PageUrlError, text: &str, labels: Labels) -> Self {
        let target_error = Self::from_problem(&Problem::from(error), labels);
        match (error, text.get(..7).zip(text.get(7..))) {
            (PageUrlError::Scheme { .. }, Some((scheme, path)))
                if scheme.eq_ignore_ascii_case("file://") =>
            {
                target_error.hint(labels.sentence("give-path", &[("path", &path)]))
            }
            _ => target_error,
        }
    }

    /// A folder where a file should be.
    pub(crate) fn folder(path: &str, labels: Labels) -> Self {
        let message = labels.sentence("is-folder", &[("path", &path)]);
        Self::new(TargetErrorKind::BadInput, "FILE_UNREADABLE", message)
            .hint(labels.sentence("use-dir", &[("path", &path)]))
    }
}

#[cfg(test)]
mod tests {
    use visibility_core::text::locale::Lang;

    use super::*;

    #[test]
    fn a_text_is_a_file_by_its_looks_or_a_url() {
        for (text, expected) in [
            ("page.html", true),
            ("PAGE.HTM", true),
            ("a/b.xhtml", true),
            ("/tmp/page", true),
            ("./page", true),
            ("../page", true),
            ("src", false),
            ("Cargo.toml", true),
            ("example.com", false),
            ("example.com/page", false),
            ("https://example.com/page.html", false),
            ("file:///tmp/page.html", false),
            ("localhost:8000/x", false),
        ] {
            assert_eq!(is_file(text), expected, "{text}");
        }
    }

    #[test]
    fn the_fault_of_a_text_names_what_to_do() {
        for lang in Lang::ALL {
            for (text, hint) in [
                ("src", "--dir src"),
                ("file:///tmp/page.html", "/tmp/page.html"),
                ("ftp://example.com/", "https://"),
                ("", "https://"),
            ] {
                let input = PageInput::from_argument(text, None, Labels::new(lang));
                let PageSource::Unusable(target_error) = input.source else { panic!("{text}") };
                assert_eq!(target_error.kind, TargetErrorKind::BadInput, "{text}");
                assert!(
                    target_error.hint.as_ref().is_some_and(|own| own.contains(hint)),
                    "{target_error:?}"
                );
            }
        }
    }
}
