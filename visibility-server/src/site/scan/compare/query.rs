//! What is to be compared: the query of a request.

use chrono::NaiveDate;
use url::form_urlencoded;
use visibility_core::error::{ErrorCode, Problem};

/// The parameters with domains. Their number is that of the domains that can be compared.
pub(super) const DOMAIN_PARAMETERS: [&str; 5] = ["a", "b", "c", "d", "e"];
/// Characters of a value that are used.
const MAX_LENGTH: usize = 300;

/// What is to be compared, as it was typed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct ComparisonQuery {
    /// Domains to compare with each other, without empty ones.
    pub(super) domains: Vec<String>,
    /// Two days of one domain.
    pub(super) days: Option<DaysQuery>,
}

/// Two days of a domain.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct DaysQuery {
    pub(super) domain: String,
    /// The last day but one without it.
    pub(super) from: Option<String>,
    /// The last day without it.
    pub(super) to: Option<String>,
}

impl ComparisonQuery {
    /// Reads a query. The days of one domain win over several domains.
    pub(super) fn parse(query: &str) -> Self {
        let value = |wanted: &str| -> Option<String> {
            let found =
                form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == wanted)?.1;
            let value: String = found.trim().chars().take(MAX_LENGTH).collect();
            (!value.is_empty()).then_some(value)
        };
        if let Some(domain) = value("domain") {
            let days = DaysQuery { domain, from: value("from"), to: value("to") };
            return Self { domains: Vec::new(), days: Some(days) };
        }
        Self { domains: DOMAIN_PARAMETERS.into_iter().filter_map(value).collect(), days: None }
    }
}

/// A day of a query.
pub(super) fn parse_day(field: &'static str, text: &str) -> Result<NaiveDate, Problem> {
    text.parse().map_err(|_unreadable: chrono::ParseError| {
        Problem::new(ErrorCode::InvalidRequest, "compare-day")
            .value("value", text)
            .detail("parameter", field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read() {
        let domains = |query| ComparisonQuery::parse(query).domains;
        assert!(domains("").is_empty() && domains("a=&b=+").is_empty());
        assert_eq!(domains("a=a.com&b=&c=+c.com&f=f.com"), ["a.com", "c.com"]);
        assert_eq!(domains("b=b.com&a=a.com&a=x.com"), ["a.com", "b.com"]);
        assert_eq!(domains(&format!("a={}", "x".repeat(5_000)))[0].len(), MAX_LENGTH);
        let days = ComparisonQuery::parse("a=x.com&domain=a.com&to=2026-11-02").days.unwrap();
        assert_eq!((days.domain.as_str(), days.from), ("a.com", None));
        assert_eq!(days.to.as_deref(), Some("2026-11-02"));
    }

    #[test]
    fn text_that_is_no_day_is_refused() {
        for text in ["", "yesterday", "2026-02-30", "2026-11-02T00:00", "02.11.2026"] {
            assert_eq!(
                parse_day("from", text).unwrap_err().code(),
                ErrorCode::InvalidRequest,
                "{text}"
            );
        }
        assert!(parse_day("from", "2026-11-02").is_ok());
    }
}
