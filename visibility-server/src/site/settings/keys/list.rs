//! The keys of a tenant on the page.

use std::collections::BTreeSet;

use ipnet::IpNet;
use maud::{Markup, html};
use visibility_core::accounts::scope::Scope;

use super::super::account::TenantCredentials;
use super::super::overview::{Remarks, confirmed, fact, moment, overlap_field, titled_section};
use super::super::{Section, Visit};
use super::{form, is_rotatable};
use crate::stores::state::keys::StoredKey;
use visibility_core::text::markup::shown;

/// The part of the page.
pub(in super::super) fn section(
    visit: &Visit,
    credentials: &TenantCredentials,
    remarks: &Remarks,
) -> Markup {
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
        (visit.form(Section::Keys, Some("card"), &form::fields(visit, &remarks.key)))
    };
    titled_section(visit, "keys", &body)
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
                    (confirmed(&visit.text("rotate"), Some(&name), &rotation(visit, &id)))
                }
                (confirmed(&visit.text("revoke"), Some(&name), &revocation(visit, &id)))
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
