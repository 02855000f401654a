//! `response-budget`: a home page that arrives soon, and whose text comes early in it.
//!
//! Agents wait for seconds and keep about 100,000 characters; the limits are those of 2026.

use crate::fetch::{BodyEnd, Resource, Response};
use crate::page::Page;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix, ServerRule, Task};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::home;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "response-budget",
    category: Category::Content,
    weight: 4,
    maturity: Maturity::Adopted,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        WITHIN,
        SLOW,
        LARGE,
        LATE_TEXT,
        UNCOMPRESSED,
        VERY_SLOW,
        TOO_SLOW,
        TOO_LARGE,
        BURIED_TEXT,
        TIMED_OUT,
        BROKEN_OFF,
        UNDECODABLE,
        UNREADABLE,
    ],
    covers: &["TTFB"],
    specs: &[
        Spec { name: "Agent-Friendly Documentation Spec", url: "https://agentdocsspec.com/spec" },
        Spec { name: "Time to First Byte", url: "https://web.dev/articles/ttfb" },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const WITHIN: Outcome = Outcome::pass("within-budget");
const SLOW: Outcome = Outcome::warn("slow");
const LARGE: Outcome = Outcome::warn("large");
const LATE_TEXT: Outcome = Outcome::warn("late-text");
const UNCOMPRESSED: Outcome = Outcome::warn("uncompressed");
const VERY_SLOW: Outcome = Outcome::fail("very-slow");
const TOO_SLOW: Outcome = Outcome::fail("too-slow");
const TOO_LARGE: Outcome = Outcome::fail("too-large");
const BURIED_TEXT: Outcome = Outcome::fail("buried-text");
const TIMED_OUT: Outcome = Outcome::fail("timed-out");
const BROKEN_OFF: Outcome = Outcome::fail("broken-off");
const UNDECODABLE: Outcome = Outcome::fail("undecodable");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Milliseconds to the first byte that are good.
const GOOD_TTFB_MS: u32 = 800;
/// Milliseconds to the first byte that are still bearable; more keeps a site from the highest tier.
pub(in crate::scan) const MAX_TTFB_MS: u32 = 2_500;
/// Milliseconds to the first byte after which an agent that reads several pages for one answer has to
/// leave this one out: our choice, half of what one of our own requests may take. More keeps a site
/// from the two highest tiers.
pub(in crate::scan) const GIVE_UP_TTFB_MS: u32 = 5_000;
/// Bytes of decoded HTML that are good: 500 KiB.
const GOOD_HTML_BYTES: usize = 500 * 1024;
/// Characters after which agents are reported to stop reading.
const MAX_TEXT_START: usize = 100_000;
/// Characters before which a late start of the text costs nothing, however short the page.
const EARLY_TEXT_START: usize = 10_000;
/// Bytes that fit into one packet, so that compressing them gains nothing.
const ONE_PACKET: usize = 1_400;
/// Characters of one token, on average.
const CHARS_PER_TOKEN: usize = 4;

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    let (Some(home), Some(page)) = (site.home(), site.page()) else {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&Resource::Home));
    };
    let measured = BudgetMeasure::from_site(site, home, page);
    let detections = measured.problems(home);
    let fix = fix(&detections);
    let finding = Finding::from_worst(detections)
        .unwrap_or_else(|| Finding::new(measured.fill(WITHIN.detected())))
        .with_evidence([Evidence::from_response(home).note(measured.note())]);
    finding.with_fix_if_any(fix)
}

/// What the budget is compared with.
struct BudgetMeasure {
    ttfb_ms: u32,
    samples: usize,
    html_bytes: usize,
    html_chars: usize,
    text_start: Option<usize>,
    encoding: String,
    is_compressed: bool,
}

impl BudgetMeasure {
    fn from_site(site: &SiteSnapshot, home: &Response, page: &Page) -> Self {
        let times = first_byte_times(site);
        let encoding = home.headers.first("content-encoding").unwrap_or("identity").trim();
        let codings = home.content_codings();
        // Under a wrong name, gzip is known by its size.
        let is_shrunk = || home.wire_bytes < home.body.len() as u64;
        let is_compressed =
            !codings.applied.is_empty() || !codings.unknown.is_empty() && is_shrunk();
        Self {
            ttfb_ms: median(&times).unwrap_or(home.ttfb_ms),
            samples: times.len().max(1),
            html_bytes: page.html_bytes,
            html_chars: page.html_chars,
            text_start: page.chars_before_main_text,
            encoding: encoding.to_ascii_lowercase(),
            is_compressed,
        }
    }

    fn problems(&self, home: &Response) -> Vec<Detection> {
        [self.end(home), self.time(), self.size(home), self.start(), self.coding()]
            .into_iter()
            .flatten()
            .map(|detection| self.fill(detection))
            .collect()
    }

    fn end(&self, home: &Response) -> Option<Detection> {
        match home.body_end {
            BodyEnd::Complete | BodyEnd::Capped => None,
            BodyEnd::TimedOut => Some(TIMED_OUT.with("total_ms", home.total_ms)),
            BodyEnd::Broken => Some(BROKEN_OFF.detected()),
            BodyEnd::Undecodable => Some(UNDECODABLE.with("encoding", &self.encoding)),
        }
    }

    fn time(&self) -> Option<Detection> {
        if self.ttfb_ms > GIVE_UP_TTFB_MS {
            Some(TOO_SLOW.detected())
        } else if self.ttfb_ms > MAX_TTFB_MS {
            Some(VERY_SLOW.detected())
        } else {
            (self.ttfb_ms > GOOD_TTFB_MS).then(|| SLOW.detected())
        }
    }

    /// The cap of the home page is the limit of 2 MiB, so that more is only known as capped.
    fn size(&self, home: &Response) -> Option<Detection> {
        match home.body_end {
            BodyEnd::Capped => Some(TOO_LARGE.detected()),
            _ if self.html_bytes > GOOD_HTML_BYTES => Some(LARGE.detected()),
            _ => None,
        }
    }

    fn start(&self) -> Option<Detection> {
        let start = self.text_start?;
        if start > MAX_TEXT_START {
            Some(BURIED_TEXT.with("start", start))
        } else if start > EARLY_TEXT_START && start * 2 >= self.html_chars {
            Some(LATE_TEXT.with("start", start))
        } else {
            None
        }
    }

    fn coding(&self) -> Option<Detection> {
        (!self.is_compressed && self.html_bytes > ONE_PACKET).then(|| UNCOMPRESSED.detected())
    }

    fn fill(&self, detection: Detection) -> Detection {
        detection
            .with("ms", self.ttfb_ms)
            .with("kib", self.html_bytes.div_ceil(1024))
            .with("tokens", self.html_chars / CHARS_PER_TOKEN)
    }

    fn note(&self) -> Note {
        let note = match self.text_start {
            Some(start) => Note::new("response-times").with("start", start),
            None => Note::new("response-times-without-text"),
        };
        note.with("ms", self.ttfb_ms)
            .with("requests", self.samples)
            .with("bytes", self.html_bytes)
            .with("tokens", self.html_chars / CHARS_PER_TOKEN)
            .with("encoding", &self.encoding)
    }
}

/// Times to the first byte of all successful requests for the home page, sorted.
fn first_byte_times(site: &SiteSnapshot) -> Vec<u32> {
    let home = site.exchanges().filter(|exchange| {
        matches!(
            exchange.probe.resource,
            Resource::Home
                | Resource::HomeMarkdown
                | Resource::HomeAsBrowser
                | Resource::HomeAsAgent(_)
        )
    });
    let mut times: Vec<u32> = home
        .filter_map(|exchange| exchange.result.as_ref().ok())
        .filter(|response| response.is_success() && site.challenge(response).is_none())
        .map(|response| response.ttfb_ms)
        .collect();
    times.sort_unstable();
    times
}

/// The middle of sorted values; of two middles the lower one.
fn median(sorted: &[u32]) -> Option<u32> {
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

fn fix(detections: &[Detection]) -> Option<Fix> {
    let has = |outcomes: &[Outcome]| detections.iter().any(|s| outcomes.contains(&s.outcome));
    let mut fix = Fix::default();
    if has(&[UNCOMPRESSED]) {
        fix = fix.and(Edit::Server { rule: ServerRule::Compression });
    }
    if has(&[SLOW, VERY_SLOW, TOO_SLOW]) {
        fix = fix.and(Edit::Server { rule: ServerRule::Caching });
        fix = fix.and(Edit::Code { task: Task::AnswerFaster });
    }
    (!fix.edits.is_empty()).then_some(fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_lower_middle() {
        let cases: [(&[u32], Option<u32>); 4] =
            [(&[], None), (&[7], Some(7)), (&[1, 9], Some(1)), (&[1, 2, 900], Some(2))];
        for (sorted, expected) in cases {
            assert_eq!(median(sorted), expected, "{sorted:?}");
        }
    }
}
