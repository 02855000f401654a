//! Kinds of rate limits and their parameters.

use chrono::TimeDelta;
use visibility_core::limits::BURST_WINDOW;

use crate::settings::Limits;

/// What is limited.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LimitScope {
    /// Of a tenant: every request with a valid token, in any [`BURST_WINDOW`].
    Burst,
    /// Of a tenant: every request whose body is read, in any hour.
    Hour,
    /// Of a key: every request that no cache answers, in any minute.
    Minute,
    /// Of a key: every scan, in any 24 hours.
    Day,
    /// Of an address: every request for an audit that no result answers, in any minute.
    AuditMinute,
    /// Of an address: every audit, in any 24 hours.
    AuditDay,
    /// Of a host: every audit of its pages, in any hour.
    AuditHost,
    /// Of an address: every scan that a visitor begins, in any minute.
    VisitorMinute,
    /// Of an address: every scan that a visitor begins, in any 24 hours.
    VisitorDay,
    /// Of all visitors together: every scan that they begin, in any 24 hours.
    VisitorTotal,
    /// Of a registrable domain: every scan of its hosts that visitors begin, in any hour.
    VisitorSite,
    /// Of an authenticated caller: every request to the MCP server, per minute.
    McpMinute,
    /// Of an address: every client that registers, in any hour.
    Registration,
    /// Of an address: every document about a client that is fetched, in any hour.
    ClientDocument,
}

impl LimitScope {
    /// Its name in answers and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Burst => "burst",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Day => "day",
            Self::AuditMinute => "audit_minute",
            Self::AuditDay => "audit_day",
            Self::AuditHost => "audit_host",
            Self::VisitorMinute => "visitor_minute",
            Self::VisitorDay => "visitor_day",
            Self::VisitorTotal => "visitor_total",
            Self::VisitorSite => "visitor_site",
            Self::McpMinute => "mcp_minute",
            Self::Registration => "registration",
            Self::ClientDocument => "client_document",
        }
    }

    /// Its number in the database.
    pub(super) fn kind(self) -> i64 {
        match self {
            Self::Burst => 0,
            Self::Hour => 1,
            Self::Minute => 2,
            Self::Day => 3,
            Self::AuditMinute => 4,
            Self::AuditDay => 5,
            Self::AuditHost => 6,
            Self::McpMinute => 7,
            Self::Registration => 8,
            Self::ClientDocument => 9,
            Self::VisitorMinute => 10,
            Self::VisitorDay => 11,
            Self::VisitorTotal => 12,
            Self::VisitorSite => 13,
        }
    }

    /// Whether admissions survive a restart. Where the window is short, and strangers decide how many there
    /// are or each costs little, they do not.
    pub(super) fn is_persisted(self) -> bool {
        !matches!(
            self,
            Self::AuditMinute
                | Self::AuditHost
                | Self::VisitorMinute
                | Self::VisitorSite
                | Self::McpMinute
                | Self::Registration
                | Self::ClientDocument
        )
    }

    /// How long an admission counts.
    pub(crate) fn span(self) -> TimeDelta {
        match self {
            Self::Burst => TimeDelta::from_std(BURST_WINDOW).unwrap_or(TimeDelta::MAX),
            Self::Hour
            | Self::AuditHost
            | Self::VisitorSite
            | Self::Registration
            | Self::ClientDocument => TimeDelta::hours(1),
            Self::Minute | Self::AuditMinute | Self::VisitorMinute | Self::McpMinute => {
                TimeDelta::minutes(1)
            }
            Self::Day | Self::AuditDay | Self::VisitorDay | Self::VisitorTotal => {
                TimeDelta::days(1)
            }
        }
    }

    /// How many are admitted in that time; 0 for any number.
    pub(crate) fn limit(self, limits: &Limits) -> u32 {
        match self {
            Self::Burst => limits.burst,
            Self::Hour => limits.batches_per_hour,
            Self::Minute => limits.scans_per_minute,
            Self::Day => limits.scans_per_day,
            Self::AuditMinute => limits.audits_per_minute,
            Self::AuditDay => limits.audits_per_day,
            Self::AuditHost => limits.audits_per_host,
            Self::VisitorMinute => limits.visitor_scans_per_minute,
            Self::VisitorDay => limits.visitor_scans_per_day,
            Self::VisitorTotal => limits.visitor_scans_total_per_day,
            Self::VisitorSite => limits.visitor_scans_per_site,
            Self::McpMinute => limits.mcp_per_minute,
            Self::Registration => limits.registrations_per_hour,
            Self::ClientDocument => limits.client_documents_per_hour,
        }
    }
}
