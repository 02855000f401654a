//! Finds the MCP server of a site in its documents.

use url::Url;

use crate::documents::mcp_card::McpCard;
use crate::fetch::{Resource, Response};
use crate::scan::facts::published::{self, PublishedDocument, web_url};
use crate::scan::snapshot::SiteSnapshot;

/// Media type of a card, and of an entry of the AI catalog that names one.
pub(crate) const CARD_TYPE: &str = "application/mcp-server-card+json";

/// Places of a card without a catalog, from before the specification named one.
pub(crate) const LEGACY_PLACES: [Resource; 2] =
    [Resource::McpLegacyCard, Resource::LegacyMcpManifest];

/// The card that the AI catalog names.
pub(crate) fn named_by_catalog(site: &SiteSnapshot) -> Option<Url> {
    let (catalog, response) = published::ai_catalog(site).valid()?;
    web_url(&response.url, catalog.entry_of_type(CARD_TYPE)?.url.as_deref()?)
}

/// The place of a card that the specification reserves: `<endpoint>/server-card`.
pub(crate) fn beside_endpoint(endpoint: &Url) -> Url {
    let path = format!("{}/server-card", endpoint.path().trim_end_matches('/'));
    let mut url = endpoint.clone();
    url.set_path(&path);
    url.set_query(None);
    url
}

/// The card that is where the specification wants it.
pub(crate) fn card(site: &SiteSnapshot) -> PublishedDocument<'_, McpCard> {
    let legacy = site.exchange(&Resource::McpLegacyCard).map(|exchange| &exchange.probe.url);
    let is_named = named_by_catalog(site).is_some_and(|named| Some(&named) == legacy);
    let place = if is_named { Resource::McpLegacyCard } else { Resource::McpCard };
    published::mcp_card(site, &place)
}

/// The card of an older place.
pub(crate) fn legacy_card(site: &SiteSnapshot) -> Option<(McpCard, &Response)> {
    LEGACY_PLACES.iter().find_map(|place| published::mcp_card(site, place).valid())
}

/// The endpoint that the best card names.
pub(crate) fn endpoint(site: &SiteSnapshot) -> Option<Url> {
    let of = |card: &McpCard, base: &Url| {
        card.remotes.iter().find_map(|remote| web_url(base, &remote.url))
    };
    let named = || card(site).valid().and_then(|(card, response)| of(&card, &response.url));
    named().or_else(|| legacy_card(site).and_then(|(card, response)| of(&card, &response.url)))
}
