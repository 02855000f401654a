//! Generated home pages: whatever a page without anything to read is made of, it ranks below one with text.

use visibility_core::fetch::BodyEnd;
use visibility_core::report::labels::Labels;
use visibility_core::report::opening::opening;
use visibility_core::scan::score::{ScanScore, Tier};
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::{judged, scored};
use visibility_tests::site::{Reply, Site, good};

const HOST: &str = "brass-hinge.com";

/// The caps of a home page without content.
const EMPTY_CAPS: [&str; 8] = [
    "parked",
    "home-unreadable",
    "home-undecodable",
    "nothing-to-read",
    "placeholder-page",
    "gate-page",
    "frames-only",
    "little-text",
];

/// Points between a page without content and the bare page.
const DISTANCE: u8 = 10;

/// What a home page is made of.
#[derive(Clone, Copy, Debug)]
struct HomePage {
    words: usize,
    media_type: &'static str,
    status: u16,
    end: BodyEnd,
    /// Whether every path returns it.
    is_everywhere: bool,
    /// HTML beside the words.
    notice: Notice,
    frames: usize,
    images: usize,
    scripts: Scripts,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Notice {
    None,
    /// A banner and a menu, which content may have, too.
    Furniture,
    Maintenance,
    DatabaseError,
    DefaultPage,
    UnknownHost,
    Suspended,
    Consent,
    Age,
    Region,
    Human,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Scripts {
    None,
    Counter,
}

const PLAIN: HomePage = HomePage {
    words: 0,
    media_type: "text/html; charset=utf-8",
    status: 200,
    end: BodyEnd::Complete,
    is_everywhere: false,
    notice: Notice::None,
    frames: 0,
    images: 0,
    scripts: Scripts::None,
};

const PROSE: &str = "The workshop at the mill casts hinges and locks of brass, as it did in the days of \
    steam. Old doors are measured on Mondays. A lock that fits is cut while its owner drinks tea in the \
    yard, and a bent key takes no longer than a song. Letters from abroad are read on Fridays, and every \
    drawing in them is copied by hand before the metal is poured. The price is chalked on a slate beside \
    the furnace. Handles of horn and pear wood come from a turner across the river. ";

fn prose(words: usize) -> String {
    PROSE.split_whitespace().cycle().take(words).collect::<Vec<_>>().join(" ")
}

impl Notice {
    const ALL: [Self; 11] = [
        Self::None,
        Self::Furniture,
        Self::Maintenance,
        Self::DatabaseError,
        Self::DefaultPage,
        Self::UnknownHost,
        Self::Suspended,
        Self::Consent,
        Self::Age,
        Self::Region,
        Self::Human,
    ];

    fn html(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Furniture => {
                "<nav><a href=\"/locks\">Locks</a> <a href=\"/hinges\">Hinges</a> <a href=\"/about\">About</a>\
                 </nav><div class=\"banner\"><p>We use cookies to remember your preferences.</p><button>Accept \
                 all</button></div><footer>© 2026 Brass Hinge. All rights reserved.</footer>"
            }
            Self::Maintenance => {
                "<h1>Back at six</h1><p>Our shop is undergoing maintenance while we move to new machines. We \
                 are sorry for the inconvenience. Please check back later today.</p>"
            }
            Self::DatabaseError => "<h1>Error establishing a database connection</h1>",
            Self::DefaultPage => {
                "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully \
                 installed and working. Further configuration is required.</p><p>Thank you for using nginx.</p>"
            }
            Self::UnknownHost => {
                "<h1>Almost there</h1><p>The web server on this machine runs. Upload your files with FTP to \
                 public_html and replace index.html to see them here. The control panel has more.</p>"
            }
            Self::Suspended => {
                "<h1>Account suspended</h1><p>Contact your hosting provider for more.</p>"
            }
            Self::Consent => {
                "<h2>Before you continue</h2><p>We and our partners store and/or access information on a \
                 device, such as identifiers in cookies, and process personal data for personalised ads, \
                 measurement and audience research. With your consent we may use precise geolocation. You \
                 can withdraw consent at any time with a click on the link at the bottom of every page. Some \
                 vendors rely on legitimate interest, to which you can object.</p><button>Accept all</button> \
                 <button>Reject all</button> <a href=\"/privacy\">Privacy policy</a>"
            }
            Self::Age => {
                "<h1>Are you over 18?</h1><p>You must be of legal age to enter.</p><button>Yes</button> \
                 <button>No</button>"
            }
            Self::Region => {
                "<h1>Choose your region</h1><ul><li><a href=\"/eu\">Europe</a><li><a href=\"/us\">America</a>\
                 <li><a href=\"/jp\">Japan</a></ul>"
            }
            Self::Human => {
                "<h1>One more step</h1><p>Verify you are human to continue.</p><button>Verify</button>"
            }
        }
    }
}

impl HomePage {
    fn is_html(self) -> bool {
        self.media_type.starts_with("text/html")
    }

    fn body(self) -> Vec<u8> {
        if self.media_type.starts_with("image/") {
            return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0".repeat(40);
        }
        if self.media_type == "application/pdf" {
            return b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\nendobj\n".repeat(10);
        }
        if !self.is_html() {
            return prose(self.words).into_bytes();
        }
        let script = match self.scripts {
            Scripts::None => "",
            Scripts::Counter => {
                "<script async src=\"https://www.googletagmanager.com/gtag/js?id=G-1\"></script>"
            }
        };
        let frames = "<iframe src=\"https://elsewhere.example/\"></iframe>".repeat(self.frames);
        let images = "<img src=\"/a.jpg\">".repeat(self.images);
        let text =
            if self.words == 0 { String::new() } else { format!("<p>{}</p>", prose(self.words)) };
        let notice = self.notice.html();
        format!(
            "<!doctype html><html lang=\"en\"><head><title>Brass Hinge</title>{script}</head>\
             <body>{notice}{text}{images}{frames}</body></html>"
        )
        .into_bytes()
    }

    /// On a site that has nothing else, or on one that has everything else.
    fn on(self, site: Site) -> Site {
        let reply = Reply::new(self.media_type, self.body()).status(self.status).ending(self.end);
        let reply = reply.header("content-encoding", "gzip");
        let site = site.with("/", reply.clone());
        if self.is_everywhere { site.otherwise(reply) } else { site }
    }

    /// Whether there is nothing to read on it, by its dimensions.
    fn has_nothing(self) -> bool {
        let is_text = self.is_html() || self.media_type.starts_with("text/");
        let is_cut = matches!(self.end, BodyEnd::TimedOut | BodyEnd::Broken);
        !is_text
            || self.words <= 5
            || (is_cut && self.words < 30)
            || (self.words < 30 && self.is_everywhere)
            || !matches!(self.status, 200..=299)
    }
}

/// At least 200 pages over all dimensions.
fn pages() -> Vec<HomePage> {
    let mut pages = Vec::new();
    for words in [0, 1, 5, 20, 50, 100, 200, 400] {
        for notice in Notice::ALL {
            for is_everywhere in [false, true] {
                pages.push(HomePage { words, is_everywhere, notice, ..PLAIN });
            }
        }
        for media_type in ["text/plain", "image/png", "application/pdf", "application/zip"] {
            pages.push(HomePage { words, media_type, ..PLAIN });
        }
        for end in [BodyEnd::TimedOut, BodyEnd::Broken, BodyEnd::Undecodable] {
            pages.push(HomePage { words, end, ..PLAIN });
        }
        for (frames, images) in [(1, 0), (0, 1), (2, 3)] {
            for scripts in [Scripts::None, Scripts::Counter] {
                pages.push(HomePage { words, frames, images, scripts, ..PLAIN });
            }
        }
        pages.push(HomePage { words, scripts: Scripts::Counter, ..PLAIN });
        for status in [203, 404, 410] {
            pages.push(HomePage { words, status, ..PLAIN });
        }
    }
    pages
}

fn score(site: &Site) -> ScanScore {
    scored(site).0
}

fn empty_cap(score: &ScanScore) -> Option<&'static str> {
    score.caps.iter().map(|cap| cap.id).find(|id| EMPTY_CAPS.contains(id))
}

#[test]
fn a_page_with_nothing_to_read_ranks_below_every_page_with_text() {
    let pages = pages();
    assert!(pages.len() >= 200, "{}", pages.len());
    let bare = HomePage { words: 170, ..PLAIN };
    let mut wrong = Vec::new();
    for (surroundings, site) in [("nothing else", Site::new(HOST)), ("all else", good(HOST))] {
        let reference = score(&bare.on(site.clone()));
        // The bare page of the fixtures, on a site that has nothing else.
        let limit = reference.value.min(63) - DISTANCE;
        for page in &pages {
            let score = score(&page.on(site.clone()));
            let cap = empty_cap(&score);
            let passes = score.value > limit || score.tier >= Tier::Readable;
            let is_wrong = if page.has_nothing() { passes || cap.is_none() } else { false };
            let is_readable = page.words >= 50
                && page.is_html()
                && page.end == BodyEnd::Complete
                && page.status < 300;
            let is_accused = is_readable && cap.is_some() && !is_headed_by_notice(page);
            if is_wrong || is_accused {
                wrong.push(format!("{surroundings}: {} {cap:?} {page:?}", score.value));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), 2 * pages.len());
}

/// Whether a page begins with a notice and leads nowhere: a longer text below it may well be part of it.
fn is_headed_by_notice(page: &HomePage) -> bool {
    page.words <= 400 && !matches!(page.notice, Notice::None | Notice::Furniture)
}

#[test]
fn more_words_never_lower_the_score() {
    for site in [Site::new(HOST), good(HOST)] {
        for notice in [Notice::None, Notice::Furniture] {
            let scores: Vec<u8> = [0, 1, 5, 20, 50, 100, 200, 400]
                .map(|words| score(&HomePage { words, notice, ..PLAIN }.on(site.clone())).value)
                .into();
            assert!(scores.is_sorted(), "{notice:?}: {scores:?}");
        }
    }
}

/// The shell of an application whose server returns it for every path, with words that stay until the script runs.
#[test]
fn words_in_a_shell_do_not_make_it_a_notice() {
    const NOSCRIPT: &str = "<noscript>You need to enable JavaScript to run this app.</noscript>";
    let shells = [
        format!("{NOSCRIPT}<h1>Brass Hinge</h1><div id=\"root\"></div>"),
        format!("{NOSCRIPT}<div id=\"root\"><p>Hinges by the dozen are on their way</p></div>"),
        "<h1>Brass Hinge</h1><p>Hinges by the dozen.</p><div id=\"app\"></div>".to_owned(),
    ];
    let scores = shells.map(|body| {
        let script = "<script defer src=\"/static/main.js\"></script>";
        let html = format!("<!doctype html><html lang=\"en\"><head><title>Brass Hinge</title>{script}</head><body>{body}</body></html>");
        let reply = Reply::html(html);
        let score = score(&good(HOST).with("/", reply.clone()).otherwise(reply));
        assert_eq!(score.caps.iter().find(|cap| cap.id == "placeholder-page"), None, "{body}");
        score.value
    });
    assert!(scores.iter().all(|score| *score > 10), "{scores:?}");
}

#[test]
fn a_home_page_that_cannot_be_decoded_has_one_cap_and_one_step_that_lifts_it() {
    for body in ["", "<!doctype html><p>Brass hinges", "\u{1f}\u{8b}"] {
        let home = Reply::html(body).header("content-encoding", "gzip");
        let site = good(HOST).with("/", home.ending(BodyEnd::Undecodable));
        let (_, result) = judged(&site);
        let caps: Vec<&str> = result.caps.iter().map(|cap| cap.id.as_str()).collect();
        assert_eq!(caps, ["home-undecodable"], "{body:?}");
        assert_eq!(result.fix_plan[0].check, "response-budget", "{body:?}");
        let opening = opening(&result, Labels::new(Lang::En));
        assert!(opening.contains("could not be decoded"), "{opening}");
    }
}
