//! One file for each command: it takes the arguments, uses the stores and prints the result.

mod audits;
mod check;
mod clock;
mod config;
mod files;
mod grants;
mod health;
mod keys;
mod logs;
mod manual;
mod move_to;
mod openapi;
mod reconcile;
mod serve;
mod sweep;
mod tenants;
mod tokens;
mod users;

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use visibility_core::accounts::tenant::TenantSlug;

use crate::cli::args::{Cli, Command, ConfigCommand, GlobalArgs, ServeArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::settings::Settings;
use crate::settings::load::{self, LoadedSettings, Sources};
use crate::stores::Stores;
use crate::stores::location::{DatabaseLocation, StoreLocation};
use crate::stores::state::credentials::CredentialError;

pub use openapi::printed_description;

/// Runs a command.
pub(crate) fn run(cli: Cli, console: Console) -> Result<Exit, CommandError> {
    let global = &cli.global;
    match cli.command {
        Command::Serve { demo, serve } => {
            let loaded = settings(global, &serve)?;
            if demo.demo {
                serve::run_demo(loaded, &demo, console)
            } else {
                serve::run(loaded.settings, console)
            }
        }
        Command::Config(ConfigCommand::Show { format, serve }) => {
            config::show(&settings(global, &serve)?, format, console)
        }
        Command::Tenants(command) => tenants::run(&command, global, console),
        Command::Tokens(command) => tokens::run(&command, global, console),
        Command::Keys(command) => keys::run(&command, global, console),
        Command::Users(command) => users::run(&command, global, console),
        Command::Grants(command) => grants::run(&command, global, console),
        Command::Logs(command) => logs::run(&command, global, console),
        Command::Audits(command) => audits::run(&command, global, console),
        Command::Files { tenant, format } => files::run(tenant.as_ref(), format, global, console),
        Command::Clock(command) => clock::run(&command, global, console),
        Command::Sweep { confirm, format } => sweep::run(confirm, format, global, console),
        Command::MoveTo { to, format } => move_to::run(to, format, global, console),
        Command::Reconcile { adopt: true, confirm, format } => {
            reconcile::adopt_unknown(confirm, format, global, console)
        }
        Command::Reconcile { format, .. } => reconcile::run(format, global, console),
        Command::Check { deep, max_mib_per_second, format } => {
            check::run((deep, max_mib_per_second), format, global, console)
        }
        Command::Health { alive, serve } => {
            health::run(&settings(global, &serve)?.settings, alive, console)
        }
        Command::Openapi(arguments) => openapi::run(arguments, console),
        Command::Completions { shell } => manual::completions(shell, console),
        Command::Man { dir } => manual::pages(dir.as_deref(), console),
    }
}

/// The settings as this process sees them.
fn settings(global: &GlobalArgs, serve: &ServeArgs) -> Result<LoadedSettings, CommandError> {
    let loaded = load::load(&Sources {
        file: global.config.clone(),
        environment: std::env::vars_os().collect(),
        flags: global.flags(serve),
    })?;
    Ok(loaded)
}

/// The settings of a file alone, whatever flags and environment say.
fn settings_of_file(file: PathBuf) -> Result<Settings, CommandError> {
    let sources = Sources { file: Some(file), ..Sources::default() };
    Ok(load::load(&sources)?.settings)
}

/// The stores, which must exist.
fn stores(global: &GlobalArgs) -> Result<Stores, CommandError> {
    Ok(Stores::open(location(global)?)?)
}

/// Where the stores are; a data directory with a database must exist.
fn location(global: &GlobalArgs) -> Result<StoreLocation, CommandError> {
    let mut location = StoreLocation::of(&settings(global, &ServeArgs::default())?.settings)?;
    let folder = &location.data_dir;
    if matches!(location.database, DatabaseLocation::DataDir) && !folder.is_dir() {
        return Err(no_data(folder));
    }
    // Paths in results are for other programs, wherever they run.
    if let Ok(absolute) = std::path::absolute(&location.data_dir) {
        location.data_dir = absolute;
    }
    Ok(location)
}

/// Refuses a tenant that does not exist: no records would look like none sent.
fn expect_tenant(
    stores: &Stores,
    tenant: &TenantSlug,
    now: DateTime<Utc>,
) -> Result<(), CommandError> {
    let tenants = stores.state_store().tenants(now)?;
    if tenants.iter().any(|known| known.slug == *tenant) {
        return Ok(());
    }
    Err(CredentialError::NoTenant(tenant.clone()).into())
}

/// The stores, which are created if need be.
fn new_stores(global: &GlobalArgs) -> Result<Stores, CommandError> {
    Ok(Stores::open(StoreLocation::of(&settings(global, &ServeArgs::default())?.settings)?)?)
}

fn no_data(folder: &Path) -> CommandError {
    CommandError::usage(
        format!("the data directory `{}` does not exist", folder.display()),
        "give the directory of the server with `--data-dir`; `tenants create` and \
            `serve` create it",
    )
}
