//! The parameters of questions about the agents that came, as the description has them.

use utoipa::IntoParams;
use visibility_core::agents::Purpose;
use visibility_core::text::locale::Lang;
use visibility_core::traffic::PathKind;

use crate::traffic::series::{SeriesGroup, SeriesStep};

/// Which records are counted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `traffic::parameters` reads")]
pub(super) struct RecordSelection {
    /// First day (UTC); by default 29 days before `to`, at most 800 days before it.
    #[param(format = Date, example = "2026-11-01")]
    from: Option<String>,
    /// Last day (UTC); by default today.
    #[param(format = Date, example = "2026-11-30")]
    to: Option<String>,
    /// Count only the agent with this id.
    #[param(min_length = 1, example = "openai-gptbot")]
    agent: Option<String>,
    /// Count only agents with this purpose.
    #[param(inline)]
    purpose: Option<Purpose>,
    /// Count only agents of this vendor, in any case.
    #[param(min_length = 1, example = "OpenAI")]
    vendor: Option<String>,
    /// Count only this host. One without records has zeros.
    #[param(min_length = 1, example = "www.example.com")]
    host: Option<String>,
    /// Count only this status, a class such as `4xx`, or `refused` (401, 403, 406, 429, 451), `missing` (404, 410) or
    /// `failed` (5xx).
    #[param(pattern = "^([1-5]([0-9]{2}|xx)|refused|missing|failed)$", example = "missing")]
    status: Option<String>,
    /// Count only paths of this kind. It cannot be combined with a single status.
    #[param(inline)]
    kind: Option<PathKind>,
}

/// When batches arrived.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `traffic::parameters` reads")]
pub(super) struct Span {
    /// First day (UTC) on which batches arrived; by default 29 days before `to`, at most 800 days before it.
    #[param(format = Date, example = "2026-11-01")]
    from: Option<String>,
    /// Last day (UTC); by default today.
    #[param(format = Date, example = "2026-11-30")]
    to: Option<String>,
}

/// What is counted separately.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `traffic::parameters` reads")]
pub(super) struct SeriesSpans {
    /// Length of each step; by default `day`.
    #[param(inline)]
    by: Option<SeriesStep>,
    /// What makes requests a group; by default `purpose`.
    #[param(inline)]
    group: Option<SeriesGroup>,
}

/// Which agents are listed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `traffic::parameters` reads")]
pub(super) struct AgentsList {
    /// Whether to list every agent whose records are accepted, not only those of the access matrix and those that came.
    all: Option<bool>,
    /// Language of notes and errors; English for any other value.
    #[param(inline)]
    lang: Option<Lang>,
}

/// A part of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `traffic::parameters` reads")]
pub(super) struct List {
    /// Most rows; by default 100.
    #[param(minimum = 1, maximum = 1000, example = 100)]
    limit: Option<u16>,
    /// `next` of the part before.
    #[param(example = "12.openai-gptbot")]
    after: Option<String>,
}
