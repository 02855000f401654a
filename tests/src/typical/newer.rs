//! Kinds of sites that came after the first ones: addresses, walls of errors, shells, notices and what is nearly one.

use visibility_core::fetch::FetchError;
use visibility_core::scan::score::Tier;

use super::expected::{Expected, State};
use crate::honest::PAGES;
use crate::site::{Reply, Site, good, good_home, inner_page};

const HOST: &str = "copper-lane.com";
const WWW: &str = "https://www.copper-lane.com/";
const BOTS: &str = "VisibilityBot";
const AGENTS: [&str; 5] =
    ["OAI-SearchBot", "ChatGPT-User", "Claude-User", "PerplexityBot", "GPTBot"];

fn home() -> Reply {
    Reply::html(good_home(HOST)).header("content-encoding", "gzip")
}

/// A good site whose home page has this body.
fn with_body(body: &str) -> Site {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><title>Copper Lane</title></head><body>{body}</body></html>"
    );
    good(HOST).with("/", Reply::html(html))
}

fn with_head(element: &str) -> Site {
    let html = good_home(HOST).replacen("<head>", &format!("<head>{element}"), 1);
    good(HOST).with("/", Reply::html(html).header("content-encoding", "gzip"))
}

/// Every bot gets this for the home page, and a browser the page.
fn for_bots(reply: Reply) -> Site {
    good(HOST).for_user_agent(BOTS, reply)
}

fn for_agents(reply: &Reply) -> Site {
    AGENTS.iter().fold(good(HOST), |site, agent| site.for_user_agent(agent, reply.clone()))
}

fn cut_off() -> FetchError {
    FetchError::Protocol { reason: "connection reset by peer".to_owned() }
}

fn at_www(apex: Reply) -> Site {
    good(HOST).with("/", apex).with(WWW, home())
}

fn default_page() -> Reply {
    Reply::html(
        "<!doctype html><title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web \
         server is successfully installed and working. See <a href=\"http://nginx.org/\">nginx.org</a>.</p>",
    )
}

fn splash() -> Site {
    let splash = "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/shop\">";
    good(HOST).with("/", Reply::html(splash)).with("/shop", home())
}

fn choice_of_languages() -> Site {
    with_body("<a href=\"/de/\">Deutsch</a> <a href=\"/en/\">English</a>")
        .with("/de/", inner_page("Kupfer"))
        .with("/en/", inner_page("Copper"))
}

/// A shell with all that a head can have.
fn shell_with_head() -> Site {
    let html = good_home(HOST);
    let head = html.split("<body").next().unwrap_or_default();
    let body = "<body><noscript>You need to enable JavaScript</noscript><div id=\"root\"></div><script src=\"/a.js\"></script></body></html>";
    good(HOST).with("/", Reply::html(format!("{head}{body}")))
}

fn loading() -> Site {
    let links: String =
        (0..40).map(|number| format!("<a href=\"/p{number}\">Page {number}</a> ")).collect();
    with_body(&format!(
        "<header><nav>{links}</nav></header><main><div>Loading…</div></main><footer>Copper Lane</footer><script src=\"/a.js\"></script>"
    ))
}

fn text_at_the_end() -> Site {
    let data = format!("<script>let data = \"{}\";</script>", "x".repeat(3_000_000));
    with_body(&format!("{data}<h1>Copper</h1><p>{}</p>", "We forge copper. ".repeat(100)))
}

fn honest(name: &str) -> Site {
    PAGES.iter().find(|page| page.name == name).expect("a page of this name").site(3)
}

/// All of them, with the tiers that fit.
pub(super) fn newer() -> Vec<Expected> {
    [open(), closed(), dead()].into_iter().flatten().collect()
}

/// Sites that agents can read.
fn open() -> Vec<Expected> {
    let site = |name, tiers, site| Expected { name, site, tiers, state: State::Open };
    let good_enough = Tier::Readable..=Tier::Ready;
    let modest = Tier::Discoverable..=Tier::Readable;
    let links: String = (0..9).map(|number| format!("- [a](/gone-{number})\n")).collect();
    let dead_links = Reply::new("text/markdown", format!("# Copper\n\n{links}"));
    vec![
        site("home page that leads on at once", good_enough.clone(), splash()),
        site(
            "noindex for one search engine",
            good_enough.clone(),
            with_head("<meta name=\"googlebot\" content=\"noindex\">"),
        ),
        site(
            "directives that no crawler reads",
            good_enough.clone(),
            with_head("<meta name=\"robots\" content=\"noindex nofollow\">"),
        ),
        site(
            "llms.txt of dead links",
            good_enough.clone(),
            good(HOST).with("/llms.txt", dead_links),
        ),
        site("bakery under a consent dialog", modest.clone(), honest("a bakery under a dialog")),
        site("vendor of consent tools", good_enough, honest("a vendor of consent tools")),
        site("503 for all AI agents", modest.clone(), for_agents(&Reply::error(503))),
        site("text after 3 MB of data", modest, text_at_the_end()),
    ]
}

/// Sites whose content something keeps from agents.
fn closed() -> Vec<Expected> {
    let site = |name, tiers, site| Expected { name, site, tiers, state: State::Closed };
    let discoverable = Tier::Discoverable..=Tier::Discoverable;
    let shut = Tier::Unknown..=Tier::Discoverable;
    vec![
        site("choice of two languages", discoverable.clone(), choice_of_languages()),
        site("shell with a good head", discoverable.clone(), shell_with_head()),
        site("Loading between menu and footer", discoverable.clone(), loading()),
        site(
            "unavailable_after in the past",
            discoverable,
            with_head("<meta name=\"robots\" content=\"unavailable_after: 2026-01-01\">"),
        ),
        site("503 for all bots", shut.clone(), for_bots(Reply::error(503))),
        site("429 for all bots", shut.clone(), for_bots(Reply::error(429))),
        site(
            "broken connections for all bots",
            shut.clone(),
            good(HOST).failing_for_user_agent(BOTS, cut_off()),
        ),
        site(
            "403 for all bots, robots.txt too",
            shut,
            for_bots(Reply::error(403)).with("/robots.txt", Reply::error(403)),
        ),
        site(
            "402 for everyone",
            Tier::Invisible..=Tier::Invisible,
            good(HOST).with("/", Reply::error(402)),
        ),
    ]
}

/// Addresses without a site.
fn dead() -> Vec<Expected> {
    let site = |name, tiers, site| Expected { name, site, tiers, state: State::Dead };
    let nothing = Tier::Invisible..=Tier::Invisible;
    vec![
        site("site at www alone, 404 at the apex", nothing.clone(), at_www(Reply::error(404))),
        site(
            "site at www alone, a server's page at the apex",
            nothing.clone(),
            at_www(default_page()),
        ),
        site(
            "domain for sale in Spanish",
            nothing.clone(),
            with_body(
                "<h1>copper-lane.com</h1><p>Este dominio está en venta. Haga una oferta.</p>",
            ),
        ),
        site(
            "error in JSON with status 200",
            nothing,
            good(HOST).with("/", Reply::json("{\"error\":\"Not found\"}")),
        ),
    ]
}
