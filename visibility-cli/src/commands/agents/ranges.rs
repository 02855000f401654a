//! `visibility agents ranges`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use url::Url;
use visibility_core::agents::ranges::{AgentRanges, RangeList};
use visibility_core::agents::{Agent, Registry};
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::{BodyEnd, Fetch as _, Probe};
use visibility_core::report::labels::Labels;

use crate::args::{ListArgs, ListFormat, RangesCommand, RangesFetchArgs};
use crate::console::json::{print_json, to_json};
use crate::console::output::Paint;
use crate::console::progress::{ListProgress, Progress};
use crate::console::style::{BAD, DIM, HEADING};
use crate::console::table::{Cell, Table};
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads, USER_AGENT};
use crate::run::range_file;

/// Bytes of a list. The largest of 2026 has 100 KB; our choice is above that.
const MAX_LIST_BYTES: usize = 2 * 1024 * 1024;
/// Lists that are fetched at a time.
const PARALLEL: usize = 6;

/// A list that could not be read, and why.
struct UnreadList {
    source: String,
    reason: String,
}

/// Runs `agents ranges`.
pub(super) fn run(command: &RangesCommand, console: &Console) -> Result<Exit, CommandError> {
    match command {
        RangesCommand::Fetch(arguments) => fetch(arguments, console),
        RangesCommand::Show { file, list } => show(file, list, console),
    }
}

fn fetch(arguments: &RangesFetchArgs, console: &Console) -> Result<Exit, CommandError> {
    let mut ranges = existing(arguments.output.as_deref())?;
    let mut output = console.output(arguments.output.as_deref())?;
    let (read, unread) = if arguments.from.is_empty() {
        fetch_all(arguments, console)?
    } else {
        let lists: Result<Vec<_>, _> = arguments.from.iter().map(|from| from_file(from)).collect();
        (lists?.into_iter().flatten().collect(), Vec::new())
    };
    say(&read, &unread, &ranges, console);
    if read.is_empty() {
        return Err(CommandError::Unreachable {
            message: console.labels().label("ranges-none-fetched"),
        });
    }
    for list in read {
        ranges.put(list);
    }
    output.write(&to_json(&ranges.to_json())?, Paint::Plain)?;
    output.finish()?;
    Ok(if unread.is_empty() { Exit::Ok } else { Exit::SomeBad })
}

/// The lists that an output file has already.
fn existing(output: Option<&Path>) -> Result<AgentRanges, CommandError> {
    match output {
        // Another file of that name is not written over; an empty one was made for this.
        Some(path) if path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0) => {
            range_file::read(path)
        }
        _ => Ok(AgentRanges::default()),
    }
}

fn fetch_all(
    arguments: &RangesFetchArgs,
    console: &Console,
) -> Result<(Vec<RangeList>, Vec<UnreadList>), CommandError> {
    let client = network::client(&arguments.network)?;
    let sources = AgentRanges::sources();
    let is_shown = console.can_show_progress() && !arguments.no_progress;
    let progress = Progress::after_a_moment(is_shown, console.signs());
    let list_progress =
        ListProgress::new(&progress, console.labels(), "ranges-progress", Some(sources.len()));
    let outcome = network::block_on(Threads::One, async {
        let mut fetched =
            stream::iter(sources).map(|source| fetch_one(&client, source)).buffered(PARALLEL);
        let (mut read, mut unread) = (Vec::new(), Vec::new());
        while let Some(result) = fetched.next().await {
            match result {
                Ok(list) => read.push(list),
                Err(failed) => unread.push(failed),
            }
            list_progress.say(read.len() + unread.len());
        }
        Ok((read, unread))
    });
    progress.finish();
    outcome
}

async fn fetch_one(client: &HttpClient, source: &str) -> Result<RangeList, UnreadList> {
    let unread = |reason: String| UnreadList { source: source.to_owned(), reason };
    let url = Url::parse(source).map_err(|error| unread(error.to_string()))?;
    let probe = Probe::new(url, USER_AGENT, MAX_LIST_BYTES);
    // A session for each: one that is slow or has limits is no trouble for the others.
    let response =
        client.session().fetch(&probe).await.map_err(|error| unread(error.to_string()))?;
    if !response.is_success() {
        return Err(unread(format!("status {}", response.status)));
    }
    match response.body_end {
        BodyEnd::Complete => {}
        BodyEnd::Capped => return Err(unread(format!("more than {MAX_LIST_BYTES} bytes"))),
        _ => return Err(unread("it ends early".to_owned())),
    }
    RangeList::read(source, Utc::now(), &response.body).map_err(|error| unread(error.to_string()))
}

/// Reads a list as its operator publishes it, or a file with several.
fn from_file(argument: &str) -> Result<Vec<RangeList>, CommandError> {
    let named = argument.split_once('=').and_then(|(name, path)| {
        let agent = Registry::embedded().find(name)?;
        Some((agent, PathBuf::from(path)))
    });
    let path = named.as_ref().map_or(Path::new(argument), |(_, path)| path);
    let unreadable = |source: io::Error| CommandError::Read { path: path.to_owned(), source };
    let bytes = fs::read(path).map_err(unreadable)?;
    if let Ok(ranges) = AgentRanges::from_json(&bytes) {
        return Ok(ranges.lists);
    }
    let source = match &named {
        Some((agent, _)) => agent.ip_ranges_url.as_deref().ok_or_else(|| no_list(agent))?,
        None => source_of(path).ok_or_else(|| {
            CommandError::usage_with(
                format!("the name of `{}` does not say whose list it is", path.display()),
                format!("say it: --from GPTBot={}", path.display()),
            )
        })?,
    };
    // When it was saved is when it was fetched.
    let saved = path.metadata().and_then(|file| file.modified()).map_err(unreadable)?;
    let list = RangeList::read(source, DateTime::<Utc>::from(saved), &bytes).map_err(|error| {
        CommandError::usage_with(
            format!("cannot use `{}`: {error}", path.display()),
            format!("save {source} as it is"),
        )
    })?;
    Ok(vec![list])
}

fn no_list(agent: &Agent) -> CommandError {
    CommandError::usage_with(
        format!("the operator of {} publishes no list", agent.name),
        "`visibility agents show` says who does: see `addresses`",
    )
}

/// The source with the file name of a path, such as `gptbot.json`; the ending may be missing or another one.
fn source_of(path: &Path) -> Option<&'static str> {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let wanted = stem(path.file_name()?.to_str()?);
    AgentRanges::sources().into_iter().find(|source| {
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        stem(name) == wanted
    })
}

/// Says what could not be read, and how many lists there are.
fn say(read: &[RangeList], unread: &[UnreadList], before: &AgentRanges, console: &Console) {
    let labels = console.labels();
    for UnreadList { source, reason } in unread {
        let kept = before.lists.iter().find(|list| list.source == *source);
        let day = kept.map(|list| list.fetched_at.format("%Y-%m-%d").to_string());
        let values: [(&'static str, &dyn ToString); 3] =
            [("source", source), ("reason", reason), ("day", &day.as_deref().unwrap_or_default())];
        let id = if day.is_some() { "ranges-unread-but-there" } else { "ranges-unread" };
        console.note(&labels.sentence(id, &values));
    }
    let networks: usize = read.iter().map(|list| list.prefixes.len()).sum();
    let values: [(&'static str, &dyn ToString); 2] =
        [("lists", &read.len()), ("networks", &networks)];
    if !read.is_empty() {
        console.note(&labels.sentence("ranges-read", &values));
    }
}

/// A list, as it is shown to programs.
#[derive(Serialize)]
struct ShownList<'a> {
    source: &'a str,
    agents: Vec<&'a str>,
    networks: usize,
    fetched_at: DateTime<Utc>,
    published_at: Option<DateTime<Utc>>,
    age_days: i64,
    is_current: bool,
}

fn show(path: &Path, arguments: &ListArgs, console: &Console) -> Result<Exit, CommandError> {
    let ranges = range_file::read(path)?;
    let now = Utc::now();
    let lists: Vec<ShownList<'_>> = ranges.lists.iter().map(|list| shown(list, now)).collect();
    if arguments.format == ListFormat::Json {
        print_json(&lists, console)?;
    } else {
        console.print(&table(&lists, console.labels()))?;
    }
    Ok(Exit::Ok)
}

fn shown(list: &RangeList, now: DateTime<Utc>) -> ShownList<'_> {
    ShownList {
        source: &list.source,
        agents: list.agents().map(|agent| agent.name.as_str()).collect(),
        networks: list.prefixes.len(),
        fetched_at: list.fetched_at,
        published_at: list.published_at,
        age_days: (now - list.fetched_at).num_days(),
        is_current: list.is_current(now),
    }
}

fn table(lists: &[ShownList<'_>], labels: Labels) -> String {
    let titles = ["agent", "networks", "fetched", "age", "published"].map(|id| labels.label(id));
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for list in lists {
        let agents =
            if list.agents.is_empty() { list.source.to_owned() } else { list.agents.join(", ") };
        let published = list.published_at.map(|time| time.format("%Y-%m-%d").to_string());
        let age = labels.sentence("ranges-age", &[("days", &list.age_days)]);
        table.push([
            Cell::styled(agents, HEADING),
            Cell::from(list.networks.to_string()),
            Cell::from(list.fetched_at.format("%Y-%m-%d").to_string()),
            if list.is_current { Cell::from(age) } else { Cell::styled(age, BAD) },
            Cell::styled(published.unwrap_or_else(|| "–".to_owned()), DIM),
        ]);
    }
    let mut text = table.render(0, console::width());
    let old = lists.iter().filter(|list| !list.is_current).count();
    if old > 0 {
        text.push_str(&format!("\n{}\n", labels.sentence("ranges-old", &[("lists", &old)])));
    }
    text
}
