//! The page of a tenant without records: how to send some.

use chrono::{DateTime, Utc};
use maud::{Markup, html};
use visibility_core::accounts::scope::Scope;
use visibility_core::store::StoreError;
use visibility_core::text::markup::{lines, shown};

use super::sources;
use super::view::LogsView;
use crate::http::urls::SETTINGS_PATH;
use crate::site::layout::signed_fields;
use crate::stores::Stores;
use crate::stores::state::credentials::TokenState;
use crate::traffic::page::Page;
use crate::traffic::sources::{self as batches, LogSources, SourcesQuestion};

/// Where the form for a token is sent.
const TOKENS_PATH: &str = "/settings/tokens";

/// What the page shows.
pub(super) struct EmptyPage {
    /// Batches whose lines were all rejected; none if none came.
    sources: Option<LogSources>,
    access: TokenAccess,
}

/// Who can make a token.
enum TokenAccess {
    /// The person; there is none yet.
    Can,
    /// The person, who has one.
    HasOne,
    /// These users of the tenant.
    Others(Vec<String>),
}

impl EmptyPage {
    /// None if there are records.
    pub(super) fn load(
        stores: &Stores,
        view: &LogsView,
        may_manage: bool,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>, StoreError> {
        let state_store = stores.state_store();
        let selection = &view.address.selection;
        let tenant = &selection.tenant;
        if state_store.first_counted_day(tenant)?.is_some() {
            return Ok(None);
        }
        let question = SourcesQuestion {
            tenant: tenant.clone(),
            from: selection.from,
            to: selection.to,
            page: Page::default(),
        };
        let sources = batches::sources(stores, &question, now)?;
        let access = if may_manage {
            let tokens = state_store.tokens(Some(tenant))?;
            let has_one = tokens.iter().any(|token| token.state(now) == TokenState::Active);
            if has_one { TokenAccess::HasOne } else { TokenAccess::Can }
        } else {
            let users = state_store.users(Some(tenant))?.into_iter();
            let managers = users
                .filter(|user| user.is_active() && user.user.scopes.contains(&Scope::Manage))
                .map(|user| user.user.name.as_str().to_owned());
            TokenAccess::Others(managers.collect())
        };
        let sources = Some(sources).filter(|sources| sources.last_batch.is_some());
        Ok(Some(Self { sources, access }))
    }

    pub(super) fn render(&self, view: &LogsView, sign: &str) -> Markup {
        html! {
            p.eyebrow { (shown(view.address.selection.tenant.as_str())) }
            h1 { (view.text("empty-title")) }
            @match &self.sources {
                None => p { (view.text("empty")) },
                Some(sources) => {
                    p.notice role="status" { (view.text("all-rejected")) }
                    div.card.pad { (sources::facts(view, sources, None)) }
                    p { a href=(view.link("/docs/ingestion")) { (view.text("why-rejected")) } }
                }
            }
            h2 { "1. " (view.text("step-token")) }
            (self.token(view, sign))
            h2 { "2. " (view.text("step-records")) }
            p { (view.text("step-records-about").sentence()) }
            pre tabindex="0" { code { (lines(&filter_command())) } }
            h2 { "3. " (view.text("step-send")) }
            p { (view.text("step-send-about").sentence()) }
            pre tabindex="0" { code { (lines(&send_command(view))) } }
            p { a href=(view.link("/docs/ingestion")) { (view.text("step-docs")) } }
        }
    }

    fn token(&self, view: &LogsView, sign: &str) -> Markup {
        let tenant = view.address.selection.tenant.as_str();
        html! {
            @match &self.access {
                TokenAccess::Can => {
                    p { (view.text("token-about")) }
                    form method="post" action=(view.link(TOKENS_PATH)) {
                        (signed_fields(view.words.lang(), sign))
                        button type="submit" name="action" value="create" { (view.text("token-create")) }
                    }
                }
                TokenAccess::HasOne => {
                    p {
                        (view.text("token-there")) " "
                        a href=(view.link(&format!("{SETTINGS_PATH}#tokens"))) { (view.text("token-settings")) }
                    }
                }
                TokenAccess::Others(names) if names.is_empty() => {
                    p { (view.text("token-operator")) }
                    pre tabindex="0" { code { "visibility-server tokens create " (shown(tenant)) } }
                }
                TokenAccess::Others(names) => {
                    p { (view.words.fill("token-others", [("names", names.join(", "))])) }
                }
            }
        }
    }
}

fn filter_command() -> String {
    "head -c 32 /dev/urandom > key && chmod 600 key\n\
     visibility logs filter access.log --host www.example.com --hash-key-file key --batches out"
        .to_owned()
}

fn send_command(view: &LogsView) -> String {
    format!(
        "INGEST_TOKEN='svc_pk_live_...'\n\
         for file in out/*.ndjson.gz; do\n  \
           id=$(sha256sum \"$file\" | sed -E 's/^(.{{8}})(.{{4}}).(.{{3}}).(.{{3}})(.{{12}}).*/\\1-\\2-8\\3-8\\4-\\5/')\n  \
           curl --fail-with-body --retry 8 '{url}/v1/logs' \\\n    \
             -H \"Authorization: Bearer $INGEST_TOKEN\" -H 'X-Service-Tenant: {tenant}' -H 'X-Service-Schema: 1' \\\n    \
             -H \"X-Service-Batch-Id: $id\" -H 'Content-Type: application/x-ndjson' -H 'Content-Encoding: gzip' \\\n    \
             --data-binary @\"$file\" && rm \"$file\"\n\
         done",
        url = view.service.ingestion_url,
        tenant = view.address.selection.tenant,
    )
}
