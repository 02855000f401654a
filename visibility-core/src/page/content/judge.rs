//! Tells the content of a page from its chrome, and finds where the content is.

use std::collections::{HashMap, HashSet};

use crate::page::content::digest::TextDigest;
use crate::page::content::headed::{HeadedParts, Subject};
use crate::page::content::mark::{Chrome, ElementMark, Landmark, Origin, Visibility};
use crate::page::content::measure::{
    ElementSums, MAX_CHROME_TEXT, MIN_LINK_TEXT, Measures, is_share,
};
use crate::page::content::root::RootSearch;
use crate::page::content::rule::{self, DropRule, Lifted};
use crate::page::content::{NameSign, Root, siblings};
use crate::page::text::Gap;
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};

/// Links that make a container one of links.
const MIN_LINKS: u32 = 4;
/// Characters of the paragraphs before what leads to other pages, and percent of those of the page.
const MIN_TEXT_BEFORE: u32 = 1_500;
const MIN_TEXT_BEFORE_SHARE: u64 = 70;
/// Characters of the paragraphs beside readers' comments from which on the page is about something else than them, and where
/// they are more than those paragraphs.
const MIN_TEXT_BESIDE_COMMENTS: u32 = 800;
const MIN_TEXT_BESIDE_MANY_COMMENTS: u32 = 2_000;
/// Characters of a link that skips to the content. What has more is what it leads to.
const MAX_SKIP_CHARS: u32 = 200;
/// Characters of the card of someone who writes in a forum.
const MAX_MEMBER_CHARS: u32 = 300;
/// How many times what is left a part may be before its name is doubted, and what is left where the name is that of what leads
/// to other pages.
const MAX_NAMED_TIMES: u32 = 2;
const MIN_KEPT_BESIDE_RELATED: u32 = 200;
/// Times that a page is judged again.
const MAX_SECOND_THOUGHTS: usize = 2;
/// Elements around a part that may hold nothing but it.
const MAX_WRAPPERS: usize = 6;
/// Characters that are read before what a heading says to be about other pages.
const MIN_READ_BEFORE: u32 = 500;
/// Characters of paragraphs for each link there.
const MAX_TEXT_OF_LINK: u32 = 300;
/// Characters of what is said of an author.
const MAX_AUTHOR_CHARS: u32 = 1_500;
/// Characters of a part that is left out as a second copy.
const MIN_COPY_CHARS: u32 = 200;

/// What becomes of an element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Fate {
    /// It is read.
    #[default]
    Content,
    /// This rule leaves it out.
    LeftOut(DropRule),
}

/// What was found on a page.
#[derive(Debug)]
pub(super) struct Judgement {
    /// By node.
    pub(super) fates: Vec<Fate>,
    pub(super) root: Root,
    /// Characters that are left.
    kept: u32,
    /// Those in no link.
    kept_prose: u32,
    /// Characters of lists of teasers.
    teasers: u32,
    /// Characters of prose that each rule takes away, and those of links.
    dropped: [u32; rule::COUNT],
    dropped_links: [u32; rule::COUNT],
    lists: LinkLists,
}

/// Judges a page by all rules, and again without those that would leave the page out. What they no longer take away may be a
/// list of links, so lists are looked for once more.
pub(super) fn judge(tree: &Tree, measures: &Measures) -> Judgement {
    let headed = HeadedParts::find(tree, measures);
    let mut lifted = Lifted::default();
    let mut spared = HashSet::new();
    let mut judgement = Judge::new(tree, measures, &headed, &lifted, &spared).judge();
    let mut is_new = judgement.lift_names(&mut lifted, measures.sums(NodeId::DOCUMENT));
    for _ in 0..MAX_SECOND_THOUGHTS {
        let lists: HashSet<NodeId> = judgement.lists.of_the_page(judgement.kept).collect();
        // A page that says less than its teasers is a page of them.
        let is_of_teasers = judgement.teasers > judgement.kept_prose;
        is_new |= is_of_teasers && lifted.lift(DropRule::TEASERS.index());
        if !is_new && lists.is_subset(&spared) {
            break;
        }
        is_new = false;
        spared.extend(lists);
        judgement = Judge::new(tree, measures, &headed, &lifted, &spared).judge();
    }
    judgement
}

impl Judgement {
    fn new(nodes: usize) -> Self {
        Self {
            fates: vec![Fate::Content; nodes],
            root: Root::Body,
            kept: 0,
            kept_prose: 0,
            teasers: 0,
            dropped: [0; rule::COUNT],
            dropped_links: [0; rule::COUNT],
            lists: LinkLists::default(),
        }
    }

    /// Lifts the rules of elements and names that do not hold for this page; whether there are any.
    fn lift_names(&self, lifted: &mut Lifted, body: ElementSums) -> bool {
        let mut is_new = false;
        for (place, (prose, links)) in self.dropped.iter().zip(self.dropped_links).enumerate() {
            let rule = DropRule::at(place);
            if self.is_most(rule, *prose, body) || self.is_all_there_is(rule, links) {
                is_new |= lifted.lift(place);
            }
        }
        is_new
    }

    /// Whether what a rule takes away in all is most of the page rather than a part of the site.
    fn is_most(&self, rule: DropRule, prose: u32, body: ElementSums) -> bool {
        let is_most = u64::from(prose) * 100 > u64::from(body.prose()) * MAX_CHROME_TEXT;
        let is_more_than_the_rest = rule.is_name() && prose > self.kept;
        prose > self.kept_prose && (is_most || is_more_than_the_rest) && rule.may_be_lifted()
    }

    /// Whether next to nothing is left beside what a name takes away. All of a card may be a link, so that a list of them has
    /// no prose.
    fn is_all_there_is(&self, rule: DropRule, links: u32) -> bool {
        rule.is_name()
            && rule.may_be_lifted()
            && !rule.wants_links()
            && links > self.kept.saturating_mul(MAX_NAMED_TIMES)
            && (self.kept < MIN_KEPT_BESIDE_RELATED || !rule.is_of_other_pages())
    }
}

/// A walk that judges each element by the rules that hold.
#[derive(Debug)]
struct Judge<'a> {
    tree: &'a Tree,
    measures: &'a Measures,
    headed: &'a HeadedParts,
    lifted: &'a Lifted,
    /// Lists of links that are the page.
    spared: &'a HashSet<NodeId>,
    body: ElementSums,
    around: Around,
    search: RootSearch,
    /// Characters of paragraphs up to here.
    text_before: u32,
    /// What was read up to here, by the landmark that it is in.
    known: HashSet<(Option<NodeId>, TextDigest)>,
    /// Characters of the paragraphs in readers' comments, once there are any.
    comments_text: Option<u32>,
    judgement: Judgement,
}

impl<'a> Judge<'a> {
    fn new(
        tree: &'a Tree,
        measures: &'a Measures,
        headed: &'a HeadedParts,
        lifted: &'a Lifted,
        spared: &'a HashSet<NodeId>,
    ) -> Self {
        Self {
            tree,
            measures,
            headed,
            lifted,
            spared,
            body: measures.sums(NodeId::DOCUMENT),
            around: Around::default(),
            search: RootSearch::default(),
            text_before: 0,
            known: HashSet::new(),
            comments_text: None,
            judgement: Judgement::new(tree.len()),
        }
    }

    fn judge(mut self) -> Judgement {
        for step in self.tree.walk() {
            match step {
                WalkStep::Enter(_) if self.around.left_out.is_some() => {}
                WalkStep::Enter(id) => self.enter(id),
                WalkStep::Leave(id) => self.leave(id),
            }
        }
        self.judgement.root = self.search.root(self.judgement.kept);
        self.judgement
    }

    fn enter(&mut self, id: NodeId) {
        let mark = self.measures.mark(id);
        let sums = self.measures.sums(id);
        if self.spared.contains(&id) {
            self.around.spared.get_or_insert(id);
        }
        let fate = self.fate(id, mark, sums);
        if let Some(slot) = self.judgement.fates.get_mut(id.index()) {
            *slot = fate;
        }
        self.around.enter(id, mark, fate);
        if self.around.left_out.is_some() {
            return;
        }
        if matches!(self.tree.content(id), NodeContent::Text(_)) {
            let judgement = &mut self.judgement;
            judgement.kept = judgement.kept.saturating_add(sums.chars);
            if self.around.link.is_none() {
                judgement.kept_prose = judgement.kept_prose.saturating_add(sums.chars);
            }
        }
        self.search.enter(id, mark.landmark, self.judgement.kept);
    }

    fn leave(&mut self, id: NodeId) {
        if self.around.left_out.is_none() {
            let mark = self.measures.mark(id);
            if mark.landmark == Landmark::Paragraph {
                self.text_before = self.text_before.saturating_add(self.measures.sums(id).text);
            }
            self.search.leave(id, mark.landmark, self.judgement.kept);
        }
        self.around.leave(id);
    }

    /// Counts what a rule takes away, which may prove to be the page.
    fn note_left_out(&mut self, id: NodeId, rule: DropRule, sums: ElementSums) {
        let judgement = &mut self.judgement;
        if let Some(dropped) = judgement.dropped.get_mut(rule.index()) {
            *dropped = dropped.saturating_add(sums.prose());
        }
        if let Some(dropped) = judgement.dropped_links.get_mut(rule.index()) {
            *dropped = dropped.saturating_add(sums.shown_links());
        }
        if rule != DropRule::LINKS {
            return;
        }
        if sums.is_teasers() {
            judgement.teasers = judgement.teasers.saturating_add(sums.shown());
        }
        // Menus come before the title of the page, and beside its main part.
        if self.around.landmark.is_some() || self.search.has_title() {
            let outermost = self.outermost_like(id);
            let element = self.tree.element(outermost);
            let kind = element.map_or(0, |element| siblings::kind(&element.name(), element));
            let place = (self.tree.parent(outermost), kind);
            self.judgement.lists.add(id, place, sums.shown());
        }
    }

    /// The outermost element that has nothing but this one: items of one list are each in such an element.
    fn outermost_like(&self, id: NodeId) -> NodeId {
        let digest = self.measures.sums(id).digest;
        let around = std::iter::successors(self.tree.parent(id), |id| self.tree.parent(*id));
        let wrappers = around.take_while(|id| self.measures.sums(*id).digest == digest);
        wrappers.take(MAX_WRAPPERS).last().unwrap_or(id)
    }

    fn fate(&mut self, id: NodeId, mark: ElementMark, sums: ElementSums) -> Fate {
        let is_chrome = self.is_chrome(mark, sums);
        if is_chrome && self.is_apart(mark, sums) {
            return Fate::LeftOut(mark.rule);
        }
        if (is_chrome || self.is_link_list(mark, sums)) && !holds_the_page(sums, self.body) {
            let rule = if is_chrome { mark.rule } else { DropRule::LINKS };
            self.note_left_out(id, rule, sums);
            return Fate::LeftOut(rule);
        }
        if self.is_copy(id, mark, sums) {
            return Fate::LeftOut(DropRule::REPEATED);
        }
        if self.leads_further(mark, sums) || self.is_headed_otherwise(id) {
            return Fate::LeftOut(DropRule::FURTHER);
        }
        Fate::Content
    }

    fn is_chrome(&self, mark: ElementMark, sums: ElementSums) -> bool {
        if !self.lifted.holds(mark.rule) {
            return false;
        }
        match mark.chrome {
            Chrome::No => false,
            Chrome::Outside => self.around.landmark.is_none(),
            Chrome::Footer => self.around.quote.is_none(),
            Chrome::Yes if mark.rule.is_member() => {
                sums.text == 0 && sums.shown() <= MAX_MEMBER_CHARS
            }
            Chrome::Yes if mark.rule.is_skip_link() => sums.shown() <= MAX_SKIP_CHARS,
            Chrome::Yes => !(mark.rule.wants_links() && sums.is_text()),
            Chrome::Notice => true,
            Chrome::Tabs => !sums.is_text(),
            Chrome::Button => self.around.title.is_none() && !sums.is_card(),
        }
    }

    fn is_link_list(&self, mark: ElementMark, sums: ElementSums) -> bool {
        mark.landmark.may_be_link_list()
            && self.around.spared.is_none()
            && (self.lifted.holds(DropRule::TEASERS) || !sums.is_teasers())
            && sums.links >= MIN_LINKS
            && is_share(sums.shown_links(), sums.shown(), MIN_LINK_TEXT)
    }

    /// Whether it may be longer than the page and is yet no part of it. The title of the page is not in it.
    fn is_apart(&mut self, mark: ElementMark, sums: ElementSums) -> bool {
        if sums.titles > 0 {
            return false;
        }
        match mark.chrome {
            Chrome::Notice => self.body.titles > 0,
            Chrome::Footer => self.body.titles > 0 && self.around.landmark.is_none(),
            // Below a text. Where the posts of a thread have this name, there is little beside them.
            Chrome::Yes if mark.rule.is_comments() => {
                let beside = self.body.text.saturating_sub(self.comments_text());
                let wanted = if beside < sums.prose() {
                    MIN_TEXT_BESIDE_MANY_COMMENTS
                } else {
                    MIN_TEXT_BESIDE_COMMENTS
                };
                beside >= wanted && !mark.names.has(NameSign::Post)
            }
            _ => false,
        }
    }

    /// Characters of the paragraphs in readers' comments.
    fn comments_text(&mut self) -> u32 {
        let (tree, measures) = (self.tree, self.measures);
        *self.comments_text.get_or_insert_with(|| {
            let mut outermost = None;
            let mut text: u32 = 0;
            for step in tree.walk() {
                match step {
                    WalkStep::Enter(id)
                        if outermost.is_none() && measures.mark(id).rule.is_comments() =>
                    {
                        outermost = Some(id);
                        text = text.saturating_add(measures.sums(id).text);
                    }
                    WalkStep::Enter(_) => {}
                    WalkStep::Leave(id) => _ = outermost.take_if(|node| *node == id),
                }
            }
            text
        })
    }

    /// Whether it says what was said before, as what is there once for phones and once for other screens.
    fn is_copy(&mut self, id: NodeId, mark: ElementMark, sums: ElementSums) -> bool {
        let is_block = mark.gap == Gap::Line
            && mark.shown == Visibility::Yes
            && mark.origin == Origin::Place
            && sums.shown() >= MIN_COPY_CHARS;
        if !is_block {
            return false;
        }
        // What has nothing but one element says the same as that.
        let around = self.tree.parent(id).map(|id| self.measures.sums(id).digest);
        around != Some(sums.digest) && !self.known.insert((self.around.landmark, sums.digest))
    }

    /// Whether it has teasers of other pages, below the text of this one.
    fn leads_further(&self, mark: ElementMark, sums: ElementSums) -> bool {
        mark.landmark == Landmark::Container
            && sums.titles == 0
            && is_share(sums.teasers, sums.shown(), MIN_LINK_TEXT)
            && sums.text <= sums.shown() / 2
            && self.text_before >= MIN_TEXT_BEFORE
            && self.text_before > sums.shown()
            && is_share(self.text_before, self.body.text, MIN_TEXT_BEFORE_SHARE)
    }

    /// Whether its heading says that it is about something else than this page, which was read before it.
    fn is_headed_otherwise(&self, id: NodeId) -> bool {
        let Some(part) = self.headed.of(id) else { return false };
        let sums = part.sums;
        let leads_elsewhere =
            sums.links > 0 && sums.text <= sums.links.saturating_mul(MAX_TEXT_OF_LINK);
        sums.titles == 0
            && match part.subject {
                Subject::OtherPages => leads_elsewhere && self.judgement.kept >= MIN_READ_BEFORE,
                Subject::Feed => {
                    leads_elsewhere
                        && self.text_before >= MIN_TEXT_BEFORE
                        && is_share(self.text_before, self.body.text, MIN_TEXT_BEFORE_SHARE)
                }
                Subject::Author => {
                    sums.shown() <= MAX_AUTHOR_CHARS && self.text_before >= MIN_TEXT_BEFORE
                }
            }
    }
}

/// Whether an element holds so much of the page's text that it cannot be chrome, whatever its name.
///
/// A menu may hold half of the text of a short page: there it is prose that counts.
fn holds_the_page(sums: ElementSums, body: ElementSums) -> bool {
    let is_links = is_share(sums.shown_links(), sums.shown(), MIN_LINK_TEXT);
    let (part, whole) = if is_links && body.prose() > 0 {
        (sums.prose(), body.prose())
    } else {
        (sums.shown(), body.shown())
    };
    u64::from(part) * 100 > u64::from(whole) * MAX_CHROME_TEXT
}

/// Lists of links in the main part of the page, those of one kind beside each other as one.
#[derive(Debug, Default)]
struct LinkLists {
    lists: Vec<LinkList>,
    /// Places among the lists, by the element around them and their kind.
    places: HashMap<(Option<NodeId>, u64), usize>,
}

#[derive(Debug, Default)]
struct LinkList {
    nodes: Vec<NodeId>,
    chars: u32,
}

impl LinkLists {
    fn add(&mut self, id: NodeId, place: (Option<NodeId>, u64), chars: u32) {
        let next = self.lists.len();
        let at = *self.places.entry(place).or_insert(next);
        if at == next {
            self.lists.push(LinkList::default());
        }
        if let Some(list) = self.lists.get_mut(at) {
            list.nodes.push(id);
            list.chars = list.chars.saturating_add(chars);
        }
    }

    /// Those that say more than all that is left: the page is a list of links.
    fn of_the_page(&self, kept: u32) -> impl Iterator<Item = NodeId> {
        let lists = self.lists.iter().filter(move |list| list.chars > kept);
        lists.flat_map(|list| list.nodes.iter().copied())
    }
}

/// What is around an element.
#[derive(Debug, Default)]
struct Around {
    left_out: Option<NodeId>,
    landmark: Option<NodeId>,
    title: Option<NodeId>,
    quote: Option<NodeId>,
    link: Option<NodeId>,
    /// A list of links that is the page.
    spared: Option<NodeId>,
}

impl Around {
    fn enter(&mut self, id: NodeId, mark: ElementMark, fate: Fate) {
        if fate != Fate::Content || mark.shown != Visibility::Yes {
            self.left_out = Some(id);
        }
        let slot = match mark.landmark {
            Landmark::Main | Landmark::Article => &mut self.landmark,
            Landmark::Title | Landmark::MainTitle => &mut self.title,
            Landmark::Quote => &mut self.quote,
            Landmark::Link => &mut self.link,
            Landmark::None | Landmark::Paragraph | Landmark::Container | Landmark::Table => return,
        };
        slot.get_or_insert(id);
    }

    fn leave(&mut self, id: NodeId) {
        for slot in [
            &mut self.left_out,
            &mut self.landmark,
            &mut self.title,
            &mut self.quote,
            &mut self.link,
            &mut self.spared,
        ] {
            slot.take_if(|node| *node == id);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::page::Document;
    use crate::page::content::Content;

    const PARAGRAPH: &str = "<p>The mill grinds two tonnes of rye each day, and what it does not sell by the \
                             evening goes to the bakery beside it, which bakes through the night.</p>";

    fn read(html: &str) -> Content {
        Document::parse(html.as_bytes(), None).content()
    }

    fn texts(content: &Content) -> String {
        content.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn rules(content: &Content) -> Vec<&'static str> {
        content.dropped.iter().map(|part| part.rule).collect()
    }

    fn repeated(count: usize, part: impl Fn(usize) -> String) -> String {
        (1..=count).map(part).collect()
    }

    #[test]
    fn a_list_of_threads_is_what_its_page_is_about() {
        let thread = |number| {
            format!(
                "<div class=structItem><a href=/threads/{number}/>Thread about rye number {number} and how the \
                 crust of it can be cut</a> <a href=/members/ines.1/>ines1</a> \
                 <a href=/threads/{number}/latest>Mar 2, 2026</a></div>"
            )
        };
        let menu = repeated(12, |at| format!("<li><a href=/{at}>Flours and mills {at}</a>"));
        let content =
            read(&format!("<ul>{menu}</ul><h1>Baking with rye</h1>{}", repeated(39, thread)));
        assert_eq!(content.words, 3 + 39 * 18);
        assert_eq!(rules(&content), ["links"]);
    }

    #[test]
    fn items_of_one_list_are_judged_as_one() {
        let item = |at| {
            format!(
                "<li><span><div><a href=/{at}>Book number {at} about the crust of rye</a> <a href=/by/{at}>Ines</a> \
                 <a href=/{at}#r>4.7</a> <a href=/{at}#o>$9.20</a></div></span></li>"
            )
        };
        let content = read(&format!(
            "<main><h1>Best books</h1><p>The books that people bought most often this month.</p><ol>{}</ol></main>",
            repeated(30, item)
        ));
        assert!(texts(&content).contains("Book number 30"), "{}", texts(&content));
    }

    #[test]
    fn a_name_decides_only_where_something_is_left() {
        let cards = repeated(20, |at| {
            format!(
                "<div><a href=/{at}><h3>Mower {at}</h3> Quiet, and up to 7 acres, $ 2,099</a></div>"
            )
        });
        for name in ["related-products", "product-sidebar", "skip-to-products"] {
            let page = format!("<main><h1>Mowers</h1><div id={name}>{cards}</div></main>");
            assert!(texts(&read(&page)).contains("Mower 20"), "{name}");
            let text = PARAGRAPH.repeat(30);
            let page = format!("<main><h1>Mowers</h1>{text}<div id={name}>{cards}</div></main>");
            assert!(!texts(&read(&page)).contains("Mower 20"), "{name}");
        }
    }

    #[test]
    fn cards_of_members_are_no_posts() {
        let post = |at| {
            format!(
                "<article><section class=message-user><h4><a href=/m/{at}>Ines{at}</a></h4><dl><dt>Joined<dd>Feb 8, 2019 \
                 <dt>Messages<dd>1,074{at}</dl></section><div class=message-userContent>Yes, number {at} is what I bake with at home, and so do all others here.</div></article>"
            )
        };
        let content = read(&format!("<main><h1>Rye?</h1>{}</main>", repeated(9, post)));
        assert!(texts(&content).contains("Yes, number 9 is"), "{}", texts(&content));
        assert!(!texts(&content).contains("Joined"), "{}", texts(&content));
        // A text that its writers have a name for, and the page of one of them.
        let text = format!("<div class=user-details>{}</div>", PARAGRAPH.repeat(3));
        assert!(read(&format!("<h1>Rye</h1>{}{text}", PARAGRAPH.repeat(9))).words > 300);
        let page =
            "<h1>Ines</h1><div class=user-profile>Baker in Riga since 2004, three children.</div>";
        assert!(texts(&read(page)).contains("Baker in Riga"));
    }

    #[test]
    fn an_index_of_links_stays_and_menus_do_not() {
        let links = |what: &str| {
            repeated(40, |at| format!("<li><a href=/{what}/{at}>{what} {at}</a></li>"))
        };
        let page = format!(
            "<ul>{}</ul><main><h1>Languages</h1><p>These pages are about languages.</p><ul>{}</ul></main>",
            links("menu"),
            links("language")
        );
        let content = read(&page);
        assert!(texts(&content).contains("language 40"), "{}", texts(&content));
        assert!(!texts(&content).contains("menu 40"));
        // Beside a text, it is not what the page is about.
        let page = format!(
            "<main><h1>Languages</h1>{}<ul>{}</ul></main>",
            PARAGRAPH.repeat(9),
            links("language")
        );
        assert!(!texts(&read(&page)).contains("language 40"));
    }

    #[test]
    fn a_footer_may_be_longer_than_the_page() {
        let cities =
            repeated(90, |at| format!("<p>We rent tents and chairs in city number {at}.</p>"));
        for footer in ["<footer>", "<div role=contentinfo>"] {
            let content = read(&format!("<h1>Tents</h1>{PARAGRAPH}{footer}{cities}"));
            assert_eq!(content.words, 30, "{footer}");
        }
        // The title is in it, or there is none: then it is the page.
        assert!(read(&format!("<footer><h1>Tents</h1>{cities}</footer>")).words > 800);
        assert!(read(&format!("<div>{PARAGRAPH}</div><footer>{cities}</footer>")).words > 800);
    }

    #[test]
    fn what_has_the_name_of_navigation_but_no_links_is_text() {
        let text = PARAGRAPH.repeat(3);
        for name in ["content-nav-section", "faq-menu", "page-toc", "filtering-and-pagination"] {
            let page =
                format!("<h1>Rye</h1>{}<div class='{name}'>{text}</div>", PARAGRAPH.repeat(5));
            assert_eq!(read(&page).words, 1 + 8 * 29, "{name}");
            let links = repeated(9, |at| {
                format!("<p><a href=/{at}>Another page about rye, number {at}</a></p>")
            });
            let page =
                format!("<h1>Rye</h1>{}<div class='{name}'>{links}</div>", PARAGRAPH.repeat(5));
            assert_eq!(read(&page).words, 1 + 5 * 29, "{name}");
        }
    }

    #[test]
    fn cards_that_are_buttons_and_panels_within_their_tabs_are_read() {
        let cards = repeated(8, |at| {
            format!(
                "<div role=button><h3>Story {at} of the mill</h3><p>By the river, in May.</p></div>"
            )
        });
        let content = read(&format!("<main><h1>Stories</h1>{cards}</main>"));
        assert!(texts(&content).contains("Story 8 of the mill"));
        let panels = repeated(4, |at| {
            format!("<h3><span role=tab>Question {at}?</span></h3>{PARAGRAPH}{PARAGRAPH}")
        });
        let content = read(&format!(
            "<main><h1>Rye</h1>{}<div role=tablist>{panels}</div></main>",
            PARAGRAPH.repeat(9)
        ));
        assert!(texts(&content).contains("Question 4?"), "{}", texts(&content));
        let bare =
            "<div role=tablist><span role=tab>Taste</span><span role=tab>Delivery</span></div>";
        assert_eq!(rules(&read(&format!("<main><h1>Rye</h1>{PARAGRAPH}{bare}</main>"))), ["role"]);
    }

    #[test]
    fn readers_comments_may_be_longer_than_the_article() {
        let comment = "<div class=reply><b>Ines</b><p>We have baked with it for years, and there is nothing \
                       better for a dark crust, believe me or try it yourself.</p></div>";
        let article = PARAGRAPH.repeat(14);
        let page = |name: &str, article: &str| {
            format!(
                "<main><h1>Rye</h1>{article}<section class='{name}'>{}</section></main>",
                comment.repeat(30)
            )
        };
        assert_eq!(read(&page("comments-area", &article)).words, 1 + 14 * 29);
        // A story that links to another page, and what its readers say of that, in several lists.
        let threads =
            repeated(3, |at| format!("<ol class=comments>{}</ol>", comment.repeat(9 + at)));
        assert!(read(&format!("<main><h1>Rye</h1>{threads}</main>")).words > 600);
        // The question is long, and the answers are longer.
        assert!(read(&page("comments", &PARAGRAPH.repeat(6))).words > 600);
        // The posts of a thread may have the same name.
        assert!(read(&page("comments", "<p>Which rye?</p>")).words > 600);
        assert!(read(&page("comments post-replies", &article)).words > 600);
    }

    #[test]
    fn a_second_copy_for_other_screens_is_not_read_twice() {
        let text = format!("<h2>Flour</h2>{}", PARAGRAPH.repeat(2));
        let page = format!(
            "<main><h1>Rye</h1><div><div class=wide><div>{text}</div></div></div><div class=narrow>{text}</div></main>"
        );
        let content = read(&page);
        assert_eq!(content.words, 1 + 1 + 2 * 29);
        assert_eq!(rules(&content), ["repeated"]);
        // What another landmark has may be all that is read.
        let page =
            format!("<div>{text}</div><main><h1>Rye</h1><div>{text}{PARAGRAPH}</div></main>");
        assert!(read(&page).words > 2 * 29);
        // Short texts are said again for a reason: each offer has its own.
        let offers =
            repeated(3, |at| format!("<div><h3>Loaf {at}</h3><p>Ships within two days.</p></div>"));
        assert_eq!(read(&format!("<main><h1>Loaves</h1>{offers}</main>")).words, 1 + 3 * 6);
    }

    #[test]
    fn teasers_below_a_text_are_not_the_text() {
        let cards = |length: usize| {
            repeated(4, |at| {
                let words = "a few words of it ".repeat(length);
                format!(
                    "<div class=card><img src={at}.jpg alt=''><h3><a href=/{at}>Bread of the week {at}</a></h3>{words}</div>"
                )
            })
        };
        let article = PARAGRAPH.repeat(16);
        let below =
            read(&format!("<main><h1>Rye</h1>{article}<section>{}</section></main>", cards(6)));
        assert_eq!(rules(&below), ["further"]);
        assert_eq!(below.words, 1 + 16 * 29);
        for (what, page) in [
            ("above the text", format!("<section>{}</section>{article}", cards(6))),
            ("below hardly any text", format!("{PARAGRAPH}<section>{}</section>", cards(6))),
            ("long ones", format!("{article}<section>{}</section>", cards(40))),
            ("more than the text", format!("{article}<section>{}</section>", cards(25).repeat(3))),
        ] {
            let content = read(&format!("<main><h1>Rye</h1>{page}</main>"));
            assert!(!rules(&content).contains(&"further"), "{what}");
            assert!(texts(&content).contains("Bread of the week 4"), "{what}");
        }
    }

    /// What honest pages have below a text, each with links.
    #[test]
    fn what_belongs_to_a_text_is_read_below_it() {
        let sources = repeated(9, |at| {
            format!(
                "<li>Miller, A. (20{at}0): <a href=https://example.org/{at}>Rye and its crust</a>, Journal of Baking {at}</li>"
            )
        });
        let questions = repeated(5, |at| {
            format!(
                "<div class=faq><h3>Question {at}?</h3><p>Yes, as the mill is open each day from six in the morning until noon, and on Sundays.</p></div>"
            )
        });
        let steps = repeated(5, |at| {
            format!(
                "<div class=step><img src={at}.jpg alt='Step {at}'><h3>Step {at}</h3>Fold the dough and let it rest.</div>"
            )
        });
        let best = repeated(5, |at| {
            format!("<div class=pick><h3><a href=/{at}>Mill number {at}</a></h3>{PARAGRAPH}</div>")
        });
        let article = PARAGRAPH.repeat(16);
        for part in [
            format!("<ol>{sources}</ol>"),
            format!("<section>{questions}</section>"),
            format!("<section>{steps}</section>"),
            format!("<section>{best}</section>"),
        ] {
            let content = read(&format!("<main><h1>Rye</h1>{article}{part}</main>"));
            assert_eq!(rules(&content), [""; 0], "{part}");
        }
    }
}
