//! Sites for `agent-interfaces`.

use visibility_core::fetch::FetchError;
use visibility_tests::documents::{SKILL, a2a_card, a2a_card_0_3, skills};
use visibility_tests::site::{Reply, Site, good, good_home, login, shop};

use super::{Case, case};

const CARD: &str = "/.well-known/agent-card.json";
const INDEX: &str = "/.well-known/agent-skills/index.json";
const ARTIFACT: &str = "/.well-known/agent-skills/measure/SKILL.md";

fn site() -> Site {
    good("example.com").with("/a2a", Reply::json("{}").status(405))
}

/// A valid card whose endpoint answers this.
fn with_endpoint(reply: Reply) -> Site {
    good("example.com").with(CARD, Reply::json(a2a_card())).with("/a2a", reply)
}

fn with_skills() -> Site {
    site().with(INDEX, Reply::json(skills())).with(ARTIFACT, Reply::text(SKILL))
}

fn with_markup(markup: &str) -> Site {
    let home = good_home("example.com").replace("</main>", &format!("{markup}</main>"));
    site().with("/", Reply::html(home))
}

#[expect(clippy::too_many_lines, reason = "a table of sites")]
pub(crate) fn cases() -> Vec<Case> {
    let tool =
        r#"<form toolname="quote" tooldescription="Asks for a quote"><input name="q"></form>"#;
    let half = r#"<form toolname="quote"><input name="q"></form>"#;
    let script = "<script>navigator.modelContext.registerTool({name: 'quote'})</script>";
    let old =
        r#"{"skills":[{"name":"measure","description":"How to measure","files":["SKILL.md"]}]}"#;
    vec![
        case("A2A 1.0", "a2a", site().with(CARD, Reply::json(a2a_card()))),
        case("skills", "skills", with_skills()),
        case("a form", "webmcp", with_markup(tool)),
        case(
            "one good interface is enough",
            "a2a",
            with_skills()
                .with(CARD, Reply::json(a2a_card()))
                .with(ARTIFACT, Reply::text("changed")),
        )
        .also(&["skills-mismatch"]),
        case("A2A 0.3", "a2a-legacy", site().with(CARD, Reply::json(a2a_card_0_3()))),
        case(
            "an old place",
            "a2a-legacy",
            login("example.com").with("/.well-known/agent.json", Reply::json(a2a_card_0_3())),
        ),
        case("an agent that wants to know the caller", "a2a", with_endpoint(Reply::error(401))),
        case("no agent", "a2a-dead-endpoint", with_endpoint(Reply::error(404))),
        case("an agent that is gone", "a2a-dead-endpoint", with_endpoint(Reply::error(410))),
        case(
            "a page for people in place of an agent",
            "a2a-dead-endpoint",
            with_endpoint(Reply::html(good_home("example.com"))),
        ),
        case(
            "an agent on a host that does not exist",
            "a2a-dead-endpoint",
            site().with(
                CARD,
                Reply::json(a2a_card().replace("https://example.com/a2a", "https://a2a.invalid/")),
            ),
        ),
        case("an agent that refuses", "a2a-unverified", with_endpoint(Reply::error(403))),
        case(
            "an error of an API where the site has pages for errors",
            "a2a-unverified",
            with_endpoint(Reply::json(r#"{"error":"no such task"}"#).status(404)),
        ),
        case(
            "one good interface is enough beside a dead one",
            "skills",
            with_skills().with(CARD, Reply::json(a2a_card())).with("/a2a", Reply::error(404)),
        )
        .also(&["a2a-dead-endpoint"]),
        case("a broken card", "a2a-invalid", site().with(CARD, Reply::json("{}"))),
        case(
            "an artifact that is gone",
            "skills-unverified",
            with_skills().with(ARTIFACT, Reply::error(404)),
        ),
        case(
            "an artifact that is too long",
            "skills-unverified",
            with_skills().with(ARTIFACT, Reply::text("x".repeat(600 * 1024))),
        ),
        case(
            "an artifact that changed",
            "skills-mismatch",
            with_skills().with(ARTIFACT, Reply::text("changed")),
        ),
        case(
            "skills of version 0.1",
            "skills-legacy",
            login("example.com").with("/.well-known/skills/index.json", Reply::json(old)),
        ),
        case("a broken index", "skills-invalid", site().with(INDEX, Reply::json("{}"))),
        case("half a form", "webmcp-incomplete", with_markup(half)),
        case("a script", "webmcp-script", with_markup(script)),
        case(
            "off site",
            "off-site",
            site().with(CARD, Reply::redirect(302, "https://other.example/card")),
        )
        .beside("https://other.example/card", Reply::json(a2a_card())),
        case("an app without", "absent", login("example.com")),
        case("a shop without", "absent", shop("example.com")),
        case("content only", "no-surface", site()),
        case(
            "a shell that answers everything",
            "no-surface",
            site().otherwise(Reply::html(good_home("example.com"))),
        ),
        case("an app, refused", "unreadable", login("example.com").with(CARD, Reply::error(403))),
        case(
            "an app, timed out",
            "unreadable",
            login("example.com").failing(INDEX, FetchError::Timeout { after_ms: 10_000 }),
        ),
    ]
}

tests_of!("agent-interfaces");
