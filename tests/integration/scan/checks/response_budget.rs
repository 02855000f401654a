//! Sites for `response-budget`.

use visibility_core::fetch::BodyEnd;
use visibility_core::scan::checks::find;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const HOST: &str = "example.com";

fn with(reply: Reply) -> Site {
    good(HOST).with("/", reply.header("content-encoding", "br"))
}

fn home() -> Reply {
    Reply::html(good_home(HOST))
}

/// The good page with this many bytes of inline state before its text, or after it.
fn padded(bytes: usize, before: bool) -> String {
    let state = format!("<script>let state = \"{}\";</script>", "x".repeat(bytes));
    let mark = if before { "<main>" } else { "</body>" };
    good_home(HOST).replace(mark, &format!("{state}{mark}"))
}

fn utf_16(html: &str) -> Reply {
    let bytes: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
    Reply::new("text/html; charset=utf-16le", bytes)
}

pub(crate) fn cases() -> Vec<Case> {
    // One slow answer of seven, and seven slow ones.
    let one_slow = with(home()).accepting("/", "text/markdown", home().after_ms(9_000));
    let slow = home().after_ms(801);
    vec![
        case("the host of an API", "api-host", visibility_tests::typical::api_host()),
        case("the good site", "within-budget", good(HOST)),
        case("one slow answer is no slow site", "within-budget", one_slow),
        case("the edge of good", "within-budget", with(home().after_ms(800))),
        case("slow", "slow", with(slow)),
        case("the edge of bearable", "slow", with(home().after_ms(2_500))),
        case("very slow", "very-slow", with(home().after_ms(2_501))),
        case("the edge of giving up", "very-slow", with(home().after_ms(5_000))),
        case("too slow", "too-slow", with(home().after_ms(5_001))),
        case("large", "large", with(Reply::html(padded(600_000, false)))),
        case("larger than 2 MiB", "too-large", with(Reply::html(padded(2_200_000, false)))),
        case("text in the second half", "late-text", with(Reply::html(padded(20_000, true)))),
        case("two bytes for each character", "late-text", with(utf_16(&padded(20_000, true)))),
        case(
            "a short head before a shorter text",
            "within-budget",
            with(Reply::html(padded(4_000, true))),
        ),
        case(
            "text after what agents keep",
            "buried-text",
            with(Reply::html(padded(120_000, true))),
        ),
        case("no compression", "uncompressed", good(HOST).with("/", home())),
        case(
            "no compression of one packet",
            "within-budget",
            good(HOST).with("/", Reply::html("<!doctype html><h1>Hello</h1>")),
        ),
        case("slow and uncompressed", "slow", good(HOST).with("/", home().after_ms(900)))
            .also(&["uncompressed"]),
        case("never ends", "timed-out", with(home().ending(BodyEnd::TimedOut))),
        case("breaks off", "broken-off", with(home().ending(BodyEnd::Broken))),
        case(
            "a coding that was not requested",
            "undecodable",
            with(home().ending(BodyEnd::Undecodable)),
        ),
        case("refused", "unreadable", good(HOST).with("/", Reply::error(403))),
    ]
}

#[test]
fn compression_is_offered_only_where_there_is_none() {
    let check = find("response-budget").expect("a check").evaluate;
    let large = Reply::html(padded(600_000, false));
    for (site, is_offered) in [(good(HOST).with("/", large.clone()), true), (with(large), false)] {
        let finding = check(&site.scan().expect("a scan"));
        assert_eq!(finding.detections()[0].outcome.id, "large");
        let offered = finding.snippet().is_some_and(|text| text.contains("gzip"));
        assert_eq!(offered, is_offered);
    }
}

tests_of!("response-budget");
