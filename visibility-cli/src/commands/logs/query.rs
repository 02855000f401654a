//! `visibility logs query`.

use visibility_core::accounts::scope::Scope;

use super::query_page;
use crate::args::{LogQueryArgs, QueryFormat, QueryParameters, QueryQuestion};
use crate::console::Console;
use crate::console::output::Paint;
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::service::ServiceQuestion;

/// Runs `logs query`.
pub(super) fn run(arguments: &LogQueryArgs, console: &Console) -> Result<Exit, CommandError> {
    let path = format!("/api/v1/logs/{}", name(arguments.question));
    let parameters = parameters(&arguments.parameters, console);
    let question = ServiceQuestion::new(&arguments.service, Scope::LogsRead, &path, &parameters)?;
    let mut output = console.output(arguments.output.as_deref())?;
    let answer = question.ask(match arguments.format {
        QueryFormat::Csv => "text/csv",
        QueryFormat::Human | QueryFormat::Json => "application/json",
    })?;
    match arguments.format {
        QueryFormat::Human => {
            query_page::write(arguments.question, &answer.read()?, (console, &mut output))?;
        }
        QueryFormat::Json => {
            output.write_part(&answer.body)?;
            output.write("\n", Paint::Plain)?;
        }
        QueryFormat::Csv => output.write_part(&answer.body)?,
    }
    output.finish()?;
    Ok(Exit::Ok)
}

/// The name of a question in its path.
fn name(question: QueryQuestion) -> &'static str {
    match question {
        QueryQuestion::Summary => "summary",
        QueryQuestion::Series => "series",
        QueryQuestion::Agents => "agents",
        QueryQuestion::Hosts => "hosts",
        QueryQuestion::Errors => "errors",
        QueryQuestion::Sources => "sources",
    }
}

/// The parameters that were given, and the language.
fn parameters<'a>(
    arguments: &'a QueryParameters,
    console: &Console,
) -> Vec<(&'static str, &'a str)> {
    let QueryParameters {
        from,
        to,
        agent,
        purpose,
        vendor,
        host,
        status,
        kind,
        by,
        group,
        all,
        limit,
        after,
    } = arguments;
    let named = [
        ("from", from),
        ("to", to),
        ("agent", agent),
        ("purpose", purpose),
        ("vendor", vendor),
        ("host", host),
        ("status", status),
        ("kind", kind),
        ("by", by),
        ("group", group),
        ("limit", limit),
        ("after", after),
    ];
    let given = named.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let all = all.then_some(("all", "true"));
    given.chain(all).chain([("lang", console.lang().as_str())]).collect()
}
