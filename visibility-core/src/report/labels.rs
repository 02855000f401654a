//! Translated headings, labels and verdicts of reports and of the command line.

use crate::agents::Purpose;
use crate::audit::profile::Profile;
use crate::audit::signal::Grade;
use crate::audit::status::Status;
use crate::page::content::DropReason;
use crate::rubric::Effort;
use crate::rubric::finding::Verdict;
use crate::scan::check::{Category, Maturity};
use crate::scan::facts::access::{Access, Basis, Effective, ProbeVerdict};
use crate::scan::result::ScanResult;
use crate::scan::surface::Surface;
use crate::text::locale::{Catalog, Lang, Values};

/// The words of one language. All are in `locales/` under `interface`.
#[derive(Clone, Copy, Debug)]
pub struct Labels(&'static Catalog);

impl Labels {
    /// The words of a language.
    pub fn new(lang: Lang) -> Self {
        Self(Catalog::for_lang(lang))
    }

    /// The words in the language of a result; English if it names none that is known.
    pub fn for_result(result: &ScanResult) -> Self {
        Self::for_lang(&result.lang)
    }

    /// The words of a language by its value on the wire; English for an unknown one.
    pub fn for_lang(lang: &str) -> Self {
        Self::new(lang.parse().unwrap_or_default())
    }

    /// The language of the labels.
    pub fn lang(self) -> Lang {
        self.0.lang()
    }

    /// The sentences behind the words.
    pub fn catalog(self) -> &'static Catalog {
        self.0
    }

    /// A label without placeholders.
    pub fn label(self, id: &str) -> String {
        self.0.text(&["interface", "labels", id])
    }

    /// A sentence with its placeholders filled.
    pub fn sentence(self, id: &str, values: &[(&'static str, &dyn ToString)]) -> String {
        self.0.fill(&["interface", "sentences", id], &filled(values))
    }

    /// A label of audits without placeholders.
    pub fn audit(self, id: &str) -> String {
        self.0.text(&["audit", "labels", id])
    }

    /// A sentence of audits with its placeholders filled.
    pub fn audit_sentence(self, id: &str, values: &[(&'static str, &dyn ToString)]) -> String {
        self.0.fill(&["audit", "sentences", id], &filled(values))
    }

    /// What a rule leaves out, and how it knows; `None` for a rule that is not known.
    pub fn drop_reason(self, rule: &str) -> Option<(String, String)> {
        let DropReason { part, sign, name } = DropReason::from_rule(rule)?;
        let name: [(&'static str, &dyn ToString); 1] = [("name", &name)];
        let part = self.0.text(&["dropped", "parts", part]);
        Some((part, self.0.fill(&["dropped", "signs", sign], &filled(&name))))
    }

    /// The same in one text; the rule itself if it is not known.
    pub fn drop_rule(self, rule: &str) -> String {
        let reason = self.drop_reason(rule);
        reason.map_or_else(|| rule.to_owned(), |(part, sign)| format!("{part}: {sign}"))
    }

    /// How the visit of a page came out, as a label.
    pub fn status(self, status: Status) -> String {
        self.0.text(&["statuses", status.as_str(), "label"])
    }

    /// What it means that the visit of a page came out so.
    pub fn status_meaning(self, status: Status) -> String {
        self.0.text(&["statuses", status.as_str(), "text"])
    }

    /// A kind of page.
    pub fn profile(self, profile: Profile) -> String {
        self.0.text(&["profiles", profile.as_str()])
    }

    /// How good the evidence behind a signal is.
    pub fn grade(self, grade: Grade) -> String {
        self.0.text(&["grades", grade.as_str()])
    }

    /// A verdict.
    pub fn verdict(self, verdict: Verdict) -> String {
        self.0.text(&["verdicts", verdict.as_str()])
    }

    /// A level of confidence.
    pub fn confidence(self, level: &str) -> String {
        self.0.find(&["confidence", level]).unwrap_or(level).to_owned()
    }

    /// The label of a tier.
    pub fn tier(self, tier: &str) -> String {
        self.0.find(&["tiers", tier]).unwrap_or(tier).to_owned()
    }

    /// What a tier means for the owner of the site.
    pub fn tier_meaning(self, tier: &str) -> String {
        self.0.find(&["tier_meanings", tier]).unwrap_or_default().to_owned()
    }

    /// The label of a band of scores.
    pub fn band(self, band: &str) -> String {
        self.0.find(&["bands", band]).unwrap_or(band).to_owned()
    }

    /// A category.
    pub fn category(self, category: Category) -> String {
        self.0.text(&["categories", category.as_str()])
    }

    /// A surface.
    pub fn surface(self, surface: Surface) -> String {
        self.0.text(&["interface", "surfaces", surface.as_str()])
    }

    /// How settled a standard is.
    pub fn maturity(self, maturity: Maturity) -> String {
        self.0.text(&["interface", "maturity", maturity.as_str()])
    }

    /// How much work a fix is.
    pub fn effort(self, effort: Effort) -> String {
        let id = match effort {
            Effort::S => "small",
            Effort::M => "medium",
            Effort::L => "large",
        };
        self.0.text(&["interface", "effort", id])
    }

    /// What an agent fetches pages for.
    pub fn purpose(self, purpose: Purpose) -> String {
        let id = match purpose {
            Purpose::Search => "search",
            Purpose::User => "user",
            Purpose::Training => "training",
            Purpose::Other => "other",
        };
        self.0.text(&["interface", "purpose", id])
    }

    /// What robots.txt allows.
    pub fn access(self, access: Access) -> String {
        let id = match access {
            Access::Allowed => "allowed",
            Access::Partial => "partial",
            Access::Blocked => "blocked",
            Access::Unknown => "unknown",
        };
        self.0.text(&["interface", "access", id])
    }

    /// What the access was read from.
    pub fn basis(self, basis: Basis) -> String {
        let id = match basis {
            Basis::SpecificGroup => "specific-group",
            Basis::FallbackGroup => "fallback-group",
            Basis::WildcardGroup => "wildcard-group",
            Basis::NoMatchingGroup => "no-matching-group",
            Basis::RobotsMissing => "robots-missing",
            Basis::RobotsNotText => "robots-not-text",
            Basis::RobotsUnreachable => "robots-unreachable",
            Basis::RobotsChallenged => "robots-challenged",
            Basis::RobotsRefused => "robots-refused",
            Basis::FetchFailed => "fetch-failed",
        };
        self.0.text(&["interface", "basis", id])
    }

    /// How a request under an agent's name came out.
    pub fn probe(self, verdict: ProbeVerdict) -> String {
        let id = match verdict {
            ProbeVerdict::Ok => "ok",
            ProbeVerdict::Blocked => "blocked",
            ProbeVerdict::Challenged => "challenged",
            ProbeVerdict::RateLimited => "rate-limited",
            ProbeVerdict::Paywalled => "paywalled",
            ProbeVerdict::NeedsSignature => "needs-signature",
            ProbeVerdict::Reduced => "reduced",
            ProbeVerdict::Error => "error",
            ProbeVerdict::NotProbed => "not-probed",
        };
        self.0.text(&["interface", "probe", id])
    }

    /// Everything about an agent together.
    pub fn effective(self, effective: Effective) -> String {
        let id = match effective {
            Effective::Reachable => "reachable",
            Effective::Untested => "untested",
            Effective::BlockedByRobots => "blocked-by-robots",
            Effective::BlockedByWall => "blocked-by-wall",
            Effective::OptOutToken => "opt-out-token",
            Effective::Unknown => "unknown",
        };
        self.0.text(&["interface", "effective", id])
    }

    /// `22 probes, 1 redirect`, in words that need no plural forms.
    pub fn cost(self, result: &ScanResult) -> String {
        let requests = &result.requests;
        self.sentence("cost", &[("count", &requests.count), ("hops", &requests.hops)])
    }
}

fn filled(values: &[(&'static str, &dyn ToString)]) -> Values {
    values.iter().map(|(name, value)| (*name, value.to_string())).collect()
}

/// Points without needless digits: `4`, `4.5`.
pub fn points(points: f64) -> String {
    let rounded = (points * 10.0).round() / 10.0;
    format!("{rounded}")
}

/// A symbol for a verdict, for readers who see no color.
pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✓",
        Verdict::Warn => "!",
        Verdict::Fail => "✗",
        Verdict::NotApplicable => "–",
        Verdict::Unknown => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_at_most_one_digit_after_the_point() {
        let cases = [(4.0, "4"), (4.5, "4.5"), (0.0, "0"), (3.333, "3.3"), (100.0, "100")];
        for (value, expected) in cases {
            assert_eq!(points(value), expected);
        }
    }

    #[test]
    fn every_label_exists_in_both_languages() {
        for lang in Lang::ALL {
            let labels = Labels::new(lang);
            let mut all = vec![labels.label("check")];
            all.extend(Surface::ALL.map(|surface| labels.surface(surface)));
            all.extend([Effort::S, Effort::M, Effort::L].map(|effort| labels.effort(effort)));
            all.extend(
                [Purpose::Search, Purpose::User, Purpose::Training, Purpose::Other]
                    .map(|purpose| labels.purpose(purpose)),
            );
            all.extend(
                [Access::Allowed, Access::Partial, Access::Blocked, Access::Unknown]
                    .map(|access| labels.access(access)),
            );
            for word in all {
                assert!(!word.contains("interface."), "{lang}: {word}");
            }
        }
    }
}
