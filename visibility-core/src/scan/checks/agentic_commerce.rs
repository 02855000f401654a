//! `agentic-commerce`: a shop or a paid API where an agent can buy.
//!
//! Five protocols compete; one of them is enough. Complete product data is half of the way.

use serde_json::json;
use url::Url;

use crate::documents::DocumentError;
use crate::documents::x402::X402Manifest;
use crate::fetch::{Resource, Response};
use crate::page::json_ld::JsonLdNode;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome, Verdict};
use crate::rubric::fix::{Build, Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::published::endpoint::EndpointState;
use crate::scan::facts::published::{self, DESCRIPTIONS, PublishedDocument};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;
use crate::text::placeholder;

pub(super) const CHECK: Check = Check {
    id: "agentic-commerce",
    category: Category::Action,
    weight: 4,
    maturity: Maturity::Experimental,
    effort: Effort::L,
    surfaces: &[Surface::Commerce],
    outcomes: &[
        UCP,
        ACP,
        X402,
        MPP,
        AP2,
        DEAD_ENDPOINT,
        UNVERIFIED,
        INCOMPLETE,
        PRODUCT_DATA,
        INVALID,
        OFF_SITE,
        ABSENT,
        NO_SHOP,
        UNREADABLE,
    ],
    covers: &["UCP", "ACP", "x402", "MPP", "AP2"],
    specs: &[
        Spec { name: "UCP", url: "https://ucp.dev/" },
        Spec { name: "ACP", url: "https://www.agenticcommerce.dev/" },
        Spec { name: "x402", url: "https://www.x402.org/" },
        Spec { name: "MPP", url: "https://mpp.dev/" },
        Spec { name: "AP2", url: "https://ap2-protocol.org/" },
    ],
    evaluate,
};

const UCP: Outcome = Outcome::pass("ucp");
const ACP: Outcome = Outcome::pass("acp");
const X402: Outcome = Outcome::pass("x402");
const MPP: Outcome = Outcome::pass("mpp");
const AP2: Outcome = Outcome::pass("ap2");
const DEAD_ENDPOINT: Outcome = Outcome::fail("dead-endpoint");
const UNVERIFIED: Outcome = Outcome::warn("unverified");
const INCOMPLETE: Outcome = Outcome::warn("incomplete");
const PRODUCT_DATA: Outcome = Outcome::warn("product-data");
const INVALID: Outcome = Outcome::fail("invalid");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const ABSENT: Outcome = Outcome::fail("absent");
const NO_SHOP: Outcome = Outcome::not_applicable("no-shop");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// The documents, and the endpoints that they name.
const EVIDENCE: [Resource; 6] = [
    Resource::Ucp,
    Resource::UcpEndpoint,
    Resource::Acp,
    Resource::AcpEndpoint,
    Resource::X402,
    Resource::X402Endpoint,
];

/// What the three profiles and the other signs say.
#[derive(Default)]
struct Seen {
    valid: Vec<Detection>,
    doubts: Vec<Detection>,
    faults: Vec<Detection>,
    unreadable: bool,
}

impl Seen {
    fn add<T>(
        &mut self,
        protocol: &'static str,
        document: PublishedDocument<'_, T>,
        describe: impl FnOnce(T) -> (Detection, Vec<Detection>),
    ) {
        match document {
            PublishedDocument::Valid(profile, _) => match describe(profile) {
                (found, doubts) if doubts.is_empty() => self.valid.push(found),
                (_, doubts) => {
                    let doubts = doubts.into_iter().map(|doubt| doubt.with("protocol", protocol));
                    self.doubts.extend(doubts);
                }
            },
            PublishedDocument::Invalid(problem, _) => self.fault(protocol, &problem),
            PublishedDocument::OffSite(response) => {
                let found = OFF_SITE.with("protocol", protocol);
                self.faults.push(found.with("host", published::host(response)));
            }
            PublishedDocument::Unreadable => self.unreadable = true,
            PublishedDocument::Absent | PublishedDocument::NotAsked => {}
        }
    }

    fn fault(&mut self, protocol: &'static str, problem: &DocumentError) {
        self.faults
            .push(INVALID.with("protocol", protocol).with_note("problem", problem.note.clone()));
    }
}

fn evaluate(site: &SiteSnapshot) -> Finding {
    let mut seen = Seen::default();
    let doubt = |named: Option<Url>| {
        let endpoint = EndpointState::check(site, named.as_ref());
        endpoint.complaint(DEAD_ENDPOINT, UNVERIFIED, named.as_ref())
    };
    seen.add("UCP", published::ucp(site), |profile| {
        let missing = profile
            .warnings
            .first()
            .map(|problem| INCOMPLETE.with_note("problem", problem.note.clone()));
        let named = published::ucp_endpoint(site);
        // A service that is embedded in the pages of the shop has no endpoint.
        let doubts = named.and_then(|named| doubt(Some(named))).into_iter().chain(missing);
        let services = profile.services.len();
        (UCP.with("version", profile.version).with("services", services), doubts.collect())
    });
    seen.add("ACP", published::acp(site), |profile| {
        let doubts = doubt(published::acp_endpoint(site)).into_iter().collect();
        (ACP.with("version", profile.version), doubts)
    });
    seen.add("x402", published::x402(site), |_| {
        // A manifest may list ways to pay and leave the resources to their own 402.
        let named = published::x402_endpoint(site);
        let doubts = named.and_then(|named| doubt(Some(named))).into_iter().collect();
        (X402.with("source", "/.well-known/x402"), doubts)
    });
    payment_required(site, &mut seen);
    seen.valid.extend(paid_operations(site));
    seen.valid.extend(payment_extension(site));
    let finding = decide(site, seen).with_evidence(evidence(site));
    match finding.verdict() {
        Verdict::Pass | Verdict::NotApplicable => finding,
        _ => finding.with_fix(fix(site)),
    }
}

/// One valid protocol is enough; then one whose endpoint is in doubt or dead decides, then a broken one, then
/// the product data of the page.
fn decide(site: &SiteSnapshot, seen: Seen) -> Finding {
    let is_shop = site.profile().has(Surface::Commerce);
    let found = seen.valid.into_iter().chain(seen.doubts).chain(seen.faults);
    let mut detections =
        found.chain(product_data(site)).filter(|s| is_shop || s.outcome != PRODUCT_DATA);
    match detections.next() {
        Some(decisive) => detections.fold(Finding::new(decisive), Finding::with_detection),
        None if seen.unreadable && is_shop => Finding::new(UNREADABLE.detected()),
        None if is_shop => Finding::new(ABSENT.detected()),
        None if site.page().is_none() => Finding::new(UNREADABLE.detected()),
        None => Finding::new(NO_SHOP.detected()),
    }
}

/// 402 with the requirements of x402 version 2, or with a challenge of the `Payment` scheme.
fn payment_required(site: &SiteSnapshot, seen: &mut Seen) {
    let asked = site.exchanges().filter_map(|exchange| exchange.result.as_ref().ok());
    for response in asked.filter(|response| response.status == 402) {
        if let Some(field) = response.headers.first("payment-required") {
            match X402Manifest::from_header(field) {
                Ok(_) => seen.valid.push(X402.with("source", "PAYMENT-REQUIRED")),
                Err(problems) => {
                    problems.first().into_iter().for_each(|problem| seen.fault("x402", problem));
                }
            }
            return;
        }
        if challenges_payment(response) {
            seen.valid.push(MPP.with("source", "WWW-Authenticate: Payment"));
            return;
        }
    }
}

fn challenges_payment(response: &Response) -> bool {
    let mut fields = response.headers.all("www-authenticate").iter();
    fields.any(|field| {
        let scheme = field.trim().split(' ').next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("payment")
    })
}

/// Operations of the API description that name a price.
fn paid_operations(site: &SiteSnapshot) -> Option<Detection> {
    DESCRIPTIONS.iter().find_map(|resource| {
        let (api, _) = published::openapi(site, resource).valid()?;
        api.payment.then(|| MPP.with("source", "OpenAPI: x-payment-info"))
    })
}

/// The extension for payments in an A2A card.
fn payment_extension(site: &SiteSnapshot) -> Option<Detection> {
    let (card, _) = published::a2a_card(site, &Resource::AgentCard).valid()?;
    let named = published::a2a_endpoint(site);
    let endpoint = EndpointState::check(site, named.as_ref());
    let exists = matches!(endpoint, EndpointState::Alive(_) | EndpointState::Protected(_));
    (card.has_ap2 && exists).then(|| AP2.with("name", card.name))
}

/// An offer with price, currency and availability.
fn product_data(site: &SiteSnapshot) -> Option<Detection> {
    let blocks = site.page().into_iter().flat_map(|page| &page.json_ld);
    let nodes = blocks.filter_map(|block| block.nodes.as_ref().ok()).flatten();
    let offer = nodes.into_iter().find(|node| is_complete_offer(node))?;
    let value = |name| offer.text(name).unwrap_or_default();
    let price = offer.text("price").unwrap_or_else(|| value("lowPrice"));
    Some(PRODUCT_DATA.with("price", price).with("currency", value("priceCurrency")))
}

fn is_complete_offer(node: &JsonLdNode) -> bool {
    let has = |name| node.text(name).is_some_and(|text| !text.is_empty());
    (node.is("Offer") || node.is("AggregateOffer"))
        && (has("price") || has("lowPrice"))
        && has("priceCurrency")
        && has("availability")
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    EVIDENCE.iter().filter_map(|resource| site.evidence(resource)).collect()
}

/// A profile of UCP for a service that has to be there first.
///
/// Version 2026-04-08 requires `payment_handlers` of a business and, in its later form, `spec` and
/// `schema` of each handler; which ones there are only the shop knows.
fn fix(site: &SiteSnapshot) -> Fix {
    let version = "2026-04-08";
    let url = placeholder::placeholder("UCP_ENDPOINT");
    let handler = placeholder::placeholder("PAYMENT_HANDLER");
    let profile = published::pretty(&json!({
        "ucp": {
            "version": version,
            "services": {
                "dev.ucp.shopping": [
                    { "version": version, "transport": "rest", "endpoint": url }
                ]
            },
            "capabilities": {
                "dev.ucp.shopping.checkout": [{ "version": version }]
            },
            "payment_handlers": {
                (handler): [
                    {
                        "id": placeholder::placeholder("PAYMENT_HANDLER_ID"),
                        "version": version,
                        "spec": placeholder::placeholder("PAYMENT_HANDLER_SPEC_URL"),
                        "schema": placeholder::placeholder("PAYMENT_HANDLER_SCHEMA_URL")
                    }
                ]
            }
        }
    }));
    Fix::new(Edit::Build { what: Build::UcpService, url })
        .and(Edit::Document {
            path: "/.well-known/ucp".to_owned(),
            media_type: "application/json".to_owned(),
            content: profile,
        })
        .with_input("UCP_ENDPOINT", format!("{}ucp/v1", site.origin()))
        .with_input("PAYMENT_HANDLER", "com.example.pay")
        .with_input("PAYMENT_HANDLER_ID", "pay")
        .with_input("PAYMENT_HANDLER_SPEC_URL", "https://example.com/pay/spec")
        .with_input("PAYMENT_HANDLER_SCHEMA_URL", "https://example.com/pay/schema.json")
}
