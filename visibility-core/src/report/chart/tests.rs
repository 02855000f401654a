//! Charts of nothing, of little, of too much, and of strangers' texts.

use maud::{Markup, html};

use super::*;
use crate::report::tree::{shape, tree};
use crate::text::locale::Lang;

const HOSTILE: &str = "\"><img onerror=a><script>alert(1)</script>&#x3c;\u{202e}\0";

/// What is in a chart, once it was parsed as a part of a page.
fn parsed(chart: &Markup) -> String {
    tree(&html! { main { (chart) } }.into_string())
}

/// Every attribute that is a coordinate or a length is a whole number.
fn has_whole_coordinates(chart: &Markup) -> bool {
    let numeric = ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "width", "height"];
    let tree = parsed(chart);
    let mut values = numeric.iter().flat_map(|name| {
        let start = format!(" {name}=\"");
        tree.match_indices(&start)
            .filter_map(|(at, _)| tree.get(at + start.len()..)?.split('"').next())
            .collect::<Vec<_>>()
    });
    values.all(|value| value.parse::<u32>().is_ok())
        && !tree.contains(" style=")
        && !tree.contains(" fill=")
        && !tree.contains(" stroke=")
}

fn plot(days: &[u64], name: &str, draw: fn(&Plot<'_>) -> Markup) -> Markup {
    let labels: Vec<String> = (0..days.len()).map(|day| format!("{name} {day}")).collect();
    let one = Series { class: "s-search", label: name };
    let columns: Vec<PlotColumn<'_>> = days
        .iter()
        .zip(&labels)
        .map(|(value, label)| {
            // There is no data of some days.
            let values = (value % 7 != 3).then(|| vec![*value, *value / 2]);
            PlotColumn { label, values }
        })
        .collect();
    draw(&Plot {
        title: name,
        description: name,
        series: &[one, Series { class: "s-user", label: name }],
        columns: &columns,
        marks: &[Mark { column: 0, label: name }, Mark { column: usize::MAX, label: name }],
        rest: name,
        no_data: name,
        lang: Lang::En,
    })
}

fn all_of(values: &[u64], name: &str) -> Vec<Markup> {
    let parts: Vec<(&str, u64)> = values.iter().map(|value| ("s-search", *value)).collect();
    let days: Vec<Option<Tone>> =
        values.iter().map(|value| (*value > 0).then_some(Tone::Good)).collect();
    let rows = [StripRow { label: name, days: &days }, StripRow { label: name, days: &[] }];
    let cells = values.iter().map(|value| {
        let level = u8::try_from(*value).unwrap_or(u8::MAX);
        HeatCell { text: name, level }
    });
    let heat_rows = [HeatRow { label: name, cells: cells.collect() }];
    let numbers = [(name.to_owned(), Some(values.to_vec())), (name.to_owned(), None)];
    let known: Vec<Option<u64>> =
        values.iter().map(|value| (value % 7 != 3).then_some(*value)).collect();
    let table = DataTable {
        summary: name,
        columns: &[name, name],
        rows: &numbers,
        no_data: name,
        lang: Lang::En,
    };
    vec![
        plot(values, name, bars),
        plot(values, name, lines),
        spark(&known, name),
        split(&parts, values.iter().copied().max().unwrap_or_default(), name),
        strip(&rows, name, name),
        heat(name, &[name], &heat_rows),
        data_table(&table),
        ring(u8::try_from(values.len()).unwrap_or(u8::MAX), Some(u8::MAX), Tone::Good, name),
        meter(if values.is_empty() { f64::NAN } else { f64::MAX }, Tone::Warn),
    ]
}

#[test]
fn charts_are_drawn_of_no_value_one_all_zero_the_largest_and_800_days() {
    let many: Vec<u64> = (0..800).map(|day| day * day % 977).collect();
    for values in [&[][..], &[7], &[0; 30], &[u64::MAX; 12], &[u64::MAX, 0, 1], &many] {
        for chart in all_of(values, "Requests") {
            assert!(has_whole_coordinates(&chart), "{}", parsed(&chart));
        }
    }
}

#[test]
fn hostile_texts_are_no_elements_and_no_attributes_of_charts() {
    let long = "x".repeat(8_192);
    for name in [HOSTILE, long.as_str()] {
        for (hostile, plain) in all_of(&[1, 2, 3], name).iter().zip(all_of(&[1, 2, 3], "a")) {
            assert_eq!(shape(&hostile.0), shape(&plain.0));
        }
    }
}

#[test]
fn more_than_eight_series_are_eight_and_the_rest() {
    let series = [Series { class: "s-search", label: "a" }; 11];
    let columns = [PlotColumn { label: "1 May", values: Some(vec![1; 11]) }];
    let chart = Plot {
        title: "t",
        description: "d",
        series: &series,
        columns: &columns,
        marks: &[],
        rest: "Others",
        no_data: "none",
        lang: Lang::Tr,
    };
    assert_eq!(parsed(&lines(&chart)).matches("path class=\"curve s-").count(), 9);
    let tree = parsed(&bars(&chart));
    assert_eq!(tree.matches("path class=\"part s-").count(), 9, "{tree}");
    assert_eq!(tree.matches("span class=\"dot").count(), 9);
    assert!(tree.contains("\"Others \""), "{tree}");
    assert!(tree.contains("\"1 May: 11\""), "{tree}");
}

#[test]
fn a_day_without_data_is_no_day_without_requests() {
    let column = |label, values| PlotColumn { label, values };
    let columns = [
        column("1 May", Some(vec![4])),
        column("2 May", Some(vec![0])),
        column("3 May", None),
        column("4 May", Some(vec![2])),
    ];
    let chart = Plot {
        title: "t",
        description: "d",
        series: &[Series { class: "s-search", label: "a" }],
        columns: &columns,
        marks: &[],
        rest: "Others",
        no_data: "no data",
        lang: Lang::En,
    };
    for tree in [parsed(&bars(&chart)), parsed(&lines(&chart))] {
        assert_eq!(tree.matches("class=\"gap\"").count(), 1, "{tree}");
        assert!(tree.contains("\"3 May: no data\""), "{tree}");
    }
    let tree = parsed(&lines(&chart));
    // From the first day to the second, and a day for itself.
    assert!(tree.contains("d=\"M175 10L433 250M950 130\""), "{tree}");
    assert!(tree.contains("\"a, 4 May: 2\""), "{tree}");
}

#[test]
fn parts_meet_without_a_gap_and_do_not_leave_the_bar() {
    let tree = parsed(&split(&[("s-search", 1), ("s-user", 1), ("s-training", 1)], 3, "n"));
    for part in ["width=\"66\" x=\"0\"", "width=\"67\" x=\"66\"", "width=\"67\" x=\"133\""] {
        assert!(tree.contains(part), "{tree}");
    }
    let tree = parsed(&split(&[("s-search", u64::MAX), ("s-user", u64::MAX)], u64::MAX, "n"));
    assert_eq!(tree.matches("rect").count(), 1, "{tree}");
}

#[test]
fn a_ring_has_what_the_plan_would_add_and_no_more() {
    let count = |score, with_plan| {
        parsed(&ring(score, with_plan, Tone::Good, "n")).matches("circle").count()
    };
    assert_eq!(count(70, Some(92)), 3);
    assert_eq!(count(70, Some(70)), 2);
    assert_eq!(count(70, Some(40)), 2);
    assert_eq!(count(70, None), 2);
    assert_eq!(count(0, None), 1);
}
