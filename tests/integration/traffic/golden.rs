//! 10,000 records with answers that were worked out by hand: `golden/records.csv` and `golden/answers.csv`, in which each answer
//! names the rows whose numbers it is the sum of.

use serde_json::json;

use super::{LogServer, Records, days_ago};

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

fn records() -> Vec<(&'static str, Records)> {
    let row = |cells: Vec<&'static str>| {
        let [row, days, time, user_agent, host, path, status, bytes, times] = cells[..] else {
            panic!("{cells:?} is no row")
        };
        let at = days_ago(days.parse().unwrap()).and_time(time.parse().unwrap()).and_utc();
        let records = Records {
            at,
            user_agent: user_agent.to_owned(),
            host: host.to_owned(),
            path: path.to_owned(),
            status: status.parse().unwrap(),
            bytes: bytes.parse().unwrap(),
            times: times.parse().unwrap(),
        };
        (row, records)
    };
    rows(include_str!("golden/records.csv")).into_iter().map(row).collect()
}

#[test]
fn each_answer_is_the_sum_of_its_rows() {
    let records = records();
    assert_eq!(records.iter().map(|(_, records)| records.times).sum::<usize>(), 10_000);
    for cells in rows(include_str!("golden/answers.csv")) {
        // An `=` is no sum of records: a number of agents, or of bytes.
        if cells[3] == "=" {
            continue;
        }
        let of_row = |row: &str| records.iter().find(|(name, _)| *name == row).unwrap().1.times;
        let sum: usize = cells[3].split_whitespace().map(of_row).sum();
        assert_eq!(sum.to_string(), cells[4], "{cells:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_that_were_worked_out_by_hand() {
    let server = LogServer::start().await;
    // In several batches, the days of which overlap, and in no order.
    let records: Vec<Records> = records().into_iter().map(|(_, records)| records).collect();
    for first in [3, 0, 2, 1] {
        let batch: Vec<Records> = records.iter().skip(first).step_by(4).cloned().collect();
        server.send(&batch).await;
    }
    let days = format!("from={}&to={}", days_ago(3), days_ago(1));
    for cells in rows(include_str!("golden/answers.csv")) {
        let (question, query, pointer) = (cells[0], cells[1], cells[2]);
        let query =
            if question == "sources" { query.to_owned() } else { format!("{days}&{query}") };
        let answer = server.answer(question, &query).await;
        let expected: u64 = cells[4].parse().unwrap();
        let found = answer.pointer(pointer);
        assert_eq!(found, Some(&json!(expected)), "{cells:?}: {answer}");
    }
}
