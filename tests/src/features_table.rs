//! The table of the features that tell the kind of a page, as the documentation has it.

use std::cmp::Ordering;
use std::fmt::Write as _;

use visibility_core::audit::profile::features::FEATURES;
use visibility_core::audit::profile::model::ModelFile;

/// Each feature with its definition, and the kinds that it speaks for and against most.
pub fn table(model: &ModelFile) -> String {
    let mut table =
        "| Feature | Definition | Speaks for | Speaks against |\n|---|---|---|---|\n".to_owned();
    for feature in FEATURES {
        let values = model.features.get(feature.id).map(Vec::as_slice);
        let weights = values.and_then(|values| values.get(2..)).unwrap_or_default();
        let by_kind = || model.kinds.iter().zip(weights);
        let order = |one: &(&String, &f64), other: &(&String, &f64)| -> Ordering {
            one.1.total_cmp(other.1)
        };
        let cell = |found: Option<(&String, &f64)>| {
            found.map(|(kind, weight)| format!("{kind} {weight:+.2}")).unwrap_or_default()
        };
        let most = cell(by_kind().max_by(order));
        let least = cell(by_kind().min_by(order));
        let definition = feature.definition.trim().trim_end_matches('.').replace('|', "\\|");
        let _ = writeln!(table, "| `{}` | {definition} | {most} | {least} |", feature.id);
    }
    table
}
