//! The shape of a page: how much of it is text, links, cards and people, which decide its kind.
//!
//! One walk over what shows and is no chrome. Text is measured in characters, so that the same page has the same
//! shape in every language: a character of a script that says more with one counts as several.

use html5ever::{LocalName, local_name};

use crate::page::content::NameSign;
use crate::page::content::judge::Fate;
use crate::page::content::mark::{Chrome, Visibility};
use crate::page::content::measure::Measures;
use crate::page::content::names::NameSigns;
use crate::page::content::rule::DropRule;
use crate::page::content::siblings::{MAX_KINDS, kind};
use crate::page::element::Element;
use crate::page::price;
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};
use crate::text::words;

/// Characters of a paragraph that counts: about 15 words.
const MIN_PARAGRAPH_CHARS: u32 = 80;
/// Characters that a card has at least and at most.
const CARD_CHARS: std::ops::RangeInclusive<u32> = 10..=900;
/// Characters of a card from which on a longer one says no more.
const MAX_CARD_CHARS: u32 = 180;
/// Characters, and percent of the page's, below which chrome is measured as well.
const MIN_CHARS: u32 = 400;
const MIN_SHARE: u64 = 20;
/// Siblings that make a group.
const MIN_GROUP: u32 = 3;
/// Characters of the names of the page that are kept.
const MAX_NAMES_CHARS: usize = 500;
/// Characters of a text that has a price or a date of its own.
const MAX_DATE_CHARS: u32 = 200;
const MAX_PRICE_CHARS: u32 = 400;
/// Elements before the main heading, and characters after it, within which a date is the date of the page.
const MAX_ELEMENTS_BEFORE: u32 = 25;
const MAX_CHARS_AFTER: u32 = 400;

/// How much of what there is on a page, its chrome left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Characters, and those in links.
    pub chars: u32,
    /// Characters in links.
    pub linked_chars: u32,
    /// The same of the whole page.
    pub page_chars: u32,
    /// Characters in links of the whole page.
    pub page_linked_chars: u32,
    /// Links with an address.
    pub links: u32,
    /// Images, and those in links.
    pub images: u32,
    /// Images in links.
    pub linked_images: u32,
    /// Figures.
    pub figures: u32,
    /// Texts with a price.
    pub prices: u32,
    /// Texts with a date.
    pub dates: u32,
    /// Elements that name a person.
    pub persons: u32,
    /// Headings of the second to the fourth level.
    pub headings: u32,
    /// Characters of the main heading.
    pub title_chars: u32,
    /// Whether a date is at the main heading.
    pub has_date_at_title: bool,
    /// Prices after the main heading, before its text is long.
    pub prices_at_title: u32,
    /// Paragraphs.
    pub paragraphs: u32,
    /// Characters of the paragraphs that have the same parent, where they are most.
    pub text_chars: u32,
    /// Rows of tables.
    pub rows: u32,
    /// Blocks of code.
    pub code_blocks: u32,
    /// Pieces of code in a line.
    pub inline_code: u32,
    /// Buttons.
    pub buttons: u32,
    /// Elements by what their names say.
    pub named: [u32; NameSign::COUNT],
    /// Classes and ids of `html` and `body`.
    pub body_names: String,
    /// The siblings with most of the text.
    pub largest_group: SiblingGroup,
    /// The siblings that are cards.
    pub cards: SiblingGroup,
}

/// Siblings with the same tag and the same first class.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SiblingGroup {
    /// How many there are.
    pub count: u32,
    /// Their characters.
    pub chars: u32,
    /// Those with a link.
    pub linked: u32,
    /// Those with an image.
    pub with_image: u32,
    /// Those with a price.
    pub priced: u32,
    /// Those with a date.
    pub dated: u32,
    /// Those that name a person.
    pub signed: u32,
}

impl Shape {
    /// Elements whose names say this.
    pub fn named(&self, sign: NameSign) -> u32 {
        self.named.get(sign as usize).copied().unwrap_or_default()
    }

    /// The shape of the page with more text in its main content: after the main heading, or behind all.
    #[must_use]
    pub(crate) fn with(&self, new: &Self, is_at_heading: bool) -> Self {
        let named = std::iter::zip(self.named, new.named).map(|(own, new)| own + new);
        let mut sum = self.clone();
        for (slot, named) in sum.named.iter_mut().zip(named) {
            *slot = named;
        }
        for (own, new) in [
            (&mut sum.chars, new.chars),
            (&mut sum.linked_chars, new.linked_chars),
            (&mut sum.page_chars, new.page_chars),
            (&mut sum.page_linked_chars, new.page_linked_chars),
            (&mut sum.links, new.links),
            (&mut sum.images, new.images),
            (&mut sum.linked_images, new.linked_images),
            (&mut sum.figures, new.figures),
            (&mut sum.prices, new.prices),
            (&mut sum.dates, new.dates),
            (&mut sum.persons, new.persons),
            (&mut sum.headings, new.headings),
            (&mut sum.title_chars, new.title_chars),
            (&mut sum.paragraphs, new.paragraphs),
            (&mut sum.text_chars, new.text_chars),
            (&mut sum.rows, new.rows),
            (&mut sum.code_blocks, new.code_blocks),
            (&mut sum.inline_code, new.inline_code),
            (&mut sum.buttons, new.buttons),
        ] {
            *own = own.saturating_add(new);
        }
        if is_at_heading {
            sum.has_date_at_title |= new.dates > 0;
            sum.prices_at_title = sum.prices_at_title.saturating_add(new.prices);
        }
        sum
    }

    /// Measures a page.
    pub(in crate::page) fn read(tree: &Tree, measures: &Measures) -> Self {
        let shape = Self::read_with(tree, measures, MeasuredPart::Content);
        // What is next to nothing beside its chrome is not decided by what is left.
        let is_little = shape.chars < MIN_CHARS
            || u64::from(shape.chars) * 100 < u64::from(shape.page_chars) * MIN_SHARE;
        if is_little { Self::read_with(tree, measures, MeasuredPart::All) } else { shape }
    }

    fn read_with(tree: &Tree, measures: &Measures, part: MeasuredPart) -> Self {
        let mut walk = ShapeWalk { part, ..ShapeWalk::default() };
        let (chars, linked) = measures.shown_page();
        (walk.shape.page_chars, walk.shape.page_linked_chars) = (chars, linked);
        for step in tree.walk() {
            match step {
                WalkStep::Enter(_) if walk.left_out.is_some() => {}
                WalkStep::Enter(id) => match tree.content(id) {
                    NodeContent::Text(text) => walk.text(text, measures.sums(id).chars),
                    NodeContent::Element(element) => walk.enter(id, element, measures),
                    NodeContent::Comment(_) | NodeContent::Other => {}
                },
                WalkStep::Leave(id) if walk.left_out.is_some() => {
                    walk.left_out.take_if(|left| *left == id);
                }
                WalkStep::Leave(id) => walk.leave(id),
            }
        }
        walk.shape
    }
}

/// What of a page is measured.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum MeasuredPart {
    #[default]
    Content,
    /// All but navigation and footers.
    All,
}

/// What is in an element.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    chars: u32,
    links: u32,
    images: u32,
    prices: u32,
    dates: u32,
    persons: u32,
    headings: u32,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.chars = self.chars.saturating_add(other.chars);
        self.links += other.links;
        self.images += other.images;
        self.prices += other.prices;
        self.dates += other.dates;
        self.persons += other.persons;
        self.headings += other.headings;
    }

    /// Whether it is a card: short, with a link and with a picture, a heading or a price.
    fn is_card(self) -> bool {
        self.links > 0
            && (self.images > 0 || self.headings > 0 || self.prices > 0)
            && CARD_CHARS.contains(&self.chars)
    }
}

/// An open element.
#[derive(Debug)]
struct Open {
    id: NodeId,
    role: Role,
    kind: u64,
    sums: Sums,
    /// Characters directly in it, and those of its paragraphs.
    own_chars: u32,
    paragraph_chars: u32,
    /// Where the groups of its children begin.
    groups: usize,
}

/// What an element is for the shape.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    Other,
    Link,
    MainHeading,
    Paragraph,
    Code,
}

#[derive(Debug)]
struct Siblings {
    kind: u64,
    all: SiblingGroup,
    cards: SiblingGroup,
}

#[derive(Debug, Default)]
struct ShapeWalk {
    part: MeasuredPart,
    shape: Shape,
    left_out: Option<NodeId>,
    open: Vec<Open>,
    groups: Vec<Siblings>,
    links: u32,
    code: u32,
    elements: u32,
    /// The element with the last date, if it is near.
    last_date: Option<u32>,
    /// Characters when the main heading ended.
    title_end: Option<u32>,
    /// What is outside of every element.
    below: Sums,
    /// Value of the best group of cards.
    best_cards: u64,
}

impl ShapeWalk {
    fn enter(&mut self, id: NodeId, element: &Element, measures: &Measures) {
        let name = element.name();
        let mark = measures.mark(id);
        if mark.shown != Visibility::Yes {
            self.left_out = Some(id);
            return;
        }
        let is_chrome = match self.part {
            MeasuredPart::Content => is_chrome(measures.fate(id)),
            MeasuredPart::All => {
                matches!(name, local_name!("nav") | local_name!("footer"))
                    || mark.chrome == Chrome::Button
            }
        };
        if is_chrome {
            self.shape.buttons += u32::from(mark.chrome == Chrome::Button);
            self.left_out = Some(id);
            return;
        }
        self.elements += 1;
        let mut sums = Sums::default();
        self.count(&name, element, &mut sums);
        self.count_names(mark.names, &mut sums);
        let role = role(&name, element);
        self.links += u32::from(role == Role::Link);
        self.code += u32::from(role == Role::Code);
        self.open.push(Open {
            id,
            role,
            kind: kind(&name, element),
            sums,
            own_chars: 0,
            paragraph_chars: 0,
            groups: self.groups.len(),
        });
    }

    /// Counts an element by its tag.
    fn count(&mut self, name: &LocalName, element: &Element, sums: &mut Sums) {
        let shape = &mut self.shape;
        match *name {
            local_name!("a") => {
                if let Some(href) = element.attribute("href") {
                    shape.links += 1;
                    sums.links = 1;
                    if leads_to_person(href) || element.attribute("rel") == Some("author") {
                        sums.persons = 1;
                    }
                }
            }
            local_name!("img") => {
                shape.images += 1;
                shape.linked_images += u32::from(self.links > 0);
                sums.images = 1;
            }
            local_name!("figure") => shape.figures += 1,
            local_name!("h1") | local_name!("h2") | local_name!("h3") | local_name!("h4") => {
                shape.headings += u32::from(*name != local_name!("h1"));
                sums.headings = 1;
            }
            local_name!("tr") => shape.rows += 1,
            local_name!("pre") => shape.code_blocks += 1,
            local_name!("code") => shape.inline_code += u32::from(self.code == 0),
            local_name!("button") => shape.buttons += 1,
            local_name!("time") => self.date(sums),
            local_name!("html") | local_name!("body") => {
                for attribute in ["class", "id"] {
                    let names = element.attribute(attribute).unwrap_or_default();
                    self.shape.body_names.extend(names.chars().take(MAX_NAMES_CHARS).chain([' ']));
                }
            }
            _ => {}
        }
    }

    /// Counts an element by its names.
    fn count_names(&mut self, names: NameSigns, sums: &mut Sums) {
        for sign in names.iter() {
            if let Some(count) = self.shape.named.get_mut(sign as usize) {
                *count += 1;
            }
        }
        if names.has(NameSign::Person) {
            sums.persons = 1;
        }
        if names.has(NameSign::Price) {
            sums.prices = 1;
        }
        self.shape.persons += sums.persons;
    }

    fn date(&mut self, sums: &mut Sums) {
        self.shape.dates += 1;
        sums.dates += 1;
        self.last_date = Some(self.elements);
        self.shape.has_date_at_title |= self.is_at_title();
    }

    /// Whether the main heading is just before.
    fn is_at_title(&self) -> bool {
        self.title_end.is_some_and(|end| self.read_chars().saturating_sub(end) <= MAX_CHARS_AFTER)
    }

    /// Characters read so far.
    fn read_chars(&self) -> u32 {
        self.shape.chars
    }

    fn text(&mut self, text: &str, chars: u32) {
        if chars == 0 {
            return;
        }
        let foreign = text.chars().find(|ch| !ch.is_ascii() && ch.is_alphabetic());
        let chars = foreign.map_or(chars, |ch| chars.saturating_mul(words::letters_of(ch)) / 10);
        self.shape.chars = self.shape.chars.saturating_add(chars);
        if self.links > 0 {
            self.shape.linked_chars = self.shape.linked_chars.saturating_add(chars);
        }
        let mut sums = Sums { chars, ..Sums::default() };
        if chars <= MAX_PRICE_CHARS && text.bytes().any(|byte| byte.is_ascii_digit()) {
            if price::is_in(text) {
                self.shape.prices += 1;
                self.shape.prices_at_title += u32::from(self.is_at_title());
                sums.prices = 1;
            }
            let is_dated = self.open.last().is_some_and(|open| open.sums.dates > 0);
            if chars <= MAX_DATE_CHARS && !is_dated && has_date(text) {
                self.date(&mut sums);
            }
        }
        match self.open.last_mut() {
            Some(open) => {
                open.own_chars = open.own_chars.saturating_add(chars);
                open.sums.add(sums);
            }
            None => self.below.add(sums),
        }
    }

    fn leave(&mut self, id: NodeId) {
        let Some(open) = self.open.pop_if(|open| open.id == id) else { return };
        self.judge_groups(open.groups);
        self.shape.text_chars = self.shape.text_chars.max(open.paragraph_chars);
        match open.role {
            Role::Link => {
                self.links = self.links.saturating_sub(1);
            }
            Role::Code => self.code = self.code.saturating_sub(1),
            Role::MainHeading if self.title_end.is_none() => self.end_title(open.sums.chars),
            Role::Other | Role::MainHeading | Role::Paragraph => {}
        }
        let is_paragraph = match open.role {
            Role::Paragraph => open.sums.chars >= MIN_PARAGRAPH_CHARS,
            _ => false,
        } || open.own_chars >= 2 * MIN_PARAGRAPH_CHARS
            && open.role == Role::Other;
        let below = self.open.last_mut();
        self.shape.paragraphs += u32::from(is_paragraph);
        let Some(parent) = below else {
            self.below.add(open.sums);
            return;
        };
        if is_paragraph {
            let chars = if open.role == Role::Paragraph { open.sums.chars } else { open.own_chars };
            parent.paragraph_chars = parent.paragraph_chars.saturating_add(chars);
        }
        parent.sums.add(open.sums);
        let first = parent.groups;
        self.join_group(first, open.kind, open.sums);
    }

    fn end_title(&mut self, chars: u32) {
        self.shape.title_chars = chars;
        self.title_end = Some(self.read_chars());
        let is_near = |at: &u32| self.elements.saturating_sub(*at) <= MAX_ELEMENTS_BEFORE;
        self.shape.has_date_at_title |= self.last_date.as_ref().is_some_and(is_near);
    }

    /// Adds an element to its siblings.
    fn join_group(&mut self, first: usize, kind: u64, sums: Sums) {
        let known = self.groups.get_mut(first..).unwrap_or_default();
        if let Some(siblings) = known.iter_mut().find(|siblings| siblings.kind == kind) {
            siblings.add(sums);
        } else if known.len() < MAX_KINDS {
            let mut siblings =
                Siblings { kind, all: SiblingGroup::default(), cards: SiblingGroup::default() };
            siblings.add(sums);
            self.groups.push(siblings);
        }
    }

    /// Keeps the best groups of an element that ends.
    fn judge_groups(&mut self, first: usize) {
        for siblings in self.groups.drain(first.min(self.groups.len())..) {
            if siblings.all.count >= MIN_GROUP
                && siblings.all.chars > self.shape.largest_group.chars
            {
                self.shape.largest_group = siblings.all;
            }
            let cards = siblings.cards;
            let mean = cards.chars.checked_div(cards.count).unwrap_or_default();
            let value = u64::from(cards.count) * u64::from(mean.min(MAX_CARD_CHARS));
            if cards.count >= MIN_GROUP && value > self.best_cards {
                self.best_cards = value;
                self.shape.cards = cards;
            }
        }
    }
}

impl Siblings {
    fn add(&mut self, sums: Sums) {
        self.all.add(sums);
        if sums.is_card() {
            self.cards.add(sums);
        }
    }
}

impl SiblingGroup {
    fn add(&mut self, sums: Sums) {
        self.count += 1;
        self.chars = self.chars.saturating_add(sums.chars);
        self.linked += u32::from(sums.links > 0);
        self.with_image += u32::from(sums.images > 0);
        self.priced += u32::from(sums.prices > 0);
        self.dated += u32::from(sums.dates > 0);
        self.signed += u32::from(sums.persons > 0);
    }
}

/// Whether it is left out as chrome: lists of links belong to the shape of a page.
fn is_chrome(fate: Fate) -> bool {
    matches!(fate, Fate::LeftOut(rule) if rule != DropRule::LINKS)
}

fn role(name: &LocalName, element: &Element) -> Role {
    match *name {
        local_name!("a") if element.attribute("href").is_some() => Role::Link,
        local_name!("h1") => Role::MainHeading,
        local_name!("p") | local_name!("blockquote") | local_name!("dd") => Role::Paragraph,
        local_name!("pre") => Role::Code,
        _ => Role::Other,
    }
}

/// Whether an address is that of a person's page.
fn leads_to_person(href: &str) -> bool {
    const SEGMENTS: [&str; 7] = ["u", "user", "users", "member", "members", "author", "profile"];
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.split('/').rev();
    segments.next().is_some_and(|last| !last.is_empty())
        && segments.any(|segment| SEGMENTS.contains(&segment))
}

/// What may stand between the parts of a date, beside signs.
const FILLERS: [&str; 4] = ["", "of", "de", "del"];

/// Whether a short text has a date: three numbers that may be one, or a year beside a name and a day.
fn has_date(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = |part: &str| {
        part.len() == 4 && is_number(part) && (part.starts_with("19") || part.starts_with("20"))
    };
    let is_day = |part: &str| {
        let digits = part.trim_end_matches(|ch: char| ch.is_ascii_alphabetic());
        is_number(digits) && digits.len() <= 2 && part.len() - digits.len() <= 2
    };
    let parts = text.split(|ch: char| !ch.is_alphanumeric()).filter(|part| !FILLERS.contains(part));
    let (mut before, mut last) = ("", "");
    for part in parts {
        let is_name = |part: &str| part.starts_with(char::is_alphabetic) && part.len() >= 3;
        let is_named = is_day(last) && is_name(before) || is_name(last) && is_day(before);
        let is_numeric = is_day(last) && is_day(before);
        if is_year(part) && (is_named || is_numeric)
            || is_year(before) && is_day(last) && is_day(part)
            || part.contains('年')
        {
            return true;
        }
        (before, last) = (last, part);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Document;

    fn shape(html: &str) -> Shape {
        Document::parse(html.as_bytes(), None).content_and_shape().1
    }

    #[test]
    fn siblings_of_one_kind_are_a_group_and_short_ones_with_a_picture_are_cards() {
        let card = |at: usize| {
            format!(
                "<div class='card c{at}'><a href='/{at}'><img src='{at}.jpg' alt=''>Lamp number {at} of brass</a> $19</div>"
            )
        };
        let cards: String = (1..=4).map(card).collect();
        let shape = shape(&format!("<main><h1>Lamps</h1>{cards}<p>Another thing</p></main>"));
        assert_eq!((shape.cards.count, shape.cards.priced, shape.cards.with_image), (4, 4, 4));
        assert_eq!(shape.largest_group.linked, 4);
        assert!(shape.linked_chars > 60 && shape.linked_chars < shape.chars);
    }

    #[test]
    fn paragraphs_count_under_the_parent_that_has_most() {
        let long = "word and word again ".repeat(10);
        let shape = shape(&format!(
            "<main><div><p>{long}<p>{long}</div><div><p>{long}</div><p>short</main>"
        ));
        assert_eq!(shape.paragraphs, 3);
        assert!((2 * 199..=2 * 201).contains(&shape.text_chars), "{}", shape.text_chars);
    }

    #[test]
    fn dates_are_read_in_every_order_and_language() {
        for text in [
            "March 4, 2026",
            "4 Mart 2026",
            "04.03.2026",
            "2026-03-04",
            "2026年3月4日",
            "4th of March 2026",
        ] {
            assert!(has_date(text), "{text}");
        }
        for text in
            ["1998", "Room 2026", "from 3 to 4", "$2,026.00", "since 2020 or 2021", "v1.2.2026x"]
        {
            assert!(!has_date(text), "{text}");
        }
    }

    #[test]
    fn a_date_near_the_main_heading_is_its_date() {
        assert!(shape("<main><h1>A</h1><time>today</time>").has_date_at_title);
        assert!(shape("<main><time>today</time><h1>A</h1>").has_date_at_title);
        let far = "words upon words ".repeat(40);
        assert!(
            !shape(&format!("<main><h1>A</h1><p>{far}</p><time>today</time>")).has_date_at_title
        );
    }

    #[test]
    fn a_character_counts_as_much_as_it_says() {
        let chars = |text: &str| shape(&format!("<main>{text}")).chars;
        let latin = chars("tidetable");
        assert_eq!(chars("Gezeiten!"), latin);
        assert_eq!(chars("조석표의시간입니다"), 2 * latin);
        assert_eq!(chars("“潮汐表”和时间表"), 35 * latin / 10);
        assert_eq!(chars("ตารางเดือน"), 13 * chars("tide table") / 10);
    }

    #[test]
    fn a_page_in_its_chrome_is_measured_with_it() {
        let text = "the whole text of the page is here ".repeat(20);
        assert!(shape(&format!("<div class='sidebar'><p>{text}</p></div>")).chars > 600);
    }
}
