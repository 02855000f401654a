//! Good sites that keep agents out.

use crate::site::{Reply, Site, good, good_home};

fn wall() -> Reply {
    Reply::html(
        "<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title></head><body>\
         <p>Checking your browser before you may go on.</p></body></html>",
    )
    .status(403)
    .header("server", "cloudflare")
    .header("cf-mitigated", "challenge")
}

/// A firewall refuses five AI user agents and lets everybody else in.
pub(super) fn agents_refused() -> Site {
    ["OAI-SearchBot", "ChatGPT-User", "Claude-User", "PerplexityBot", "GPTBot"]
        .into_iter()
        .fold(good("guarded-labs.com"), |site, agent| site.for_user_agent(agent, wall()))
}

/// A firewall refuses every declared bot, on every path but robots.txt.
pub(super) fn honest_refused() -> Site {
    let host = "fortress-labs.com";
    let robots = "User-agent: *\nAllow: /\n\nSitemap: https://fortress-labs.com/sitemap.xml\n";
    Site::new(host)
        .with("/", Reply::html(good_home(host)).header("content-encoding", "gzip"))
        .with("/robots.txt", Reply::text(robots))
        .with(&format!("https://www.{host}/"), wall())
        .for_user_agent("VisibilityBot", wall())
        .otherwise(wall())
}

/// A good site with the robots.txt of its staging server.
pub(super) fn robots_blocks_all() -> Site {
    good("staging-forever.com").with("/robots.txt", Reply::text("User-agent: *\nDisallow: /\n"))
}

/// The page that an unknown product sends to every bot, for every path.
pub(super) fn please_wait() -> Site {
    let host = "waiting-room.com";
    let page = Reply::html(
        "<!doctype html><html><head><title>waiting-room.com</title></head><body>\
         <p>Please wait while your request is being verified...</p>\
         <script src=\"/verify.js\"></script></body></html>",
    );
    let apex = format!("https://{host}/");
    let home = Reply::html(good_home(host)).header("content-encoding", "gzip");
    Site::new(host)
        .with("/", page.clone())
        .with(&format!("https://www.{host}/"), Reply::redirect(301, &apex))
        .otherwise(page)
        .for_user_agent("Windows NT 10.0", home)
}

/// A challenge of a known product at status 200, for everyone.
pub(super) fn challenge_at_200() -> Site {
    let page = Reply::html(
        "<!doctype html><html><head><title>Making sure you&#39;re not a bot!</title>\
         <script id=\"anubis_challenge\" type=\"application/json\">{}</script></head></html>",
    );
    Site::new("sure-labs.com").with("/", page.clone()).otherwise(page)
}

/// A page that asks for consent, and has nothing besides.
pub(super) fn consent() -> Site {
    let page = "<!doctype html><html lang=\"en\"><head><title>We value your privacy</title></head><body><h1>We value \
        your privacy</h1><p>We and our partners store and access information on a device, such as cookies, and process \
        personal data. With your permission we may use precise location data. You may accept or refuse below.</p>\
        <button>Accept all</button><button>Reject all</button></body></html>";
    good("agree-first.com").with("/", Reply::html(page))
}

/// A page of frames, whose content is other pages.
pub(super) fn frames() -> Site {
    let page = "<!doctype html><html lang=\"en\"><head><title>Old harbor</title></head><frameset cols=\"20%,80%\">\
        <frame src=\"/menu\"><frame src=\"/start\"></frameset></html>";
    good("old-harbor.com").with("/", Reply::html(page))
}
