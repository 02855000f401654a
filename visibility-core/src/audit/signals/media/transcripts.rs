//! `transcripts`: what is said in videos and recordings can be read.

use crate::audit::gap::has_gap;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::audit::signals::number;
use crate::page::content::Media;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::fold::fold_to_ascii;

pub(super) const SIGNAL: Signal = Signal {
    id: "transcripts",
    code: "ML02",
    pillar: Pillar::Media,
    weights: Weights {
        product: 10,
        collection: 0,
        article: 10,
        landing: 0,
        documentation: 5,
        forum: 0,
        listing: 0,
    },
    grade: Grade::C,
    effort: Effort::L,
    languages: KnownLanguages::All,
    outcomes: &[TRANSCRIBED, PARTLY_TRANSCRIBED, UNTRANSCRIBED, UNSEEN, NOT_SPOKEN, NO_MEDIA],
    sources: &[
        Spec {
            name: "HTML: track",
            url: "https://html.spec.whatwg.org/multipage/media.html#the-track-element",
        },
        Spec { name: "schema.org: transcript", url: "https://schema.org/transcript" },
    ],
    evaluate,
};

const TRANSCRIBED: Outcome = Outcome::pass("transcribed");
const PARTLY_TRANSCRIBED: Outcome = Outcome::warn("partly-transcribed");
const UNTRANSCRIBED: Outcome = Outcome::fail("untranscribed");
const UNSEEN: Outcome = Outcome::not_applicable("captions-unseen");
const NOT_SPOKEN: Outcome = Outcome::not_applicable("not-spoken");
const NO_MEDIA: Outcome = Outcome::not_applicable("no-media");

/// Parts of headings above a transcript, in lower case without marks.
const HEADINGS: [&str; 5] =
    ["transcript", "transkript", "dokum", "cozumleme", "full text of the video"];
/// Words of a page from which on its players only illustrate it.
const MAX_WORDS_BESIDE_SPEECH: usize = 300;
/// Players that are quoted.
const MAX_QUOTED: usize = 5;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let players = &page.content.media;
    if players.is_empty() {
        return ScoredFinding::unscored(Finding::new(NO_MEDIA.detected()));
    }
    let has_text = has_transcript(page);
    if !has_text && !is_about_speech(page) {
        let finding = Finding::new(NOT_SPOKEN.with("count", players.len()));
        let evidence = players.iter().take(MAX_QUOTED).map(|one| quoted(page, one));
        return ScoredFinding::unscored(finding.with_evidence(evidence.collect::<Vec<_>>()));
    }
    let judged: Vec<&Media> = players.iter().filter(|one| has_text || one.shows_captions).collect();
    if judged.is_empty() {
        let finding = Finding::new(UNSEEN.with("count", players.len()));
        let evidence = players.iter().take(MAX_QUOTED).map(|one| quoted(page, one));
        return ScoredFinding::unscored(finding.with_evidence(evidence.collect::<Vec<_>>()));
    }
    let players = judged;
    let mute: Vec<&Media> =
        players.iter().filter(|one| !has_text && !one.has_captions).copied().collect();
    let credit = Credit::from_share(number(players.len() - mute.len()) / number(players.len()));
    let outcome = credit.pick([TRANSCRIBED, PARTLY_TRANSCRIBED, UNTRANSCRIBED]);
    let shown = if mute.is_empty() { &players } else { &mute };
    let evidence = shown.iter().take(MAX_QUOTED).map(|one| quoted(page, one));
    let decisive = outcome.with("count", players.len()).with("missing", mute.len());
    let finding = Finding::new(decisive).with_evidence(evidence.collect::<Vec<_>>());
    let fix = mute.first().filter(|_| outcome != TRANSCRIBED).map(|one| fix(page, one));
    ScoredFinding::new(credit, finding).with_fix_if_any(fix)
}

/// Whether what is said in a player is what the page is there for: it has little text beside it, or says so in its markup.
fn is_about_speech(page: &AuditedPage<'_>) -> bool {
    let spoken = ["VideoObject", "AudioObject", "PodcastEpisode"];
    let mut own = page.markup.with_types(&spoken).filter(|entity| entity.depth == 0);
    page.content.words < MAX_WORDS_BESIDE_SPEECH && !page.profiles().may_be(Profile::Product)
        || own.next().is_some()
}

fn quoted(page: &AuditedPage<'_>, player: &Media) -> Evidence {
    let quote = format!("<{} src=\"{}\">", player.element, player.src);
    page.evidence(&quote, player.line, player.node)
}

/// Whether the page has a transcript in its text or in its markup.
fn has_transcript(page: &AuditedPage<'_>) -> bool {
    let videos = page.markup.with_types(&["VideoObject", "AudioObject", "PodcastEpisode"]);
    let mut in_markup = videos.filter_map(|video| video.object.get("transcript"));
    in_markup.any(|value| value.as_str().is_some_and(|text| !text.trim().is_empty()))
        || page.page().headings.iter().any(|heading| {
            let plain = fold_to_ascii(&heading.text);
            HEADINGS.iter().any(|word| plain.contains(word)) && !is_unfilled(page, heading)
        })
}

/// Whether what follows a heading is a placeholder.
fn is_unfilled(page: &AuditedPage<'_>, heading: &crate::page::Heading) -> bool {
    let mut blocks = page.content.blocks.iter().skip_while(|block| block.node != heading.node);
    blocks.nth(1).is_some_and(|block| has_gap(&block.text))
}

/// A track for a player of the page's own.
fn fix(page: &AuditedPage<'_>, player: &Media) -> SnippetFix {
    let lang = page.language.code.unwrap_or("en");
    let (captions, input) = page.gap("CAPTIONS_URL");
    let snippet = format!(
        "<{name} src=\"{src}\" controls>\n  <track kind=\"captions\" srclang=\"{lang}\" src=\"{captions}\" default>\n</{name}>",
        name = player.element,
        src = escape::html(&player.src),
    );
    SnippetFix::new(Placement::InPlace, SnippetLanguage::Html, snippet).with_inputs([input])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::audit::profile::Profile;

    fn read(body: &str) -> (&'static str, Option<u32>) {
        let page = fixture(&format!("<!doctype html><body>{body}")).with_profile(Profile::Article);
        let scored = page.read(&SIGNAL);
        (scored.finding.detections()[0].outcome.id, scored.credit.map(Credit::per_mille))
    }

    #[test]
    fn captions_markup_and_headings_count() {
        let video = "<video src=/a.mp4 controls></video>";
        let tube = "<iframe src=https://www.youtube.com/embed/x></iframe>";
        let track = |kind: &str| {
            format!("<video src=/a.mp4 controls><track kind={kind} src=a.vtt></video>")
        };
        let markup = "<script type=application/ld+json>{\"@type\":\"VideoObject\",\"transcript\":\"Hi\"}</script>";
        let empty = markup.replace("Hi", " ");
        for (body, expected) in [
            ("<p>text".to_owned(), ("no-media", None)),
            ("<iframe src=https://maps.example/></iframe>".to_owned(), ("no-media", None)),
            (video.to_owned(), ("untranscribed", Some(0))),
            (tube.to_owned(), ("captions-unseen", None)),
            (
                "<video class=video-js data-setup='{}' src=/a.mp4></video>".to_owned(),
                ("captions-unseen", None),
            ),
            ("<video controls></video>".to_owned(), ("captions-unseen", None)),
            ("<video src=/a.mp4 muted loop playsinline></video>".to_owned(), ("no-media", None)),
            (format!("{tube}{video}"), ("untranscribed", Some(0))),
            (track("captions"), ("transcribed", Some(1000))),
            (track("subtitles"), ("transcribed", Some(1000))),
            (track("chapters"), ("untranscribed", Some(0))),
            (track("captions") + video, ("partly-transcribed", Some(500))),
            (format!("{tube}{markup}"), ("transcribed", Some(1000))),
            (format!("{tube}{empty}"), ("captions-unseen", None)),
            (format!("{tube}<h2>Full transcript</h2><p>Hi"), ("transcribed", Some(1000))),
            (format!("{tube}<h3>Videonun Dökümü</h3><p>Selam"), ("transcribed", Some(1000))),
        ] {
            assert_eq!(read(&body), expected, "{body}");
        }
    }

    #[test]
    fn the_fix_is_a_track() {
        let fix = |body: &str| {
            fixture(body).with_profile(Profile::Article).read(&SIGNAL).fix.unwrap().snippet
        };
        assert!(fix("<video src='/a.mp4?\"x\"'></video>").contains("src=\"/a.mp4?&quot;x&quot;\""));
        assert!(
            fixture("<iframe src=https://player.vimeo.com/1></iframe>").read(&SIGNAL).fix.is_none()
        );
    }
}
