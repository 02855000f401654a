//! `serve --demo`: the settings of a demonstration, its folder, and what is printed.

use std::net::{SocketAddr, TcpListener};

use serde_json::Value;

use crate::access::demo_link;
use crate::cli::args::DemoArgs;
use crate::cli::demo::folder::DemoFolder;
use crate::cli::error::CommandError;
use crate::runtime::{clock, random};
use crate::settings::Settings;
use crate::settings::load::{LoadedSettings, SettingOrigin};

/// Settings that a demonstration does not share with a server.
const OWN: [&str; 8] = [
    "data_dir",
    "database.url",
    "objects.url",
    "clickhouse.url",
    "base_url",
    "ingest_url",
    "ingest_listen",
    "oauth.issuer",
];

/// A demonstration that can begin.
#[derive(Debug)]
pub(super) struct Demo {
    pub(super) settings: Settings,
    secret: String,
    /// Removed when it is dropped.
    _folder: DemoFolder,
}

impl Demo {
    /// Checks the settings, and makes the temporary folder.
    pub(super) fn prepare(loaded: LoadedSettings, args: &DemoArgs) -> Result<Self, CommandError> {
        refuse_others(&loaded)?;
        if let Some(time) = args.demo_now {
            clock::start_at(time);
        }
        let has_address = is_given(&loaded, "listen");
        let has_level = is_given(&loaded, "log.level");
        let mut settings = loaded.settings;
        if !settings.listen.ip().to_canonical().is_loopback() {
            return Err(CommandError::usage(
                format!("a demonstration cannot listen on `{}`", settings.listen),
                "anyone with its link is signed in: choose an address of this machine, such as \
                    `127.0.0.1:8080`, or none",
            ));
        }
        if !has_address && !is_free(settings.listen) {
            settings.listen.set_port(0);
        }
        let parent = std::env::temp_dir();
        let folder = DemoFolder::create(&parent).map_err(|error| {
            CommandError::refused(
                format!("cannot make a folder in `{}`", parent.display()),
                "name a folder with room that can be written: `TMPDIR=/other visibility-server \
                    serve --demo`",
                error,
            )
        })?;
        let secret = random::cookie()
            .map_err(|error| CommandError::internal("the system has no randomness", error))?;
        if !has_level {
            "warn".clone_into(&mut settings.log.level);
        }
        folder.path().clone_into(&mut settings.data_dir);
        settings.demo = Some(demo_link::settings_for(&secret, clock::now()));
        // Nothing else is asked, and no one is turned away.
        settings.oauth.client_documents = false;
        settings.web.enabled = true;
        let limits = &mut settings.limits;
        (limits.batches_per_hour, limits.burst) = (0, 0);
        (limits.scans_per_minute, limits.scans_per_day) = (0, 0);
        (limits.audits_per_minute, limits.audits_per_day, limits.audits_per_host) = (0, 0, 0);
        Ok(Self { settings, secret, _folder: folder })
    }

    /// What is printed when it can be visited.
    pub(super) fn welcome(&self, address: SocketAddr) -> String {
        format!(
            "Open this link to look around. It works once, within ten minutes:\n\n  \
             http://{address}/demo?secret={}\n\n\
             Everything here is made up and goes when you stop it with Ctrl+C.\n",
            self.secret
        )
    }
}

/// Refuses settings of a server: its data must not be mixed with those of a demonstration.
fn refuse_others(loaded: &LoadedSettings) -> Result<(), CommandError> {
    let Some(name) = OWN.into_iter().find(|name| is_given(loaded, name)) else { return Ok(()) };
    let origin = loaded.values.iter().find(|(key, ..)| key.name == name);
    let origin = match origin.map(|(.., origin)| origin) {
        Some(SettingOrigin::File(path)) => format!(" in `{}`", path.display()),
        Some(SettingOrigin::Environment(variable)) => format!(" by `{variable}`"),
        Some(SettingOrigin::Flag(flag)) => format!(" by `{flag}`"),
        _ => String::new(),
    };
    Err(CommandError::usage(
        format!("a demonstration does not use `{name}`, which is set{origin}"),
        "it has a temporary folder of its own and leaves nothing: remove that setting, or start \
            the server without `--demo`",
    ))
}

/// Whether a setting has another value than the default.
fn is_given(loaded: &LoadedSettings, name: &str) -> bool {
    let is_set = |value: &Value, origin: &SettingOrigin| {
        !matches!(origin, SettingOrigin::Default) && !value.is_null()
    };
    loaded.values.iter().any(|(key, value, origin)| key.name == name && is_set(value, origin))
}

fn is_free(address: SocketAddr) -> bool {
    TcpListener::bind(address).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::load::{self, Flag, Sources};

    fn refused(name: &str, value: &str) -> Option<String> {
        let flag =
            Flag { name: format!("--set {name}"), key: name.to_owned(), value: value.to_owned() };
        let loaded = load::load(&Sources { flags: vec![flag], ..Sources::default() }).unwrap();
        Demo::prepare(loaded, &DemoArgs::default()).err().map(|error| error.to_string())
    }

    #[test]
    fn settings_of_a_server_are_refused() {
        for (name, value) in [
            ("data_dir", "/var/lib/visibility"),
            ("objects.url", "file:///mnt/objects"),
            ("base_url", "https://a.example"),
            ("clickhouse.url", "https://a.example:8443"),
        ] {
            let message = refused(name, value).unwrap();
            assert!(message.contains(&format!("`{name}`")), "{message}");
            assert!(message.contains("by `--set"), "{message}");
        }
        assert!(refused("listen", "0.0.0.0:80").unwrap().contains("0.0.0.0:80"));
        assert_eq!(refused("log.format", "json"), None);
    }

    #[test]
    fn a_demonstration_has_a_folder_and_no_limits() {
        let loaded = load::load(&Sources::default()).unwrap();
        let demo = Demo::prepare(loaded, &DemoArgs::default()).unwrap();
        assert!(demo.settings.data_dir.is_dir());
        assert_eq!(demo.settings.limits.burst, 0);
        let welcome = demo.welcome("127.0.0.1:8080".parse().unwrap());
        assert!(welcome.contains(&format!("http://127.0.0.1:8080/demo?secret={}\n", demo.secret)));
    }
}
