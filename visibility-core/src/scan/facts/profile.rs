//! The profile of a site, by which checks can be not applicable.
//!
//! One sign makes an API or an app; a shop needs two signs of different kinds, or one proof, so
//! that a blog which mentions a means of payment stays a blog. The words are English and Turkish.

mod api;
mod app;
mod commerce;

use std::collections::BTreeMap;

use crate::scan::snapshot::{SiteFact, SiteSnapshot};
use crate::scan::surface::Surface;
use crate::text::excerpt::excerpt;

/// The surfaces of a site and why they were found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SiteProfile {
    /// Why, in order; one surface can have several reasons.
    pub reasons: Vec<SurfaceReason>,
}

/// One sign of a surface.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SurfaceReason {
    /// The surface.
    pub surface: Surface,
    /// Id of the sentence in `locales/` under `surface_reasons`.
    pub id: &'static str,
    /// Values for its placeholders.
    pub values: BTreeMap<&'static str, String>,
}

impl SurfaceReason {
    fn new(surface: Surface, id: &'static str) -> Self {
        Self { surface, id, values: BTreeMap::new() }
    }

    /// Adds a value for a placeholder, made fit to show.
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.values.insert(name, excerpt(value));
        self
    }
}

impl SiteProfile {
    /// Finds the surfaces of a site.
    pub fn detect(site: &SiteSnapshot) -> Self {
        let mut reasons = vec![SurfaceReason::new(Surface::Content, "every-site")];
        let api = api::reasons(site);
        let offers_api = !api.is_empty();
        reasons.extend(api);
        reasons.extend(app::reasons(site, offers_api));
        reasons.extend(commerce::reasons(site));
        Self { reasons }
    }

    /// A profile that a user chose: content and one more.
    pub fn chosen(surface: Surface) -> Self {
        let mut reasons = vec![SurfaceReason::new(Surface::Content, "every-site")];
        if surface != Surface::Content {
            reasons.push(SurfaceReason::new(surface, "chosen"));
        }
        Self { reasons }
    }

    /// Whether a surface was found.
    pub fn has(&self, surface: Surface) -> bool {
        self.reasons.iter().any(|reason| reason.surface == surface)
    }

    /// Whether any of these was found.
    pub fn has_any(&self, surfaces: &[Surface]) -> bool {
        surfaces.iter().any(|surface| self.has(*surface))
    }

    /// The surfaces, in order, each once.
    pub fn surfaces(&self) -> Vec<Surface> {
        Surface::ALL.into_iter().filter(|surface| self.has(*surface)).collect()
    }
}

/// Text as words are compared: lower case, the Turkish dotted and dotless i as one letter.
fn fold(text: &str) -> String {
    text.to_lowercase()
        .chars()
        .filter(|ch| *ch != '\u{307}')
        .map(|ch| if ch == 'ı' { 'i' } else { ch })
        .collect()
}

/// Whether a folded text contains one of these as whole words.
fn has_words(text: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|words| {
        text.match_indices(words).any(|(start, _)| {
            let before = text.get(..start).and_then(|head| head.chars().next_back());
            let after = text.get(start + words.len()..).and_then(|tail| tail.chars().next());
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    })
}

impl SiteFact for SiteProfile {
    fn derive(site: &SiteSnapshot) -> Self {
        site.request().profile.map_or_else(|| Self::detect(site), Self::chosen)
    }
}

impl SiteSnapshot {
    /// The surfaces of the site, as chosen or as far as the answers show them.
    pub fn profile(&self) -> &SiteProfile {
        self.fact::<SiteProfile>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turkish_letters_fold_to_one_form() {
        assert_eq!(fold("GİRİŞ YAP"), fold("Giriş yap"));
        assert_eq!(fold("ŞİFRE sıfırla"), "şifre sifirla");
    }

    #[test]
    fn words_are_found_whole() {
        assert!(has_words("our api reference", &["api"]));
        assert!(has_words("api", &["api"]));
        assert!(!has_words("capital rapid", &["api"]));
        assert!(!has_words("apiş", &["api"]));
    }
}
