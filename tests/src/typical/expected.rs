//! Sites with the tiers that an expert would give them: the best and the worst, and all in between.

use std::ops::RangeInclusive;

use visibility_core::scan::score::Tier;

use super::{agentic, commerce, content, dead, newer, small, walled};
use crate::site::{Site, good};

/// What kind of site it is for its readers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// Agents can read it.
    Open,
    /// A wall, robots.txt or scripts keep its content from agents.
    Closed,
    /// There is no site.
    Dead,
}

/// A site and the tiers that fit it.
#[derive(Debug)]
pub struct Expected {
    /// What kind of site it is.
    pub name: &'static str,
    /// The site.
    pub site: Site,
    /// The tiers that fit.
    pub tiers: RangeInclusive<Tier>,
    /// What it is to agents.
    pub state: State,
}

/// All of them: the first ones, best first, and then those that came later.
pub fn expected() -> Vec<Expected> {
    let site = |state| move |name, tiers, site| Expected { name, site, tiers, state };
    let (open, closed, dead) = (site(State::Open), site(State::Closed), site(State::Dead));
    let native = Tier::Native..=Tier::Native;
    let readable = Tier::Readable..=Tier::Readable;
    let modest = Tier::Discoverable..=Tier::Readable;
    let discoverable = Tier::Discoverable..=Tier::Discoverable;
    let shut = Tier::Unknown..=Tier::Discoverable;
    let nothing = Tier::Unknown..=Tier::Invisible;
    let mut sites = vec![
        open("agent-native SaaS", native.clone(), agentic::native_saas()),
        open("docs site with llms.txt and Markdown", native, content::docs()),
        open(
            "agent-native SaaS, 3 s before every answer",
            Tier::Readable..=Tier::Ready,
            agentic::native_saas().answering_after(3_000),
        ),
        open(
            "agent-native SaaS, 9 s before every answer",
            modest.clone(),
            agentic::native_saas().answering_after(9_000),
        ),
        open(
            "publisher blocking only training",
            Tier::Readable..=Tier::Ready,
            content::publisher(),
        ),
        open("WordPress blog with SEO plugin", readable.clone(), content::wordpress_blog()),
        open("site in two languages, 302 to one", readable.clone(), small::two_languages()),
        open("framework with 90 KB of state", readable.clone(), small::state_of_a_framework()),
        open("restaurant with a booking form", readable.clone(), small::restaurant()),
        open("classic shop", readable.clone(), commerce::classic_shop()),
        open("Turkish shop", readable, small::turkish_shop()),
        open("plain site of a town", modest.clone(), small::town()),
        open("bare page", modest.clone(), content::bare_page()),
        open("good site, AI agents refused", modest.clone(), walled::agents_refused()),
        open("good site over plain HTTP alone", modest, small::http_only()),
        open("form to log in, and nothing else", discoverable.clone(), small::login_app()),
        open("host of an API", discoverable, small::api_host()),
        closed("single-page shell", shut.clone(), content::spa_shell()),
        closed("good site, honest bots refused", shut.clone(), walled::honest_refused()),
        closed("robots.txt blocks everyone", shut.clone(), walled::robots_blocks_all()),
        closed("a page of frames", shut.clone(), walled::frames()),
        closed("a wall of consent", nothing.clone(), walled::consent()),
        closed("one small page for all bots", shut, walled::please_wait()),
        closed("challenge at status 200", nothing.clone(), walled::challenge_at_200()),
        dead("parked domain", nothing.clone(), dead::parked()),
        dead("default page of a server", nothing.clone(), dead::default_page()),
        dead("maintenance on every path", nothing.clone(), dead::maintenance()),
        dead("home page is a picture", nothing.clone(), dead::picture()),
        dead("home page of no bytes", nothing.clone(), dead::no_bytes()),
        dead("home page is missing", nothing.clone(), dead::missing()),
        dead("home page redirects to itself", nothing.clone(), dead::redirect_loop()),
        dead("home page resets the connection", nothing.clone(), dead::reset()),
        dead("home page does not answer", nothing.clone(), dead::timeout()),
        dead("home page is not HTTP", nothing.clone(), dead::garbage()),
        dead("home page with a head that is too large", nothing.clone(), dead::flood()),
        dead("certificate of another host", nothing, dead::broken_tls()),
    ];
    sites.extend(newer::newer());
    sites
}

/// A good site with a firewall against AI agents, and the same site without.
pub fn with_and_without_wall() -> (Site, Site) {
    (walled::agents_refused(), good("guarded-labs.com"))
}
