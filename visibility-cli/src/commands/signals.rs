//! `visibility signals`.

use serde::Serialize;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::signal::{Grade, Pillar, Signal};
use visibility_core::audit::signals;
use visibility_core::report::labels::{Labels, points};
use visibility_core::rubric::{Effort, Spec};

use crate::args::{ListArgs, ListFormat};
use crate::commands::print_json;
use crate::console::style::{DIM, HEADING};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;

/// A signal for machines.
#[derive(Debug, Serialize)]
pub(super) struct SignalEntry {
    id: &'static str,
    code: &'static str,
    title: String,
    pillar: Pillar,
    grade: Grade,
    /// Points of 100 by the kind of page.
    weights: WeightsEntry,
    effort: Effort,
    sources: &'static [Spec],
}

#[derive(Debug, Serialize)]
struct WeightsEntry {
    product: f64,
    landing: f64,
    article: f64,
    collection: f64,
    documentation: f64,
    forum: f64,
    listing: f64,
}

impl SignalEntry {
    pub(super) fn new(signal: &Signal, labels: Labels) -> Self {
        Self {
            id: signal.id,
            code: signal.code,
            title: title(signal, labels),
            pillar: signal.pillar,
            grade: signal.grade,
            weights: WeightsEntry {
                product: weight(signal, Profile::Product),
                landing: weight(signal, Profile::Landing),
                article: weight(signal, Profile::Article),
                collection: weight(signal, Profile::Collection),
                documentation: weight(signal, Profile::Documentation),
                forum: weight(signal, Profile::Forum),
                listing: weight(signal, Profile::Listing),
            },
            effort: signal.effort,
            sources: signal.sources,
        }
    }
}

pub(super) fn title(signal: &Signal, labels: Labels) -> String {
    labels.catalog().text(&["signals", signal.id, "title"])
}

pub(super) fn pillar(pillar: Pillar, labels: Labels) -> String {
    labels.catalog().text(&["pillars", pillar.as_str()])
}

/// The weights of a signal in the order product, landing page, article.
pub(super) fn weights(signal: &Signal) -> String {
    let profiles = [Profile::Product, Profile::Landing, Profile::Article];
    profiles.map(|profile| points(weight(signal, profile))).join(" / ")
}

/// Points of 100.
fn weight(signal: &Signal, profile: Profile) -> f64 {
    f64::from(signal.weights.for_profile(profile)) / 10.0
}

/// Runs the command.
pub(super) fn run(arguments: &ListArgs, console: &Console) -> Result<Exit, CommandError> {
    let labels = console.labels();
    if arguments.format == ListFormat::Json {
        let entries: Vec<SignalEntry> =
            signals::all().map(|signal| SignalEntry::new(signal, labels)).collect();
        print_json(&entries, console)?;
        return Ok(Exit::Ok);
    }
    let titles = [
        labels.label("code"),
        labels.label("id"),
        labels.label("weight"),
        labels.audit("grade"),
        labels.audit("signal"),
    ];
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for signal in signals::all() {
        table.push([
            Cell::styled(signal.code, HEADING),
            Cell::from(signal.id),
            Cell::from(weights(signal)),
            Cell::styled(signal.grade.as_str(), DIM),
            Cell::from(title(signal, labels)),
        ]);
    }
    console.print(&table.render(0, console::width()))?;
    Ok(Exit::Ok)
}
