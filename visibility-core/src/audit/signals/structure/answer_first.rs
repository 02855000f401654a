//! `answer-first`: the page says at once what it is about, with a fact.

use crate::audit::facts::draft;
use crate::audit::facts::stated;
use crate::audit::facts::subject::{self, is_same, tokens};
use crate::audit::gap::has_gap;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::fact::{FactKind, facts};
use crate::audit::prose::opener;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::sources::MICROSOFT_ANSWERS;
use crate::page::content::{Block, BlockKind};
use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::fold::fold;
use crate::text::locale::Values;
use crate::text::sentence::{is_closed, is_statement, sentences, words};

pub(super) const SIGNAL: Signal = Signal {
    id: "answer-first",
    code: "ST04",
    pillar: Pillar::Structure,
    weights: Weights {
        product: 40,
        collection: 40,
        article: 60,
        landing: 60,
        documentation: 80,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::Listed(&["en", "tr", "de", "fr", "es", "it", "pt", "nl", "pl"]),
    outcomes: &[ANSWERED, PARTIAL, LATE, NO_TEXT, NO_SUBJECT, NO_FACT, FILLER],
    sources: &[
        MICROSOFT_ANSWERS,
        Spec {
            name: "Google: helpful content",
            url: "https://developers.google.com/search/docs/fundamentals/creating-helpful-content",
        },
    ],
    evaluate,
};

const ANSWERED: Outcome = Outcome::pass("answered");
const PARTIAL: Outcome = Outcome::warn("partial");
const LATE: Outcome = Outcome::fail("late");
const NO_TEXT: Outcome = Outcome::fail("no-text");
const NO_SUBJECT: Outcome = Outcome::warn("no-subject");
const NO_FACT: Outcome = Outcome::warn("no-fact");
const FILLER: Outcome = Outcome::warn("filler");

/// Words of the main content in which the subject is named.
const SUBJECT_WORDS: usize = 60;
/// Words of the main content in which a fact is.
const FACT_WORDS: usize = 120;
/// Words of the heading that are asked for.
const MIN_TOKENS: usize = 2;
/// Words below which a block with a year is a date line and no statement.
const MIN_STATEMENT_WORDS: usize = 8;

/// Words of the first sentence up to the name in a definition, and those behind it in which its verb is.
const MAX_WORDS_BEFORE_NAME: usize = 8;
const COPULA_WORDS: usize = 3;
/// Words of a sentence that are read.
const MAX_SENTENCE_WORDS: usize = 1_000;
/// Forms of `to be` in the languages of the signal, folded.
const COPULAS: [&str; 20] = [
    "is", "are", "was", "were", "ist", "sind", "war", "waren", "est", "sont", "es", "son", "era",
    "è", "sono", "é", "são", "zijn", "jest", "są",
];
/// How the last word of a Turkish definition ends, folded: `... küçük bir ev aletidir.`
const TURKISH_COPULAS: [&str; 6] = ["dir", "dur", "dür", "tir", "tur", "tür"];

/// What the first words of a page say.
struct Lead<'a> {
    /// Its first sentence, or label.
    first: &'a Block,
    has_subject: bool,
    has_fact: bool,
    filler: Option<&'static str>,
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let Some(lead) = lead(page) else {
        return ScoredFinding::new(Credit::NONE, Finding::new(NO_TEXT.detected()))
            .with_fix_if_any(fix(page));
    };
    let part = |is_met: bool, worth: f64| if is_met { worth } else { 0.0 };
    let credit = Credit::from_share(
        part(lead.has_subject, 0.4) + part(lead.has_fact, 0.35) + part(lead.filler.is_none(), 0.25),
    );
    let finding = Finding::new(credit.pick([ANSWERED, PARTIAL, LATE]).detected())
        .with_detection_if_any((!lead.has_subject).then(|| NO_SUBJECT.with("words", SUBJECT_WORDS)))
        .with_detection_if_any((!lead.has_fact).then(|| NO_FACT.with("words", FACT_WORDS)))
        .with_detection_if_any(lead.filler.map(|phrase| FILLER.with("phrase", phrase)));
    let shown = draft::lead(page).filter(|_| lead.filler.is_none()).unwrap_or(lead.first);
    let first = sentences(&shown.text).next().unwrap_or_default();
    let place = page.evidence(first, shown.line, shown.node);
    let scored = ScoredFinding::new(credit, finding.with_evidence([place]));
    if credit >= Credit::PASS { scored } else { scored.with_fix_if_any(fix(page)) }
}

fn lead<'a>(page: &'a AuditedPage<'_>) -> Option<Lead<'a>> {
    let blocks = || {
        page.content
            .blocks
            .iter()
            .filter(|block| !matches!(block.kind, BlockKind::Heading(_)))
            .filter(|block| words(&block.text).next().is_some() && !has_gap(&block.text))
    };
    // A label above the text is not a beginning, unless there is nothing but labels.
    let is_statement = |block: &&Block| words(&block.text).nth(MIN_STATEMENT_WORDS - 1).is_some();
    let first = blocks().find(is_statement).or_else(|| blocks().next())?;
    let has_subject = has_subject(page, blocks());
    // Documentation says what something does, mostly without a number.
    let is_explained =
        page.profiles().is(Profile::Documentation) && has_subject && is_closed(&first.text);
    Some(Lead {
        first,
        has_subject,
        has_fact: is_explained || has_fact(blocks()) || defines(page, first),
        filler: opener::filler(&first.text, page.language),
    })
}

/// Whether the first words name what the heading names.
fn has_subject<'a>(page: &AuditedPage<'_>, blocks: impl Iterator<Item = &'a Block>) -> bool {
    let heading = subject::heading(page.page()).map(|heading| heading.text.as_str());
    let asked = tokens(heading.unwrap_or_default());
    let start: Vec<&str> =
        blocks.flat_map(|block| words(&block.text)).take(SUBJECT_WORDS).collect();
    let said: Vec<String> = start.into_iter().flat_map(tokens).collect();
    let found = asked.iter().filter(|token| said.iter().any(|word| is_same(token, word))).count();
    !asked.is_empty() && found >= asked.len().min(MIN_TOKENS)
}

/// Whether the first sentence says what the thing of the heading is: it names it, and goes on with a form of `to be`.
fn defines(page: &AuditedPage<'_>, first: &Block) -> bool {
    let heading = subject::heading(page.page()).map(|heading| heading.text.as_str());
    let asked = tokens(heading.unwrap_or_default());
    let sentence = sentences(&first.text).next().unwrap_or_default();
    let said: Vec<String> = words(sentence).take(MAX_SENTENCE_WORDS).map(fold).collect();
    let is_asked = |word: &String| {
        tokens(word).iter().any(|said| asked.iter().any(|token| is_same(token, said)))
    };
    let mut named =
        (0..said.len().min(MAX_WORDS_BEFORE_NAME)).filter(|at| said.get(*at).is_some_and(is_asked));
    let defines_at = |at: usize| {
        let rest = said.get(at + 1..).unwrap_or_default();
        let has_copula =
            rest.iter().take(COPULA_WORDS).any(|word| COPULAS.contains(&word.as_str()));
        rest.len() > COPULA_WORDS && has_copula
    };
    let defines_at_end = |at: usize| {
        let rest = said.get(at + 1..).unwrap_or_default();
        let last = rest.last().map(String::as_str).unwrap_or_default();
        let has_copula = TURKISH_COPULAS.iter().any(|ending| last.ends_with(ending));
        page.language.is_turkish() && rest.len() > COPULA_WORDS && has_copula
    };
    named.any(|at| defines_at(at) || defines_at_end(at))
}

fn has_fact<'a>(blocks: impl Iterator<Item = &'a Block>) -> bool {
    let mut room = FACT_WORDS;
    for block in blocks {
        let start = block.text.split_whitespace().map(|word| word.len() + 1).take(room);
        let bytes: usize = start.sum();
        let text = block.text.get(..bytes.min(block.text.len())).unwrap_or_default();
        let count = words(&block.text).take(room.max(MIN_STATEMENT_WORDS)).count();
        let is_said = |kind| kind != FactKind::Year || count >= MIN_STATEMENT_WORDS;
        if facts(text).any(|fact| is_said(fact.kind)) {
            return true;
        }
        room = room.saturating_sub(count);
        if room == 0 {
            break;
        }
    }
    false
}

/// A first sentence, with the name and a fact of the page and gaps for the rest; none where other
/// people write the text, or links are all that there is.
fn fix(page: &AuditedPage<'_>) -> Option<SnippetFix> {
    let mut inputs = Vec::new();
    let template = page.profiles().in_common(|profile| match profile {
        Profile::Product | Profile::Landing => Some("template"),
        Profile::Article | Profile::Documentation => Some("answer"),
        Profile::Collection | Profile::Forum | Profile::Listing => None,
    })??;
    // The markup of an article may describe the business or the program that it is about.
    let name = if template == "answer" { topic(page) } else { subject::proven_name(page) };
    let mut values = Values::from([("name", page.or_gap(name, "NAME", &mut inputs))]);
    if template == "template" {
        values.insert("category", page.or_gap(None, "CATEGORY", &mut inputs));
        values.insert("purpose", page.or_gap(None, "PURPOSE", &mut inputs));
    } else {
        values.insert("answer", page.or_gap(None, "ANSWER", &mut inputs));
    }
    let fact = fact(page);
    values.insert("fact", page.or_gap(fact, "FACT", &mut inputs));
    let path = ["signals", SIGNAL.id, template];
    let sentence = draft::sentence(page, &path, &values)?;
    let snippet = format!("<p>{}</p>", escape::html(&sentence));
    Some(SnippetFix::new(Placement::Main, SnippetLanguage::Html, snippet).with_inputs(inputs))
}

/// What the main heading names, without what follows a colon or a dash.
fn topic(page: &AuditedPage<'_>) -> Option<String> {
    let heading = page.stated().name()?;
    let first = |text: &str, mark: &str| text.find(mark).unwrap_or(text.len());
    let marks = [": ", " – ", " — ", " | ", "?"];
    let end = marks.iter().map(|mark| first(&heading, mark)).min().unwrap_or(heading.len());
    let topic = draft::shortened(heading.get(..end)?.trim(), 80);
    (!topic.is_empty()).then_some(topic)
}

/// Characters of a fact that is proposed.
const MAX_FACT_CHARS: usize = 160;
/// Words of a sentence that states something: `34 min read` does not.
const MIN_WORDS_OF_FACT: usize = 6;
/// Words of a sentence up to the name of its subject.
const MAX_WORDS_TO_SUBJECT: usize = 8;

/// A fact of the page: an attribute of a product with a number, else the first sentence with one that can be quoted
/// alone. It comes from the first third of the text and names in its beginning what the heading names, in the third
/// person; elsewhere a text speaks of other things.
fn fact(page: &AuditedPage<'_>) -> Option<String> {
    let is_measured = |text: &str| facts(text).any(|fact| fact.kind != FactKind::Year);
    let pairs = page.content.pairs.iter().filter(|_| page.profiles().may_be(Profile::Product));
    if let Some(pair) = pairs.into_iter().find(|pair| is_measured(&pair.value)) {
        let fact = stated::clean(&format!("{}: {}", pair.key, pair.value))?;
        return Some(draft::shortened(&fact, MAX_FACT_CHARS));
    }
    let heading = page.stated().name()?;
    let asked = tokens(&heading);
    let is_prose = |block: &&Block| {
        matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem)
            && is_statement(&block.text)
    };
    let count: usize = page.content.blocks.iter().map(Block::words).sum();
    let mut before = 0;
    let near = page.content.blocks.iter().take_while(|block| {
        let begins_near = before * 3 <= count;
        before += block.words();
        begins_near
    });
    let blocks = near.filter(is_prose);
    let names_subject = |text: &str| {
        let start: Vec<String> = words(text).take(MAX_WORDS_TO_SUBJECT).flat_map(tokens).collect();
        let found = asked.iter().filter(|token| start.iter().any(|word| is_same(token, word)));
        !asked.is_empty() && found.count() >= asked.len().min(MIN_TOKENS)
    };
    let says = |text: &&str| {
        words(text).nth(MIN_WORDS_OF_FACT - 1).is_some()
            // Half a sentence may say the contrary of the whole.
            && text.chars().count() <= MAX_FACT_CHARS
            && is_measured(text)
            && names_subject(text)
            && opener::is_in_third_person(text, page.language)
            && !opener::is_dangling(text, page.language)
    };
    let stated = blocks.flat_map(|block| sentences(&block.text)).find(says)?;
    let sentence = stated.strip_suffix('.').filter(|text| !text.ends_with(['!', '?', '.']))?;
    stated::clean(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn credit(html: &str) -> (u32, &'static str) {
        let scored = fixture(html).read(&SIGNAL);
        (scored.credit.unwrap().per_mille(), scored.finding.detections()[0].outcome.id)
    }

    #[test]
    fn a_definition_is_a_fact() {
        let read = |heading: &str, text: &str| {
            let scored =
                fixture(&format!("<main><h1>{heading}</h1><p>{text}</p></main>")).read(&SIGNAL);
            scored.finding.detections().iter().any(|seen| seen.outcome.id == "no-fact")
        };
        for (heading, text) in [
            (
                "Create and manage resources",
                "A resource is any object that you want to create and manage with this tool.",
            ),
            (
                "Autolyse",
                "Autolyse is the rest of flour and water before salt is added to the dough.",
            ),
            (
                "Roggenbrot backen",
                "Roggenbrot ist ein dunkles Brot aus Roggenmehl, Wasser und Sauerteig.",
            ),
        ] {
            assert!(!read(heading, text), "{text}");
        }
        for (heading, text) in [
            (
                "Resources",
                "It is time that we speak about something that many people have asked us.",
            ),
            ("Autolyse", "We have baked with it for years and would not want to miss it any more."),
        ] {
            assert!(read(heading, text), "{text}");
        }
    }

    #[test]
    fn subject_fact_and_a_plain_start_make_an_answer() {
        for (html, expected) in [
            (
                "<main><h1>K2 Kettle</h1><p>The K2 is a kettle that boils 1.7 liters in 4 minutes.</p>",
                (1000, "answered"),
            ),
            (
                "<main><h1>K2 Kettle</h1><p>The K2 is a kettle that boils water in no time.</p>",
                (1000, "answered"),
            ),
            (
                "<main><h1>K2 Kettle</h1><p>The K2 kettle boils the water for all of your guests in no time.</p>",
                (650, "partial"),
            ),
            (
                "<main><h1>K2 Kettle</h1><p>Everything you want costs $20 and arrives soon.</p>",
                (600, "partial"),
            ),
            (
                "<main><h1>K2 Kettle</h1><p>Welcome to our lovely little shop for everybody.</p>",
                (0, "late"),
            ),
            (
                "<main><h1>K2 Kettle</h1><p>Everything that you always wanted is here, my friend.</p>",
                (250, "late"),
            ),
            (
                "<main><h1>K2 Kettle</h1><p>Welcome: the K2 kettle boils 1.7 liters in 4 minutes.</p>",
                (750, "partial"),
            ),
            ("<main><h1>K2 Kettle</h1>", (0, "no-text")),
            ("<main><p>We build things, and 2,000 people like them a lot.</p>", (600, "partial")),
            (
                "<main><h1>K2 Su Isıtıcısı</h1><p>K2, 1,7 litre suyu 4 dakikada kaynatan bir su ısıtıcısıdır.</p>",
                (1000, "answered"),
            ),
            (
                "<main><h1>Türk kahvesi</h1><p>Türk kahvesi, ince çekilmiş çekirdeklerin cezvede suyla ağır ağır pişirildiği \
                 köpüklü bir içecektir. Telvesiyle birlikte fincanda, yanında bir bardak suyla getirilir.</p>",
                (1000, "answered"),
            ),
            (
                "<main><h1>K2 Su Isıtıcısı</h1><p>Günümüzde herkes çok hızlı bir şekilde kahve içmek istiyor.</p>",
                (0, "late"),
            ),
        ] {
            assert_eq!(credit(html), expected, "{html}");
        }
    }

    #[test]
    fn documentation_needs_no_number() {
        let html = "<main><h1>Kettle resources</h1><p>This topic describes the resources of a kettle and their use.</p>";
        let read = |html: &str, profile| {
            let scored = fixture(html).with_profile(profile).read(&SIGNAL);
            scored.finding.detections()[0].outcome.id
        };
        assert_eq!(read(html, Profile::Documentation), "answered");
        assert_eq!(read(html, Profile::Article), "partial");
        let other = html.replace("resources of a kettle", "workflow of a tool");
        assert_eq!(read(&other, Profile::Documentation), "late");
    }

    #[test]
    fn words_after_the_first_ones_do_not_count() {
        let filler = "word ".repeat(59);
        let html = |gap: &str| {
            format!(
                "<main><h1>Kettles</h1><p>{gap} kettles</p><p>{}costs 5 kg</p>",
                "x ".repeat(55)
            )
        };
        assert_eq!(credit(&html(&filler)), (1000, "answered"));
        assert_eq!(credit(&html(&format!("{filler} more more"))).0, 600);
        assert_eq!(credit(&html(&"word ".repeat(80))).0, 250);
    }

    #[test]
    fn a_sentence_is_drafted_of_the_headline_and_of_what_the_page_states() {
        let draft = |html: &str| {
            let page = fixture(html).with_profile(Profile::Article);
            fix(&page.audited()).unwrap().snippet
        };
        let title =
            "<title>How steel kettles boil | Acme</title><meta property=og:site_name content=Acme>";
        let text = "<p>12 min read.</p><p>These are the 3 kettles that we have tried:</p>\
            <p>Steel kettles boil 1.7 liters of water in 4 minutes.</p><p>They are made of steel, and we have \
            used each of them for a whole year, on gas and on induction hobs, before we wrote this down.</p>";
        assert_eq!(
            draft(&format!("{title}<main><h1>How steel kettles boil</h1>{text}</main>")),
            "<p>How steel kettles boil: [ANSWER]. Steel kettles boil 1.7 liters of water in 4 minutes.</p>"
        );
        for other in [
            "The minimum height of the logo must be 24px on all screens.",
            "They boil 1.7 liters of water, as all steel kettles do, in 4 minutes.",
            "We boil 1.7 liters of water in steel kettles each morning.",
            "Steel kettles boil 1.7 liters of water in 4 minutes!.",
            "In our test of last year the best of all was one of those steel kettles at 40 EUR.",
            "Steel kettles boil 1.7 liters of water in 4 minutes where the hob is large enough for the whole of their \
             base and the water is as cold as it comes from the tap of an ordinary kitchen in winter.",
        ] {
            let text = text.replace("Steel kettles boil 1.7 liters of water in 4 minutes.", other);
            let html = format!("{title}<main><h1>How steel kettles boil</h1>{text}</main>");
            assert_eq!(draft(&html), "<p>How steel kettles boil: [ANSWER]. [FACT].</p>", "{other}");
        }
        let of_site = draft(&format!("{title}<main><h1>Acme</h1>{text}</main>"));
        assert!(of_site.starts_with("<p>[NAME]: [ANSWER]."), "{of_site}");
    }

    #[test]
    fn a_date_line_is_no_fact() {
        let html = "<main><h1>K2 Kettle</h1><p>21 November 2026</p><p>The K2 kettle boils the water for all of your guests in no time.</p>";
        assert_eq!(credit(html), (650, "partial"));
    }

    #[test]
    fn the_first_sentence_is_quoted_and_a_better_one_proposed() {
        let scored = fixture(
            "<main><h1>K2 <b>Kettle</b></h1>\n<p>Welcome to our little shop for everybody. Enjoy.</p>\
             <dl><dt>Weight<dd>1 &lt; 2 kg</dl>",
        )
        .with_profile(Profile::Product)
        .read(&SIGNAL);
        let evidence = &scored.finding.evidence()[0];
        assert_eq!(evidence.excerpt.as_deref(), Some("Welcome to our little shop for everybody."));
        assert_eq!(evidence.line, Some(2));
        let rated = fixture(
            "<main><h1>K2</h1><p>Rated 4.6 out of 5 by 1,234 customers of ours</p>\
             <p>The K2 is a kettle that boils 1.7 liters in 4 minutes.</p>",
        )
        .read(&SIGNAL);
        let shown = rated.finding.evidence()[0].excerpt.as_deref();
        assert_eq!(shown, Some("The K2 is a kettle that boils 1.7 liters in 4 minutes."));
        let fix = scored.fix.unwrap();
        assert!(fix.snippet.starts_with("<p>K2 Kettle"), "{}", fix.snippet);
        assert!(fix.snippet.contains("Weight: 1 &lt; 2 kg"), "{}", fix.snippet);
        assert_eq!(fix.placeholders(), ["[CATEGORY]", "[PURPOSE]"]);
        let slogan = fixture("<main><h1>We build what you always wanted!</h1>");
        let fix = slogan.with_profile(Profile::Landing).read(&SIGNAL).fix.unwrap();
        assert_eq!(fix.placeholders(), ["[NAME]", "[CATEGORY]", "[PURPOSE]", "[FACT]"]);
    }
}
