//! Finds the author of a page.

use serde_json::Value;

use crate::audit::availability::folded_words;
use crate::audit::gap::has_gap;
use crate::audit::page::{AuditedPage, PageFact};
use crate::audit::profile::Profile;
use crate::audit::prose::{byline, date};
use crate::page::language::Language;
use crate::page::{Anchor, Meta, Signature, SignatureKind};
use crate::rubric::finding::Evidence;
use crate::text::fold::fold;

/// Characters of a name.
const MAX_NAME_CHARS: usize = 80;
/// Lines of the visible text that are looked at, and how far a name is from the heading.
const MAX_LINES: usize = 20_000;
const NEAR: usize = 15;
/// Lines above the heading that are looked at for a date with a name.
const ABOVE: usize = 4;
/// Words of a line with a name, a date and a label.
const MAX_BYLINE_WORDS: usize = 16;
/// Characters of an element that is marked as the name of an author.
const MAX_ELEMENT_CHARS: usize = 300;
/// Characters of the name of an account.
const MAX_ACCOUNT_CHARS: usize = 40;
/// Names in the markup that are looked at.
const MAX_MARKED: usize = 50;

/// The author of a page.
#[derive(Clone, Debug)]
pub(crate) struct Author {
    /// The name, as the page writes it.
    pub(crate) name: String,
    /// Where the name was found.
    pub(crate) source: AuthorSource,
    /// Where the name is.
    pub(crate) evidence: Evidence,
}

/// Where the name of an author was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AuthorSource {
    /// In the markup, and readers see it too.
    VisibleMarkup,
    /// In an element with `rel=author` or `itemprop=author`.
    Attribute,
    /// In a line such as `By Ada Lovelace` beside the main heading.
    NearByline,
    /// In such a line elsewhere.
    FarByline,
    /// In an element whose class says so.
    Class,
    /// In a link to the page of an author.
    Link,
    /// Beside the date at the heading.
    BesideDate,
    /// Beside what the person does, below the heading.
    BesideRole,
    /// The account that began a thread.
    Account,
    /// In the markup alone.
    HiddenMarkup,
}

/// A name, and where it is.
type Named = (String, Evidence);

impl Author {
    /// Who wrote a page: a name of the markup that readers see, else a visible one, else that of the
    /// markup.
    pub(crate) fn find(page: &AuditedPage<'_>) -> Option<Self> {
        use AuthorSource as Source;
        let marked = marked(page);
        let lines: Vec<&str> = page.page().visible_text.lines().take(MAX_LINES).collect();
        let heading = heading_line(page, &lines);
        let is_seen = |name: &&Marked| name.is_visible(page);
        let of_person = || marked.iter().filter(|name| !name.is_site).find(is_seen);
        let is_forum = page.profiles().is(Profile::Forum);
        let found = |source: Source| match source {
            Source::VisibleMarkup => of_person().map(|name| name.visible_place(page)),
            Source::Attribute => from_elements(page, SignatureKind::Attribute),
            Source::NearByline => from_lines(page, &lines, heading, true),
            Source::FarByline => from_lines(page, &lines, heading, false),
            Source::Class => from_elements(page, SignatureKind::Class),
            Source::Link => from_links(page),
            Source::BesideDate => beside_date(page, &lines, heading),
            Source::BesideRole => beside_role(page, &lines, heading),
            Source::Account => from_accounts(page),
            Source::HiddenMarkup => {
                let site = marked.iter().find(is_seen).map(|name| name.visible_place(page));
                site.or_else(|| marked.first().map(|name| (name.name.clone(), name.place.clone())))
            }
        };
        let order = [
            (Source::VisibleMarkup, true),
            (Source::Attribute, true),
            (Source::Account, is_forum),
            (Source::NearByline, true),
            (Source::Class, true),
            (Source::Link, true),
            (Source::BesideDate, true),
            (Source::BesideRole, true),
            (Source::FarByline, true),
            (Source::Account, !is_forum),
            (Source::HiddenMarkup, true),
        ];
        let mut asked = order.into_iter().filter(|(_, is_asked)| *is_asked);
        asked.find_map(|(source, _)| {
            let (name, evidence) = found(source)?;
            Some(Self { name, source, evidence })
        })
    }

    /// Whether a line beside the main heading has the name, and hardly anything else: as a byline does, and the
    /// signature of a comment does not.
    pub(crate) fn is_beside_heading(&self, page: &AuditedPage<'_>) -> bool {
        let lines: Vec<&str> = page.page().visible_text.lines().take(MAX_LINES).collect();
        let Some(at) = heading_line(page, &lines) else { return false };
        let near = lines.iter().skip(at.saturating_sub(NEAR / 2)).take(NEAR / 2 + NEAR);
        let name = fold(&self.name);
        near.into_iter().any(|line| {
            let words = line.split_whitespace().count();
            words <= MAX_BYLINE_WORDS && fold(line).contains(&name)
        })
    }

    /// Whether readers see the name.
    pub(crate) fn is_visible(&self, page: &AuditedPage<'_>) -> bool {
        self.source != AuthorSource::HiddenMarkup || is_visible(page, &self.name)
    }
}

/// A name that the markup has.
struct Marked {
    name: String,
    /// Whether it is that of the site, and not of a person.
    is_site: bool,
    place: Evidence,
}

impl Marked {
    fn is_visible(&self, page: &AuditedPage<'_>) -> bool {
        is_visible(page, &self.name)
    }

    /// Where readers see the name.
    fn visible_place(&self, page: &AuditedPage<'_>) -> Named {
        let mut blocks = page.content.blocks.iter();
        let folded = fold(&self.name);
        let is_short = |text: &str| text.len() <= self.name.len() + MAX_ELEMENT_CHARS;
        let block =
            blocks.find(|block| is_short(&block.text) && fold(&block.text).contains(&folded));
        let place = block
            .map_or_else(|| line_evidence(page, &self.name, &self.name), |block| page.block(block));
        (self.name.clone(), place)
    }
}

fn is_visible(page: &AuditedPage<'_>, name: &str) -> bool {
    let words = folded_words(name);
    !words.is_empty() && !has_gap(name) && page.visible_words().contains(&format!(" {words} "))
}

/// Whether a text that looks like a name is the title of the page, or links to a topic.
fn is_of_page(page: &AuditedPage<'_>, name: &str) -> bool {
    const TOPICS: [&str; 5] = ["topic", "categor", "kategori", "/tag", "/section"];
    let is_topic = |anchor: &Anchor| {
        anchor.text.trim() == name && TOPICS.iter().any(|part| anchor.href.contains(part))
    };
    page.page().h1s().any(|heading| heading.text.trim() == name)
        || page.page().anchors.iter().any(is_topic)
}

/// Whether the visible text has a name, with whatever follows it in the same line without a space.
fn is_read(page: &AuditedPage<'_>, name: &str) -> bool {
    is_visible(page, name) || name.contains(' ') && page.page().visible_text.contains(name)
}

/// The names of authors in markup and in `meta` elements, in order.
fn marked(page: &AuditedPage<'_>) -> Vec<Marked> {
    const KEYS: [&str; 6] = [
        "author",
        "article:author",
        "parsely-author",
        "citation_author",
        "dc.creator",
        "twitter:creator:name",
    ];
    let site = page.page().metas("og:site_name").next().map(|meta| folded_words(&meta.content));
    let is_of_site = |name: &str| site.as_deref() == Some(folded_words(name).as_str());
    let of_markup = page.markup.entities.iter().filter_map(|entity| {
        if entity.is_a(&["Comment", "Review", "Answer", "Book"]) {
            return None;
        }
        let author = entity.object.get("author").or_else(|| entity.object.get("creator"))?;
        let object = page.markup.resolve(author);
        let name = name_of(author).or_else(|| object?.get("name")?.as_str())?;
        let kind = object.and_then(|object| object.get("@type")).and_then(Value::as_str);
        let is_site = kind == Some("Organization") || is_of_site(name);
        let place = page.evidence(name, entity.line, entity.node);
        Some(Marked { name: name.trim().to_owned(), is_site, place })
    });
    let of_metas = KEYS.into_iter().flat_map(|key| page.page().metas(key)).chain(labelled(page));
    let of_metas = of_metas.map(|meta| Marked {
        name: meta.content.trim().to_owned(),
        is_site: is_of_site(&meta.content),
        place: page.evidence(&meta.content, meta.line, meta.node),
    });
    of_markup.chain(of_metas).filter(|marked| is_name(&marked.name)).take(MAX_MARKED).collect()
}

/// The card of a messenger that has a label and its value: `Written by`, `Ada Lovelace`.
fn labelled<'a>(page: &'a AuditedPage<'_>) -> impl Iterator<Item = &'a Meta> {
    let pairs = [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")];
    pairs.into_iter().filter_map(|(label, value)| {
        let label = page.page().metas(label).next()?;
        byline::is_opener(&label.content).then(|| page.page().metas(value).next())?
    })
}

/// Evidence of a visible line: where the name begins, as far as it is in one text of the page.
pub(crate) fn line_evidence(page: &AuditedPage<'_>, name: &str, quote: &str) -> Evidence {
    let block = page.content.blocks.iter().find(|block| block.text == quote);
    if let Some(block) = block {
        return page.block(block);
    }
    let mut texts = page.document.texts();
    let node = texts.find(|(_, text)| text.contains(name)).map(|(node, _)| node);
    match node {
        Some(node) => page.evidence(quote, page.document.line_of(node), node),
        None => Evidence::from_response(page.response).quote(quote),
    }
}

/// The line of the heading.
pub(crate) fn heading_line(page: &AuditedPage<'_>, lines: &[&str]) -> Option<usize> {
    let heading =
        page.page().h1s().map(|heading| heading.text.trim()).find(|text| !text.is_empty())?;
    lines.iter().position(|line| {
        line.contains(heading) || line.len() * 2 >= heading.len() && heading.contains(*line)
    })
}

/// The first byline; near the heading if it has to be.
fn from_lines(
    page: &AuditedPage<'_>,
    lines: &[&str],
    heading: Option<usize>,
    is_near: bool,
) -> Option<Named> {
    let at = heading.filter(|_| is_near).map_or(0, |at| at.saturating_sub(NEAR / 2));
    let count = if is_near && heading.is_some() { NEAR * 2 } else { MAX_LINES };
    let mut numbered = lines.iter().enumerate().skip(at).take(count);
    numbered.find_map(|(at, line)| {
        if has_gap(line) {
            return None;
        }
        let name = byline::name_in(line, page.language).or_else(|| {
            let next = lines.get(at + 1).filter(|_| byline::is_opener(line))?;
            byline::leading_name(next)
                .filter(|name| name.len() * 2 >= next.len() || next.len() < 80)
        })?;
        is_name(name).then(|| {
            let quote =
                if line.contains(name) { (*line).to_owned() } else { format!("{line} {name}") };
            (name.to_owned(), line_evidence(page, name, &quote))
        })
    })
}

/// The first element that is marked so.
fn from_elements(page: &AuditedPage<'_>, kind: SignatureKind) -> Option<Named> {
    let own =
        page.page().signatures.iter().filter(|one| {
            one.kind == kind && !one.is_foreign && !page.document.is_in_code(one.node)
        });
    own.into_iter().find_map(|one| from_element(page, one))
}

/// The name in an element that is marked as that of an author.
fn from_element(page: &AuditedPage<'_>, signature: &Signature) -> Option<Named> {
    let text = page.document.text_of(signature.node, MAX_ELEMENT_CHARS);
    let is_account = signature.kind != SignatureKind::Class;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !has_gap(line));
    lines.find_map(|line| {
        let name = byline::name_in(line, page.language)
            .or_else(|| name_at_start(line))
            .or_else(|| byline::person_beside_date(line, page.language));
        let name = name
            .or_else(|| is_account.then(|| account(line)).flatten())
            .filter(|name| is_name(name) && is_read(page, name) && !is_of_page(page, name))?;
        Some((name.to_owned(), page.evidence(line, signature.line, signature.node)))
    })
}

/// A line that is a name, or begins with one and goes on with a date or a mark.
fn name_at_start(line: &str) -> Option<&str> {
    let name = byline::leading_name(line)?;
    let rest = line.get(name.len()..)?.trim_start();
    let next = rest.split_whitespace().find(|word| word.contains(char::is_alphanumeric));
    let is_separate = name.contains(' ') && rest.starts_with(|ch: char| !ch.is_alphabetic());
    let is_end = is_separate || next.is_none_or(byline::is_of_date);
    (is_end && name.split(' ').count() <= 6).then_some(name)
}

/// The name of an account: one word.
fn account(line: &str) -> Option<&str> {
    let is_short = line.chars().count() <= MAX_ACCOUNT_CHARS;
    let is_word = line.chars().all(|ch| ch.is_alphanumeric() || matches!(ch, '_' | '-' | '.'))
        && line.contains(char::is_alphabetic);
    (is_short && is_word && !byline::is_opener(line) && !byline::is_label(line)).then_some(line)
}

/// A link to the page of an author.
fn from_links(page: &AuditedPage<'_>) -> Option<Named> {
    const PARTS: [&str; 10] = [
        "/author/",
        "/authors/",
        "/auteur/",
        "/autor/",
        "/autoren/",
        "/autore/",
        "/yazar/",
        "/contributor/",
        "/contributors/",
        "/by/",
    ];
    // A link within a sentence is about a person, and no signature.
    let is_alone = |anchor: &Anchor| {
        let mut blocks = page.content.blocks.iter();
        let around = blocks.find(|block| block.text.contains(anchor.text.trim()));
        around.is_none_or(|block| block.words() <= MAX_BYLINE_WORDS)
    };
    linked(
        page,
        |anchor| PARTS.iter().any(|part| anchor.href.contains(part)) && is_alone(anchor),
        |text| byline::leading_name(text).filter(|name| *name == text),
    )
}

fn linked<'a>(
    page: &'a AuditedPage<'_>,
    is_author: impl Fn(&&'a Anchor) -> bool,
    name: impl Fn(&'a str) -> Option<&'a str>,
) -> Option<Named> {
    let mut anchors = page.page().anchors.iter().filter(is_author);
    anchors.find_map(|anchor| {
        let name =
            name(anchor.text.trim()).filter(|name| is_name(name) && is_visible(page, name))?;
        Some((name.to_owned(), page.evidence(&anchor.text, anchor.line, anchor.node)))
    })
}

/// The account that began a thread of a forum, by its element or its link.
fn from_accounts(page: &AuditedPage<'_>) -> Option<Named> {
    const PARTS: [&str; 9] = [
        "/u/",
        "/user/",
        "/users/",
        "/member/",
        "/members/",
        "/profile/",
        "member.php?",
        "memberlist.php?mode=viewprofile",
        "profile.php?id=",
    ];
    let of_link =
        || linked(page, |anchor| PARTS.iter().any(|part| anchor.href.contains(part)), account);
    let signatures = page.page().signatures.iter();
    let account = signatures.filter(|one| one.kind != SignatureKind::Attribute);
    if !page.profiles().is(Profile::Forum) {
        return from_elements(page, SignatureKind::Account).or_else(of_link);
    }
    account.into_iter().find_map(|one| from_account(page, one)).or_else(of_link)
}

fn from_account(page: &AuditedPage<'_>, signature: &Signature) -> Option<Named> {
    let text = page.document.text_of(signature.node, MAX_ELEMENT_CHARS);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let name = account(line).or_else(|| byline::leading_name(line))?;
    (is_name(name) && is_visible(page, name))
        .then(|| (name.to_owned(), page.evidence(line, signature.line, signature.node)))
}

/// A name of two words next to the date at the heading: `Ada Lovelace · May 1, 2026`.
fn beside_date(page: &AuditedPage<'_>, lines: &[&str], heading: Option<usize>) -> Option<Named> {
    let at = heading?;
    let near = lines.get(at + 1..lines.len().min(at + 1 + NEAR))?;
    let is_dated = |line: &str| {
        line.split_whitespace().count() <= 14
            && date::find_dates(line, page.language).next().is_some()
    };
    let below = near.iter().enumerate().find_map(|(at, line)| {
        let before = at.checked_sub(1).and_then(|at| near.get(at));
        let beside = [before, near.get(at + 1)];
        let is_beside = || beside.into_iter().flatten().any(|other| is_dated(other));
        let name = if is_dated(line) {
            let mut parts = line.split(['|', '·', '•', '—', '–', '/', ',']).map(str::trim);
            parts
                .find(|part| byline::is_person(part))
                .or_else(|| byline::person_beside_date(line, page.language))
        } else {
            let whole = Some(line.trim()).filter(|line| byline::is_person(line));
            whole.or_else(|| byline::account_in(line)).filter(|_| is_beside())
        }?;
        (is_name(name) && !is_of_page(page, name)).then_some((name, *line))
    });
    let above = || {
        let near = lines.get(at.saturating_sub(ABOVE)..at)?;
        near.iter().rev().filter(|line| is_dated(line)).find_map(|line| {
            let name = byline::person_beside_date(line, page.language)?;
            (is_name(name) && !is_of_page(page, name)).then_some((name, *line))
        })
    };
    let (name, line) = below.or_else(above)?;
    Some((name.to_owned(), line_evidence(page, name, line)))
}

/// A name below the heading, and what that person does: `Ada Lovelace`, `Tech Writer`.
fn beside_role(page: &AuditedPage<'_>, lines: &[&str], heading: Option<usize>) -> Option<Named> {
    let at = heading?;
    let near = lines.get(at + 1..lines.len().min(at + 1 + NEAR))?;
    near.iter().enumerate().find_map(|(at, line)| {
        let next = near.get(at + 1).copied().unwrap_or_default();
        let whole =
            Some(line.trim()).filter(|line| byline::is_person(line) && byline::is_role(next));
        let name = whole
            .or_else(|| byline::person_with_role(line))
            .filter(|name| is_name(name) && !is_of_page(page, name))?;
        Some((name.to_owned(), line_evidence(page, name, line)))
    })
}

/// The name of an author in markup: a text, an object, or a list of them.
pub(in crate::audit) fn name_of(author: &Value) -> Option<&str> {
    match author {
        Value::String(name) => Some(name),
        Value::Object(person) => person.get("name")?.as_str(),
        Value::Array(all) => all.iter().find_map(|author| match author {
            Value::String(name) => Some(name.as_str()),
            other => other.get("name")?.as_str(),
        }),
        _ => None,
    }
}

/// Whether a text is a date, or has one.
fn is_date(name: &str) -> bool {
    let mut words = name.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_of_date = |word: &str| {
        word.starts_with(|ch: char| ch.is_ascii_digit()) || date::month(word).is_some()
    };
    let has_digit = name.contains(|ch: char| ch.is_ascii_digit());
    has_digit
        && (words.all(is_of_date)
            || date::find_dates(name, Language { code: None }).any(|date| date.has_day()))
}

/// Whether a text says what someone does, and no name: all of its words do, or are about where.
fn is_job(name: &str) -> bool {
    byline::is_role(name) && !name.contains('.') && {
        let words = name.split_whitespace().collect::<Vec<_>>();
        words.iter().all(|word| byline::is_word_of_role(word))
    }
}

/// Whether a text announces a name, and is none: `Reviewed by`, `Fact checked`.
fn is_label(name: &str) -> bool {
    const ENDS: [&str; 12] = [
        "by",
        "von",
        "par",
        "por",
        "di",
        "da",
        "door",
        "przez",
        "av",
        "af",
        "tarafindan",
        "author:",
    ];
    const STARTS: [&str; 9] = [
        "reviewed",
        "edited",
        "checked",
        "updated",
        "published",
        "medically",
        "fact",
        "filed",
        "translated",
    ];
    let folded = fold(name.trim());
    let mut words = folded.split_whitespace();
    let first = words.next().unwrap_or_default();
    ENDS.contains(&words.next_back().unwrap_or(first)) || STARTS.contains(&first)
}

/// Whether a text is the name of a person or a body, and not that of an account.
pub(in crate::audit) fn is_name(name: &str) -> bool {
    const ACCOUNTS: [&str; 14] = [
        "admin",
        "administrator",
        "author",
        "editor",
        "editör",
        "yönetici",
        "yazar",
        "guest",
        "root",
        "staff",
        "team",
        "user",
        "webmaster",
        "wordpress",
    ];
    let folded = fold(name.trim());
    let is_address = name.contains("://") || name.contains('@');
    !is_address
        && !is_date(name)
        && !is_job(name)
        && !is_label(name)
        && name.chars().count() <= MAX_NAME_CHARS
        && name.chars().any(char::is_alphabetic)
        && !ACCOUNTS.contains(&folded.as_str())
}

/// The author as a fact.
struct FoundAuthor(Option<Author>);

impl PageFact for FoundAuthor {
    const IS_OF_TEXT: bool = true;

    fn derive(page: &AuditedPage<'_>) -> Self {
        Self(Author::find(page))
    }
}

impl AuditedPage<'_> {
    /// Who wrote the page, as far as the page says it.
    pub(crate) fn author(&self) -> Option<&Author> {
        self.fact::<FoundAuthor>().0.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    fn author(html: &str, kind: Profile) -> Option<(String, bool)> {
        let snapshot = fixture(html).with_profile(kind);
        let page = snapshot.audited();
        let found = page.author()?;
        assert!(found.evidence.line.is_some(), "{html}");
        Some((found.evidence.excerpt.clone().unwrap_or_default(), found.is_visible(&page)))
    }

    #[test]
    fn bylines_are_found_wherever_the_page_has_them() {
        let text = "<p>It is a long text about kettles and how they boil.</p>".repeat(5);
        for (above, below, expected) in [
            ("<p>By Ada Lovelace</p>", "", "By Ada Lovelace"),
            ("<div>By</div><div>Ada Lovelace</div>", "", "By Ada Lovelace"),
            ("<a rel=author href=/x>Ada Lovelace</a>", "", "Ada Lovelace"),
            ("<span itemprop=author>Ada Lovelace</span>", "", "Ada Lovelace"),
            ("<span class=post-author>Ada Lovelace</span>", "", "Ada Lovelace"),
            ("<a href=/author/ada>Ada Lovelace</a>", "", "Ada Lovelace"),
            ("<p>Ada Lovelace · May 1, 2026</p>", "", "Ada Lovelace · May 1, 2026"),
            ("<div>Ada Lovelace</div><div>May 1, 2026</div>", "", "Ada Lovelace"),
            ("<p>May 1, 2026 Ada Lovelace</p>", "", "May 1, 2026 Ada Lovelace"),
            ("<p>Ada Lovelace</p><p>Tech Writer</p>", "", "Ada Lovelace"),
            ("<p>May 1, 2026</p><p>by ada99</p>", "", "by ada99"),
            ("<p>Ada Lovelace, Founder at Kettles</p>", "", "Ada Lovelace, Founder at Kettles"),
            ("<i class=author_name>Ada Lovelace</i><i>Founder</i>", "", "Ada Lovelace"),
            (
                "",
                "<aside><p>Article written by: Ada Lovelace</p></aside>",
                "Article written by: Ada Lovelace",
            ),
            ("", "<footer><p>Text by Ada Lovelace</p></footer>", "Text by Ada Lovelace"),
        ] {
            let html = format!("<main><h1>Kettles that boil</h1>{above}{text}</main>{below}");
            let found = author(&html, Profile::Article);
            assert_eq!(found, Some((expected.to_owned(), true)), "{html}");
        }
    }

    #[test]
    fn the_person_comes_before_the_site_and_the_comments() {
        let markup = r#"<meta property=og:site_name content=Acme><script type="application/ld+json">
            {"@type":"Article","author":{"@type":"Organization","name":"Acme"}}</script>"#;
        let html = format!("{markup}<h1>Kettles</h1><p>By Ada Lovelace</p><p>Acme");
        assert_eq!(author(&html, Profile::Article), Some(("By Ada Lovelace".into(), true)));
        let html = format!(
            "{markup}<h1>Kettles</h1><div id=comments><i class=author>Alan Turing</i></div>"
        );
        assert_eq!(author(&html, Profile::Article), Some(("Acme".into(), false)));
        for html in [
            "<h1>Kettles</h1><a href=/category/hr>Tea Strategy</a><p>May 1, 2026</p>",
            "<h1>Fine Kettles</h1><div class=author-box>Fine Kettles</div>",
        ] {
            assert_eq!(author(html, Profile::Article), None, "{html}");
        }
        let html = "<h1>Kettles</h1><a rel=author href=/x>YouTube</a>";
        assert_eq!(author(html, Profile::Article), None);
        let html = "<h1>Kettles</h1><i class=author-tags>Affordable, fine kettles</i>";
        assert_eq!(author(html, Profile::Article), None);
        let card = "<meta name=twitter:label1 content='Written by'>\
            <meta name=twitter:data1 content='Ada Lovelace'><h1>Kettles</h1><p>Ada Lovelace</p>";
        assert_eq!(author(card, Profile::Article), Some(("Ada Lovelace".into(), true)));
        let html = "<h1>Kettles</h1><p>By the numbers</p><p>By clicking here you agree";
        assert_eq!(author(html, Profile::Article), None);
    }

    #[test]
    fn threads_are_by_the_account_of_the_first_post() {
        let post = |name: &str| {
            format!("<div class=post><a class=username href=/u/{name}>{name}</a><p>Text</p></div>")
        };
        let html = format!("<h1>A thread</h1>{}{}", post("ada_l"), post("alan_t"));
        assert_eq!(author(&html, Profile::Forum), Some(("ada_l".into(), true)));
    }
}
