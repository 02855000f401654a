//! Whether the `BreadcrumbList` of a page can be shown.

use serde_json::{Map, Value};

use crate::audit::markup::{Entity, Markup, members};
use crate::audit::page::AuditedPage;
use crate::page::NodeId;
use crate::page::json_ld::text_of;
use crate::rubric::finding::{Evidence, Outcome};
use crate::text::note::Note;

/// Steps that are looked at.
const MAX_STEPS: usize = 50;
/// Lists that are looked at.
const MAX_LISTS: usize = 10;

/// What a page says of its place in its site.
pub(super) enum BreadcrumbState {
    /// A list that can be shown.
    Valid { steps: usize, line: usize, node: NodeId },
    /// A list that cannot.
    Invalid { flaw: BreadcrumbError, line: usize, node: NodeId },
    /// No list.
    Absent,
}

/// Why a list cannot be shown.
#[derive(Clone, Copy)]
pub(super) enum BreadcrumbError {
    FewSteps,
    Positions,
    NoName,
    NoItem,
}

impl BreadcrumbError {
    /// The sentence for it.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::FewSteps => FEW_STEPS,
            Self::Positions => POSITIONS,
            Self::NoName => NO_NAME,
            Self::NoItem => NO_ITEM,
        }
    }

    fn note(self) -> Note {
        Note::new(match self {
            Self::FewSteps => "breadcrumb-few-steps",
            Self::Positions => "breadcrumb-positions",
            Self::NoName => "breadcrumb-no-name",
            Self::NoItem => "breadcrumb-no-item",
        })
    }
}

pub(super) const FEW_STEPS: Outcome = Outcome::fail("few-breadcrumb-steps");
pub(super) const POSITIONS: Outcome = Outcome::fail("breadcrumb-positions");
pub(super) const NO_NAME: Outcome = Outcome::fail("breadcrumb-without-name");
pub(super) const NO_ITEM: Outcome = Outcome::fail("breadcrumb-without-item");

impl BreadcrumbState {
    /// Where the list is.
    pub(super) fn evidence(&self, page: &AuditedPage<'_>) -> Option<Evidence> {
        match self {
            Self::Valid { line, node, .. } => Some(page.evidence("BreadcrumbList", *line, *node)),
            Self::Invalid { flaw, line, node } => {
                Some(page.evidence("BreadcrumbList", *line, *node).note(flaw.note()))
            }
            Self::Absent => None,
        }
    }
}

/// The first list that can be shown, else the first one.
pub(super) fn find(page: &AuditedPage<'_>) -> BreadcrumbState {
    let lists = page.markup.with_types(&["BreadcrumbList"]).take(MAX_LISTS);
    let mut first = BreadcrumbState::Absent;
    for list in lists {
        let place = judge(&page.markup, list);
        if matches!(place, BreadcrumbState::Valid { .. }) {
            return place;
        }
        if matches!(first, BreadcrumbState::Absent) {
            first = place;
        }
    }
    first
}

/// At least two steps with positions 1 to n in any order, each with a name, and each but the last with
/// an address.
fn judge(markup: &Markup, list: &Entity) -> BreadcrumbState {
    let (line, node) = (list.line, list.node);
    let invalid = |flaw| BreadcrumbState::Invalid { flaw, line, node };
    let steps: Vec<&Map<String, Value>> =
        markup.objects(&list.object, "itemListElement").take(MAX_STEPS).collect();
    if steps.len() < 2 {
        return invalid(BreadcrumbError::FewSteps);
    }
    let text = |object: &Map<String, Value>, key: &str| {
        object.get(key).and_then(|value| text_of(value, 4))
    };
    let item = |step: &Map<String, Value>, keys: [&str; 2]| {
        let value = members(step.get("item")?).first()?;
        if value.is_string() {
            return value.as_str().filter(|_| keys.contains(&"@id")).map(str::to_owned);
        }
        let item = markup.resolve(value)?;
        keys.iter().find_map(|key| text(item, key))
    };
    let mut positions: Vec<Option<usize>> = steps
        .iter()
        .map(|step| text(step, "position").and_then(|position| position.parse().ok()))
        .collect();
    positions.sort_unstable();
    if positions.iter().enumerate().any(|(at, position)| *position != Some(at + 1)) {
        return invalid(BreadcrumbError::Positions);
    }
    let has_name = |step: &Map<String, Value>| {
        text(step, "name").or_else(|| item(step, ["name", "headline"])).is_some()
    };
    if !steps.iter().all(|step| has_name(step)) {
        return invalid(BreadcrumbError::NoName);
    }
    let lacks_item = steps.iter().filter(|step| item(step, ["@id", "url"]).is_none());
    // The last step may leave its address out: it is the page itself.
    match lacks_item.count() {
        0 => BreadcrumbState::Valid { steps: steps.len(), line, node },
        1 if steps.last().is_some_and(|last| !last.contains_key("item")) => {
            BreadcrumbState::Valid { steps: steps.len(), line, node }
        }
        _ => invalid(BreadcrumbError::NoItem),
    }
}
