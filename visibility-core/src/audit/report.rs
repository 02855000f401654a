//! The report of an audit, independent of a language, and its result in one language.

mod profile;

use std::cmp::Reverse;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::audit::cap::AuditCap;
use crate::audit::information::{self, Information};
use crate::audit::page::AuditedPage;
use crate::audit::percentile::{self, percentile};
use crate::audit::profile::ProfileDecision;
use crate::audit::result::{
    AuditDetailResult, AuditEvidenceResult, AuditFixResult, AuditResult, AuditSignalResult,
    DroppedResult, GateResult, InformationResult, PageResult, PercentileResult, PillarResult,
    SourceResult,
};
use crate::audit::score::{
    self, AuditScore, EvaluatedSignal, Gain, OTHER_KIND, OTHER_LANGUAGE, RUBRIC_VERSION,
};
use crate::audit::signal::{self, Credit, Pillar};
use crate::audit::signals;
use crate::audit::simulation;
use crate::audit::snapshot::PageSnapshot;
use crate::audit::status::Status;
use crate::limits::MAX_DROPPED_PARTS;
use crate::page::content::Dropped;
use crate::rubric::finding::{Detection, Evidence, Verdict};
use crate::text::excerpt::excerpt;
use crate::text::locale::{Catalog, Lang, Values};

/// Signals that a summary names.
const MAX_NAMED: usize = 3;
/// Characters of the beginning of what an engine reads.
const MAX_READ_CHARS: usize = 2_000;
/// Characters of a part that is left out, of which an excerpt is shown.
const MAX_DROPPED_CHARS: usize = 400;

/// An audit as a whole. Has no language: [`AuditReport::result`] gives it one.
#[derive(Clone, Debug)]
pub struct AuditReport {
    id: String,
    url: String,
    final_url: Option<String>,
    http_status: Option<u16>,
    taken_at: DateTime<Utc>,
    status: Status,
    /// The sign by which the visit came out so; its sentence is under `audit_status_reasons`.
    reason: Detection,
    evaluated: Option<EvaluatedPage>,
}

/// What there is when there was a page to judge.
#[derive(Clone, Debug)]
struct EvaluatedPage {
    decision: ProfileDecision,
    evaluated: Vec<EvaluatedSignal>,
    score: AuditScore,
    information: Vec<Information>,
    page: PageResult,
    /// What the fix of each reading brings, in their order.
    effects: Vec<FixEffect>,
}

/// What a fix brings.
#[derive(Clone, Debug)]
struct FixEffect {
    gain: Gain,
    /// Ids of other signals whose points change with it.
    includes: Vec<&'static str>,
    /// Whether the page has the same profile afterwards.
    is_certain: bool,
}

impl AuditReport {
    /// Judges a snapshot. Pure: the same snapshot gives the same report.
    pub fn evaluate(snapshot: &PageSnapshot) -> Self {
        let response = snapshot.response();
        let from_network = response.filter(|_| !snapshot.is_file());
        let visited = Status::from_snapshot(snapshot);
        let readable = response.filter(|_| visited.0.has_page());
        let mut page = readable.map(|response| AuditedPage::new(snapshot, response));
        let (status, reason) = page.as_ref().map_or(visited, Status::from_page);
        Self {
            id: snapshot.id.to_string(),
            url: snapshot.target.url().to_string(),
            final_url: from_network.map(|found| found.url.to_string()),
            http_status: from_network.map(|found| found.status),
            taken_at: snapshot.taken_at,
            status,
            reason,
            evaluated: page.as_mut().filter(|_| status.has_page()).map(EvaluatedPage::new),
        }
    }

    /// How the visit came out.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The score, if there was a page to judge.
    pub fn score(&self) -> Option<&AuditScore> {
        self.evaluated.as_ref().map(|judged| &judged.score)
    }

    /// The signals and what they read; empty if there was no page to judge.
    pub fn evaluated_signals(&self) -> &[EvaluatedSignal] {
        self.evaluated.as_ref().map(|judged| judged.evaluated.as_slice()).unwrap_or_default()
    }

    /// The result in one language.
    pub fn result(&self, lang: Lang) -> AuditResult {
        let catalog = Catalog::for_lang(lang);
        let judged = self.evaluated.as_ref();
        let score = self.score();
        let band = score.map(|score| score.band.as_str());
        AuditResult {
            id: self.id.clone(),
            url: self.url.clone(),
            gpt_visibility_score: score.map(|score| score.value).unwrap_or_default(),
            status: self.status,
            final_url: self.final_url.clone(),
            http_status: self.http_status,
            created_at: self.taken_at.to_rfc3339_opts(SecondsFormat::Secs, true),
            rubric_version: RUBRIC_VERSION.to_owned(),
            lang: lang.to_string(),
            summary: self.summary(catalog),
            band: band.map(str::to_owned),
            band_label: band.map(|band| catalog.text(&["bands", band])),
            raw_score: score.map(|score| score.raw),
            coverage: score.map(|score| f64::from(score.coverage) / 1000.0).unwrap_or_default(),
            percentile: judged.and_then(|judged| judged.percentile(catalog)),
            profile: judged.map(|judged| judged.decision.result(catalog)),
            profile_confidence: judged.and_then(|judged| judged.decision.confidence()),
            pillars: judged.map(|judged| judged.pillars(catalog)).unwrap_or_default(),
            gates: judged.map(|judged| judged.gates(catalog)).unwrap_or_default(),
            signals: judged.map(|judged| judged.signals(catalog)).unwrap_or_default(),
            fixes: judged.map(|judged| judged.fixes(catalog)).unwrap_or_default(),
            information: judged.map(|judged| judged.information(catalog)).unwrap_or_default(),
            page: judged.map(|judged| judged.page.clone()),
            disclaimer: catalog.text(&["audit", "disclaimer"]),
        }
    }

    fn summary(&self, catalog: &Catalog) -> String {
        let reason = &self.reason;
        let came_out =
            catalog.fill(&["audit_status_reasons", reason.outcome.id], &reason.values_in(catalog));
        match self.evaluated.as_ref().and_then(|judged| judged.first(catalog)) {
            Some(lost) => format!("{came_out} {lost}"),
            None => came_out,
        }
    }
}

impl EvaluatedPage {
    fn new(page: &mut AuditedPage<'_>) -> Self {
        let mut evaluated: Vec<EvaluatedSignal> =
            signals::all().map(|signal| EvaluatedSignal::evaluate(signal, page)).collect();
        let gains: Vec<FixEffect> =
            (0..evaluated.len()).map(|at| FixEffect::simulate(page, &evaluated, at)).collect();
        for (item, effect) in evaluated.iter_mut().zip(&gains) {
            // Where pasting does harm, such as making a page another kind, the advice remains.
            item.scored.fix = item.scored.fix.take().filter(|_| !effect.gain.is_loss);
        }
        Self {
            effects: gains,
            score: score::score(&evaluated, page.profiles()),
            decision: page.decision.clone(),
            evaluated,
            information: information::all(page),
            page: page_result(page),
        }
    }

    /// The sentence that says what to begin with: the gate that caps the score, else the first fixes.
    fn first(&self, catalog: &Catalog) -> Option<String> {
        if let Some((cap, _)) = self.score.caps.first() {
            return Some(cap_text(*cap, catalog));
        }
        let titles: Vec<String> = self
            .open()
            .iter()
            .take(MAX_NAMED)
            .map(|(item, _)| catalog.text(&["signals", item.signal.id, "title"]))
            .collect();
        let values = Values::from([("signals", titles.join(", "))]);
        (!titles.is_empty()).then(|| catalog.fill(&["audit", "first"], &values))
    }

    /// The rank among pages of the same kind; none of a page whose kind is not certain.
    fn percentile(&self, catalog: &Catalog) -> Option<PercentileResult> {
        let profile = self.decision.profiles.certain()?;
        Some(PercentileResult {
            value: percentile(self.score.value, profile),
            corpus: percentile::CORPUS.to_owned(),
            interpolated: true,
            note: catalog.fill(
                &["audit", "percentile-note"],
                &Values::from([
                    ("count", percentile::pages(profile).to_string()),
                    ("rubric", RUBRIC_VERSION.to_owned()),
                ]),
            ),
        })
    }

    fn pillars(&self, catalog: &Catalog) -> Vec<PillarResult> {
        let of = |pillar| self.evaluated.iter().filter(move |item| item.signal.pillar == pillar);
        let present = Pillar::ALL.into_iter().filter(|pillar| of(*pillar).next().is_some());
        present
            .map(|id| PillarResult {
                id,
                title: catalog.text(&["pillars", id.as_str()]),
                weight: tenths(of(id).map(|item| self.weight(item)).sum()),
                points: round(of(id).map(|item| self.points(item)).sum()),
                max_points: tenths(of(id).map(|item| self.max_tenths(item)).sum()),
            })
            .collect()
    }

    fn gates(&self, catalog: &Catalog) -> Vec<GateResult> {
        let closed = self.score.caps.iter().map(|(cap, signal)| GateResult {
            id: *cap,
            limit: cap.limit(),
            signal: signal.id.to_owned(),
            text: cap_text(*cap, catalog),
        });
        closed.collect()
    }

    fn signals(&self, catalog: &Catalog) -> Vec<AuditSignalResult> {
        self.evaluated.iter().map(|item| self.signal(item, catalog)).collect()
    }

    fn signal(&self, item: &EvaluatedSignal, catalog: &Catalog) -> AuditSignalResult {
        let EvaluatedSignal { signal, scored } = item;
        let mut seen = scored.finding.detections().iter();
        let summary = seen.next().map(|decisive| sentence(item, decisive, "text", catalog));
        AuditSignalResult {
            id: signal.id.to_owned(),
            code: signal.code.to_owned(),
            pillar: signal.pillar,
            title: catalog.text(&["signals", signal.id, "title"]),
            status: scored.finding.verdict(),
            grade: signal.grade,
            weight: tenths(self.weight(item)),
            credit: scored.credit.map(Credit::share),
            points: round(self.points(item)),
            max_points: tenths(self.max_tenths(item)),
            points_if_fixed: self.full_gain(item).points,
            why: catalog.text(&["signals", signal.id, "why"]),
            summary: summary.unwrap_or_default(),
            details: seen
                .map(|other| AuditDetailResult {
                    id: other.outcome.id.to_owned(),
                    status: other.outcome.verdict,
                    text: sentence(item, other, "text", catalog),
                })
                .collect(),
            evidence: scored.finding.evidence().iter().map(|one| evidence(one, catalog)).collect(),
            sources: signal
                .sources
                .iter()
                .map(|spec| SourceResult { name: spec.name.to_owned(), url: spec.url.to_owned() })
                .collect(),
        }
    }

    /// What lost points, what opens a gate first, then by points for the work.
    fn fixes(&self, catalog: &Catalog) -> Vec<AuditFixResult> {
        self.open().into_iter().map(|(item, effect)| fix(item, effect, catalog)).collect()
    }

    /// The signals that can gain something, in the order in which to fix them.
    fn open(&self) -> Vec<(&EvaluatedSignal, &FixEffect)> {
        let is_open = |item: &&EvaluatedSignal| {
            matches!(item.scored.finding.verdict(), Verdict::Warn | Verdict::Fail)
        };
        let effects = self.evaluated.iter().zip(&self.effects);
        let mut open: Vec<(&EvaluatedSignal, &FixEffect)> =
            effects.filter(|(item, _)| is_open(item)).collect();
        open.sort_by_key(|(item, effect)| {
            let value = effect.gain.raw_tenths * 4 / item.signal.effort.cost();
            let cap = item.scored.cap.map_or(u8::MAX, AuditCap::limit);
            (cap, Reverse(value))
        });
        open
    }

    fn information(&self, catalog: &Catalog) -> Vec<InformationResult> {
        let seen = self.information.iter().map(|seen| InformationResult {
            id: seen.id.to_owned(),
            text: catalog.fill(&["information", seen.id], &seen.values),
            evidence: seen.evidence.iter().map(|one| evidence(one, catalog)).collect(),
        });
        seen.collect()
    }

    fn full_gain(&self, item: &EvaluatedSignal) -> Gain {
        score::full_gain(&self.evaluated, self.decision.profiles, item)
    }

    fn weight(&self, item: &EvaluatedSignal) -> u32 {
        item.signal.weights.in_common(self.decision.profiles)
    }

    fn max_tenths(&self, item: &EvaluatedSignal) -> u32 {
        if item.scored.credit.is_some() { self.weight(item) } else { 0 }
    }

    fn points(&self, item: &EvaluatedSignal) -> f64 {
        tenths(self.weight(item)) * item.scored.credit.map(Credit::share).unwrap_or_default()
    }
}

impl FixEffect {
    /// What the fix of a reading brings: what pasting it does, else what the whole signal is worth. Where the
    /// page may get another profile by it, the least of what it then brings.
    fn simulate(page: &mut AuditedPage<'_>, evaluated: &[EvaluatedSignal], at: usize) -> Self {
        let profiles = page.profiles();
        let outcomes = simulation::after(page, evaluated, at);
        let Some((same, others)) = outcomes.split_first() else {
            let gain = evaluated.get(at).map(|item| score::full_gain(evaluated, profiles, item));
            return Self { gain: gain.unwrap_or_default(), includes: Vec::new(), is_certain: true };
        };
        let gain = |after: &simulation::After| {
            score::gain(evaluated, profiles, after.profiles, |id| {
                after.contributions.iter().find(|(known, _)| *known == id).map(|(_, new)| *new)
            })
        };
        let now = |id: &str| evaluated.iter().find(|item| item.signal.id == id);
        let own = evaluated.get(at).map(|item| item.signal.id);
        let changed = same.contributions.iter().filter(|(id, (credit, _))| {
            Some(*id) != own && now(id).is_some_and(|item| item.scored.credit != *credit)
        });
        Self {
            gain: others.iter().map(gain).fold(gain(same), Gain::or_less),
            includes: changed.map(|(id, _)| *id).collect(),
            is_certain: others.is_empty(),
        }
    }
}

fn fix(item: &EvaluatedSignal, effect: &FixEffect, catalog: &Catalog) -> AuditFixResult {
    let gain = effect.gain;
    let EvaluatedSignal { signal, scored } = item;
    let hint = scored.finding.detections().first().map(|seen| sentence(item, seen, "fix", catalog));
    let paste = scored.fix.as_ref();
    let placement = paste.map(|fix| fix.placement);
    AuditFixResult {
        signal: signal.id.to_owned(),
        code: signal.code.to_owned(),
        title: catalog.text(&["signals", signal.id, "title"]),
        points: gain.points,
        raw_points: tenths(gain.raw_tenths),
        includes: effect.includes.iter().map(|id| (*id).to_owned()).collect(),
        opens_gate: scored.cap.map(AuditCap::limit),
        effort: signal.effort,
        hint: hint.unwrap_or_default(),
        snippet: paste
            .map(|fix| catalog.with_comments(&fix.snippet))
            .filter(|snippet| !snippet.is_empty()),
        language: paste.map(|fix| fix.language),
        placement,
        placement_label: placement.map(|place| catalog.text(&["placements", place.as_str()])),
        needs_input: paste.map(signal::SnippetFix::placeholders).unwrap_or_default(),
        files: paste.map(signal::SnippetFix::files).unwrap_or_default(),
        note: paste
            .filter(|_| !effect.is_certain)
            .map(|_| catalog.text(&["audit", "may-be-other-kind"])),
    }
}

fn cap_text(cap: AuditCap, catalog: &Catalog) -> String {
    let values = Values::from([("limit", cap.limit().to_string())]);
    catalog.fill(&["gates", cap.as_str()], &values)
}

/// The `text` or the `fix` of an outcome.
fn sentence(item: &EvaluatedSignal, seen: &Detection, kind: &str, catalog: &Catalog) -> String {
    if [OTHER_KIND, OTHER_LANGUAGE].contains(&seen.outcome) {
        return catalog.text(&["audit", seen.outcome.id]);
    }
    let path = ["signals", item.signal.id, "outcomes", seen.outcome.id, kind];
    catalog.fill_if_any(&path, &seen.values_in(catalog)).unwrap_or_default()
}

fn evidence(evidence: &Evidence, catalog: &Catalog) -> AuditEvidenceResult {
    AuditEvidenceResult {
        quote: evidence.excerpt.clone(),
        line: evidence.line,
        css: evidence.css.clone(),
        url: evidence.url.clone(),
        note: evidence.note.as_ref().map(|note| note.sentence(catalog)),
    }
}

fn page_result(page: &AuditedPage<'_>) -> PageResult {
    let facts = page.page();
    let title = facts.title.as_ref().filter(|title| !title.value.is_empty());
    PageResult {
        title: title.map(|title| excerpt(&title.value)),
        description: facts.description.as_ref().map(|text| excerpt(&text.value)),
        language: page.language.code.map(str::to_owned),
        html_bytes: facts.html_bytes,
        main_words: page.content.words,
        body_words: page.content.body_words,
        html_tokens: page.tokens.html,
        main_tokens: page.tokens.main,
        tokens_before_main: page.tokens.before_main,
        read: page.content.markdown_beginning(MAX_READ_CHARS),
        dropped: dropped(page),
    }
}

/// The largest parts that are not main content, in order.
fn dropped(page: &AuditedPage<'_>) -> Vec<DroppedResult> {
    let mut largest: Vec<(usize, &Dropped)> = page.content.dropped.iter().enumerate().collect();
    largest.sort_by_key(|(_, part)| Reverse(part.chars));
    largest.truncate(MAX_DROPPED_PARTS);
    largest.sort_by_key(|(at, _)| *at);
    largest
        .into_iter()
        .map(|(_, part)| DroppedResult {
            rule: part.rule.to_owned(),
            chars: part.chars,
            line: part.line,
            css: page.document.css_path(part.node),
            text: excerpt(&page.document.shown_text_of(part.node, MAX_DROPPED_CHARS)),
        })
        .collect()
}

fn tenths(tenths: u32) -> f64 {
    f64::from(tenths) / 10.0
}

/// Hundredths are enough for points.
fn round(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}
