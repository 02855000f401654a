//! `visibility badge`.

use std::path::Path;

use visibility_core::audit::result::AuditResult;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::report::{audit, badge};
use visibility_core::scan::report::Selection;
use visibility_core::scan::request::AgentProbes;
use visibility_core::scan::result::ScanResult;

use crate::args::BadgeArgs;
use crate::console::Console;
use crate::console::output::Paint;
use crate::console::progress::Progress;
use crate::error::CommandError;
use crate::error::target_error::TargetError;
use crate::exit_code::Exit;
use crate::run::auditor::Auditor;
use crate::run::file_argument::{is_file, is_named_as_results};
use crate::run::network::{self, Threads};
use crate::run::page_input::{self, PageInput, is_page};
use crate::run::scanner::{ResponseSource, Scanner};
use crate::saved_results::{self, AnyResult};

/// Runs the command.
pub(super) fn run(arguments: &BadgeArgs, console: &Console) -> Result<Exit, CommandError> {
    let source = arguments.source.as_str();
    let svg = if is_of_page(source) {
        audit::badge::render(&audited(arguments, console)?)
    } else if is_file(source) {
        match saved_results::read_one(Path::new(source))? {
            AnyResult::Scan(result) => badge::render(&result),
            AnyResult::Audit(result) => audit::badge::render(&result),
        }
    } else {
        badge::render(&scanned(arguments, console)?)
    };
    let mut output = console.output(arguments.output.as_deref())?;
    output.write(&svg, Paint::Plain)?;
    output.finish()?;
    Ok(Exit::Ok)
}

/// Whether a source is a page: a URL, also one without its scheme, or a file that is named as pages are.
fn is_of_page(source: &str) -> bool {
    let is_short_url = || {
        source.contains('/')
            && !is_named_as_results(source)
            && !page_input::is_file(source)
            && PageUrl::from_typed(source).is_ok()
    };
    source.contains("://") || is_page(Path::new(source)) || is_short_url()
}

fn scanned(arguments: &BadgeArgs, console: &Console) -> Result<ScanResult, CommandError> {
    let scanner = Scanner {
        source: ResponseSource::Network(Box::new(network::client(&arguments.network)?)),
        selection: Selection::all(),
        profile: None,
        agent_probes: AgentProbes::On,
        lang: console.lang(),
        record: None,
        repeat: console.repeat().clone(),
    };
    let progress = Progress::after_a_moment(console.can_show_progress(), console.signs());
    let scanned = network::block_on(Threads::One, async {
        Ok(scanner.scan(&arguments.source, Some(&progress)).await)
    });
    progress.finish();
    scanned?.outcome.map_err(TargetError::into_command_error)
}

/// A page that could not be read has a badge that says so.
fn audited(arguments: &BadgeArgs, console: &Console) -> Result<AuditResult, CommandError> {
    let auditor = Auditor {
        profile: None,
        lang: console.lang(),
        now: None,
        robots: None,
        uses_proxy: arguments.network.proxy_from_env,
    };
    let page = PageInput::from_argument(&arguments.source, None, console.labels());
    let audited = match page.source {
        page_input::PageSource::Local(local) => auditor.audit_local(page.name, local).outcome,
        page_input::PageSource::Unusable(error) => Err(error),
        page_input::PageSource::Url(url) => {
            let client = network::client(&arguments.network)?;
            let progress = Progress::after_a_moment(console.can_show_progress(), console.signs());
            let labels = console.labels();
            progress.say(&labels.sentence("audit-progress-one", &[("url", &url)]));
            let visited = network::block_on(Threads::One, async {
                Ok(auditor.visit(url, &client.session()).await)
            });
            progress.finish();
            visited?.map(|page| auditor.judge(&page))
        }
    };
    audited.map_err(TargetError::into_command_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_its_scheme_is_a_page_and_a_path_is_none() {
        for (source, expected) in [
            ("https://example.com/", true),
            ("example.com/page", true),
            ("example.com/", true),
            ("page.html", true),
            ("example.com", false),
            ("example.com/scan.json", false),
            ("./example.com/page", false),
            ("/tmp/page", false),
            ("results/page", false),
            ("-", false),
        ] {
            assert_eq!(is_of_page(source), expected, "{source}");
        }
    }
}
