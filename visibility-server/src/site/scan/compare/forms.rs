//! The forms of a comparison: domains to compare, or days of one.

use chrono::NaiveDate;
use maud::{Markup, html};
use url::form_urlencoded;
use visibility_core::text::markup::shown;

use super::super::history::history_path;
use super::super::{COMPARE_PATH, SIGN_PARAMETER, page_path};
use super::KeptScan;
use super::query::{ComparisonQuery, DOMAIN_PARAMETERS};
use crate::site::page::PageContext;

/// What the forms show.
pub(super) struct Forms<'a> {
    pub(super) context: &'a PageContext,
    pub(super) query: &'a ComparisonQuery,
    /// What is compared now.
    pub(super) scans: &'a [KeptScan],
    /// The first and the last day that can be chosen.
    pub(super) known_days: Option<(NaiveDate, NaiveDate)>,
}

impl Forms<'_> {
    /// Links to the pages of what is compared.
    pub(super) fn ways(&self) -> Markup {
        let context = self.context;
        let query = self.kept_query();
        let link = |path: &str| context.base.link(&format!("{path}?{query}"));
        html! {
            p.buttons {
                @if self.known_days.is_some() {
                    @if let Some(scan) = self.scans.first() {
                        a.button.plain href=(link(&history_path(&scan.domain))) { (context.text("scan", "history")) }
                    }
                } @else {
                    @for scan in self.scans {
                        a.button.plain href=(link(&page_path(&scan.domain))) { (scan.domain) }
                    }
                }
                a.button.plain href=(context.base.link(&format!("{COMPARE_PATH}.json?{}", context.query))) { "JSON" }
            }
        }
    }

    /// The form of days if days are compared, and that of domains.
    pub(super) fn render(&self) -> Markup {
        let context = self.context;
        html! {
            @if let Some(days) = self.days() {
                section {
                    div.head { h2 { (context.text("scan", "compare-days")) } }
                    (days)
                }
            }
            section {
                div.head { h2 { (context.text("scan", "compare-domains")) } }
                (self.domains())
            }
        }
    }

    fn days(&self) -> Option<Markup> {
        let context = self.context;
        let days = self.query.days.as_ref()?;
        let chosen = |place: usize, typed: &Option<String>| {
            let scan = self.scans.get(place).map(|scan| scan.scanned_at.date_naive().to_string());
            scan.or_else(|| typed.clone())
        };
        let (first, last) = self.known_days.unzip();
        let (first, last) = (first.map(|day| day.to_string()), last.map(|day| day.to_string()));
        Some(html! {
            form.filters method="get" action=(context.base.link(COMPARE_PATH)) {
                (self.kept_fields())
                input type="hidden" name="domain" value=(shown(&days.domain));
                @for (name, text, value) in [
                    ("from", "compare-from", chosen(0, &days.from)), ("to", "compare-to", chosen(1, &days.to)),
                ] {
                    label {
                        (context.text("scan", text))
                        input type="date" name=(name) value=[value.as_deref().map(shown)]
                            min=[first.as_ref()] max=[last.as_ref()] required;
                    }
                }
                button type="submit" { (context.text("scan", "compare-button")) }
            }
        })
    }

    fn domains(&self) -> Markup {
        let context = self.context;
        let days = self.query.days.iter().map(|days| &days.domain);
        let mut named: Vec<&str> =
            self.query.domains.iter().chain(days).map(String::as_str).collect();
        // One more than there are, and at least two.
        let fields = (named.len() + 1).clamp(2, DOMAIN_PARAMETERS.len());
        named.resize(fields, "");
        html! {
            form.filters method="get" action=(context.base.link(COMPARE_PATH)) {
                (self.kept_fields())
                @for ((index, value), name) in named.iter().enumerate().zip(DOMAIN_PARAMETERS) {
                    label {
                        (context.fill("scan", "compare-domain", ("number", &(index + 1).to_string())))
                        input type="text" name=(name) value=(shown(*value)) placeholder="example.com"
                            inputmode="url" autocapitalize="none" spellcheck="false" required[index < 2];
                    }
                }
                button type="submit" { (context.text("scan", "compare-button")) }
            }
        }
    }

    /// The parameters that lead on to every page: the language, and what lets a visitor see their results.
    fn kept(&self) -> Vec<(String, String)> {
        let pairs = form_urlencoded::parse(self.context.query.as_bytes());
        let kept = pairs.filter(|(name, _)| name == SIGN_PARAMETER || name == "lang");
        kept.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    fn kept_query(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(self.kept()).finish()
    }

    fn kept_fields(&self) -> Markup {
        html! {
            @for (name, value) in self.kept() {
                input type="hidden" name=(name) value=(shown(value));
            }
        }
    }
}
