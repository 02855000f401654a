//! Sources that several signals rely on.

use crate::rubric::Spec;

/// Cited sources, quotations and statistics raised the share of an answer that a page got.
pub(super) const GEO: Spec =
    Spec { name: "GEO: Generative Engine Optimization", url: "https://arxiv.org/abs/2311.09735" };

/// The methods of the former, tried with several pages that use them: largely without effect.
pub(super) const C_SEO_BENCH: Spec = Spec {
    name: "C-SEO Bench: Does Conversational SEO Work?",
    url: "https://arxiv.org/abs/2506.11097",
};

/// Of two sources that differ in one thing, the one with a price or a recent date is cited first more
/// often; completeness helps less, formatting hardly.
pub(super) const WHAT_GETS_CITED: Spec = Spec {
    name: "What Gets Cited: Competitive GEO in AI Answer Engines",
    url: "https://arxiv.org/abs/2605.25517",
};

/// What Microsoft advises: direct answers, descriptive headings, nothing vague, nothing hidden.
pub(super) const MICROSOFT_ANSWERS: Spec = Spec {
    name: "Microsoft: content for AI search answers",
    url: "https://about.ads.microsoft.com/en/blog/post/october-2025/optimizing-your-content-for-inclusion-in-ai-search-answers",
};
