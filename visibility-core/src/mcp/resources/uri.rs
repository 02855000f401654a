//! Addresses of resources.

use std::fmt;

use crate::accounts::scope::Scope;
use crate::audit::snapshot::AuditId;
use crate::fetch::domain::Domain;
use crate::scan::check::Check;
use crate::scan::checks;

use super::documents::{self, DocumentResource};

const SCHEME: &str = "visibility://";
/// Bytes of an address; the longest has a host name of 253.
const MAX_URI_BYTES: usize = 300;

/// The address of a resource.
#[derive(Clone, Debug)]
pub(crate) enum ResourceUri {
    /// The scan of a domain.
    Scan(Domain),
    /// An audit.
    Audit(AuditId),
    /// A check, explained.
    Check(&'static Check),
    /// All checks.
    Checks,
    /// All agents.
    Agents,
    /// A document.
    Document(&'static DocumentResource),
}

impl ResourceUri {
    /// Reads an address. Only letters, digits and marks of ASCII are in one, and nothing is decoded: what
    /// is written in another way is not found.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        if uri.len() > MAX_URI_BYTES || !uri.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let rest = uri.strip_prefix(SCHEME)?;
        match rest.split_once('/') {
            None if rest == "checks" => Some(Self::Checks),
            None if rest == "agents" => Some(Self::Agents),
            Some(("scan", domain)) => domain.parse().ok().map(Self::Scan),
            Some(("audit", id)) => id.parse().ok().map(Self::Audit),
            Some(("check", id)) => checks::find(id).map(Self::Check),
            Some(("docs", slug)) => documents::find(slug).map(Self::Document),
            _ => None,
        }
    }

    /// The address of an audit that there is.
    pub(crate) fn audit(id: &str) -> String {
        format!("{SCHEME}audit/{id}")
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(SCHEME)?;
        match self {
            Self::Scan(domain) => write!(formatter, "scan/{domain}"),
            Self::Audit(id) => write!(formatter, "audit/{id}"),
            Self::Check(check) => write!(formatter, "check/{}", check.id),
            Self::Checks => formatter.write_str("checks"),
            Self::Agents => formatter.write_str("agents"),
            Self::Document(document) => write!(formatter, "docs/{}", document.slug),
        }
    }
}

/// What the asker must be allowed to do to read a resource; `None` for one that anybody may read, and
/// where there is none.
pub fn scope_of_resource(uri: &str) -> Option<Scope> {
    match ResourceUri::parse(uri)? {
        ResourceUri::Scan(_) => Some(Scope::ScanRead),
        ResourceUri::Audit(_) => Some(Scope::AuditRead),
        ResourceUri::Check(_)
        | ResourceUri::Checks
        | ResourceUri::Agents
        | ResourceUri::Document(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "aud_0000000000000000000001";

    #[test]
    fn an_address_is_read_back() {
        for uri in [
            "visibility://scan/example.com",
            "visibility://scan/xn--mnchen-3ya.de",
            &ResourceUri::audit(ID),
            "visibility://check/sitemap",
            "visibility://checks",
            "visibility://agents",
            "visibility://docs/scoring",
        ] {
            assert_eq!(ResourceUri::parse(uri).expect(uri).to_string(), uri);
        }
    }

    #[test]
    fn what_is_written_in_another_way_is_not_found() {
        let huge = format!("visibility://scan/{}.com", "a".repeat(100_000));
        for uri in [
            "",
            "visibility:",
            "visibility://",
            "visibility:///",
            "VISIBILITY://checks",
            "https://checks",
            "file:///etc/passwd",
            "visibility://checks/",
            "visibility://checks?x=1",
            "visibility://checks#x",
            "visibility://check/",
            "visibility://check/no-such",
            "visibility://check/sitemap/",
            "visibility://check/../checks",
            "visibility://docs/../../Cargo.toml",
            "visibility://docs/..%2f..%2fCargo.toml",
            "visibility://docs/%63hecks",
            "visibility://docs/checks.md",
            "visibility://scan/",
            "visibility://scan/example.com/",
            "visibility://scan/example%2Ecom",
            "visibility://scan/127.0.0.1",
            "visibility://scan/[::1]",
            "visibility://scan/localhost",
            "visibility://scan/user@example.com",
            "visibility://scan/example.com:443",
            "visibility://scan/example.com\n",
            "visibility://scan/ example.com",
            "visibility://scan/exam\u{0}ple.com",
            "visibility://scan/ex\u{202e}ample.com",
            "visibility://audit/",
            "visibility://audit/aud_1",
            "visibility://audit/aud_00000000000000000000%31",
            &huge,
        ] {
            assert!(ResourceUri::parse(uri).is_none(), "{}", uri.escape_debug());
            assert_eq!(scope_of_resource(uri), None);
        }
    }

    #[test]
    fn results_take_the_scope_of_their_tools() {
        assert_eq!(scope_of_resource("visibility://scan/example.com"), Some(Scope::ScanRead));
        assert_eq!(scope_of_resource(&ResourceUri::audit(ID)), Some(Scope::AuditRead));
        assert_eq!(scope_of_resource("visibility://check/sitemap"), None);
        assert_eq!(scope_of_resource("visibility://docs/audit"), None);
    }
}
