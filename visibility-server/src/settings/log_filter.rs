//! The filter of the log, by module and level.

use tracing_subscriber::filter::{LevelFilter, Targets};

/// The library of the MCP server. It tells of each request more than once, and warns of what clients do
/// wrong: only its errors are logged, unless the filter names it.
const MCP_LIBRARY: &str = "rmcp";

/// The filter of a level, such as `info` or `warn,visibility_server=debug`.
pub(crate) fn filter(level: &str) -> Option<Targets> {
    // A lone word would be taken as the name of a module, and a typing error would silence the rest.
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    if !level.split(',').all(|part| part.contains('=') || is_level(part.trim())) {
        return None;
    }
    let filter: Targets = level.parse().ok()?;
    let is_named = filter.iter().any(|(target, _)| target.starts_with(MCP_LIBRARY));
    let usual =
        filter.default_level().map_or(LevelFilter::ERROR, |usual| usual.min(LevelFilter::ERROR));
    Some(if is_named { filter } else { filter.with_target(MCP_LIBRARY, usual) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_the_mcp_library_are_logged_unless_it_is_named() {
        let is_logged = |level: &str, event: tracing::Level| {
            filter(level).unwrap().would_enable("rmcp::service", &event)
        };
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
