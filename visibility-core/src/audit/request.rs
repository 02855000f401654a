//! What to audit, when, and as whom.

use chrono::{DateTime, Utc};

use crate::audit::id::AuditId;
use crate::audit::profile::Profile;
use crate::fetch::page_url::PageUrl;

/// What to audit, when, and as whom.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AuditRequest {
    /// Names the audit.
    pub id: AuditId,
    /// The page to audit.
    pub url: PageUrl,
    /// The time of the audit; the only clock that a signal sees.
    pub taken_at: DateTime<Utc>,
    /// Our own `User-Agent`.
    pub user_agent: String,
    /// The kind of page, if a user chose it.
    pub profile: Option<Profile>,
}
