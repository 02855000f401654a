//! The base URL of the site, and links between its pages.

use axum::http::Uri;

use crate::settings::Settings;

/// Where the site is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct BaseUrl {
    /// Its address, without a slash at its end.
    base: String,
    /// Path of the address, without a slash at its end: empty unless a proxy or a larger application
    /// has put the service below a path.
    prefix: String,
    /// Whether people can sign in to their settings.
    has_settings: bool,
    /// Whether the service is a demonstration.
    is_demo: bool,
}

impl BaseUrl {
    /// The place that the settings name.
    pub(crate) fn new(settings: &Settings) -> Self {
        let base = settings.public_url();
        let uri = base.parse::<Uri>().ok();
        let path = uri.as_ref().map(Uri::path).unwrap_or_default();
        let prefix = path.trim_end_matches('/').to_owned();
        let (has_settings, is_demo) = (settings.web.enabled, settings.demo.is_some());
        Self { base, prefix, has_settings, is_demo }
    }

    /// The whole address of a path, such as of `/bot`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{}", self.base, self.relative_path(path))
    }

    /// What a page of the site calls a path, such as `/bot`.
    pub(crate) fn link(&self, path: &str) -> String {
        format!("{}{}", self.prefix, self.relative_path(path))
    }

    /// A path below the prefix: a router that is nested answers for its root without a slash.
    fn relative_path<'a>(&self, path: &'a str) -> &'a str {
        if path == "/" && !self.prefix.is_empty() { "" } else { path }
    }

    /// The address, without a slash at its end.
    pub(crate) fn as_str(&self) -> &str {
        &self.base
    }

    /// Whether people can sign in to their settings.
    pub(crate) fn has_settings(&self) -> bool {
        self.has_settings
    }

    /// Whether the service is a demonstration, which knows a few sites.
    pub(crate) fn is_demo(&self) -> bool {
        self.is_demo
    }

    /// The host, without its port.
    pub(crate) fn host(&self) -> String {
        let uri = self.base.parse::<Uri>().ok();
        uri.as_ref().and_then(Uri::host).unwrap_or("localhost").to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(base: &str) -> BaseUrl {
        BaseUrl::new(&Settings { base_url: Some(base.to_owned()), ..Settings::default() })
    }

    #[test]
    fn a_service_below_a_path_links_below_it() {
        let base = place("https://app.example.com/visibility/");
        assert_eq!(base.link("/bot"), "/visibility/bot");
        assert_eq!(base.url("/bot"), "https://app.example.com/visibility/bot");
        assert_eq!(base.link("/"), "/visibility");
        assert_eq!(base.host(), "app.example.com");
    }

    #[test]
    fn a_service_at_a_root_links_from_it() {
        let base = place("https://visibility.example.com");
        assert_eq!(base.link("/bot"), "/bot");
        assert_eq!(base.url("/"), "https://visibility.example.com/");
    }
}
