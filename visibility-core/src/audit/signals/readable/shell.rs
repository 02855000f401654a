//! Pages that are empty until scripts fill them.

use super::quoted;
use crate::audit::page::AuditedPage;
use crate::page::{Script, notice};
use crate::rubric::finding::Evidence;
use crate::text::note::Note;

/// Words of its own below which the text of a page is missing: it may have a name and a claim.
const MAX_OWN_WORDS: usize = 10;
/// Words of the whole body below which it is missing, if the main content has as few.
const MAX_BODY_WORDS: usize = 120;

/// Lines from which on a page says something of its own, however short they are: the dishes of a menu.
const MIN_OWN_LINES: usize = 4;

/// What such pages are made with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Framework {
    Next,
    Nuxt,
    Angular,
    Vite,
    Other,
}

/// The proof that a page is empty until scripts fill it, with the places; `None` if its text is there, or
/// if nothing proves that a script is to bring it. A script alone is no proof: nearly every page has one.
pub(super) fn signs(page: &AuditedPage<'_>) -> Option<Vec<Evidence>> {
    if !is_text_missing(page) {
        return None;
    }
    let facts = page.page();
    let notice = facts
        .requires_js_notice()
        .map(|notice| quoted(page, notice).note(Note::new("javascript-notice")));
    let script = first_script(page);
    let mount = facts.empty_mount.as_ref().filter(|_| script.is_some());
    let mount = mount.map(|mount| {
        page.evidence(&mount.value, mount.line, mount.node).note(Note::new("empty-mount"))
    });
    let is_proven = mount.is_some() || notice.is_some() || has_nothing_to_show(page);
    let signs: Vec<Evidence> = mount.into_iter().chain(notice).chain(script).collect();
    (is_proven && !signs.is_empty()).then_some(signs)
}

/// Whether a page says next to nothing beside navigation, footers and notices.
fn is_text_missing(page: &AuditedPage<'_>) -> bool {
    let content = &page.content;
    let is_said = |text: &str| !notice::is_notice(text) && !notice::is_waiting(text);
    let own_lines = page.page().own_lines().filter(|line| is_said(line.text));
    if own_lines.take(MIN_OWN_LINES).count() == MIN_OWN_LINES {
        return false;
    }
    if content.words < MAX_OWN_WORDS && content.body_words < MAX_BODY_WORDS {
        return true;
    }
    // Most pages have enough words in their first lines, so that the rest is never counted.
    let mut missing = MAX_OWN_WORDS;
    !page.page().own_lines().any(|line| {
        if is_said(line.text) {
            missing = missing.saturating_sub(line.words);
        }
        missing == 0
    })
}

/// Whether there is not a word, nor something to look at instead.
fn has_nothing_to_show(page: &AuditedPage<'_>) -> bool {
    let (facts, content) = (page.page(), &page.content);
    content.body_words == 0
        && facts.frames.is_empty()
        && facts.images == 0
        && content.media.is_empty()
}

/// The first script that the page loads, else the first one in it.
fn first_script(page: &AuditedPage<'_>) -> Option<Evidence> {
    let scripts = &page.page().scripts;
    let loaded = scripts.iter().find_map(|script| Some((script, script.src.as_deref()?)));
    let at = || Evidence::for_url(page.response.url.as_str());
    let loaded = loaded
        .map(|(script, src)| at().quote(src).line(script.line).note(Note::new("external-script")));
    loaded.or_else(|| {
        let inline = scripts.first()?;
        Some(at().quote("<script>").line(inline.line).note(Note::new("inline-script")))
    })
}

/// What a page is made with, by its mount element, its data and its scripts.
pub(super) fn framework(page: &AuditedPage<'_>) -> Framework {
    let facts = page.page();
    let mount = facts.empty_mount.as_ref().map_or("", |mount| mount.value.as_str());
    let has_data = |names: &[&str]| {
        page.content.hydration.iter().any(|blob| names.contains(&blob.name.as_str()))
    };
    let has_script = |parts: &[&str]| {
        let src = |script: &Script| script.src.clone().unwrap_or_default();
        facts.scripts.iter().any(|script| parts.iter().any(|part| src(script).contains(part)))
    };
    if mount.contains("__next")
        || has_data(&["__NEXT_DATA__", "self.__next_f"])
        || has_script(&["/_next/"])
    {
        Framework::Next
    } else if mount.contains("__nuxt")
        || has_data(&["__NUXT__", "__NUXT_DATA__"])
        || has_script(&["/_nuxt/"])
    {
        Framework::Nuxt
    } else if mount.contains("app-root") || has_script(&["polyfills.", "polyfills-"]) {
        Framework::Angular
    } else if has_script(&["/@vite/", "/assets/index-", "/assets/index.", "/src/main."]) {
        Framework::Vite
    } else {
        Framework::Other
    }
}
