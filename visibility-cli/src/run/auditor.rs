//! Audits one page: fetches or reads it and evaluates it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use chrono::{DateTime, SubsecRound, Utc};
use visibility_core::audit::profile::Profile;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::{AuditId, AuditTarget, PageSnapshot};
use visibility_core::audit::visit::{SitemapFetcher, Sitemaps, visit_with};
use visibility_core::audit::{VisitError, audit};
use visibility_core::documents::robots::RobotsFile;
use visibility_core::error::Problem;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::fetch::{BodyEnd, Fetch};
use visibility_core::limits::MAX_PAGE_BYTES;
use visibility_core::report::labels::Labels;
use visibility_core::text::locale::Lang;

use crate::error::target_error::{TargetError, TargetErrorKind, TargetOutcome};
use crate::run::network::USER_AGENT;
use crate::run::page_input::{LocalPage, STDIN};

/// How to audit.
#[derive(Clone, Debug)]
pub(crate) struct Auditor {
    pub(crate) profile: Option<Profile>,
    pub(crate) lang: Lang,
    /// The time of audits, if it is not the clock's.
    pub(crate) now: Option<DateTime<Utc>>,
    /// The robots.txt beside the files, if one was given.
    pub(crate) robots: Option<RobotsFile>,
    /// Whether some requests go through a proxy.
    pub(crate) uses_proxy: bool,
}

impl Auditor {
    /// Audits a page that takes no network. Whatever goes wrong is part of the answer.
    pub(crate) fn audit_local(&self, name: String, local: LocalPage) -> TargetOutcome<AuditResult> {
        // Tools that take paths know no `./`.
        let path = name.strip_prefix("./").unwrap_or(&name);
        let file = local.path.is_some().then(|| path.to_owned());
        let outcome = self.read(&name, local).map(|page| self.judge(&page));
        TargetOutcome { subject: name, file, outcome }
    }

    /// A page that may not be requested. The hint names the flags.
    fn visit_error(&self, error: &VisitError) -> TargetError {
        let labels = Labels::new(self.lang);
        let hint =
            if self.uses_proxy { "not-allowed-with-proxy-hint" } else { "audit-not-allowed-hint" };
        TargetError::from_problem(&Problem::from(error), labels).hint(labels.label(hint))
    }

    /// Judges a page. Pure: the same page gives the same result.
    pub(crate) fn judge(&self, page: &PageSnapshot) -> AuditResult {
        audit(page).result(self.lang)
    }

    /// Reads a page that takes no network.
    pub(crate) fn read(&self, name: &str, local: LocalPage) -> Result<PageSnapshot, TargetError> {
        let labels = Labels::new(self.lang);
        let LocalPage { path, url } = local;
        let read = match &path {
            Some(path) => read_file(path),
            None => read_capped(io::stdin().lock(), 0),
        };
        let bytes = read.map_err(|error| match &path {
            Some(path) if path.is_dir() => TargetError::folder(name, labels),
            _ => TargetError::unreadable(name, &error, labels),
        })?;
        let name = if path.is_some() { name } else { STDIN };
        Ok(self.snapshot(name, url, bytes))
    }

    fn snapshot(&self, name: &str, url: Option<PageUrl>, mut body: Vec<u8>) -> PageSnapshot {
        let is_cut = body.len() > MAX_PAGE_BYTES;
        body.truncate(MAX_PAGE_BYTES);
        let asked = AuditTarget::File { name: name.to_owned(), url: url.clone() };
        let id = AuditId::from_content([asked.url().as_str().as_bytes(), &body]);
        let mut page = PageSnapshot::from_file(id, name, url, body, self.now());
        if let (true, Ok(response)) = (is_cut, &mut page.result) {
            response.body_end = BodyEnd::Capped;
        }
        USER_AGENT.clone_into(&mut page.user_agent);
        page.profile = self.profile;
        page.robots.clone_from(&self.robots);
        page
    }

    /// Reads a page of the network.
    pub(crate) async fn visit(
        &self,
        url: PageUrl,
        fetch: &dyn Fetch,
    ) -> Result<PageSnapshot, TargetError> {
        self.visit_with(url, fetch, &SitemapFetcher).await
    }

    /// Reads a page of the network, with sitemaps that pages share.
    pub(crate) async fn visit_with(
        &self,
        url: PageUrl,
        fetch: &dyn Fetch,
        sitemaps: &dyn Sitemaps,
    ) -> Result<PageSnapshot, TargetError> {
        let request = AuditRequest {
            id: AuditId::from_content([url.as_str().as_bytes(), b""]),
            url,
            taken_at: self.now(),
            user_agent: USER_AGENT.to_owned(),
            profile: self.profile,
        };
        let visited = visit_with(fetch, sitemaps, &request).await;
        let mut page = visited.map_err(|error| self.visit_error(&error))?;
        if let Some(response) = page.response() {
            page.id = AuditId::from_content([request.url.as_str().as_bytes(), &response.body]);
        }
        Ok(page)
    }

    fn now(&self) -> DateTime<Utc> {
        self.now.unwrap_or_else(|| Utc::now().trunc_subsecs(3))
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata().map_or(0, |found| found.len());
    read_capped(file, usize::try_from(length).unwrap_or(MAX_PAGE_BYTES))
}

/// One byte more than is read of a page shows whether there are more.
fn read_capped(source: impl Read, length: usize) -> io::Result<Vec<u8>> {
    let cap = u64::try_from(MAX_PAGE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::with_capacity(length.min(MAX_PAGE_BYTES) + 1);
    source.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl TargetError {
    /// A file that cannot be read. The hint for one that is not there names the URL that may have
    /// been meant.
    fn unreadable(name: &str, error: &io::Error, labels: Labels) -> Self {
        let message = labels.sentence("unreadable", &[("path", &name), ("reason", error)]);
        let target_error = Self::new(TargetErrorKind::BadInput, "FILE_UNREADABLE", message);
        let is_host = name
            .split_once('/')
            .is_some_and(|(host, _)| host.contains(':') || host.trim_matches('.').contains('.'));
        match PageUrl::from_typed(name) {
            Ok(url) if error.kind() == io::ErrorKind::NotFound && is_host => {
                target_error.hint(labels.sentence("give-url", &[("url", &url)]))
            }
            _ => target_error,
        }
    }
}
