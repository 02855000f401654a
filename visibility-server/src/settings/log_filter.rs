//! The filter of the log, by module and level.

use tracing_subscriber::filter::{LevelFilter, Targets};

/// Libraries that log more than their users need, and the level up to which they are logged unless the filter names them.
const LIBRARIES: [(&str, LevelFilter); 2] = [
    // It logs each request more than once, and warns of what clients do wrong.
    ("rmcp", LevelFilter::ERROR),
    // It logs each attempt that it repeats. If the last one fails, the error says so.
    ("object_store", LevelFilter::WARN),
];

/// The filter of a level, such as `info` or `warn,visibility_server=debug`.
pub(crate) fn filter(level: &str) -> Option<Targets> {
    // A lone word would be taken as the name of a module, and a typing error would silence the rest.
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    if !level.split(',').all(|part| part.contains('=') || is_level(part.trim())) {
        return None;
    }
    let named: Targets = level.parse().ok()?;
    let usual = named.default_level().unwrap_or(LevelFilter::ERROR);
    let is_named = |library: &str| named.iter().any(|(target, _)| target.starts_with(library));
    let limits = LIBRARIES
        .into_iter()
        .filter(|(library, _)| !is_named(library))
        .map(|(library, most)| (library, usual.min(most)));
    Some(named.clone().with_targets(limits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_logged_up_to_a_level_unless_they_are_named() {
        let of_library = |level: &str, library: &str, event: tracing::Level| {
            filter(level).unwrap().would_enable(library, &event)
        };
        let is_logged =
            |level: &str, event: tracing::Level| of_library(level, "rmcp::service", event);
        let of_store = |level: &str, event: tracing::Level| {
            of_library(level, "object_store::client::retry", event)
        };
        assert!(of_store("info", tracing::Level::WARN));
        assert!(!of_store("debug", tracing::Level::INFO));
        assert!(!of_store("error", tracing::Level::WARN));
        assert!(of_store("error,object_store=info", tracing::Level::INFO));
        for level in ["info", "trace", "warn,visibility_server=debug"] {
            assert!(is_logged(level, tracing::Level::ERROR), "{level}");
            assert!(!is_logged(level, tracing::Level::WARN), "{level}");
        }
        assert!(is_logged("warn,rmcp=debug", tracing::Level::DEBUG));
        assert!(!is_logged("off", tracing::Level::ERROR));
    }

    #[test]
    fn levels_are_filters() {
        for level in ["info", "trace", "warn,visibility_server=debug", "off"] {
            assert!(filter(level).is_some(), "{level}");
        }
        for level in ["", "loud", "warn,loud", "visibility_server=loud"] {
            assert!(filter(level).is_none(), "{level}");
        }
    }
}
