//! Learns the model of the kinds of pages from pages with labels, and prints how well it does on those that it did
//! not see: cross-validation by site, the confusion of kinds, and a table of thresholds.
//!
//! `VISIBILITY_PAGES=FOLDER cargo run --release -p visibility-tests --bin train-page-kinds -- [--kept]`
//!
//! Pages whose id ends in 8 or 9 are kept for the end: only `--kept` looks at them. The model goes to
//! `visibility-core/data/page_kinds/model.json`. The same pages give the same bytes.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it is for")]
#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "there are fewer than 2^52 pages, each with all features and one of the kinds"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use visibility_core::audit::markup::Markup;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::profile::features::{FEATURES, Facts};
use visibility_core::audit::profile::model::{KINDS, Model, ModelFile, standardized};
use visibility_core::fetch::domain::Domain;
use visibility_core::page::Document;
use visibility_tests::features_table;
use visibility_tests::labelled::{self, LabelledPage};
use visibility_tests::logistic::{self, Example, Learned};

const FOLDS: u64 = 5;
const SHUFFLINGS: u64 = 5;
/// As chosen by the prototype: the result is the same from a quarter of it to twice as much.
const STRENGTH: f64 = 0.02;
/// Factors of the scores that are tried.
const SHARPNESSES: std::ops::RangeInclusive<u32> = 50..=300;
const THRESHOLDS: [f64; 8] = [0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9];

/// A page as the model sees it.
struct Labelled {
    site: String,
    kind: usize,
    values: Vec<f64>,
    is_kept: bool,
}

/// A page that was judged by a model that had not seen it.
struct Judged {
    kind: usize,
    said: usize,
    probabilities: [f64; KINDS.len()],
    is_in_first_two: bool,
}

impl Judged {
    fn probability(&self) -> f64 {
        self.probabilities[self.said]
    }

    /// The same page, judged with its scores multiplied.
    fn sharpened(&self, factor: f64) -> Self {
        let powers = self.probabilities.map(|likely| likely.powf(factor));
        let sum: f64 = powers.iter().sum();
        Self { probabilities: powers.map(|power| power / sum), ..*self }
    }
}

fn main() -> ExitCode {
    let Some(folder) = std::env::var_os("VISIBILITY_PAGES") else {
        eprintln!("train-page-kinds: set VISIBILITY_PAGES to a folder with html/ and truth/");
        return ExitCode::FAILURE;
    };
    let pages = match labelled::pages(Path::new(&folder)) {
        Ok(pages) => pages,
        Err(error) => {
            eprintln!("train-page-kinds: {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    };
    let pages: Vec<Labelled> = pages.iter().filter_map(read).collect();
    let (kept, seen): (Vec<Labelled>, Vec<Labelled>) =
        pages.into_iter().partition(|page| page.is_kept);
    println!(
        "{} pages to learn from, {} kept, {} features",
        seen.len(),
        kept.len(),
        FEATURES.len()
    );
    let judged: Vec<Judged> = (0..SHUFFLINGS).flat_map(|seed| validated(&seen, seed)).collect();
    let sharpness = sharpness(&judged);
    let judged: Vec<Judged> = judged.iter().map(|page| page.sharpened(sharpness)).collect();
    print("Cross-validation by site", &judged);
    println!("\nSharpness {sharpness:.2}");
    let file = ModelFile { sharpness, ..file_of(&seen.iter().collect::<Vec<_>>()) };
    let path = "visibility-core/data/page_kinds/model.json";
    if let Err(error) = std::fs::write(path, text(&file)) {
        eprintln!("train-page-kinds: {path}: {error}");
        return ExitCode::FAILURE;
    }
    println!("\n{}", features_table::table(&file));
    if std::env::args().any(|argument| argument == "--kept") {
        let model = Model::from_file(&file);
        let judged: Vec<Judged> = kept.iter().map(|page| judge(&model, page)).collect();
        print("Kept pages", &judged);
    }
    ExitCode::SUCCESS
}

fn read(page: &LabelledPage) -> Option<Labelled> {
    let profile = page.profile()?;
    let kind = KINDS.iter().position(|kind| *kind == profile)?;
    let url: url::Url = page.url.parse().ok()?;
    let document = Document::parse(&page.html, Some("text/html; charset=utf-8"));
    let (content, shape) = document.content_and_shape();
    let markup = Markup::from_document(&document, &content);
    let host = url.host_str().unwrap_or_default();
    let site = host.parse::<Domain>().map_or(host.to_owned(), |host| host.registrable().to_owned());
    Some(Labelled {
        site,
        kind,
        values: Facts::new(document.page(), &content, &shape, &markup, Some(&url))
            .values()
            .iter()
            .map(|value| value.number)
            .collect(),
        is_kept: page.id.ends_with(['8', '9']),
    })
}

/// Judges each page by a model that was learned from the pages of other sites.
fn validated(pages: &[Labelled], seed: u64) -> Vec<Judged> {
    let fold_of = |page: &Labelled| {
        let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = page
            .site
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        (hash >> 32) % FOLDS
    };
    let mut judged = Vec::with_capacity(pages.len());
    for fold in 0..FOLDS {
        let (tested, learned): (Vec<&Labelled>, Vec<&Labelled>) =
            pages.iter().partition(|page| fold_of(page) == fold);
        let model = Model::from_file(&file_of(&learned));
        judged.extend(tested.into_iter().map(|page| judge(&model, page)));
    }
    judged
}

fn judge(model: &Model, page: &Labelled) -> Judged {
    let likely = model.judge(&page.values).probabilities;
    let mut order: Vec<usize> = (0..KINDS.len()).collect();
    order.sort_by(|one, other| likely[*other].total_cmp(&likely[*one]));
    Judged {
        kind: page.kind,
        said: order[0],
        probabilities: likely,
        is_in_first_two: order[..2].contains(&page.kind),
    }
}

/// The factor of the scores by which the pages that a model had not seen are likeliest.
fn sharpness(judged: &[Judged]) -> f64 {
    let loss = |factor: f64| -> f64 {
        judged.iter().map(|page| -page.sharpened(factor).probabilities[page.kind].ln()).sum()
    };
    let factors = SHARPNESSES.map(|hundredths| f64::from(hundredths) / 100.0);
    factors.min_by(|one, other| loss(*one).total_cmp(&loss(*other))).unwrap_or(1.0)
}

/// Learns from pages.
fn file_of(pages: &[&Labelled]) -> ModelFile {
    let mut counts = [0_usize; KINDS.len()];
    for page in pages {
        counts[page.kind] += 1;
    }
    let scale: Vec<(f64, f64)> = (0..FEATURES.len()).map(|at| scale(pages, at)).collect();
    // Rare kinds count more, though not as much as the common ones together.
    let weight = |kind: usize| {
        (pages.len() as f64 / KINDS.len() as f64 / counts[kind].max(1) as f64).powf(0.6)
    };
    let examples: Vec<Example> = pages
        .iter()
        .map(|page| Example {
            values: page
                .values
                .iter()
                .zip(&scale)
                .map(|(value, (mean, deviation))| standardized(*value, *mean, *deviation))
                .collect(),
            class: page.kind,
            weight: weight(page.kind),
        })
        .collect();
    let Learned { intercepts, weights } = logistic::learn(&examples, KINDS.len(), STRENGTH);
    let features = FEATURES.iter().enumerate().map(|(at, feature)| {
        let (mean, deviation) = scale[at];
        let weights = weights.iter().map(|row| rounded(row[at], 3));
        let all = [rounded(mean, 4), rounded(deviation, 4)].into_iter().chain(weights).collect();
        (feature.id.to_owned(), all)
    });
    ModelFile {
        source: "Learned from pages of WCXB, the Web Content eXtraction Benchmark (Murrough Foley, 2026, CC-BY-4.0).".to_owned(),
        kinds: KINDS.iter().map(|kind: &Profile| kind.as_str().to_owned()).collect(),
        sharpness: 1.0,
        intercepts: intercepts.iter().map(|value| rounded(*value, 3)).collect(),
        features: features.collect::<BTreeMap<_, Vec<f64>>>(),
    }
}

/// The file of a model, with a line for each feature.
fn text(file: &ModelFile) -> String {
    let without = ModelFile { features: BTreeMap::new(), ..file.clone() };
    let head = serde_json::to_string_pretty(&without).expect("JSON");
    let lines: Vec<String> = file
        .features
        .iter()
        .map(|(id, values)| {
            format!("    \"{id}\": {}", serde_json::to_string(values).expect("JSON"))
        })
        .collect();
    head.replace("\"features\": {}", &format!("\"features\": {{\n{}\n  }}", lines.join(",\n")))
        + "\n"
}

/// Mean and deviation of a feature.
fn scale(pages: &[&Labelled], at: usize) -> (f64, f64) {
    let number = pages.len() as f64;
    let mean = pages.iter().map(|page| page.values[at]).sum::<f64>() / number;
    let squares = pages.iter().map(|page| (page.values[at] - mean).powi(2)).sum::<f64>();
    (mean, (squares / number).sqrt())
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    // Adding zero makes a zero of a negative zero.
    (value * scale).round() / scale + 0.0
}

fn print(title: &str, judged: &[Judged]) {
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let right = judged.iter().filter(|page| page.kind == page.said).count();
    let two = judged.iter().filter(|page| page.is_in_first_two).count();
    println!(
        "\n{title}: {:.1} % right, {:.1} % in the first two",
        percent(right, judged.len()),
        percent(two, judged.len())
    );
    println!("\n| | {} | recall | precision |", KINDS.map(Profile::as_str).join(" | "));
    for (kind, name) in KINDS.iter().enumerate() {
        let row: Vec<usize> = (0..KINDS.len())
            .map(|said| judged.iter().filter(|page| page.kind == kind && page.said == said).count())
            .collect();
        let said = judged.iter().filter(|page| page.said == kind).count();
        let cells: Vec<String> = row.iter().map(usize::to_string).collect();
        println!(
            "| {} | {} | {:.0} | {:.0} |",
            name.as_str(),
            cells.join(" | "),
            percent(row[kind], row.iter().sum()),
            percent(row[kind], said)
        );
    }
    println!("\n| threshold | stated | right |");
    for threshold in THRESHOLDS {
        let stated: Vec<&Judged> =
            judged.iter().filter(|page| page.probability() >= threshold).collect();
        let right = stated.iter().filter(|page| page.kind == page.said).count();
        println!(
            "| {threshold:.2} | {:.1} % | {:.1} % |",
            percent(stated.len(), judged.len()),
            percent(right, stated.len())
        );
    }
}
