//! `RateLimit-Policy` and `RateLimit`: draft-ietf-httpapi-ratelimit-headers-11, as structured fields (RFC
//! 9651).

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use chrono::TimeDelta;
use visibility_core::accounts::sliding_window::Remaining;

/// The field that tells the limits.
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// The field that tells what is left of them.
const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The rate limit fields of a response; lifted limits are left out.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct RateLimitFields {
    policies: Vec<String>,
    limits: Vec<String>,
}

impl RateLimitFields {
    /// Adds a limit. Its name is a word.
    pub(crate) fn add(&mut self, name: &'static str, quota: u32, span: TimeDelta, left: Remaining) {
        let Remaining { count, frees_in } = left;
        self.policies.push(format!(r#""{name}";q={quota};w={}"#, seconds(span)));
        self.limits.push(format!(r#""{name}";r={count};t={}"#, seconds(frees_in)));
    }

    /// Puts the fields on an answer.
    pub(crate) fn put(&self, headers: &mut HeaderMap) {
        for (name, items) in [(RATELIMIT_POLICY, &self.policies), (RATELIMIT, &self.limits)] {
            if let Ok(value) = HeaderValue::try_from(items.join(", "))
                && !items.is_empty()
            {
                headers.insert(name, value);
            }
        }
    }
}

/// Rounded up, so that waiting that long is enough.
fn seconds(span: TimeDelta) -> i64 {
    span.num_seconds() + i64::from(span.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_an_item_of_a_list() {
        let mut fields = RateLimitFields::default();
        let left = |count, milliseconds| Remaining {
            count,
            frees_in: TimeDelta::milliseconds(milliseconds),
        };
        fields.add("minute", 30, TimeDelta::minutes(1), left(29, 59_001));
        fields.add("daily", 500, TimeDelta::days(1), left(0, 1_000));
        let mut headers = HeaderMap::new();
        fields.put(&mut headers);
        assert_eq!(headers["ratelimit-policy"], r#""minute";q=30;w=60, "daily";q=500;w=86400"#);
        assert_eq!(headers["ratelimit"], r#""minute";r=29;t=60, "daily";r=0;t=1"#);
    }

    #[test]
    fn without_limits_there_are_no_fields() {
        let mut headers = HeaderMap::new();
        RateLimitFields::default().put(&mut headers);
        assert!(headers.is_empty());
    }
}
