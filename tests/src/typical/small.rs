//! Sites of the everyday: of a town, a restaurant, a shop, an office with a login.

use visibility_core::fetch::FetchError;

use super::{Head, site};
use crate::site::{Reply, Site, good, good_home, good_sitemap, shop};

const NO_LLMS: u16 = 404;

/// A good site without anything for agents alone.
fn plain(host: &str) -> Site {
    good(host).with("/llms.txt", Reply::error(NO_LLMS))
}

/// The language is a path, and `/` leads to the one of the visitor.
pub(super) fn two_languages() -> Site {
    let host = "two-tongues.com";
    let home = Reply::html(good_home(host)).header("content-encoding", "gzip");
    plain(host).with("/", Reply::redirect(302, "/en/")).with("/en/", home)
}

/// A page that is rendered on the server and carries its data once more.
pub(super) fn state_of_a_framework() -> Site {
    let host = "hydrated.com";
    let state = r#"{"product":{"id":1,"tags":["a","b"],"price":null}},"#.repeat(1_800);
    let script = format!(
        "<script id=\"__NEXT_DATA__\" type=\"application/json\">[{state}null]</script></body>"
    );
    let home = good_home(host).replace("</body>", &script);
    plain(host).with("/", Reply::html(home).header("content-encoding", "gzip"))
}

/// A page with a menu, opening hours and a form whose letters a person reads.
pub(super) fn restaurant() -> Site {
    let host = "olive-and-salt.com";
    let form = r#"<form action="/reservations" method="post" class="booking"><label>Day <input type="date" name="day"></label>
<label>Guests <input type="number" name="guests"></label><label>Name <input name="name"></label>
<label>Telephone <input type="tel" name="phone"></label><button>Request a table</button></form></main>"#;
    let home = good_home(host)
        .replace("Example Instruments", "Olive and Salt")
        .replace("Measuring instruments for laboratories", "Food from the coast, every evening")
        .replace("</main>", form);
    plain(host).with("/", Reply::html(home).header("content-encoding", "gzip"))
}

/// A shop in Turkish.
pub(super) fn turkish_shop() -> Site {
    let host = "cay-bardagi.com.tr";
    let goods = r#"<ul><li>Bardak <b>120,00 TL</b></li><li>Tabak <b>80,00 TL</b></li><li>Kaşık <b>15,50 TL</b></li></ul><a href="/sepet">Sepet</a></main>"#;
    let home = good_home(host)
        .replace("lang=\"en\"", "lang=\"tr\"")
        .replace(
            "We make measuring instruments for laboratories and deliver them with a certificate. ",
            "Çay bardaklarını elde üfleriz, tek tek sarar ve iki gün içinde kargoya veririz. ",
        )
        .replace("</main>", goods);
    shop(host).with("/llms.txt", Reply::error(NO_LLMS)).with("/", Reply::html(home))
}

/// What a small town has: text, links, and nothing that was made for machines.
pub(super) fn town() -> Site {
    let host = "lower-bridge.com";
    let text =
        "The office is open from Monday to Thursday, nine to twelve, and on Tuesday until six. "
            .repeat(12);
    let head = Head {
        host,
        lang: "en",
        title: "Town of Lower Bridge",
        description: "Offices, dates and forms of the town of Lower Bridge.",
        more: "",
    };
    let body = format!(
        "<nav><a href=\"/offices\">Offices</a> <a href=\"/dates\">Dates</a> <a href=\"/forms\">Forms</a> \
         <a href=\"/council\">Council</a> <a href=\"/waste\">Waste</a></nav>\
         <h1>Town of Lower Bridge</h1><p>{text}</p>"
    );
    Site::new(host)
        .with("/", Reply::html(head.page(&body)))
        .with(&format!("https://www.{host}/"), Reply::html(head.page(&body)))
}

/// A form to log in to what only its users know.
pub(super) fn login_app() -> Site {
    let host = "time-sheets.com";
    let page = "<!doctype html><html lang=\"en\"><head><title>Log in</title></head><body>\
        <h1>Time sheets</h1><form action=\"/session\" method=\"post\"><input type=\"email\" name=\"email\">\
        <input type=\"password\" name=\"password\"><button>Log in</button></form></body></html>";
    site(host, Reply::html(page))
}

/// A host for programs: JSON everywhere, and no page.
pub(super) fn api_host() -> Site {
    let problem = r#"{"type":"about:blank","title":"Not Found","status":404}"#;
    let missing = Reply::new("application/problem+json", problem).status(404);
    Site::new("api.freightline-data.com").with("/", missing.clone()).otherwise(missing)
}

/// A good site on port 80, and nothing on port 443.
pub(super) fn http_only() -> Site {
    let host = "plain-old-web.com";
    let at = |path: &str| format!("http://{host}{path}");
    let secure = |text: String| text.replace("https://", "http://");
    let robots = format!("User-agent: *\nAllow: /\n\nSitemap: http://{host}/sitemap.xml\n");
    let home = Reply::html(secure(good_home(host))).header("content-encoding", "gzip");
    let llms = format!("# Example\n\n> What it is.\n\n- [Home](http://{host}/)\n");
    Site::new(host)
        .failing("/", FetchError::Connect { host: format!("{host}:443") })
        .with(&at("/"), home)
        .accepting(
            &at("/"),
            "text/markdown",
            Reply::new("text/markdown; charset=utf-8", "# Example Instruments\n\nWe make and calibrate measuring instruments for laboratories, schools and small \
             workshops, repair the ones that others have given up, and teach people how to use them, in Tampere since 1985.\n")
                .header("vary", "accept"),
        )
        .with(&at("/robots.txt"), Reply::text(robots))
        .with(&at("/sitemap.xml"), Reply::new("application/xml", secure(good_sitemap(host))))
        .with(&at("/llms.txt"), Reply::new("text/markdown", llms))
}
