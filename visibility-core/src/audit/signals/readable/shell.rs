//! Pages that are empty until scripts fill them.

use crate::audit::page::AuditedPage;
use crate::page::Script;
use crate::rubric::finding::Evidence;
use crate::text::note::Note;

/// Words of main content below which a page may be a shell.
const MAX_MAIN_WORDS: usize = 50;
/// Words of the whole body below which it may be one.
const MAX_BODY_WORDS: usize = 120;

/// What such pages are made with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Framework {
    Next,
    Nuxt,
    Angular,
    Vite,
    Other,
}

/// The signs that a page is empty until scripts fill it, with the places; `None` if there is enough to
/// read, or no script to wait for.
pub(super) fn signs(page: &AuditedPage<'_>) -> Option<Vec<Evidence>> {
    if page.content.words >= MAX_MAIN_WORDS || page.content.body_words >= MAX_BODY_WORDS {
        return None;
    }
    let facts = page.page();
    let mount = facts.empty_mount.as_ref().map(|mount| {
        page.evidence(&mount.value, mount.line, mount.node).note(Note::new("empty-mount"))
    });
    let at = || Evidence::for_url(page.response.url.as_str());
    let notice = facts
        .requires_js_notice()
        .map(|notice| at().quote(notice).note(Note::new("javascript-notice")));
    let script = facts.scripts.iter().find_map(|script| Some((script, script.src.as_deref()?)));
    let script = script
        .map(|(script, src)| at().quote(src).line(script.line).note(Note::new("external-script")));
    let signs: Vec<Evidence> = mount.into_iter().chain(notice).chain(script).collect();
    (!signs.is_empty()).then_some(signs)
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
