//! HTTP for all routes: parsing requests, writing responses, and connections.

pub(crate) mod accept;
pub(crate) mod blocking;
pub(crate) mod client_address;
pub(crate) mod connection;
pub(crate) mod cookie;
pub(crate) mod cors;
pub(crate) mod extension_header;
pub(crate) mod json_body;
pub(crate) mod language;
pub(crate) mod parameter_error;
pub(crate) mod query_parameters;
pub(crate) mod rate_limit_fields;
pub(crate) mod request_id;
pub(crate) mod response;
pub(crate) mod urls;
pub(crate) mod validators;
