//! Every section, in both languages, of little and of much.

use super::*;
use crate::report::logs::sample::{self, Given};
use crate::report::tree::{shape, tree};

/// As servers write a quote into their logs.
const HOSTILE: &str = "\\x22><img/onerror=a><script>alert(1)</script>&#x3c;";

fn rendered(report: &LogReport, lang: Lang) -> String {
    render(report, lang).into_string()
}

#[test]
fn the_tree_of_a_report_is_stable() {
    let report = sample::whole("fox");
    insta::assert_snapshot!("english", tree(&rendered(&report, Lang::En)));
    insta::assert_snapshot!("turkish", tree(&rendered(&report, Lang::Tr)));
}

#[test]
fn strangers_text_is_text() {
    let (hostile, plain) = (sample::whole(HOSTILE), sample::whole("fox"));
    for lang in Lang::ALL {
        let hostile = rendered(&hostile, lang);
        assert_eq!(shape(&hostile), shape(&rendered(&plain, lang)));
        assert!(hostile.contains("&lt;script&gt;"), "{hostile}");
    }
}

#[test]
fn the_file_asks_for_nothing_else() {
    let text = rendered(&sample::whole(HOSTILE), Lang::En);
    for asking in ["src=", "@import", "url(", "<link", "<iframe", "<script", "style=\""] {
        assert!(!text.contains(asking), "{asking}");
    }
}

#[test]
fn every_word_was_found() {
    for lang in Lang::ALL {
        let text = rendered(&sample::whole("fox"), lang);
        for missing in ["interface.", "traffic.", "log-report-", "{count", "{number"] {
            assert!(!text.contains(missing), "{missing}");
        }
    }
}

#[test]
fn little_is_a_report_too() {
    let one = sample::line(sample::begin(), "/", 200, "-", "GPTBot/1.2");
    let person = sample::line(sample::begin(), "/", 200, "-", "Mozilla/5.0 Firefox/145.0");
    for log in ["", "nothing\n", &one, &person] {
        for hosts in [&[][..], &["www.example.com"], &["www.example.com", "shop.example.com"]] {
            let report = sample::report(log, &Given { hosts, ..Given::default() });
            let text = rendered(&report, Lang::En);
            assert_eq!(text.matches("<h1").count(), 1, "{text}");
        }
    }
}

#[test]
fn ids_are_there_once_in_a_report_on_several_sites() {
    let given = Given { hosts: &["www.example.com", "shop.example.com"], ..Given::default() };
    let text = rendered(&sample::report(&sample::log(3, "fox"), &given), Lang::En);
    let ids = text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut ids: Vec<&str> = ids.collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(text.contains("href=\"#site-2\"") && text.contains("id=\"site-2\""), "{text}");
}

#[test]
fn a_year_of_sixty_agents_is_a_small_file() {
    let text = rendered(&sample::year(), Lang::Tr);
    assert!(text.len() <= 100_000, "{} bytes", text.len());
    assert_eq!(text.matches("class=\"trend\"").count(), 60);
}
