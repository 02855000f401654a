//! The form for a new key: its fields, and what is wrong with them.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use ipnet::IpNet;
use maud::{Markup, html};
use visibility_core::accounts::api_key::KeyName;
use visibility_core::accounts::scope::Scope;

use super::super::Visit;
use super::super::overview::FieldFault;
use crate::access::accounts::form::FormData;
use crate::access::network;
use visibility_core::text::markup::{Shown, lines, shown};

/// Networks of one key.
const MAX_NETWORKS: usize = 50;
/// Characters of a field that is shown again.
const MAX_SHOWN_CHARS: usize = 4096;
/// Lifetimes in days, each with its name in `locales/`. The last one has no end.
const LIFETIMES: [(&str, &str); 4] =
    [("30", "days-30"), ("90", "days-90"), ("365", "days-365"), ("", "until-revoked")];

/// What was filled in for a new key.
#[derive(Clone, Debug)]
pub(in super::super) struct KeyForm {
    name: String,
    scopes: BTreeSet<Scope>,
    lifetime: Lifetime,
    networks: String,
    /// What is wrong with the name, the scopes and the networks.
    faults: Faults,
}

#[derive(Clone, Debug, Default)]
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
pub(super) struct WantedKey {
    pub(super) name: KeyName,
    pub(super) scopes: BTreeSet<Scope>,
    pub(super) lifetime: Option<TimeDelta>,
    pub(super) networks: Vec<IpNet>,
}

impl KeyForm {
    /// The form before it is filled in.
    pub(in super::super) fn empty(visit: &Visit) -> Self {
        Self {
            name: String::new(),
            scopes: visit.grantable().filter(|scope| *scope == Scope::ScanRead).collect(),
            lifetime: Lifetime::Days(90),
            networks: String::new(),
            faults: Faults::default(),
        }
    }

    /// What a browser has sent; `None` if the lifetime is not one of the list.
    pub(super) fn from_data(visit: &Visit, data: &FormData) -> Option<Self> {
        let short = |name| data.get(name).chars().take(MAX_SHOWN_CHARS).collect();
        Some(Self {
            name: short("name"),
            scopes: visit
                .grantable()
                .filter(|scope| !data.get(&field_of(*scope)).is_empty())
                .collect(),
            lifetime: Lifetime::chosen(data.get("lifetime"))?,
            networks: short("networks"),
            faults: Faults::default(),
        })
    }

    /// The form with what is wrong with its name.
    pub(super) fn with_name_fault(mut self, fault: Shown<'static>) -> Self {
        self.faults.name = Some(fault);
        self
    }

    /// The key that is wanted, or the form with what is wrong.
    pub(super) fn read(mut self, visit: &Visit, data: &FormData) -> Result<WantedKey, Self> {
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
        match (name, networks) {
            (Ok(name), Ok(networks)) if self.faults.is_empty() => {
                let lifetime = self.lifetime.span();
                Ok(WantedKey { name, scopes: self.scopes, lifetime, networks })
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

/// The fields.
pub(super) fn fields(visit: &Visit, form: &KeyForm) -> Markup {
    let KeyForm { name, scopes, lifetime, networks, faults } = form;
    let name_fault = FieldFault { id: "key-name-fault", text: faults.name.as_ref() };
    let scope_fault = FieldFault { id: "key-scopes-fault", text: faults.scopes.as_ref() };
    let network_fault = FieldFault { id: "key-networks-fault", text: faults.networks.as_ref() };
    html! {
        label for="key-name" { (visit.text("name")) }
        (name_fault.alert())
        input #key-name name="name" type="text" value=(shown(&**name)) required maxlength="64"
            autocomplete="off" spellcheck="false" aria-invalid=[name_fault.invalid()]
            aria-describedby=[name_fault.described_by(Some("key-name-hint"))];
        p.hint #key-name-hint { (visit.text("name-hint").sentence()) }
        fieldset aria-describedby=[scope_fault.described_by(None)] {
            legend { (visit.text("scopes")) }
            (scope_fault.alert())
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
                option value=(value) selected[Lifetime::chosen(value) == Some(*lifetime)] { (visit.text(text)) }
            }
        }
        label for="key-networks" { (visit.text("networks")) }
        (network_fault.alert())
        textarea #key-networks name="networks" rows="2" spellcheck="false"
            aria-invalid=[network_fault.invalid()]
            aria-describedby=[network_fault.described_by(Some("key-networks-hint"))] {
            (shown_lines(networks))
        }
        p.hint #key-networks-hint { (visit.text("networks-hint").sentence()) }
        button type="submit" name="action" value="create" { (visit.text("key-create")) }
    }
}

/// What was filled in, whose lines stay apart. A line end at its start belongs to the element.
fn shown_lines(text: &str) -> Markup {
    html! { "\n" (lines(text)) }
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
