//! The description of log ingestion.

use utoipa::openapi::schema::{AdditionalProperties, Schema};
use utoipa::openapi::{OpenApi, RefOr, Tag};
use visibility_core::error::ErrorBody;

use crate::api::openapi::description::{self, ApiInfo};
use crate::api::openapi::schemas::{BatchAccepted, BatchPartlyAccepted, LogRecord};
use crate::api::routes;
use crate::ingest::stats::Stats;

const ABOUT: &str = "Accepts batches of log records: what AI agents requested from a site, filtered at \
    the source. Every record is validated, and a batch with an id counts once however \
    often it is sent.";
const BEARER: &str = "An ingestion token (`svc_pk_live_...`) of the tenant named in `X-Service-Tenant`. \
    API keys are not accepted here.";

/// Describes the ingestion of a service that takes batches at an address.
pub(crate) fn describe(ingestion_url: &str) -> OpenApi {
    let mut openapi = routes::logs().into_openapi();
    description::add::<ErrorBody>(&mut openapi);
    description::add::<BatchAccepted>(&mut openapi);
    description::add::<BatchPartlyAccepted>(&mut openapi);
    description::add::<Stats>(&mut openapi);
    description::add::<LogRecord>(&mut openapi);
    close(&mut openapi, "LogRecord");
    let mut tag = Tag::new("ingestion");
    tag.description = Some("Send batches of records, and count what was accepted.".to_owned());
    description::finish(
        openapi,
        ApiInfo {
            title: "visibility: log ingestion",
            text: ABOUT,
            url: ingestion_url,
            bearer: BEARER,
            bearer_format: "svc_pk_live_",
            tags: vec![tag],
        },
    )
}

/// Says that an object has no other members: a record with one is rejected.
fn close(openapi: &mut OpenApi, name: &str) {
    let schemas = openapi.components.as_mut().map(|components| &mut components.schemas);
    if let Some(RefOr::T(Schema::Object(object))) =
        schemas.and_then(|schemas| schemas.get_mut(name))
    {
        object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    }
}
