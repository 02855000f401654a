//! The authorization server: OAuth 2.1 for programs that ask on behalf of a person.
//!
//! One kind of client (public), one flow (the authorization code with PKCE S256), opaque tokens of which
//! only digests are kept. Whatever spelling of the address a client was told, a token is for all of them.

pub(crate) mod challenge;
pub(crate) mod client;
mod parameters;
mod pkce;
mod redirect;
pub(crate) mod request;
mod resource;
