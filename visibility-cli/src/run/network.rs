//! What every command with network access needs: an HTTP client, a runtime and a user agent.

use std::env;
use std::fs;
use std::future::Future;
use std::path::PathBuf;

use tokio::runtime::{Builder, Runtime};
use visibility_core::fetch::http::{HttpClient, HttpSettings, ProxyRules};

use crate::args::NetworkArgs;
use crate::error::CommandError;

/// Our own `User-Agent`.
pub(crate) const USER_AGENT: &str = concat!(
    "VisibilityBot/",
    env!("CARGO_PKG_VERSION"),
    " (+",
    env!("CARGO_PKG_HOMEPAGE"),
    "/bot)"
);

/// A client as the arguments want it.
pub(crate) fn client(arguments: &NetworkArgs) -> Result<HttpClient, CommandError> {
    let mut settings = HttpSettings {
        scanned_by: USER_AGENT.to_owned(),
        allow_networks: arguments.allow_network.clone(),
        connect_to: arguments.connect_to.clone(),
        proxy: arguments.proxy_from_env.then(proxy_from_environment).transpose()?,
        scan_timeout: arguments.timeout,
        ..HttpSettings::default()
    };
    settings.request_timeout = settings.request_timeout.min(arguments.timeout);
    trust_files(&mut settings, &arguments.ca_cert)?;
    HttpClient::new(settings)
        .map_err(|error| CommandError::internal("cannot create the HTTP client", error))
}

/// Trusts the certificates of PEM files too.
pub(crate) fn trust_files(
    settings: &mut HttpSettings,
    paths: &[PathBuf],
) -> Result<(), CommandError> {
    for path in paths {
        let pem =
            fs::read(path).map_err(|source| CommandError::Read { path: path.clone(), source })?;
        settings.trust_pem(&pem).map_err(|error| {
            CommandError::usage_with(
                format!("`{}`: {error}", path.display()),
                "give a PEM file, with lines such as `-----BEGIN CERTIFICATE-----`",
            )
        })?;
    }
    Ok(())
}

fn proxy_from_environment() -> Result<ProxyRules, CommandError> {
    ProxyRules::from_variables(|name| env::var_os(name)).map_err(|error| {
        CommandError::usage_with(
            format!("--proxy-from-env: {error}"),
            "set it to the address of a proxy, such as `http://proxy.example.com:3128`, or leave the flag out",
        )
    })
}

/// How many threads work.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Threads {
    /// This one.
    One,
    /// One for each core.
    Many,
}

/// Runs to the end, or to Ctrl-C. Lookups that hang do not keep the process.
pub(crate) fn block_on<T>(
    threads: Threads,
    work: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    let runtime = runtime(threads)?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            // First, so that it is listened for when the work begins.
            biased;
            Ok(()) = tokio::signal::ctrl_c() => Err(CommandError::Interrupted),
            outcome = work => outcome,
        }
    });
    runtime.shutdown_background();
    outcome
}

/// Bytes of the stack of a thread, as many as the first one has: unoptimized, a scan that is called by a
/// client wants more than the two megabytes that threads have by themselves.
const STACK_BYTES: usize = 8 * 1024 * 1024;

fn runtime(threads: Threads) -> Result<Runtime, CommandError> {
    let mut builder = match threads {
        Threads::One => Builder::new_current_thread(),
        Threads::Many => Builder::new_multi_thread(),
    };
    builder
        .enable_all()
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| CommandError::internal("cannot start the async runtime", error))
}
