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

/// A firewall refuses whoever says that it is a bot, on every path but robots.txt.
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
