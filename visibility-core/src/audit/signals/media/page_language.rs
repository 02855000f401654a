//! `page-language`: the page says which language it is in, and it is.

use crate::audit::address;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::page::content::{Block, BlockKind};
use crate::page::{LinkElement, language_tag};
use crate::rubric::finding::{Detection as Seen, Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "page-language",
    code: "ML03",
    pillar: Pillar::Media,
    weights: Weights {
        product: 10,
        collection: 10,
        article: 5,
        landing: 10,
        documentation: 5,
        forum: 5,
        listing: 10,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[
        DECLARED,
        PARTLY_DECLARED,
        UNDECLARED,
        NO_LANG,
        BAD_LANG,
        OTHER_LANG,
        BAD_HREFLANG,
        NO_SELF,
        UNNAMED_CODE,
    ],
    sources: &[
        Spec {
            name: "HTML: lang",
            url: "https://html.spec.whatwg.org/multipage/dom.html#the-lang-and-xml:lang-attributes",
        },
        Spec {
            name: "Google: localized versions",
            url: "https://developers.google.com/search/docs/specialty/international/localized-versions",
        },
    ],
    evaluate,
};

const DECLARED: Outcome = Outcome::pass("declared");
const PARTLY_DECLARED: Outcome = Outcome::warn("partly-declared");
const UNDECLARED: Outcome = Outcome::fail("undeclared");
const NO_LANG: Outcome = Outcome::fail("no-lang");
const BAD_LANG: Outcome = Outcome::fail("bad-lang");
const OTHER_LANG: Outcome = Outcome::warn("other-lang");
const BAD_HREFLANG: Outcome = Outcome::warn("bad-hreflang");
const NO_SELF: Outcome = Outcome::warn("no-self-reference");
const UNNAMED_CODE: Outcome = Outcome::warn("unnamed-code");

/// Tenths that a valid `lang` is worth.
const VALID: u32 = 5;
/// Tenths that the language of the text is worth.
const FITTING: u32 = 3;
/// Tenths that right versions in other languages are worth.
const VERSIONS: u32 = 2;
/// Tenths that the languages of the code of documentation are worth.
const CODE: u32 = 2;
/// Blocks of code from which on documentation names their languages.
const MANY_BLOCKS: usize = 3;
/// Language versions that are looked at.
const MAX_VERSIONS: usize = 500;

/// Languages that are one written language for this purpose, or that are easily taken for one another.
const ALIKE: [&[&str]; 5] = [
    &["no", "nb", "nn"],
    &["he", "iw"],
    &["id", "in", "ms"],
    &["hr", "sr", "bs", "sh"],
    &["fil", "tl"],
];

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let (mut earned, mut possible) = (VALID, VALID);
    let mut seen: Vec<Seen> = Vec::new();
    let lang = page.page().lang.as_ref().map(|lang| lang.value.trim()).unwrap_or_default();
    let is_valid = language_tag::is_known(lang);
    if !is_valid {
        earned = 0;
        seen.push(if lang.is_empty() { NO_LANG.detected() } else { BAD_LANG.with("lang", lang) });
    }
    if let Some(detected) = page.language.code {
        possible += FITTING;
        if is_alike(lang, detected) {
            earned += FITTING;
        } else if is_valid {
            seen.push(OTHER_LANG.with("lang", lang).with("detected", detected));
        }
    }
    let versions: Vec<&LinkElement> = page.page().hreflangs().take(MAX_VERSIONS).collect();
    if !versions.is_empty() {
        possible += VERSIONS;
        let problem = version_problem(page, &versions);
        earned += if problem.is_none() { VERSIONS } else { 0 };
        seen.extend(problem);
    }
    let code = code_blocks(page);
    let mut unnamed = None;
    if code.len() >= MANY_BLOCKS {
        possible += CODE;
        let is_named = code.iter().any(|block| block.code_language.is_some());
        earned += if is_named { CODE } else { 0 };
        unnamed = code.first().filter(|_| !is_named);
        seen.extend(unnamed.map(|_| UNNAMED_CODE.with("count", code.len())));
    }
    let credit = Credit::from_share(f64::from(earned) / f64::from(possible));
    let outcome = credit.pick([DECLARED, PARTLY_DECLARED, UNDECLARED]);
    let detected = page.language.code.unwrap_or("-");
    let shown = if lang.is_empty() { "-" } else { lang };
    let decisive = outcome.with("lang", shown).with("detected", detected);
    let finding = seen.into_iter().fold(Finding::new(decisive), Finding::with_detection);
    let is_wrong = !is_valid || page.language.code.is_some_and(|code| !is_alike(lang, code));
    let unnamed = unnamed.map(|block| page.block(block));
    let evidence = evidence(page, &versions).into_iter().chain(unnamed);
    ScoredFinding::new(credit, finding.with_evidence(evidence))
        .with_fix_if_any((outcome != DECLARED && is_wrong).then(|| fix(page)))
}

/// Whether a tag is one of a language with this code.
fn is_alike(tag: &str, code: &str) -> bool {
    let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    primary == code
        || ALIKE.iter().any(|all| all.contains(&primary.as_str()) && all.contains(&code))
}

/// What is wrong with the versions in other languages: an invalid tag or address, or that the
/// page itself is not among them.
fn version_problem(page: &AuditedPage<'_>, versions: &[&LinkElement]) -> Option<Seen> {
    let resolve = page.page().resolver(&page.response.url);
    let tag = |link: &LinkElement| link.hreflang.clone().unwrap_or_default();
    let is_good = |link: &&&LinkElement| {
        let tag = tag(link);
        (tag.eq_ignore_ascii_case("x-default") || language_tag::is_version(&tag))
            && !link.href.is_empty()
            && resolve(&link.href).is_some()
    };
    if let Some(bad) = versions.iter().find(|link| !is_good(link)) {
        return Some(BAD_HREFLANG.with("value", tag(bad)).with("line", bad.line));
    }
    let location = page.snapshot.location()?;
    let mut targets = versions.iter().filter_map(|link| resolve(&link.href));
    let is_among = targets.any(|url| address::is_same(&url, location));
    (!is_among).then(|| NO_SELF.with("count", versions.len()))
}

/// Blocks of code, of documentation alone: other pages have no reader who runs them.
fn code_blocks<'p>(page: &'p AuditedPage<'_>) -> Vec<&'p Block> {
    if !page.profiles().is(Profile::Documentation) {
        return Vec::new();
    }
    let blocks = page.content.blocks.iter();
    blocks.filter(|block| block.kind == BlockKind::Preformatted).collect()
}

fn evidence(page: &AuditedPage<'_>, versions: &[&LinkElement]) -> Vec<Evidence> {
    let lang = page.page().lang.iter().map(|lang| {
        page.evidence(&format!("<html lang=\"{}\">", lang.value), lang.line, lang.node)
    });
    let versions = versions.iter().take(3).map(|link| {
        let tag = link.hreflang.as_deref().unwrap_or_default();
        let quote = format!("<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{}\">", link.href);
        page.evidence(&quote, link.line, link.node)
    });
    lang.chain(versions).collect()
}

fn fix(page: &AuditedPage<'_>) -> SnippetFix {
    let mut inputs = Vec::new();
    let lang = page.or_gap(page.language.code.map(str::to_owned), "LANGUAGE", &mut inputs);
    let snippet = format!("<html lang=\"{lang}\">");
    SnippetFix::new(Placement::HtmlElement, SnippetLanguage::Html, snippet).with_inputs(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const ENGLISH: &str = "This kettle boils one liter of water in three minutes and keeps it warm for \
        an hour. The lid opens with one hand, and the handle stays cool even when the water is hot.";
    const TURKISH: &str = "Bu su ısıtıcısı bir litre suyu üç dakikada kaynatır ve bir saat boyunca sıcak \
        tutar. Kapağı tek elle açılır, sapı ise su sıcakken bile serin kalır ve elinizi yakmaz.";

    fn read(lang: &str, head: &str, text: &str) -> ScoredFinding {
        let html =
            format!("<!doctype html><html {lang}><head>{head}</head><main><p>{text}</p></main>");
        fixture(&html).read(&SIGNAL)
    }

    fn seen(scored: &ScoredFinding) -> (Vec<&'static str>, u32) {
        let ids = scored.finding.detections().iter().map(|seen| seen.outcome.id).collect();
        (ids, scored.credit.unwrap().per_mille())
    }

    #[test]
    fn the_declared_language_is_compared_with_the_text() {
        for (lang, text, ids, credit) in [
            ("lang=en", ENGLISH, vec!["declared"], 1000),
            ("lang=en-US", ENGLISH, vec!["declared"], 1000),
            ("lang=tr", TURKISH, vec!["declared"], 1000),
            ("lang=en", TURKISH, vec!["partly-declared", "other-lang"], 625),
            ("", TURKISH, vec!["undeclared", "no-lang"], 0),
            ("lang=english", ENGLISH, vec!["undeclared", "bad-lang"], 0),
            ("lang=jp", ENGLISH, vec!["undeclared", "bad-lang"], 0),
            ("lang=de", "short", vec!["declared"], 1000),
            ("", "short", vec!["undeclared", "no-lang"], 0),
        ] {
            assert_eq!(seen(&read(lang, "", text)), (ids, credit), "{lang} {text}");
        }
    }

    #[test]
    fn versions_are_valid_and_the_page_is_one_of_them() {
        let link =
            |tag: &str, href: &str| format!("<link rel=alternate hreflang={tag} href='{href}'>");
        let own = link("en", "https://example.com/page/");
        let other = link("tr", "https://example.com/tr/page");
        for (head, ids, credit) in [
            (format!("{own}{other}{}", link("x-default", "/page")), vec!["declared"], 1000),
            (other, vec!["partly-declared", "no-self-reference"], 800),
            (
                format!("{own}{}", link("en_US", "/us")),
                vec!["partly-declared", "bad-hreflang"],
                800,
            ),
            (format!("{own}{}", link("jp", "/jp")), vec!["partly-declared", "bad-hreflang"], 800),
            (format!("{own}{}", link("tr", "")), vec!["partly-declared", "bad-hreflang"], 800),
        ] {
            assert_eq!(seen(&read("lang=en", &head, ENGLISH)), (ids, credit), "{head}");
        }
    }

    #[test]
    fn documentation_names_the_languages_of_its_code() {
        let read = |block: &str, profile| {
            let html = format!(
                "<html lang=en><main><h1>K2</h1><p>{ENGLISH}</p>{}</main>",
                block.repeat(3)
            );
            seen(&fixture(&html).with_profile(profile).read(&SIGNAL))
        };
        let (plain, named) =
            ("<pre>a = 1</pre>", "<pre><code class=language-python>a = 1</code></pre>");
        let docs = Profile::Documentation;
        assert_eq!(read(plain, docs), (vec!["partly-declared", "unnamed-code"], 800));
        assert_eq!(read(named, docs), (vec!["declared"], 1000));
        assert_eq!(read(plain, Profile::Article), (vec!["declared"], 1000));
    }

    #[test]
    fn the_fix_names_the_language_of_the_text() {
        let fix = |lang: &str, text: &str| read(lang, "", text).fix.unwrap();
        assert_eq!(fix("lang=en", TURKISH).snippet, "<html lang=\"tr\">");
        assert_eq!(fix("", "short").placeholders(), ["[LANGUAGE]"]);
        assert_eq!(read("lang=tr", "", TURKISH).fix, None);
    }
}
