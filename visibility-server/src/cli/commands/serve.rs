//! `visibility-server serve`.

mod demo;
mod sockets;
mod startup_message;

use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::demo::Demo;
use self::sockets::Sockets;
use crate::cli::args::DemoArgs;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::ingest::maintenance::Maintenance;
use crate::service::listener;
use crate::service::metrics_endpoint;
use crate::service::router::Endpoints;
use crate::settings::Settings;
use crate::settings::load::LoadedSettings;
use crate::state::AppState;
use crate::stores::Stores;
use crate::stores::location::StoreLocation;
use crate::telemetry::log;
use crate::telemetry::metrics::Metrics;

/// Runs a demonstration until a signal stops it. Its folder goes with it.
pub(super) fn run_demo(
    loaded: LoadedSettings,
    args: &DemoArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let demo = Demo::prepare(loaded, args)?;
    run_with(demo.settings.clone(), Some(&demo), console)
}

/// Runs the service until a signal stops it.
pub(super) fn run(settings: Settings, console: Console) -> Result<Exit, CommandError> {
    run_with(settings, None, console)
}

fn run_with(
    settings: Settings,
    demo: Option<&Demo>,
    console: Console,
) -> Result<Exit, CommandError> {
    sockets::refuse_public_without_url(&settings)?;
    sockets::refuse_public_in_test_mode(&settings)?;
    log::start(&settings.log)?;
    if !settings.fetch.connect_to.is_empty() {
        tracing::warn!("fetch_test_mode: scans connect to what `fetch.connect_to` names");
    }
    let stores = open(&settings)?;
    let runtime = Runtime::new()
        .map_err(|error| CommandError::internal("cannot start the async runtime", error))?;
    let ended = runtime.block_on(serve(settings, Arc::clone(&stores), demo, console));
    // What still runs may keep the stores from being dropped before the process ends.
    stores.leave();
    // What still runs then was given its time, or is not waited for.
    runtime.shutdown_background();
    ended
}

fn open(settings: &Settings) -> Result<Arc<Stores>, CommandError> {
    let folder = &settings.data_dir;
    let stores = Stores::open_exclusive(StoreLocation::of(settings)?)
        .map_err(|error| CommandError::of_open(folder, error))?;
    if is_open_to_others(settings) {
        tracing::warn!(data_dir = %folder.display(), "other users can read the data directory; run `chmod 700` on it");
    }
    Ok(Arc::new(stores))
}

/// Whether users other than the owner may enter the data directory.
fn is_open_to_others(settings: &Settings) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(&settings.data_dir);
    found.is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

async fn serve(
    mut settings: Settings,
    stores: Arc<Stores>,
    demo: Option<&Demo>,
    console: Console,
) -> Result<Exit, CommandError> {
    // From here on no signal ends the process by itself.
    let mut signals = Signals::listen()?;
    let sockets = Sockets::bind(&settings)?;
    sockets.name(&mut settings);
    let ready = startup_message::StartupMessage::new(&settings, &sockets, stores.state_store())?;
    let address = sockets.public.local_addr().ok();
    let (stop, stopped) = watch::channel(false);
    let metrics = Arc::new(Metrics::default());
    let state = AppState::new(
        settings.clone(),
        Arc::clone(&stores),
        Arc::clone(&metrics),
        stopped.clone(),
    )?;
    let endpoints = Endpoints::new(state.clone())?;
    if demo.is_some() {
        console.say("Preparing half a year of scans and three months of logs ...");
        tokio::select! {
            filled = crate::cli::demo::fill(&state, endpoints.router()) => filled?,
            () = signals.next() => return Ok(Exit::Interrupted),
        }
    }

    let mut running = JoinSet::new();
    let mut listen = |listener, router| {
        let (settings, stopped) = (settings.clone(), stopped.clone());
        running.spawn(async move { listener::serve(listener, router, &settings, stopped).await });
    };
    match sockets.ingest {
        Some(ingest) => {
            listen(sockets.public, endpoints.public_router());
            listen(ingest, endpoints.ingestion_router());
        }
        None => listen(sockets.public, endpoints.router()),
    }
    if let Some(listener) = sockets.metrics {
        listen(listener, metrics_endpoint::router(Arc::clone(&metrics), Arc::clone(&stores)));
    }
    // Whatever it does when the service stops is as safe as in a crash, and not waited for.
    tokio::spawn(Maintenance::new(stores, metrics, settings.clone(), stopped).run());
    match demo.zip(address) {
        Some((demo, address)) => console.print(&demo.welcome(address))?,
        None => ready.announce(console),
    }

    signals.next().await;
    tracing::info!("stopping: waiting for running requests to finish");
    // The listeners hold the other ends.
    let _ = stop.send(true);
    let finished = async { while running.join_next().await.is_some() {} };
    tokio::select! {
        () = finished => {
            tracing::info!("stopped");
            Ok(Exit::Ok)
        }
        () = signals.next() => {
            tracing::warn!("stopped immediately after a second signal");
            Ok(Exit::Interrupted)
        }
    }
}

/// The signals that ask for an end.
#[derive(Debug)]
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, CommandError> {
        let of = |kind| {
            signal(kind).map_err(|error| CommandError::internal("cannot receive signals", error))
        };
        Ok(Self {
            terminate: of(SignalKind::terminate())?,
            interrupt: of(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
