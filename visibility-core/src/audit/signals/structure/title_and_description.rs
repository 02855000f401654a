//! `title-and-description`: what search results show before anyone opens the page.

use std::ops::RangeInclusive;

use crate::audit::facts::draft;
use crate::audit::gap::has_gap;
use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, Weights};
use crate::page::Located;
use crate::rubric::finding::{Detection, Finding, Outcome};
use crate::rubric::fix::{FixInput, ReplacedText};
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::fold::fold;
use crate::text::words;

pub(super) const SIGNAL: Signal = Signal {
    id: "title-and-description",
    code: "ST01",
    pillar: Pillar::Structure,
    weights: Weights {
        product: 30,
        collection: 50,
        article: 30,
        landing: 30,
        documentation: 50,
        forum: 60,
        listing: 75,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[
        COMPLETE,
        NO_TITLE,
        GENERIC_TITLE,
        TITLE_LENGTH,
        NO_DESCRIPTION,
        DESCRIPTION_LENGTH,
        SAME_DESCRIPTION,
    ],
    sources: &[
        Spec {
            name: "Google: title links",
            url: "https://developers.google.com/search/docs/appearance/title-link",
        },
        Spec {
            name: "Google: snippets",
            url: "https://developers.google.com/search/docs/appearance/snippet",
        },
    ],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const NO_TITLE: Outcome = Outcome::fail("no-title");
const GENERIC_TITLE: Outcome = Outcome::fail("generic-title");
const TITLE_LENGTH: Outcome = Outcome::warn("title-length");
const NO_DESCRIPTION: Outcome = Outcome::warn("no-description");
const DESCRIPTION_LENGTH: Outcome = Outcome::warn("description-length");
const SAME_DESCRIPTION: Outcome = Outcome::warn("same-description");

/// Characters of a good title.
const TITLE_CHARS: RangeInclusive<usize> = 15..=90;
/// Characters of a good description.
const DESCRIPTION_CHARS: RangeInclusive<usize> = 40..=320;

/// Titles that say nothing, folded.
const GENERIC: [&str; 34] = [
    "home",
    "homepage",
    "home page",
    "index",
    "welcome",
    "untitled",
    "untitled document",
    "untitled page",
    "new page",
    "page",
    "page title",
    "document",
    "default",
    "test",
    "title",
    "website",
    "my website",
    "my site",
    "just another wordpress site",
    "react app",
    "vite app",
    "vite + react",
    "vite + react + ts",
    "vite + vue",
    "create next app",
    "nuxt app",
    "svelte app",
    "ana sayfa",
    "anasayfa",
    "hoş geldiniz",
    "hoşgeldiniz",
    "başliksiz",
    "başlıksız belge",
    "yeni sayfa",
];

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let title = text(page.page().title.as_ref());
    let description = text(page.page().description.as_ref());
    let title_problem = title_problem(title);
    let description_problem = description_problem(title, description);
    let credit = match &title_problem {
        Some(problem) if problem.outcome != TITLE_LENGTH => 0.0,
        Some(_) => 0.5,
        None => 1.0,
    } * if description_problem.is_some() { 0.7 } else { 1.0 };
    let problems = title_problem.into_iter().chain(description_problem).collect();
    let finding = Finding::from_worst(problems).unwrap_or_else(|| {
        Finding::new(COMPLETE.with("chars", chars(title)).with("description", chars(description)))
    });
    let places = [page.page().title.as_ref(), page.page().description.as_ref()];
    let evidence = places
        .into_iter()
        .flatten()
        .map(|place| page.evidence(&place.value, place.line, place.node));
    ScoredFinding::new(Credit::from_share(credit), finding.with_evidence(evidence))
        .with_fix_if_any(fix(page, credit))
}

fn text(value: Option<&Located<String>>) -> &str {
    value.map(|located| located.value.trim()).unwrap_or_default()
}

/// How long a text is, and how long it should be.
#[derive(Debug, Eq, PartialEq)]
struct Length {
    chars: usize,
    good: RangeInclusive<usize>,
}

impl Length {
    /// Half as many characters are good in a script such as those of Chinese and Japanese, where one takes the
    /// place of two Latin letters, in width as in meaning.
    fn new(text: &str, good: &RangeInclusive<usize>) -> Self {
        let chars = text.chars().count();
        let columns = words::columns(text);
        if columns * 2 > chars * 3 {
            Self { chars, good: good.start() / 2..=good.end() / 2 }
        } else {
            Self { chars: columns, good: good.clone() }
        }
    }

    fn is_good(&self) -> bool {
        self.good.contains(&self.chars)
    }

    fn is_short(&self) -> bool {
        self.chars < *self.good.start()
    }

    fn detected(&self, outcome: &Outcome) -> Detection {
        outcome
            .with("chars", self.chars)
            .with("least", *self.good.start())
            .with("most", *self.good.end())
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

fn title_problem(title: &str) -> Option<Detection> {
    if !title.chars().any(char::is_alphanumeric) || has_gap(title) {
        return Some(NO_TITLE.detected());
    }
    if is_generic(title) {
        return Some(GENERIC_TITLE.with("title", title));
    }
    let length = Length::new(title, &TITLE_CHARS);
    (!length.is_good()).then(|| length.detected(&TITLE_LENGTH))
}

fn is_generic(title: &str) -> bool {
    let folded = fold(title);
    let bare = folded.trim_matches(|ch: char| !ch.is_alphanumeric());
    GENERIC.iter().any(|generic| fold(generic) == bare)
}

fn description_problem(title: &str, description: &str) -> Option<Detection> {
    if description.is_empty() || has_gap(description) {
        return Some(NO_DESCRIPTION.detected());
    }
    if fold(title) == fold(description) {
        return Some(SAME_DESCRIPTION.detected());
    }
    let length = Length::new(description, &DESCRIPTION_CHARS);
    (!length.is_good()).then(|| length.detected(&DESCRIPTION_LENGTH))
}

/// The two elements, as far as the page has words for them.
fn fix(page: &AuditedPage<'_>, credit: f64) -> Option<SnippetFix> {
    if credit >= 1.0 {
        return None;
    }
    let title = page.page().title.as_ref();
    let description = page.page().description.as_ref();
    let title_fix = title_problem(text(title)).map(|_| {
        let mut inputs = Vec::new();
        let proposed = proposed_title(page, &mut inputs);
        let element = format!("<title>{}</title>", escape::html(&proposed));
        let old = match title {
            Some(old) => page.element(old.line, "title", ""),
            None => ReplacedText::empty_title(page.document.html()),
        };
        SnippetFix::in_head(element, old).with_inputs(inputs)
    });
    let description_fix = description_problem(text(title), text(description)).map(|_| {
        let mut inputs = Vec::new();
        let known = draft::description(page);
        let proposed = escape::html(&page.or_gap(known, "DESCRIPTION", &mut inputs));
        let element = format!("<meta name=\"description\" content=\"{proposed}\">");
        let old = description.and_then(|old| page.element(old.line, "meta", "description"));
        SnippetFix::in_head(element, old).with_inputs(inputs)
    });
    match (title_fix, description_fix) {
        (Some(title), Some(description)) if title.replaces == description.replaces => {
            let elements = format!("{}\n{}", title.snippet, description.snippet);
            let inputs = title.inputs.into_iter().chain(description.inputs);
            Some(SnippetFix::in_head(elements, None).with_inputs(inputs))
        }
        (Some(title), Some(description)) => Some(title.and(description)),
        (title, description) => title.or(description),
    }
}

/// A title of the right length, with a gap where the page has too few words for it.
fn proposed_title(page: &AuditedPage<'_>, inputs: &mut Vec<FixInput>) -> String {
    let proposed = draft::title(page).filter(|text| !is_generic(text));
    let is_whole = proposed.as_deref().is_some_and(|text| title_problem(text).is_none());
    match proposed {
        Some(text) if is_whole => text,
        // The name alone says too little.
        Some(text) if Length::new(&text, &TITLE_CHARS).is_short() => {
            format!("{text}: {}", page.or_gap(None, "TITLE", inputs))
        }
        _ => page.or_gap(None, "TITLE", inputs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const GOOD: &str = "<title>K2 kettle: 1.7 liters in 4 minutes</title>";
    const DESCRIPTION: &str =
        "<meta name=description content='The K2 boils 1.7 liters in four minutes and stays cool.'>";

    #[test]
    fn wide_characters_count_twice() {
        let length = Length::new("お茶の淹れ方を説明します。とても簡単。", &DESCRIPTION_CHARS);
        assert_eq!(length, Length { chars: 19, good: 20..=160 });
        assert!(Length::new(&"お茶".repeat(10), &DESCRIPTION_CHARS).is_good());
        assert_eq!(Length::new("Ada", &TITLE_CHARS), Length { chars: 3, good: 15..=90 });
    }

    #[test]
    fn title_and_description_are_judged_together() {
        for (head, credit, outcome) in [
            (format!("{GOOD}{DESCRIPTION}"), 1000, "complete"),
            (GOOD.to_owned(), 700, "no-description"),
            (format!("<title>K2</title>{DESCRIPTION}"), 500, "title-length"),
            ("<title>K2</title>".to_owned(), 350, "title-length"),
            (format!("{GOOD}<meta name=description content=Short>"), 700, "description-length"),
            (
                format!(
                    "{GOOD}<meta name=description content='k2 KETTLE: 1.7 liters in 4 minutes'>"
                ),
                700,
                "same-description",
            ),
            (DESCRIPTION.to_owned(), 0, "no-title"),
            ("<title> - </title>".to_owned(), 0, "no-title"),
            (format!("<title>Home</title>{DESCRIPTION}"), 0, "generic-title"),
            (format!("<title>Vite + React</title>{DESCRIPTION}"), 0, "generic-title"),
            (format!("<title>ANA SAYFA</title>{DESCRIPTION}"), 0, "generic-title"),
            (format!("<title>Başlıksız</title>{DESCRIPTION}"), 0, "generic-title"),
            (
                "<title>K2 su ısıtıcısı: 4 dakikada 1,7 litre</title><meta name=description \
                 content='K2, 1,7 litre suyu dört dakikada kaynatır ve dışı serin kalır.'>"
                    .to_owned(),
                1000,
                "complete",
            ),
            (String::new(), 0, "no-title"),
        ] {
            let scored = fixture(&head).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{head}"
            );
            assert_eq!(scored.fix.is_none(), credit == 1000, "{head}");
        }
    }

    #[test]
    fn what_is_missing_is_made_of_the_page() {
        let page = fixture(
            "<meta property=og:site_name content='Acme & Sons'><main><h1>K2 <em>Kettle</em></h1>\
             <p>The K2 boils 1.7 liters of water in four minutes &amp; stays cool.</p></main>",
        );
        let fix = page.read(&SIGNAL).fix.unwrap();
        assert_eq!(
            fix.snippet,
            "<title>K2 Kettle | Acme &amp; Sons</title>\n<meta name=\"description\" content=\"The K2 boils 1.7 \
             liters of water in four minutes &amp; stays cool.\">"
        );
        let fix = fixture("<title>Home</title><h1>K2</h1>").read(&SIGNAL).fix.unwrap();
        assert!(fix.snippet.starts_with("<title>K2: [TITLE]</title>"), "{}", fix.snippet);
        let fix = fixture("<p>Hi</p>").read(&SIGNAL).fix.unwrap();
        assert_eq!(fix.placeholders(), ["[TITLE]", "[DESCRIPTION]"]);
    }

    #[test]
    fn the_place_is_shown() {
        let scored = fixture("<html>\n<head>\n<title>Home</title>").read(&SIGNAL);
        assert_eq!(scored.finding.evidence()[0].line, Some(3));
    }
}
