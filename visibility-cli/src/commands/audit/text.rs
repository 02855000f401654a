//! `visibility audit --show-text`: what an answer engine reads.

use tokio::task;
use visibility_core::audit::snapshot::PageSnapshot;
use visibility_core::audit::status::Status;
use visibility_core::page::Document;

use super::auditor::Auditor;
use super::input::{Input, Source};
use crate::args::AuditArgs;
use crate::commands::network::{self, Threads};
use crate::commands::no_result::NoResult;
use crate::console::Console;
use crate::console::output::Paint;
use crate::exit_code::Exit;
use crate::failure::CommandFailure;

/// Prints the content of a page as Markdown.
pub(super) fn show(
    input: Input,
    auditor: &Auditor,
    arguments: &AuditArgs,
    console: &Console,
) -> Result<Exit, CommandFailure> {
    let mut output = console.output(arguments.output.output.as_deref())?;
    let is_at_hand = input.is_at_hand();
    let name = input.name;
    let page = match input.source {
        Source::Local(local) if is_at_hand => auditor.read(&name, local),
        Source::Local(local) => {
            let (auditor, name) = (auditor.clone(), name.clone());
            network::block_on(Threads::One, async {
                let read = task::spawn_blocking(move || auditor.read(&name, local)).await;
                read.map_err(|error| CommandFailure::internal("the page was not read", error))
            })?
        }
        Source::Unusable(failure) => Err(failure),
        Source::Url(url) => {
            let client = network::client(&arguments.network)?;
            network::block_on(Threads::One, async {
                Ok(auditor.visit(url, &client.session()).await)
            })?
        }
    };
    let page = page.map_err(NoResult::into_failure)?;
    let Some(text) = text_of(&page) else {
        let summary = visibility_core::audit::audit(&page).result(console.lang()).summary;
        return Err(CommandFailure::Unreachable { message: format!("{name}: {summary}") });
    };
    output.write(&text, Paint::Plain)?;
    output.finish()?;
    Ok(Exit::Ok)
}

/// The content of a page, if there is one.
fn text_of(page: &PageSnapshot) -> Option<String> {
    let (status, _) = Status::of(page);
    let response = page.response().filter(|_| status.has_page())?;
    let document = Document::parse(&response.body, response.headers.first("content-type"));
    Some(document.content().markdown())
}
