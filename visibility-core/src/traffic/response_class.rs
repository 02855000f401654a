//! What a request got, by the status of the response.

use serde::Serialize;

/// What a status says about a request. The owner of a site has something else to do about each class.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResponseClass {
    /// The content, or that it has not changed: 2xx and 304.
    Served,
    /// Another address: 3xx but 304.
    Redirected,
    /// A refusal that someone has decided on: 401, 403, 406, 429, 451.
    Refused,
    /// Nothing is there: 404 and 410.
    Missing,
    /// The server has failed: 5xx.
    Failed,
    /// The request was wrong, or the client went away: every other 4xx, and 1xx.
    Other,
}

impl ResponseClass {
    /// The class of a status of HTTP.
    pub fn of(status: u16) -> Self {
        match status {
            200..=299 | 304 => Self::Served,
            300..=399 => Self::Redirected,
            401 | 403 | 406 | 429 | 451 => Self::Refused,
            404 | 410 => Self::Missing,
            500..=599 => Self::Failed,
            _ => Self::Other,
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Served => "served",
            Self::Redirected => "redirected",
            Self::Refused => "refused",
            Self::Missing => "missing",
            Self::Failed => "failed",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_one_class() {
        for (statuses, class) in [
            (&[200, 204, 206, 304][..], ResponseClass::Served),
            (&[301, 302, 307, 308], ResponseClass::Redirected),
            (&[401, 403, 406, 429, 451], ResponseClass::Refused),
            (&[404, 410], ResponseClass::Missing),
            (&[500, 502, 503, 520, 599], ResponseClass::Failed),
            (&[101, 400, 405, 414, 499], ResponseClass::Other),
        ] {
            for status in statuses {
                assert_eq!(ResponseClass::of(*status), class, "{status}");
            }
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }
}
