//! Links, images, players, dates and buttons.

use html5ever::{LocalName, local_name};

use crate::page::content::collect::ContentWalk;
use crate::page::content::mark::Chrome;
use crate::page::content::parts::TextPurpose;
use crate::page::content::{Block, ContentLink, Image, Media, Root, Time, TimeContext};
use crate::page::element::Element;
use crate::page::text::collapse;
use crate::page::tree::NodeId;
use crate::text::placeholder;

const MAX_LINKS: usize = 5_000;
const MAX_BREADCRUMBS: usize = 50;
const MAX_IMAGES: usize = 2_000;
const MAX_MEDIA: usize = 100;
const MAX_TIMES: usize = 500;
const MAX_BUTTONS: usize = 200;
const MAX_SHORT_CHARS: usize = 200;
const MAX_ALT_CHARS: usize = 1_000;
const MAX_ADDRESS_BYTES: usize = 2_048;

/// The state of figures.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// The open figure and the images before it.
    figure: Option<(NodeId, usize)>,
}

impl Pictures {
    /// Gives the images of the open figure their caption.
    pub(super) fn caption(&self, images: &mut [Image], text: &str) {
        if let Some((_, before)) = self.figure
            && !text.is_empty()
        {
            for image in images.iter_mut().skip(before) {
                text.clone_into(&mut image.caption);
            }
        }
    }

    pub(super) fn leave(&mut self, id: NodeId) {
        self.figure.take_if(|(node, _)| *node == id);
    }
}

impl ContentWalk<'_> {
    /// Collects what an element is, wherever it is.
    pub(super) fn element(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if *name == local_name!("iframe")
            || *name == local_name!("video")
            || *name == local_name!("audio")
        {
            self.media(id, element, name);
        }
        if !self.scope.is_shown() {
            return;
        }
        let mark = self.measures.mark(id);
        match *name {
            local_name!("a") => self.link(id, element),
            local_name!("img") => self.image(id, element),
            local_name!("time") => self.time(id, element),
            local_name!("input") => self.input(id, element),
            _ => {}
        }
        if mark.chrome == Chrome::Button || mark.is_link_button {
            self.button(id, element, None);
        }
        if self.scope.is_read() {
            match *name {
                local_name!("figure") if self.pictures.figure.is_none() => {
                    self.pictures.figure = Some((id, self.content.images.len()));
                }
                local_name!("figcaption") if self.pictures.figure.is_some() => {
                    self.parts.open(id, TextPurpose::Caption, MAX_SHORT_CHARS);
                }
                _ => {}
            }
            self.enter_grid(id, name);
            self.enter_block(id, element, name);
        }
    }

    fn link(&mut self, id: NodeId, element: &Element) {
        let Some(href) = element.attribute("href") else { return };
        let link =
            ContentLink { href: address(href), text: String::new(), line: self.line(id), node: id };
        let content = &mut self.content;
        if self.scope.breadcrumbs.is_some() && content.breadcrumbs.len() < MAX_BREADCRUMBS {
            let purpose = TextPurpose::Breadcrumb(content.breadcrumbs.len());
            self.parts.open(id, purpose, MAX_SHORT_CHARS);
            content.breadcrumbs.push(link.clone());
        }
        if self.scope.has_links() && content.links.len() < MAX_LINKS {
            self.parts.open(id, TextPurpose::Link(content.links.len()), MAX_SHORT_CHARS);
            content.links.push(link);
        }
    }

    fn image(&mut self, id: NodeId, element: &Element) {
        if let Some(alt) = element.attribute("alt") {
            self.parts.push_alt(alt);
        }
        let is = |name, values: &[&str]| {
            element.attribute(name).is_some_and(|value| values.contains(&value.trim()))
        };
        // Pixels that count visits are not images.
        let is_pixel = is("width", &["0", "1"]) && is("height", &["0", "1"]);
        let is_decoration = is("role", &["presentation", "none"]);
        if self.scope.is_read()
            && !is_pixel
            && !is_decoration
            && self.content.images.len() < MAX_IMAGES
        {
            self.content.images.push(Image {
                src: image_address(element),
                alt: element.attribute("alt").map(|alt| collapse(alt, MAX_ALT_CHARS)),
                caption: String::new(),
                line: self.line(id),
                node: id,
            });
        }
    }

    fn media(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        if self.scope.is_hidden() || self.content.media.len() >= MAX_MEDIA {
            return;
        }
        let has = |name| element.attribute(name).is_some();
        let is_in_background = has("loop") || has("autoplay") && !has("controls");
        let mut src = filled(element, "src").or_else(|| filled(element, "data-src"));
        let mut has_captions = false;
        if *name == local_name!("iframe") {
            if !src.is_some_and(is_player) {
                return;
            }
        } else if has("muted") && is_in_background {
            // There is no sound in what only moves in the background.
            return;
        }
        for child in self.tree.children(id).filter_map(|child| self.tree.element(child)) {
            if child.name() == local_name!("source") {
                src = src.or_else(|| filled(child, "src"));
            } else if child.name() == local_name!("track") {
                let kind = child.attribute("kind").map_or("subtitles", str::trim);
                let is_there = !filled(child, "src").is_some_and(placeholder::is_placeholder);
                has_captions |= is_there && ["captions", "subtitles"].contains(&kind);
            }
        }
        if *name == local_name!("audio") && src.is_none() && !has("controls") {
            // It neither shows nor plays.
            return;
        }
        self.content.media.push(Media {
            element: name.to_string(),
            src: src.map(address).unwrap_or_default(),
            has_captions,
            shows_captions: has_captions
                || *name != local_name!("iframe") && src.is_some() && !is_scripted_player(element),
            line: self.line(id),
            node: id,
        });
    }

    fn time(&mut self, id: NodeId, element: &Element) {
        if self.content.times.len() >= MAX_TIMES {
            return;
        }
        let attribute = |name| element.attribute(name).unwrap_or_default();
        let pubdate = if element.attribute("pubdate").is_some() { "pubdate" } else { "" };
        let property = attribute("itemprop").to_lowercase();
        // What says it to programs wins over the names of a style sheet.
        let hints = if property.contains("date") {
            property
        } else {
            [&property, attribute("class"), pubdate].join(" ").to_lowercase()
        };
        self.parts.open(id, TextPurpose::Time(self.content.times.len()), MAX_SHORT_CHARS);
        self.content.times.push(Time {
            is_main: self.scope.is_read(),
            datetime: element.attribute("datetime").map(|value| collapse(value, MAX_SHORT_CHARS)),
            text: String::new(),
            hints: collapse(&hints, MAX_SHORT_CHARS),
            place: self.time_place(id),
            block: self.content.blocks.len(),
            line: self.line(id),
            node: id,
        });
    }

    /// What a `<time>` is in, as the elements around it within the main content say.
    fn time_place(&self, id: NodeId) -> TimeContext {
        let mut place = TimeContext::Flow;
        let mut at = id;
        for _ in 0..MAX_AROUND {
            let Some(parent) = self.tree.parent(at) else { break };
            let is_root = matches!(self.content.root, Root::Article(root) | Root::Main(root) if root == parent);
            let Some(element) = self.tree.element(parent).filter(|_| !is_root) else { break };
            match element.name() {
                local_name!("main") | local_name!("body") => break,
                local_name!("blockquote") | local_name!("q") => return TimeContext::Foreign,
                local_name!("li") => place = TimeContext::List,
                _ => {}
            }
            if is_of_someone(element) {
                return TimeContext::Foreign;
            }
            at = parent;
        }
        place
    }

    fn input(&mut self, id: NodeId, element: &Element) {
        let kind = element.attribute("type").unwrap_or_default().trim();
        if ["submit", "button", "image"].iter().any(|button| kind.eq_ignore_ascii_case(button)) {
            let text = filled(element, "value").or_else(|| filled(element, "alt"));
            self.button(id, element, text);
        }
    }

    fn button(&mut self, id: NodeId, element: &Element, text: Option<&str>) {
        if self.content.buttons.len() >= MAX_BUTTONS {
            return;
        }
        let label = text
            .or_else(|| filled(element, "aria-label"))
            .or_else(|| filled(element, "title"))
            .unwrap_or_default();
        self.parts.open(id, TextPurpose::Button(self.content.buttons.len()), MAX_SHORT_CHARS);
        self.content.buttons.push(Block {
            text: collapse(label, MAX_SHORT_CHARS),
            line: self.line(id),
            node: id,
            ..Block::default()
        });
    }
}

/// An attribute that says something, trimmed.
fn filled<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    element.attribute(name).map(str::trim).filter(|value| !value.is_empty())
}

/// The address of an image; where a script puts it in later, the one that is to come.
fn image_address(element: &Element) -> String {
    let set = |name| {
        let first =
            |set: &str| set.split_whitespace().next().map(|url| address(url.trim_end_matches(',')));
        filled(element, name).and_then(first)
    };
    let src = filled(element, "src");
    src.filter(|src| !src.starts_with("data:"))
        .map(address)
        .or_else(|| set("srcset"))
        .or_else(|| filled(element, "data-src").map(address))
        .or_else(|| set("data-srcset"))
        .or_else(|| src.map(address))
        .unwrap_or_default()
}

/// An address as written, trimmed and cut.
fn address(text: &str) -> String {
    let text = text.trim();
    text.get(..text.floor_char_boundary(MAX_ADDRESS_BYTES)).unwrap_or_default().to_owned()
}

/// Whether an address is that of an embedded player.
fn is_player(src: &str) -> bool {
    const DOMAINS: [&str; 6] = [
        "dailymotion.com",
        "vimeo.com",
        "wistia.com",
        "wistia.net",
        "youtube-nocookie.com",
        "youtube.com",
    ];
    let rest = src.split_once("//").map_or(src, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default().to_ascii_lowercase();
    DOMAINS.iter().any(|domain| {
        host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Elements around a `<time>` that are looked at.
const MAX_AROUND: usize = 40;

/// Whether an element is a review or a comment, by its type or its names.
fn is_of_someone(element: &Element) -> bool {
    const WORDS: [&str; 10] = [
        "comment",
        "comments",
        "degerlendirme",
        "review",
        "reviews",
        "testimonial",
        "testimonials",
        "yorum",
        "yorumlar",
        "yorumu",
    ];
    let is_word = |word: &str| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    let kind = element.attribute("itemtype").unwrap_or_default().trim();
    if ["Review", "Comment", "Answer"].iter().any(|end| kind.ends_with(end)) {
        return true;
    }
    // Of an `article`, a longer name may tell what it is about.
    let is_article = element.name() == local_name!("article");
    let named = ["class", "id", "itemprop"].into_iter().filter_map(|key| element.attribute(key));
    named.flat_map(str::split_ascii_whitespace).take(40).any(|name| {
        let mut words = name.split(['-', '_', ':']);
        is_word(name) || !is_article && words.any(is_word)
    })
}

/// Whether a script makes a player of an element, and adds the captions then.
fn is_scripted_player(element: &Element) -> bool {
    const CLASSES: [&str; 9] = [
        "video-js",
        "vjs",
        "plyr",
        "jw",
        "jwplayer",
        "mejs",
        "wp-video-shortcode",
        "flowplayer",
        "lazy",
    ];
    let names = |name| element.attribute(name).unwrap_or_default().split_ascii_whitespace();
    names("class").chain(names("id")).any(|own| {
        CLASSES.iter().any(|class| {
            own.strip_prefix(class)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
        })
    }) || element.attributes().any(|(name, _)| {
        matches!(&**name, "data-setup" | "data-player" | "data-video-id" | "data-plyr-provider")
    })
}

#[cfg(test)]
mod tests {
    use crate::page::Document;
    use crate::page::content::Content;

    fn content(html: &str) -> Content {
        Document::parse(html.as_bytes(), None).content()
    }

    #[test]
    fn images_have_the_caption_of_their_figure() {
        let page = content(
            "<h2>Chairs <b>of oak</b></h2><img src=a.jpg alt=' A  chair '>\
             <figure><img src=data:x data-src=b.jpg alt=''><img srcset='c.jpg 1x, d.jpg 2x'>\
             <figcaption>Two of them</figcaption></figure><img src=e.jpg>\
             <img src=p width=1 height=1><img src=q role=presentation><nav><img src=n></nav>",
        );
        let found: Vec<_> = page
            .images
            .iter()
            .map(|image| (image.src.as_str(), image.alt.as_deref(), image.caption.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("a.jpg", Some("A chair"), ""),
                ("b.jpg", Some(""), "Two of them"),
                ("c.jpg", None, "Two of them"),
                ("e.jpg", None, ""),
            ]
        );
    }

    #[test]
    fn players_are_known_by_host_and_captions_by_track() {
        let page = content(
            "<video src=a.mp4 controls><track kind=captions src=a.vtt></video>\n\
             <video><source src=b.mp4><track kind=chapters></video><audio src=c.mp3></audio>\
             <video autoplay muted loop src=bg.mp4></video>\
             <iframe src='https://www.youtube.com/embed/x'></iframe>\
             <iframe data-src='//player.vimeo.com/1'></iframe>\
             <iframe src='https://notyoutube.com/'></iframe><iframe></iframe>\
             <div hidden><video src=h></video></div><template><video src=t></video></template>",
        );
        let found: Vec<_> = page
            .media
            .iter()
            .map(|media| (media.element.as_str(), media.src.as_str(), media.has_captions))
            .collect();
        assert_eq!(
            found,
            [
                ("video", "a.mp4", true),
                ("video", "b.mp4", false),
                ("audio", "c.mp3", false),
                ("iframe", "https://www.youtube.com/embed/x", false),
                ("iframe", "//player.vimeo.com/1", false),
            ]
        );
        assert_eq!(page.media[1].line, 2);
    }

    #[test]
    fn media_without_controls_is_no_player() {
        for html in [
            "<video autoplay muted loop playsinline src=bg.mp4></video>",
            "<video src=bg.mp4 playsinline loop muted autoplay></video>",
            "<video loop controls muted='' autoplay=autoplay><source src=bg.mp4></video>",
            "<video muted autoplay src=bg.mp4></video>",
            "<audio></audio>",
        ] {
            assert_eq!(content(html).media, [], "{html}");
        }
        for html in [
            "<video autoplay muted controls src=a.mp4></video>",
            "<video autoplay loop src=a.mp4></video>",
            "<audio controls></audio>",
            "<audio><source src=a.mp3></audio>",
        ] {
            assert_eq!(content(html).media.len(), 1, "{html}");
        }
    }

    #[test]
    fn dates_have_their_place() {
        let page = content(
            "<main><p>Some text that is long enough <time datetime=' 2026-01-02 ' class=Updated \
             itemprop=dateModified>2 January</time></main><footer><time pubdate>2025</time></footer>",
        );
        let found: Vec<_> = page
            .times
            .iter()
            .map(|t| (t.datetime.as_deref(), t.text.as_str(), t.hints.as_str(), t.is_main))
            .collect();
        assert_eq!(
            found,
            [
                (Some("2026-01-02"), "2 January", "datemodified", true),
                (None, "2025", "pubdate", false),
            ]
        );
    }

    #[test]
    fn dates_of_reviews_comments_and_lists_are_distinguished() {
        use crate::page::content::TimeContext::{Flow, Foreign, List};
        for (html, place) in [
            ("<p>Updated <time>2026", Flow),
            ("<ul><li><time>2026", List),
            ("<div class=product-review><time>2026", Foreign),
            ("<ol><li itemscope itemtype=https://schema.org/Review><time>2026", Foreign),
            ("<blockquote><p><time>2026", Foreign),
            ("<article class=comment><time>2026", Foreign),
            ("<article class='post category-review'><time>2026", Flow),
        ] {
            let page = content(&format!("<main><h1>Title</h1><p>Some text</p>{html}</main>"));
            assert_eq!((page.times[0].place, page.times[0].block), (place, 2), "{html}");
        }
    }

    #[test]
    fn buttons_are_kept_at_any_place() {
        let page = content(
            "<p>text</p><form><button>Add to <b>cart</b></button><input type=Submit value='Sepete ekle'>\
             <input type=text value=no></form><button aria-label=Close><svg></svg></button>\
             <a class='btn btn-primary' href=/buy>Buy now</a><div role=button>Menu</div>\
             <button hidden>hidden</button><a href=/>no</a>",
        );
        let texts: Vec<_> = page.buttons.iter().map(|button| button.text.as_str()).collect();
        assert_eq!(texts, ["Add to cart", "Sepete ekle", "Close", "Buy now", "Menu"]);
        assert_eq!(content(&"<button>x</button>".repeat(300)).buttons.len(), 200);
    }

    #[test]
    fn links_of_lists_are_links_of_the_content_and_those_of_menus_are_not() {
        let page = content(
            "<nav><a href=/menu>Menu</a></nav><main><p>Enough words of prose to be the page's text, \
             with <a href=' /in '>a link</a>.</p><ul><li><a href=https://a.example/>One source</a>\
             <li><a href=https://b.example/>Two</a><li><a href=https://c.example/>Three</a>\
             <li><a href=https://d.example/><img alt=Four></a></ul></main>",
        );
        let found: Vec<_> = page.links.iter().map(|l| (l.href.as_str(), l.text.as_str())).collect();
        assert_eq!(found[0], ("/in", "a link"));
        assert_eq!(found[1], ("https://a.example/", "One source"));
        assert_eq!(found[4], ("https://d.example/", "Four"));
        assert_eq!((found.len(), page.blocks.len()), (5, 1));
    }

    #[test]
    fn breadcrumbs_are_those_of_the_first_trail() {
        let page = content(
            "<nav aria-label=Breadcrumb><ol><li><a href=/>Home</a><li><a href=/c>Chairs</a><li>Oak</ol>\
             </nav><p>text <a href=/x>x</a></p><div class=breadcrumb><a href=/y>y</a></div>",
        );
        let found: Vec<_> =
            page.breadcrumbs.iter().map(|l| (l.href.as_str(), l.text.as_str())).collect();
        assert_eq!(found, [("/", "Home"), ("/c", "Chairs")]);
    }
}
