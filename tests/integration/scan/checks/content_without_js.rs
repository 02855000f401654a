//! Sites for `content-without-js`.

use visibility_core::fetch::BodyEnd;
use visibility_core::rubric::finding::Verdict;
use visibility_core::rubric::fix::{Edit, Task};
use visibility_tests::fixes::{Inputs, applied, scored};
use visibility_tests::site::{Reply, Site, good, inner_page};

use super::{Case, case};

fn page(body: &str) -> Site {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><title>A</title></head><body>{body}</body></html>"
    );
    good("example.com").with("/", Reply::html(html))
}

/// A paragraph of this many characters.
fn text(chars: usize) -> String {
    format!("<p>{}</p>", "word ".repeat(chars.div_ceil(5)).trim_end())
}

const LINKS: &str = r#"<nav><a href="/1">1</a> <a href="/2">2</a> <a href="/3">3</a> <a href="/4">4</a> <a href="/5">5</a></nav>"#;
const COUNTER: &str = r#"<script src="https://www.googletagmanager.com/gtag/js?id=G"></script>"#;
const SCRIPT: &str = r#"<script src="/app.js"></script>"#;

/// A home page with text that leads to pages from three templates, which answer this.
fn docs(reply: &Reply) -> Site {
    let pages = ["/guides", "/docs/start", "/blog/first-post"];
    let links: String =
        pages.iter().map(|path| format!("<a href=\"{path}\">{path}</a> ")).collect();
    let home = page(&format!("{links}{}", text(900))).with("/sitemap.xml", Reply::error(404));
    pages.iter().fold(home, |site, path| site.with(path, reply.clone()))
}

/// The page of a host that no list knows by its title.
fn hosting() -> String {
    "<h1>Almost there</h1><p>This web server runs. Upload your files with FTP to public_html, and replace \
     index.html. The control panel says more.</p>"
        .to_owned()
}

fn png() -> Reply {
    Reply::new("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec())
}

/// A home page with links to two versions, which answer this.
fn choice(links: &str, version: &Reply) -> Site {
    let site = page(links).with("/sitemap.xml", Reply::error(404));
    ["/de/", "/en/", "/willkommen", "/welcome"]
        .into_iter()
        .fold(site, |site, path| site.with(path, version.clone()))
}

/// Home pages between which visitors choose a language.
fn choices() -> Vec<Case> {
    let by_path = "<a href=\"/de/\">DE</a> <a href=\"/en/\">EN</a>";
    let by_name =
        "<h1>Lantern</h1><a href=\"/willkommen\">Deutsch</a> <a href=\"/welcome\">English</a>";
    let sections = "<a href=\"/willkommen\">Lamps</a> <a href=\"/welcome\">Candles</a>";
    vec![
        case("languages by path", "language-choice", choice(by_path, &inner_page("Lantern"))),
        case("languages by name", "language-choice", choice(by_name, &inner_page("Lantern"))),
        case("languages without pages", "no-words", choice(by_path, &Reply::error(404))),
        case("sections instead of languages", "no-words", choice(sections, &inner_page("Lamps"))),
    ]
}

#[test]
fn a_choice_of_languages_is_discoverable_and_its_report_says_what_it_is() {
    let site = choices().swap_remove(0).site;
    let (score, _) = scored(&site);
    assert_eq!(score.caps.iter().map(|cap| cap.id).collect::<Vec<_>>(), ["little-text"]);
    assert_eq!(score.tier.as_str(), "discoverable", "{}", score.value);
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = pages();
    cases.extend(choices());
    cases
}

fn pages() -> Vec<Case> {
    let shell = format!("<!doctype html><html><body><div id=\"root\"></div>{SCRIPT}</body></html>");
    let long_script = format!("<script>{}</script>", "let x = 1; ".repeat(500));
    let hidden = format!("<div hidden>{}</div><p>Soon.</p>", text(2_000));
    let root = format!("<div id=\"root\"></div>{SCRIPT}");
    let noscript =
        format!("<noscript>You need to enable JavaScript to run this app.</noscript>{SCRIPT}");
    let structured = format!("<h1>Title</h1>{LINKS}{}", text(420));
    let spinner = format!("<div id=\"app\"></div><p>Loading, please wait.</p>{SCRIPT}");
    let state = format!("<script>let state = \"{}\";</script>", "x".repeat(2_200_000));
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case("the good site", "readable", good("example.com")),
        case("pages with text", "readable", good("example.com")).also(&["inner-page"]),
        case(
            "a home page with text before pages without",
            "inner-pages-scripted",
            docs(&Reply::html(shell.clone())),
        )
        .also(&["readable", "inner-page-scripted"]),
        case(
            "one application among pages with text",
            "readable",
            docs(&inner_page("Docs")).with("/docs/start", Reply::html(shell)),
        )
        .also(&["inner-page", "inner-page-scripted"]),
        case("pages that are not there", "inner-pages-unreadable", docs(&Reply::error(404)))
            .also(&["readable", "inner-page-unreadable"]),
        case("pages behind a login", "readable", docs(&Reply::error(401))),
        case(
            "an error in JSON with status 200",
            "placeholder",
            good("example.com").with("/", Reply::json(r#"{"error":"Not found"}"#)),
        ),
        case("no text and no markup", "empty", good("example.com").with("/", Reply::html(""))),
        case("text alone", "readable", page(&text(805))),
        case("less text with a heading and links", "readable", page(&structured)),
        case(
            "an empty element beside enough text",
            "readable",
            page(&format!("<div id=\"root\"></div>{}", text(900))),
        ),
        case("less text without a heading", "thin", page(&format!("{LINKS}{}", text(420)))),
        case("the lower edge", "thin", page(&text(210))),
        case("little text beside an empty element", "thin", page(&format!("{root}{}", text(300))))
            .also(&["empty-element"]),
        case(
            "a short page without scripts",
            "bare",
            page("<h1>Hinges of brass, made to measure</h1>"),
        ),
        case("hidden text does not count", "no-words", page(&hidden)),
        case("an empty root", "shell", page(&root)).also(&["empty-element"]),
        case("a spinner", "shell", page(&spinner)).also(&["empty-element"]),
        case("a notice in noscript", "shell", page(&noscript)).also(&["script-notice"]),
        case(
            "an unknown element and scripts",
            "shell",
            page(&format!("<my-shop></my-shop>{SCRIPT}")),
        ),
        case("code is no text", "shell", page(&long_script)),
        case(
            "a heading and scripts",
            "scripted",
            page(&format!("<h1>Shop</h1><p>Welcome.</p>{SCRIPT}")),
        ),
        case(
            "a notice instead of content",
            "script-notice",
            page(&format!("<p>Please enable JavaScript.</p>{}", text(250))),
        ),
        case(
            "a notice for a few readers",
            "readable",
            page(&format!("<noscript>Please enable JavaScript.</noscript>{}", text(900))),
        ),
        case(
            "no text in the first 2 MiB",
            "buried",
            page(&format!("<h1>Shop</h1>{state}{}", text(900))),
        ),
        case(
            "a response without an end",
            "unfinished",
            page(&"<!-- a moment -->\n".repeat(140_000)),
        ),
        case("a word without an end", "unfinished", page(&"a".repeat(2_200_000))),
        case("little text in the first 2 MiB", "late", page(&format!("{}{state}", text(300)))),
        case("text in the first 2 MiB", "readable", page(&format!("{}{state}", text(900)))),
        case(
            "a coding that breaks in the middle",
            "undecodable",
            good("example.com")
                .with("/", Reply::html("<!doctype html><p>A").ending(BodyEnd::Undecodable)),
        ),
        case(
            "broken off",
            "unfinished",
            good("example.com")
                .with("/", Reply::html("<!doctype html><body><p>A").ending(BodyEnd::TimedOut)),
        ),
        case(
            "broken off with text",
            "cut",
            good("example.com").with(
                "/",
                Reply::html(format!("<!doctype html><body>{}", text(900))).ending(BodyEnd::Broken),
            ),
        ),
        case("parked", "parked", page("<p>This domain is parked.</p>")),
        case("parked in a frame", "parked", page("<iframe src=\"https://www.sedoparking.com/x\">")),
        case("for sale in Spanish", "parked", page(FOR_SALE_ES)),
        case("for sale in German", "parked", page(FOR_SALE_DE)),
        case("nothing but a banner of consent", "gate", page(&format!("{LINKS}{BANNER}"))),
        case(
            "text beside a banner of consent",
            "thin",
            page(&format!("{LINKS}{BANNER}<main>{}</main>", text(300))),
        ),
        case(
            "a word of waiting between long navigation",
            "shell",
            page(&format!(
                "<header><nav>{}</nav></header><main><div>Loading…</div></main><footer>{LINKS}</footer>{SCRIPT}",
                "<a href=\"/a\">one two</a> ".repeat(40)
            )),
        ),
        case("no words", "no-words", page("")),
        case("no words, and a script that counts visitors", "no-words", page(COUNTER)),
        case("navigation alone", "no-words", page(&format!("{LINKS}<footer>© 2026 A</footer>"))),
        case("a picture", "not-text", good("example.com").with("/", png())),
        case(
            "a picture that says it is a page",
            "not-text",
            good("example.com").with("/", Reply::html(png().body)),
        ),
        case(
            "the default page of a server",
            "placeholder",
            page("<h1>Welcome to nginx!</h1><p>Further configuration is required.</p>"),
        ),
        case("the page of a host without a list", "placeholder", page(&hosting())),
        case(
            "the same few words at every address",
            "placeholder",
            page("<h1>Gone fishing</h1>").otherwise(Reply::html(
                "<!doctype html><html lang=\"en\"><head><title>A</title></head><body>\
                 <h1>Gone fishing</h1></body></html>",
            )),
        ),
        case(
            "a question for the age",
            "gate",
            page("<h1>Are you over 18?</h1><button>Yes</button>"),
        ),
        case(
            "a question for consent",
            "gate",
            page("<p>We use cookies.</p><button>Accept all</button>"),
        ),
        case("a frame", "frames", page("<iframe src=\"https://b.example/\"></iframe>")),
        case("a picture in a page", "images", page("<img src=\"/a.png\" alt=\"A\">")),
        case(
            "text as plain text",
            "readable",
            good("example.com").with("/", Reply::text("Plain words. ".repeat(80))),
        ),
        case("refused", "unreadable", good("example.com").with("/", Reply::error(403))),
        case("a word as plain text", "no-words", good("example.com").with("/", Reply::text("a"))),
    ]
}

#[test]
fn pages_left_to_scripts_are_rendered_on_the_server_as_the_home_page_is() {
    let shell = format!("<!doctype html><html><body><div id=\"root\"></div>{SCRIPT}</body></html>");
    let site = docs(&Reply::html(shell));
    let found = |site: &Site| {
        let (_, judged) = scored(site);
        judged.into_iter().find(|one| one.check.id == "content-without-js").unwrap().finding
    };
    let before = found(&site);
    assert_eq!(before.verdict(), Verdict::Warn);
    let fix = before.fix().expect("a fix");
    assert_eq!(fix.edits, [Edit::Code { task: Task::RenderOnServer }]);
    assert_eq!(found(&applied(&site, &fix.edits, Inputs::Filled)).verdict(), Verdict::Pass);
}

const FOR_SALE_ES: &str = "<h1>example.com</h1><p>Este dominio está en venta. Si tiene un proyecto para este nombre, escriba \
    a la propiedad con el formulario y diga qué precio le parece justo. Se contesta en dos días, y el traspaso se hace con \
    un depósito de garantía, para que nadie corra riesgo.</p>";
const FOR_SALE_DE: &str = "<h1>Die Domain example.com steht zum Verkauf</h1><p>Sie suchen einen kurzen Namen für Ihr Vorhaben? \
    Nennen Sie uns Ihre Vorstellung, und Sie bekommen innerhalb von zwei Tagen eine Antwort.</p><p>Die Übertragung läuft \
    über einen Treuhänder: Sie zahlen erst, wenn der Name bei Ihnen ist, und wir bekommen das Geld danach.</p>";
const BANNER: &str = "<div id=\"onetrust-consent-sdk\"><p>We use cookies to personalise content and ads, to provide social \
    media features and to analyse our traffic.</p><button>Accept all</button></div>";

tests_of!("content-without-js");
