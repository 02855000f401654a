//! The profile of a page (product, article, ...), which decides the weights of the signals.

mod address;
mod decide;
pub mod features;
pub mod model;
mod products;
mod url_signs;
mod words;

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

pub(crate) use self::address::AddressSigns;

use crate::audit::availability::{contains_phrase, folded};
use crate::audit::markup::Markup;
use crate::page::Page;
use crate::page::content::Content;
use crate::text::excerpt::excerpt;
use crate::text::locale::Values;

/// Kinds of pages.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One thing to buy.
    Product,
    /// Many things to buy, to choose from.
    Collection,
    /// Something to read.
    Article,
    /// What is offered, and everything else.
    Landing,
    /// What explains how something works.
    Documentation,
    /// What people say to each other.
    Forum,
    /// Links to pages of other kinds.
    Listing,
}

impl Profile {
    /// All, in order.
    pub const ALL: [Self; 7] = [
        Self::Product,
        Self::Collection,
        Self::Article,
        Self::Landing,
        Self::Documentation,
        Self::Forum,
        Self::Listing,
    ];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Collection => "collection",
            Self::Article => "article",
            Self::Landing => "landing",
            Self::Documentation => "documentation",
            Self::Forum => "forum",
            Self::Listing => "listing",
        }
    }

    /// A profile by its value on the wire.
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == text)
    }
}

/// A profile, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProfileDecision {
    /// The profile.
    pub profile: Profile,
    /// The sign that decided; its sentence is in `locales/` under `profile_reasons`.
    pub reason: &'static str,
    /// Values for the placeholders of the sentence.
    pub values: Values,
}

impl ProfileDecision {
    /// Tells the kind of a page by its markup, its metadata, its address if it has one, its links,
    /// buttons and paragraphs.
    pub fn detect(page: &Page, content: &Content, markup: &Markup, address: Option<&Url>) -> Self {
        decide::decide(page, content, markup, AddressSigns::from_url(address))
    }

    /// A decision for this reason, without values.
    pub fn new(profile: Profile, reason: &'static str) -> Self {
        Self { profile, reason, values: Values::new() }
    }

    /// The profile that a user chose.
    pub fn chosen(profile: Profile) -> Self {
        Self::new(profile, "chosen")
    }

    fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.values.insert(name, excerpt(&value.to_string()));
        self
    }
}

/// Whether the text of a button says that it sells something, in English, Turkish or a language that
/// many shops are in.
pub(crate) fn sells(button: &str) -> bool {
    const PHRASES: [&str; 24] = [
        "add to cart",
        "add to basket",
        "add to bag",
        "add to trolley",
        "buy now",
        "buy it now",
        "buy this",
        "purchase now",
        "order now",
        "pre-order now",
        "sepete ekle",
        "sepete at",
        "sepetime ekle",
        "hemen al",
        "simdi al",
        "satin al",
        "siparis ver",
        "on siparis ver",
        "in den warenkorb",
        "jetzt kaufen",
        "ajouter au panier",
        "anadir al carrito",
        "aggiungi al carrello",
        "in winkelwagen",
    ];
    const WHOLE: [&str; 4] = ["buy", "purchase", "order", "al"];
    let text = folded(button);
    let text = text.trim();
    WHOLE.contains(&text) || PHRASES.iter().any(|phrase| contains_phrase(text, phrase))
}
