//! Signs of the profile in the URL of a page.

use url::Url;

/// The parts of an address that name a kind of page, in lower case.
#[derive(Debug, Default)]
pub(crate) struct AddressSigns {
    /// Labels of the host, those of its registrable domain included.
    labels: Vec<String>,
    /// Segments of the path, without language codes and the names of index files.
    segments: Vec<String>,
    query: String,
    /// Whether it is known.
    is_known: bool,
}

/// Software and sections that are called after the thread they show: a name, and whether a number follows
/// at once, later or not at all.
const THREADS: [(&str, Number); 14] = [
    ("t", Number::Second),
    ("thread", Number::None),
    ("threads", Number::None),
    ("topic", Number::First),
    ("topics", Number::First),
    ("discussion", Number::First),
    ("discussions", Number::First),
    ("question", Number::First),
    ("questions", Number::First),
    ("boards", Number::First),
    ("comments", Number::None),
    ("forum", Number::None),
    ("forums", Number::None),
    ("konu", Number::None),
];

#[derive(Clone, Copy)]
enum Number {
    First,
    Second,
    None,
}

/// Segments below which a site keeps its documentation.
const MANUALS: [&str; 10] = [
    "docs",
    "doc",
    "documentation",
    "manual",
    "reference",
    "man-pages",
    "userguide",
    "usersguide",
    "javadoc",
    "dokumantasyon",
];
/// Segments that documentation has in common with other pages.
const GUIDES: [&str; 14] = [
    "api",
    "help",
    "wiki",
    "handbook",
    "tutorial",
    "tutorials",
    "learn",
    "book",
    "guide",
    "howto",
    "how-tos",
    "library",
    "specification",
    "rfc",
];
/// First labels of hosts that have nothing but documentation.
const MANUAL_HOSTS: [&str; 10] = [
    "docs",
    "doc",
    "documentation",
    "developer",
    "developers",
    "devdocs",
    "wiki",
    "manual",
    "help",
    "api",
];
/// Hosts on which projects publish what they write about themselves.
const BOOK_HOSTS: [[&str; 2]; 3] = [["gitbook", "io"], ["readthedocs", "io"], ["github", "io"]];

/// Segments above one thing that is sold.
const ITEMS: [&str; 9] = ["product", "products", "p", "dp", "itm", "item", "ip", "app", "urun"];
/// Segments above things that are sold, and nothing else.
const SHELVES: [&str; 5] =
    ["collection", "collections", "product-category", "sub-categories", "kategori"];
/// Segments above things that are sold, or listed.
const CATEGORIES: [&str; 18] = [
    "category",
    "categories",
    "c",
    "cat",
    "browse",
    "department",
    "departments",
    "genre",
    "shop",
    "shopping",
    "l",
    "s",
    "t",
    "parts",
    "best-sellers",
    "zgbs",
    "catalog",
    "catalogs",
];
/// Segments of lists of links.
const LISTS: [&str; 21] = [
    "citations",
    "category",
    "categories",
    "topic",
    "topics",
    "tag",
    "tags",
    "archive",
    "archives",
    "section",
    "trending",
    "directory",
    "podcast",
    "podcasts",
    "catalog",
    "catalogs",
    "shows",
    "rankings",
    "in-the-news",
    "awards",
    "etiket",
];
/// Segments above single posts.
const POSTS: [&str; 12] = [
    "blog", "blogs", "news", "article", "articles", "story", "stories", "post", "posts", "haber",
    "haberler", "yazi",
];
/// Ends of segments that name what is offered.
const OFFERS: [&str; 12] = [
    "service",
    "services",
    "solution",
    "solutions",
    "pricing",
    "platform",
    "features",
    "consulting",
    "repair",
    "hizmet",
    "hizmetler",
    "hizmetlerimiz",
];

impl AddressSigns {
    pub(crate) fn from_url(url: Option<&Url>) -> Self {
        let Some(url) = url else { return Self::default() };
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let path = url.path().to_ascii_lowercase();
        let mut segments = path.split('/').filter(|part| !part.is_empty()).peekable();
        if segments.peek().is_some_and(|first| is_language(first) && !ITEMS.contains(first)) {
            segments.next();
        }
        let segments = segments.filter(|part| !part.starts_with("index."));
        Self {
            labels: host.split('.').map(str::to_owned).collect(),
            segments: segments.map(str::to_owned).collect(),
            query: url.query().unwrap_or_default().to_ascii_lowercase(),
            is_known: true,
        }
    }

    /// Whether it is the front page of a site or of one of its languages.
    pub(super) fn is_root(&self) -> bool {
        self.is_known && self.segments.is_empty()
    }

    fn has(&self, names: &[&str]) -> Option<&str> {
        self.segments.iter().map(String::as_str).find(|segment| names.contains(segment))
    }

    /// A segment of these that is not the last one.
    fn above(&self, names: &[&str]) -> Option<&str> {
        let (_, above) = self.segments.split_last()?;
        above.iter().map(String::as_str).find(|segment| names.contains(segment))
    }

    /// Labels before the registrable domain, as far as two labels are one.
    fn subdomains(&self) -> &[String] {
        self.labels.split_last_chunk::<2>().map_or(&[], |(before, _)| before)
    }

    /// The part that belongs to one thread of a forum.
    pub(super) fn thread(&self) -> Option<&str> {
        let number = |text: Option<&String>| {
            text.is_some_and(|text| text.starts_with(|ch: char| ch.is_ascii_digit()))
        };
        let named = self.segments.iter().enumerate().find(|(at, segment)| {
            let next = self.segments.get(at + 1);
            THREADS.iter().any(|(name, kind)| {
                *name == segment.as_str()
                    && match kind {
                        Number::First => number(next),
                        Number::Second => next.is_some() && number(self.segments.get(at + 2)),
                        Number::None => next.is_some(),
                    }
            })
        });
        let software = self.segments.iter().find(|segment| {
            ["viewtopic", "showthread", "showtopic"].iter().any(|start| segment.starts_with(start))
                || segment
                    .strip_prefix("thread-")
                    .is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
        });
        named
            .map(|(_, segment)| segment.as_str())
            .or(software.map(String::as_str))
            .or_else(|| self.query.split('&').find(|part| part.starts_with("topic=")))
    }

    /// A number that is followed by a name, or belongs to a post: forums have such addresses, and others.
    pub(super) fn is_numbered(&self) -> bool {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        self.segments.windows(2).any(|pair| match pair {
            [first, second] => {
                (first.len() >= 5
                    && is_number(first)
                    && second.starts_with(|ch: char| ch.is_ascii_alphabetic()))
                    || (first == "post" && is_number(second))
            }
            _ => false,
        })
    }

    /// A label that says that the whole host is a forum.
    pub(super) fn forum_host(&self) -> Option<&str> {
        const NAMES: [&str; 7] =
            ["bbs", "discuss", "discussion", "discussions", "boards", "community", "answers"];
        let mut labels = self.labels.iter().map(String::as_str);
        labels.find(|label| label.contains("forum") || NAMES.contains(label))
    }

    /// What says that it is documentation, and how surely, 2 or 4.
    pub(super) fn manual(&self) -> Option<(&str, i32)> {
        if self.has(&["blog", "news"]).is_some() {
            return None;
        }
        let host = self.subdomains().iter().map(String::as_str);
        let of_host = host.into_iter().find(|label| MANUAL_HOSTS.contains(label));
        let is_encyclopedia = self.labels.iter().any(|label| label == "wikipedia");
        if is_encyclopedia {
            return None;
        }
        of_host
            .or_else(|| self.has(&MANUALS))
            .map(|name| (name, 4))
            .or_else(|| self.has(&GUIDES).map(|name| (name, 2)))
    }

    /// The name of a host on which projects publish documentation.
    pub(super) fn book_host(&self) -> Option<&str> {
        let (_, last) = self.labels.split_last_chunk::<2>()?;
        let is_one = BOOK_HOSTS.iter().any(|host| last == host);
        is_one.then(|| last[0].as_str())
    }

    /// The segment above one thing that is sold.
    pub(crate) fn item(&self) -> Option<&str> {
        self.above(&ITEMS)
    }

    /// Whether the last segment ends in an article number or `.html`, as those of shops do.
    pub(super) fn is_article_number(&self) -> bool {
        let Some(last) = self.segments.last() else { return false };
        let digits = last
            .split(['-', '_'])
            .any(|part| part.len() >= 4 && part.bytes().all(|byte| byte.is_ascii_digit()));
        let page = [".html", ".htm"].iter().any(|end| last.ends_with(end));
        digits || page || last.contains("-p-")
    }

    /// The segment of a shelf of a shop.
    pub(super) fn shelf(&self) -> Option<&str> {
        self.has(&SHELVES)
    }

    /// The segment of a category, in a shop or elsewhere.
    pub(super) fn category(&self) -> Option<&str> {
        let named = self.has(&CATEGORIES);
        named.or_else(|| {
            let mut segments = self.segments.iter().map(String::as_str);
            segments.find(|segment| segment.starts_with("best-sellers"))
        })
    }

    /// The segment of a list of links, such as a tag, a section or the front page of a blog.
    pub(super) fn list(&self) -> Option<&str> {
        let is_list =
            |segment: &&str| segment.starts_with("category:") || segment.ends_with("-rankings");
        let last = self.segments.last().map(String::as_str);
        self.has(&LISTS)
            .or_else(|| self.segments.iter().map(String::as_str).find(is_list))
            .or_else(|| last.filter(|last| ["blog", "news"].contains(last)))
            .or_else(|| {
                let label = self.labels.first().filter(|_| self.segments.is_empty())?;
                (label == "blog").then_some("blog")
            })
    }

    /// The segment above a post, or its year.
    pub(super) fn post(&self) -> Option<&str> {
        self.above(&POSTS).or_else(|| {
            self.segments.iter().map(String::as_str).find(|segment| {
                segment.len() == 4
                    && segment.starts_with("20")
                    && segment.bytes().all(|b| b.is_ascii_digit())
            })
        })
    }

    /// The segment that names what is offered: the first or the last one.
    pub(crate) fn offer(&self) -> Option<&str> {
        let ends = [self.segments.first(), self.segments.last()];
        ends.into_iter().flatten().map(String::as_str).find(|segment| {
            let name = segment.split('.').next().unwrap_or_default();
            let last = name.rsplit('-').next().unwrap_or_default();
            OFFERS.contains(&last)
        })
    }
}

/// Whether a segment is a code such as `en`, `en-us` or `pt_br`.
fn is_language(segment: &str) -> bool {
    let is_code = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    match segment.split_once(['-', '_']) {
        Some((language, country)) => is_code(language) && is_code(country),
        None => is_code(segment),
    }
}
