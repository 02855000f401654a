//! API keys in the settings.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use ipnet::IpNet;
use maud::{Markup, html};
use visibility_core::accounts::api_key::{KeyId, KeyName};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::Token;

use super::account::TenantCredentials;
use super::notice::Notice;
use super::overview::{
    Remarks, confirmed, fact, minute, moment, overlap, overlap_field, section as titled,
};
use super::{Change, NewSecret, Section, Visit, broken_form};
use crate::access::accounts::form::FormData;
use crate::access::{issue, network};
use crate::http::response::ApiError;
use crate::http::urls;
use crate::site::markup::{Shown, shown};
use crate::site::page::PageKind;
use crate::state::AppState;
use crate::stores::sqlite::credentials::TokenState;
use crate::stores::sqlite::keys::{KeyError, NewKey, StoredKey, Successor};

/// Keys of a tenant that work at the same time, as far as this page makes them.
const MAX_KEYS: usize = 100;
/// Networks of one key.
const MAX_NETWORKS: usize = 50;
/// Characters of a field that is shown again.
const MAX_SHOWN_CHARS: usize = 4096;
/// Lifetimes in days, each with its name in `locales/`. The last one has no end.
const LIFETIMES: [(&str, &str); 4] =
    [("30", "days-30"), ("90", "days-90"), ("365", "days-365"), ("", "until-revoked")];

/// What was filled in for a new key.
#[derive(Debug)]
pub(super) struct KeyForm {
    name: String,
    scopes: BTreeSet<Scope>,
    lifetime: String,
    networks: String,
    /// What is wrong with the name, the scopes and the networks.
    faults: Faults,
}

#[derive(Debug, Default)]
struct Faults {
    name: Option<Shown<'static>>,
    scopes: Option<Shown<'static>>,
    networks: Option<Shown<'static>>,
}

impl Faults {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.scopes.is_none() && self.networks.is_none()
    }
}

/// What a new key is to be.
#[derive(Debug)]
struct WantedKey {
    name: KeyName,
    scopes: BTreeSet<Scope>,
    lifetime: Option<TimeDelta>,
    networks: Vec<IpNet>,
}

impl KeyForm {
    /// The form before it is filled in.
    pub(super) fn empty(visit: &Visit) -> Self {
        Self {
            name: String::new(),
            scopes: visit.grantable().filter(|scope| *scope == Scope::ScanRead).collect(),
            lifetime: "90".to_owned(),
            networks: String::new(),
            faults: Faults::default(),
        }
    }

    fn from_data(visit: &Visit, data: &FormData) -> Self {
        let short = |name| data.get(name).chars().take(MAX_SHOWN_CHARS).collect();
        Self {
            name: short("name"),
            scopes: visit
                .grantable()
                .filter(|scope| !data.get(&field_of(*scope)).is_empty())
                .collect(),
            lifetime: short("lifetime"),
            networks: short("networks"),
            faults: Faults::default(),
        }
    }

    /// The key that is wanted, or the form with what is wrong.
    fn read(mut self, visit: &Visit, data: &FormData) -> Result<WantedKey, Self> {
        let name = data.get("name").trim().parse::<KeyName>();
        if name.is_err() {
            self.faults.name = Some(visit.text("name-invalid"));
        }
        if self.scopes.is_empty() {
            self.faults.scopes = Some(visit.text("scopes-missing"));
        }
        let networks = read_networks(data.get("networks"));
        if let Err(fault) = &networks {
            self.faults.networks = Some(match fault {
                NetworkFault::TooMany => {
                    visit.fill("networks-many", ("count", &MAX_NETWORKS.to_string()))
                }
                NetworkFault::Invalid(text) => visit.fill("network-invalid", ("network", text)),
            });
        }
        let lifetime = Lifetime::chosen(&self.lifetime);
        match (name, networks, lifetime) {
            (Ok(name), Ok(networks), Some(lifetime)) if self.faults.is_empty() => {
                Ok(WantedKey { name, scopes: self.scopes, lifetime: lifetime.span(), networks })
            }
            _ => Err(self),
        }
    }
}

/// The name of the field of a scope.
fn field_of(scope: Scope) -> String {
    format!("scope-{scope}")
}

/// How long a new key works.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Lifetime {
    Days(i64),
    UntilRevoked,
}

impl Lifetime {
    /// The one that was chosen from the list.
    fn chosen(value: &str) -> Option<Self> {
        let (days, _) = LIFETIMES.into_iter().find(|(own, _)| *own == value)?;
        Some(days.parse().map_or(Self::UntilRevoked, Self::Days))
    }

    fn span(self) -> Option<TimeDelta> {
        match self {
            Self::Days(days) => Some(TimeDelta::days(days)),
            Self::UntilRevoked => None,
        }
    }
}

/// What is wrong with a list of networks.
#[derive(Debug, Eq, PartialEq)]
enum NetworkFault {
    TooMany,
    /// The beginning of what is none.
    Invalid(String),
}

/// Networks, one on each line or between commas.
fn read_networks(text: &str) -> Result<Vec<IpNet>, NetworkFault> {
    let words = text.split([',', '\n', '\r', ' ', '\t']).filter(|word| !word.is_empty());
    let networks: Vec<IpNet> = words
        .take(MAX_NETWORKS + 1)
        .map(|word| {
            let invalid = |_error| NetworkFault::Invalid(word.chars().take(64).collect());
            network::parse(word).map_err(invalid)
        })
        .collect::<Result<_, _>>()?;
    if networks.len() > MAX_NETWORKS { Err(NetworkFault::TooMany) } else { Ok(networks) }
}

/// Makes, rotates or revokes a key.
pub(super) async fn change(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Change, ApiError> {
    match form.get("action") {
        "create" => create(state, visit, form).await,
        "rotate" => rotate(state, visit, form).await,
        "revoke" => revoke(state, visit, form).await,
        _ => Err(broken_form()),
    }
}

async fn create(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    if Lifetime::chosen(form.get("lifetime")).is_none() {
        return Err(broken_form());
    }
    let filled = KeyForm::from_data(visit, form);
    let wanted = match filled.read(visit, form) {
        Ok(wanted) => wanted,
        Err(faulty) => {
            let remarks = Remarks { key: faulty, ..Remarks::new(visit) };
            return Ok(Change::Refused(PageKind::BadRequest, Box::new(remarks)));
        }
    };
    let (token, successor) = new_key(visit)?;
    let Successor { id, abbreviated, digest, created_by, created_at } = successor;
    let key = NewKey {
        id,
        tenant: visit.user().tenant.clone(),
        name: wanted.name,
        abbreviated,
        digest,
        scopes: wanted.scopes,
        networks: wanted.networks,
        created_by,
        created_at,
        lifetime: wanted.lifetime,
    };
    let kept = key.clone();
    let created = state
        .blocking(move |state| {
            let sqlite = state.shared().stores.sqlite();
            let keys = sqlite.keys(Some(&kept.tenant)).map_err(|error| ApiError::store(&error))?;
            let active = keys.iter().filter(|key| key.state(kept.created_at) == TokenState::Active);
            if active.count() >= MAX_KEYS {
                return Ok(Err(None));
            }
            Ok(sqlite.create_key(&kept).map_err(Some))
        })
        .await?;
    match created {
        Ok(()) => {
            tracing::info!(user = %visit.user().id, tenant = %key.tenant, key = %key.id, "made a key");
            Ok(Change::Secret(new_secret(state, visit, &token, &key, None)))
        }
        Err(None) => {
            let text = visit.fill("keys-many", ("count", &MAX_KEYS.to_string()));
            Ok(Change::Refused(PageKind::Conflict, Remarks::refusal(visit, Section::Keys, text)))
        }
        Err(Some(KeyError::NameTaken(_))) => {
            let mut again = KeyForm::from_data(visit, form);
            again.faults.name = Some(visit.text("name-taken"));
            let remarks = Remarks { key: again, ..Remarks::new(visit) };
            Ok(Change::Refused(PageKind::Conflict, Box::new(remarks)))
        }
        Err(Some(error)) => refused(visit, error),
    }
}

async fn rotate(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let overlap = overlap(form.get("overlap")).ok_or_else(broken_form)?;
    let Some(key) = find(state, visit, form).await? else { return Ok(no_such_key(visit)) };
    if !is_rotatable(visit, &key) {
        let text = visit.text("scopes-above");
        let remarks = Remarks::refusal(visit, Section::Keys, text);
        return Ok(Change::Refused(PageKind::Refused, remarks));
    }
    let (token, successor) = new_key(visit)?;
    let (id, ends) = (key.key.id, visit.now + overlap);
    let rotated = state
        .blocking(move |state| Ok(state.shared().stores.sqlite().rotate_key(id, &successor, ends)))
        .await?;
    match rotated {
        Ok((old, new)) => {
            tracing::info!(user = %visit.user().id, tenant = %new.tenant, key = %id, "rotated a key");
            Ok(Change::Secret(new_secret(state, visit, &token, &new, Some(&old))))
        }
        Err(error) => refused(visit, error),
    }
}

async fn revoke(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let Some(key) = find(state, visit, form).await? else { return Ok(no_such_key(visit)) };
    let (id, now) = (key.key.id, visit.now);
    let revoked =
        state.blocking(move |state| Ok(state.shared().stores.sqlite().revoke_key(id, now))).await?;
    match revoked {
        Ok(_key) => {
            let user = visit.user();
            tracing::info!(user = %user.id, tenant = %user.tenant, key = %id, "revoked a key");
            Ok(Change::Done(Notice::KeyRevoked))
        }
        Err(error) => refused(visit, error),
    }
}

/// The key that a form names, if it is one of the tenant.
async fn find(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Option<StoredKey>, ApiError> {
    let Ok(id) = form.get("id").parse::<KeyId>() else { return Ok(None) };
    let tenant = visit.user().tenant.clone();
    let found = state.blocking(move |state| {
        let keys = state.shared().stores.sqlite().keys(Some(&tenant));
        let keys = keys.map_err(|error| ApiError::store(&error))?;
        Ok(keys.into_iter().find(|key| key.key.id == id))
    });
    found.await
}

/// A key of the person, who gets no more by it than they may do.
fn is_rotatable(visit: &Visit, key: &StoredKey) -> bool {
    let grantable: BTreeSet<Scope> = visit.grantable().collect();
    key.key.scopes.is_subset(&grantable)
}

fn new_key(visit: &Visit) -> Result<(Token, Successor), ApiError> {
    let created_by = Some(visit.user().name.to_string());
    issue::api_key(created_by, visit.now).map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "the system has no randomness");
        ApiError::internal()
    })
}

fn no_such_key(visit: &Visit) -> Change {
    let remarks = Remarks::refusal(visit, Section::Keys, visit.text("no-key"));
    Change::Refused(PageKind::Conflict, remarks)
}

/// Why the keys stay as they are.
fn refused(visit: &Visit, error: KeyError) -> Result<Change, ApiError> {
    let text = match error {
        KeyError::Store(error) => return Err(ApiError::store(&error)),
        KeyError::TooManyKeys { name, .. } => visit.fill("key-rotated", ("name", name.as_str())),
        KeyError::NotActive { .. } | KeyError::NoKey(_) | KeyError::NameTaken(_) => {
            visit.text("no-key")
        }
        KeyError::NoTenant(_) | KeyError::TenantDisabled(_) => visit.text("tenant-disabled"),
    };
    Ok(Change::Refused(PageKind::Conflict, Remarks::refusal(visit, Section::Keys, text)))
}

fn new_secret(
    state: &AppState,
    visit: &Visit,
    token: &Token,
    key: &NewKey,
    old: Option<&StoredKey>,
) -> NewSecret {
    let base = state.shared().settings.public_url();
    let (id, command) = command(&base, &key.scopes, token.reveal());
    NewSecret {
        title: visit.fill("new-key", ("name", key.name.as_str())),
        secret: token.reveal().to_owned(),
        command,
        about_command: visit.text(id),
        old: old.and_then(|old| old.expires_at).map(|end| {
            if end > visit.now {
                visit.fill("old-key-works", ("time", &minute(end)))
            } else {
                visit.text("old-key-ended")
            }
        }),
    }
}

/// A command that uses a key, and the name of the sentence that says what it does.
fn command(base: &str, scopes: &BTreeSet<Scope>, key: &str) -> (&'static str, String) {
    let (id, path, accept, body) = if scopes.contains(&Scope::ScanRead) {
        ("try-scan", "/api/v1/agent-readiness", "", r#"{"domain":"example.com"}"#)
    } else if scopes.contains(&Scope::AuditRead) {
        ("try-audit", "/api/public/audit", "", r#"{"url":"https://example.com/"}"#)
    } else {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_bot_traffic","arguments":{}}}"#;
        let accept = "  -H 'Accept: application/json, text/event-stream' \\\n";
        ("try-traffic", urls::McpEndpoint::Mcp.path(), accept, call)
    };
    let command = format!(
        "VISIBILITY_KEY='{key}'\n\
         curl -sS {base}{path} \\\n  -H \"Authorization: Bearer $VISIBILITY_KEY\" \\\n{accept}  \
         -H 'Content-Type: application/json' \\\n  -d '{body}'"
    );
    (id, command)
}

/// The part of the page.
pub(super) fn section(visit: &Visit, credentials: &TenantCredentials, remarks: &Remarks) -> Markup {
    let TenantCredentials { keys, ended_keys, .. } = credentials;
    let body = html! {
        p { (visit.text("keys-about")) }
        (remarks.alert(Section::Keys))
        @if keys.is_empty() {
            p { (visit.text("keys-none")) }
        } @else {
            ul.items { @for key in keys { (item(visit, key)) } }
        }
        @if !ended_keys.is_empty() {
            details {
                summary { (visit.text("keys-ended")) }
                ul.items { @for key in ended_keys { (ended_item(visit, key)) } }
            }
        }
        h3 { (visit.text("key-create")) }
        (visit.form(Section::Keys, Some("card"), &fields(visit, &remarks.key)))
    };
    titled(visit, "keys", &body)
}

fn heading(key: &StoredKey) -> Markup {
    html! { h3 { (shown(key.key.name.as_str())) " " code { (shown(&*key.key.abbreviated)) } } }
}

fn item(visit: &Visit, key: &StoredKey) -> Markup {
    let made = &key.key;
    let id = made.id.to_string();
    let name = shown(made.name.as_str());
    html! {
        li.card {
            (heading(key))
            dl.facts {
                (fact(&visit.text("scopes"), &scopes(&made.scopes)))
                @if !made.networks.is_empty() {
                    (fact(&visit.text("networks"), &networks(&made.networks)))
                }
                (fact(&visit.text("created"), &created(visit, key)))
                (fact(&visit.text("expires"), &expiry(visit, key)))
                (fact(&visit.text("last-used"), &last_use(visit, key)))
            }
            div.actions {
                @if key.replaced_by.is_none() && is_rotatable(visit, key) {
                    (confirmed(&visit.text("rotate"), &name, &rotation(visit, &id)))
                }
                (confirmed(&visit.text("revoke"), &name, &revocation(visit, &id)))
            }
        }
    }
}

fn ended_item(visit: &Visit, key: &StoredKey) -> Markup {
    html! {
        li {
            (shown(key.key.name.as_str())) " " code { (shown(&*key.key.abbreviated)) } " "
            @match (key.revoked_at, key.expires_at) {
                (Some(time), _) => { (visit.text("revoked-at")) " " (moment(time)) },
                (None, Some(time)) => { (visit.text("expired-at")) " " (moment(time)) },
                (None, None) => {},
            }
        }
    }
}

fn scopes(scopes: &BTreeSet<Scope>) -> Markup {
    html! { @for scope in scopes { code { (scope) } " " } }
}

fn networks(networks: &[IpNet]) -> Markup {
    html! { @for network in networks { code { (network.to_string()) } " " } }
}

fn created(visit: &Visit, key: &StoredKey) -> Markup {
    html! {
        (moment(key.key.created_at))
        @if let Some(user) = &key.key.created_by { " " (visit.fill("created-by", ("user", user))) }
    }
}

fn expiry(visit: &Visit, key: &StoredKey) -> Markup {
    html! {
        @match key.expires_at {
            Some(time) => (moment(time)),
            None => (visit.text("until-revoked")),
        }
        @if key.replaced_by.is_some() { " " span.warn { (visit.text("replaced")) } }
    }
}

fn last_use(visit: &Visit, key: &StoredKey) -> Markup {
    html! {
        @match key.last_used_at {
            Some(time) => (moment(time)),
            None => (visit.text("never")),
        }
        @if let Some(network) = key.last_used_from {
            " " (visit.fill("used-from", ("network", &network.to_string())))
        }
    }
}

fn rotation(visit: &Visit, id: &str) -> Markup {
    let fields = html! {
        p { (visit.text("rotate-about")) }
        input type="hidden" name="id" value=(id);
        (overlap_field(visit, &format!("overlap-{id}")))
        button type="submit" name="action" value="rotate" { (visit.text("rotate-key")) }
    };
    visit.form(Section::Keys, None, &fields)
}

fn revocation(visit: &Visit, id: &str) -> Markup {
    let fields = html! {
        p { (visit.text("revoke-about")) }
        input type="hidden" name="id" value=(id);
        button.danger type="submit" name="action" value="revoke" { (visit.text("revoke-key")) }
    };
    visit.form(Section::Keys, None, &fields)
}

/// A field that says what is wrong with it.
struct Fault<'a> {
    id: &'a str,
    text: Option<&'a Shown<'static>>,
}

impl Fault<'_> {
    fn invalid(&self) -> Option<&'static str> {
        self.text.map(|_| "true")
    }

    /// The ids of what describes the field: its hint, and what is wrong.
    fn describes(&self, hint: &str) -> String {
        if self.text.is_some() { format!("{} {hint}", self.id) } else { hint.to_owned() }
    }

    fn markup(&self) -> Markup {
        html! {
            @if let Some(text) = self.text {
                p.alert id=(self.id) role="alert" { (text.sentence()) }
            }
        }
    }
}

fn fields(visit: &Visit, form: &KeyForm) -> Markup {
    let KeyForm { name, scopes, lifetime, networks, faults } = form;
    let name_fault = Fault { id: "key-name-fault", text: faults.name.as_ref() };
    let scope_fault = Fault { id: "key-scopes-fault", text: faults.scopes.as_ref() };
    let network_fault = Fault { id: "key-networks-fault", text: faults.networks.as_ref() };
    html! {
        label for="key-name" { (visit.text("name")) }
        (name_fault.markup())
        input #key-name name="name" type="text" value=(shown(&**name)) required maxlength="64"
            autocomplete="off" spellcheck="false" aria-invalid=[name_fault.invalid()]
            aria-describedby=(name_fault.describes("key-name-hint"));
        p.hint #key-name-hint { (visit.text("name-hint").sentence()) }
        fieldset aria-describedby=[scope_fault.text.map(|_| scope_fault.id)] {
            legend { (visit.text("scopes")) }
            (scope_fault.markup())
            @for scope in visit.grantable() {
                label.choice {
                    input type="checkbox" name=(field_of(scope)) value="yes"
                        checked[scopes.contains(&scope)];
                    " " code { (scope) } " " (visit.context.text("scopes", scope.as_str()))
                }
            }
        }
        label for="key-lifetime" { (visit.text("lifetime")) }
        select #key-lifetime name="lifetime" {
            @for (value, text) in LIFETIMES {
                option value=(value) selected[value == lifetime.as_str()] { (visit.text(text)) }
            }
        }
        label for="key-networks" { (visit.text("networks")) }
        (network_fault.markup())
        textarea #key-networks name="networks" rows="2" spellcheck="false"
            aria-invalid=[network_fault.invalid()]
            aria-describedby=(network_fault.describes("key-networks-hint")) {
            (shown_lines(networks))
        }
        p.hint #key-networks-hint { (visit.text("networks-hint").sentence()) }
        button type="submit" name="action" value="create" { (visit.text("key-create")) }
    }
}

/// What was filled in, whose lines stay apart. A line end at its start belongs to the element.
fn shown_lines(text: &str) -> Markup {
    html! { "\n" (crate::site::markup::lines(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read_however_they_are_separated() {
        let read = read_networks("192.0.2.0/24, 2001:db8::/32\r\n 198.51.100.7 \n\n").unwrap();
        let shown: Vec<String> = read.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7/32"]);
        assert_eq!(read_networks(""), Ok(Vec::new()));
        let invalid = |text: &str| NetworkFault::Invalid(text.to_owned());
        assert_eq!(read_networks("192.0.2.0/24\nexample.com"), Err(invalid("example.com")));
        assert_eq!(read_networks("192.0.2.7/24"), Err(invalid("192.0.2.7/24")));
        assert_eq!(read_networks(&"x".repeat(8192)), Err(invalid(&"x".repeat(64))));
        let many: String = (0..60).map(|n| format!("192.0.2.{n}\n")).collect();
        assert_eq!(read_networks(&many), Err(NetworkFault::TooMany));
    }

    #[test]
    fn a_lifetime_is_one_of_the_list() {
        assert_eq!(Lifetime::chosen("30"), Some(Lifetime::Days(30)));
        assert_eq!(Lifetime::chosen(""), Some(Lifetime::UntilRevoked));
        for text in ["31", "-1", "x", " 30"] {
            assert_eq!(Lifetime::chosen(text), None, "{text}");
        }
    }
}
