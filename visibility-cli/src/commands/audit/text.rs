//! `visibility audit --show-text`: what an answer engine reads, and what it does not.

use tokio::task;
use visibility_core::audit::result::DroppedResult;
use visibility_core::audit::snapshot::PageSnapshot;
use visibility_core::audit::status::Status;
use visibility_core::page::Document;
use visibility_core::text::escape::printable;

use crate::args::AuditArgs;
use crate::console::output::Paint;
use crate::console::page::heading;
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::error::target_error::TargetError;
use crate::exit_code::Exit;
use crate::run::auditor::Auditor;
use crate::run::network::{self, Threads};
use crate::run::page_input::{PageInput, PageSource};

/// Prints the content of a page as Markdown.
pub(super) fn show(
    input: PageInput,
    auditor: &Auditor,
    arguments: &AuditArgs,
    console: &Console,
) -> Result<Exit, CommandError> {
    let mut output = console.output(arguments.output.output.as_deref())?;
    let is_at_hand = input.is_regular_file();
    let name = input.name;
    let page = match input.source {
        PageSource::Local(local) if is_at_hand => auditor.read(&name, local),
        PageSource::Local(local) => {
            let (auditor, name) = (auditor.clone(), name.clone());
            network::block_on(Threads::One, async {
                let read = task::spawn_blocking(move || auditor.read(&name, local)).await;
                read.map_err(|error| CommandError::internal("the page was not read", error))
            })?
        }
        PageSource::Unusable(target_error) => Err(target_error),
        PageSource::Url(url) => {
            let client = network::client(&arguments.network)?;
            network::block_on(Threads::One, async {
                Ok(auditor.visit(url, &client.session()).await)
            })?
        }
    };
    let page = page.map_err(TargetError::into_command_error)?;
    let judged = || visibility_core::audit::audit(&page).result(console.lang());
    let Some(text) = text_of(&page) else {
        let message = format!("{name}: {}", judged().summary);
        return Err(CommandError::Unreachable { message });
    };
    output.write(&text, Paint::Plain)?;
    output.finish()?;
    if !console.is_quiet() {
        let dropped = judged().page.map(|page| page.dropped).unwrap_or_default();
        say_dropped(&dropped, console);
    }
    Ok(Exit::Ok)
}

/// Says what was left out, so that a text that is missed can be found. Standard output has the text alone.
fn say_dropped(dropped: &[DroppedResult], console: &Console) {
    if dropped.is_empty() {
        return;
    }
    let labels = console.labels();
    let mut table = Table::new(
        &["rule", "chars", "line", "text"]
            .map(|id| labels.audit(id))
            .each_ref()
            .map(String::as_str),
    );
    for part in dropped {
        table.push([
            Cell::from(printable(&labels.drop_rule(&part.rule)).into_owned()),
            Cell::from(part.chars.to_string()),
            Cell::from(part.line.to_string()),
            Cell::from(printable(&part.text).into_owned()),
        ]);
    }
    let heading = heading(&labels.audit("dropped"));
    console.say(&format!("\n{heading}{}", table.render(2, console::width())));
}

/// The content of a page, if there is one.
fn text_of(page: &PageSnapshot) -> Option<String> {
    let (status, _) = Status::from_snapshot(page);
    let response = page.response().filter(|_| status.has_page())?;
    let document = Document::parse(&response.body, response.headers.first("content-type"));
    Some(document.content().markdown())
}
