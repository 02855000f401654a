//! Pages that ask for a proof of being human instead of answering.

use crate::fetch::Response;

/// The sign by which a response is a challenge, such as `cf-mitigated: challenge`; `None` if it is
/// an ordinary answer.
pub fn marker(response: &Response) -> Option<&'static str> {
    let mitigated = response.headers.first("cf-mitigated")?;
    mitigated.eq_ignore_ascii_case("challenge").then_some("cf-mitigated: challenge")
}
