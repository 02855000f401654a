//! Where settings come from: flags before the environment, the environment before the file, the file
//! before the defaults.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use visibility_core::text::nearest::nearest;

use super::Settings;
#[cfg(feature = "postgres")]
use super::database_address::{AddressError, DatabaseAddress};
use super::key::{KEYS, SettingKey, ValueKind};

/// Files that are read where none is named, the first that exists.
pub(crate) const FILES: [&str; 2] = ["visibility-server.toml", "/etc/visibility/server.toml"];
/// What variables of the environment begin with.
const PREFIX: &str = "VISIBILITY_";
/// Names the file, and is not a setting itself.
const CONFIG: &str = "VISIBILITY_CONFIG";
/// Has the password of the database, which is no setting, so that nothing shows it.
pub(crate) const PASSWORD: &str = "VISIBILITY_DATABASE__PASSWORD";
/// Has the API key of `visibility logs query`, which may be started from the same shell.
const CLIENT_KEY: &str = "VISIBILITY_KEY";
/// What fault points are armed with, in the builds that have some.
const FAULTS: [&str; 5] = [
    "VISIBILITY_CLOCK_OFFSET",
    "VISIBILITY_CRASH_AT",
    "VISIBILITY_FAIL_AT",
    "VISIBILITY_FREEZE_AT",
    "VISIBILITY_PANIC_AT",
];

/// Who said what a setting is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum SettingOrigin {
    /// The built-in default.
    Default,
    /// The settings file with this path.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
    /// A flag of the command line.
    Flag(String),
}

/// A setting from the command line.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    /// Its name, such as `--listen`.
    pub name: String,
    /// The key that it sets.
    pub key: String,
    /// The value as text.
    pub value: String,
}

/// Everything that settings are read from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// The file that was named; it must exist.
    pub file: Option<PathBuf>,
    /// The environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Flags; a later one wins.
    pub flags: Vec<Flag>,
}

/// The settings, with the origin of each.
#[derive(Clone, Debug)]
pub(crate) struct LoadedSettings {
    /// The values of all settings.
    pub settings: Settings,
    /// Value and origin in the order of [`KEYS`].
    pub values: Vec<(&'static SettingKey, Value, SettingOrigin)>,
}

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read the settings in `{}`", path.display())]
    File {
        /// The settings file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not TOML.
    #[error("`{}` is not valid TOML, line {line}: {reason}", path.display())]
    Toml {
        /// The settings file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why, in one line; the parser's error would draw it.
        reason: String,
    },
    /// No setting has that name.
    #[error("{origin}: there is no setting `{key}`")]
    UnknownKey {
        /// The key as in the file, such as `limits.burst`.
        key: String,
        /// Who used it.
        origin: SettingOrigin,
        /// The name that was probably meant.
        meant: Option<&'static str>,
    },
    /// The address of the database is not valid. It may have a password in it, which is not shown.
    #[cfg(feature = "postgres")]
    #[error("{origin}: {error}")]
    Database {
        /// Who said so.
        origin: SettingOrigin,
        /// What is wrong with it.
        error: AddressError,
    },
    /// The program cannot use PostgreSQL.
    #[cfg(not(feature = "postgres"))]
    #[error("{origin}: this program was built without PostgreSQL")]
    NoPostgres {
        /// Who wants it.
        origin: SettingOrigin,
    },
    /// A setting cannot have that value.
    #[error("{origin}: `{}` cannot be `{value}`; it must be {}", key.name, key.kind)]
    Value {
        /// The setting.
        key: &'static SettingKey,
        /// Who said so.
        origin: SettingOrigin,
        /// The value, in short.
        value: String,
    },
}

impl SettingsError {
    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownKey { meant: Some(meant), .. } => Some(format!("did you mean `{meant}`?")),
            Self::UnknownKey { meant: None, .. } => {
                Some("see `visibility-server config show` for all settings".to_owned())
            }
            #[cfg(feature = "postgres")]
            Self::Database { error, .. } => Some(error.hint().to_owned()),
            #[cfg(not(feature = "postgres"))]
            Self::NoPostgres { .. } => Some("build it with the feature `postgres`".to_owned()),
            Self::File { .. } | Self::Toml { .. } | Self::Value { .. } => None,
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(path) => write!(formatter, "file {}", path.display()),
            Self::Environment(name) => write!(formatter, "environment {name}"),
            Self::Flag(flag) => write!(formatter, "flag {flag}"),
        }
    }
}

/// Reads the settings.
///
/// # Errors
///
/// When the file cannot be read, a key is unknown or a value does not fit.
pub(crate) fn load(sources: &Sources) -> Result<LoadedSettings, SettingsError> {
    let mut given = BTreeMap::new();
    let file = sources
        .file
        .clone()
        .or_else(|| FILES.map(PathBuf::from).into_iter().find(|path| path.is_file()));
    if let Some(path) = file {
        read_file(&path, &mut given)?;
    }
    for (name, value) in &sources.environment {
        read_variable(&name.to_string_lossy(), &value.to_string_lossy(), &mut given)?;
    }
    for flag in &sources.flags {
        let origin = SettingOrigin::Flag(flag.name.clone());
        let key = find(&flag.key, &origin)?;
        let value = key.kind.value_of(&flag.value);
        keep(key, value, origin, &mut given)?;
    }
    Ok(assemble(&given))
}

type Given = BTreeMap<&'static str, (Value, SettingOrigin)>;

fn read_file(path: &Path, given: &mut Given) -> Result<(), SettingsError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| SettingsError::File { path: path.to_owned(), source })?;
    let table: Map<String, Value> = toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        SettingsError::Toml { path: path.to_owned(), line, reason: error.message().to_owned() }
    })?;
    read_table("", table, &SettingOrigin::File(path.to_owned()), given)
}

/// Takes the values of a table; tables in it are sections, of which none has sections of its own.
fn read_table(
    section: &str,
    table: Map<String, Value>,
    origin: &SettingOrigin,
    given: &mut Given,
) -> Result<(), SettingsError> {
    for (name, value) in table {
        let name = format!("{section}{name}");
        match value {
            Value::Object(inner) if section.is_empty() && is_section(&name) => {
                read_table(&format!("{name}."), inner, origin, given)?;
            }
            value => keep(find(&name, origin)?, value, origin.clone(), given)?,
        }
    }
    Ok(())
}

fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.split_once('.').is_some_and(|(section, _)| section == name))
}

fn read_variable(name: &str, text: &str, given: &mut Given) -> Result<(), SettingsError> {
    let Some(rest) = name.strip_prefix(PREFIX) else { return Ok(()) };
    let arms_fault =
        cfg!(all(feature = "fault-points", debug_assertions)) && FAULTS.contains(&name);
    if [CONFIG, PASSWORD, CLIENT_KEY].contains(&name) || arms_fault {
        return Ok(());
    }
    let origin = SettingOrigin::Environment(name.to_owned());
    let key = find(&rest.to_lowercase().replace("__", "."), &origin)?;
    keep(key, key.kind.value_of(text), origin, given)
}

fn find(name: &str, origin: &SettingOrigin) -> Result<&'static SettingKey, SettingsError> {
    SettingKey::find(name).ok_or_else(|| SettingsError::UnknownKey {
        key: name.to_owned(),
        origin: origin.clone(),
        meant: suggestion(name),
    })
}

/// The key that is the same but for its dots and hyphens, or has the same last word, such as
/// `limits.burst` for `limits_burst`, `burst` or `limit.burst`.
fn suggestion(name: &str) -> Option<&'static str> {
    let plain = |name: &str| name.replace(['.', '-'], "_");
    if let Some(key) = KEYS.iter().find(|key| plain(key.name) == plain(name)) {
        return Some(key.name);
    }
    let last = |name: &'static str| name.rsplit_once('.').map_or(name, |(_, last)| last);
    let word = name.rsplit_once('.').map_or(name, |(_, last)| last).replace('-', "_");
    let known = || KEYS.iter().map(|key| key.name);
    known().find(|known| last(known) == word).or_else(|| nearest(name, known()))
}

/// Takes a value if the setting can have it.
fn keep(
    key: &'static SettingKey,
    value: Value,
    origin: SettingOrigin,
    given: &mut Given,
) -> Result<(), SettingsError> {
    let is_empty = value.as_str().is_some_and(str::is_empty);
    let value = if is_empty && key.kind.is_optional() { Value::Null } else { value };
    check_database(key, &value, &origin)?;
    let only = BTreeMap::from([(key.name, (value.clone(), origin.clone()))]);
    if key.kind.accepts(&value) && settings(&only).is_some() {
        given.insert(key.name, (value, origin));
        return Ok(());
    }
    let shown = match &value {
        _ if matches!(key.kind, ValueKind::OptionalDatabase) => "(hidden)".to_owned(),
        // There may be a secret in it.
        Value::String(text) if key.name == "objects.url" && text.contains('@') => {
            "(hidden)".to_owned()
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Err(SettingsError::Value { key, origin, value: shown.chars().take(100).collect() })
}

/// Refuses what is no address of a database, without showing it.
#[cfg(feature = "postgres")]
fn check_database(
    key: &SettingKey,
    value: &Value,
    origin: &SettingOrigin,
) -> Result<(), SettingsError> {
    let Some(text) = value.as_str().filter(|_| matches!(key.kind, ValueKind::OptionalDatabase))
    else {
        return Ok(());
    };
    match text.parse::<DatabaseAddress>() {
        Ok(_) => Ok(()),
        Err(error) => Err(SettingsError::Database { origin: origin.clone(), error }),
    }
}

#[cfg(not(feature = "postgres"))]
fn check_database(
    key: &SettingKey,
    value: &Value,
    origin: &SettingOrigin,
) -> Result<(), SettingsError> {
    let is_set = matches!(key.kind, ValueKind::OptionalDatabase) && !value.is_null();
    if is_set { Err(SettingsError::NoPostgres { origin: origin.clone() }) } else { Ok(()) }
}

/// The settings with these values instead of the defaults; nothing if one of them does not fit.
fn settings(given: &Given) -> Option<Settings> {
    let mut root = Map::new();
    for (name, (value, _)) in given {
        match name.split_once('.') {
            None => drop(root.insert((*name).to_owned(), value.clone())),
            Some((section, name)) => {
                let section = root.entry(section).or_insert_with(|| Value::Object(Map::new()));
                section.as_object_mut()?.insert(name.to_owned(), value.clone());
            }
        }
    }
    serde_json::from_value(Value::Object(root)).ok()
}

fn assemble(given: &Given) -> LoadedSettings {
    // Each value was tried alone, and none depends on another.
    let settings = settings(given).unwrap_or_default();
    let all = serde_json::to_value(&settings).unwrap_or_default();
    let value = |key: &SettingKey| {
        let pointer = format!("/{}", key.name.replace('.', "/"));
        all.pointer(&pointer).cloned().unwrap_or_default()
    };
    let origin =
        |key: &SettingKey| given.get(key.name).map_or(SettingOrigin::Default, |(_, at)| at.clone());
    let values = KEYS.iter().map(|key| (key, value(key), origin(key))).collect();
    LoadedSettings { settings, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn flag(key: &str, value: &str) -> Flag {
        Flag { name: format!("--{key}"), key: key.to_owned(), value: value.to_owned() }
    }

    /// A file that goes away with its owner.
    struct Toml(PathBuf);

    impl Toml {
        fn new(text: &str) -> Self {
            static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let name = format!("visibility-settings-{}-{number}.toml", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, text).unwrap();
            Self(path)
        }

        fn load(&self) -> Result<LoadedSettings, SettingsError> {
            load(&Sources { file: Some(self.0.clone()), ..Sources::default() })
        }
    }

    impl Drop for Toml {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn leaves(prefix: &str, value: &Value, found: &mut Vec<String>) {
        for (name, value) in value.as_object().unwrap() {
            let name = format!("{prefix}{name}");
            if value.is_object() {
                leaves(&format!("{name}."), value, found);
            } else {
                found.push(name);
            }
        }
    }

    #[test]
    fn every_setting_has_its_key() {
        let mut found = Vec::new();
        leaves("", &serde_json::to_value(Settings::default()).unwrap(), &mut found);
        let mut known: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        found.sort();
        known.sort_unstable();
        assert_eq!(found, known);
    }

    #[test]
    fn every_default_is_allowed() {
        let loaded = assemble(&Given::new());
        for (key, value, origin) in loaded.values {
            assert!(key.kind.accepts(&value), "{} {value}", key.name);
            assert_eq!(origin, SettingOrigin::Default);
        }
    }

    #[test]
    fn a_flag_wins_over_the_environment_which_wins_over_the_file() {
        let file = Toml::new(
            "listen = '127.0.0.1:1'\nbase_url = 'http://a'\n[limits]\nburst = 1\nqueue = 7\n",
        );
        let loaded = load(&Sources {
            file: Some(file.0.clone()),
            environment: environment(&[
                ("VISIBILITY_LISTEN", "127.0.0.1:2"),
                ("VISIBILITY_LIMITS__BURST", "2"),
                ("VISIBILITY_CONFIG", "elsewhere"),
                ("VISIBILITY_KEY", "service_live_"),
                ("HOME", "/root"),
            ]),
            flags: vec![flag("listen", "127.0.0.1:3"), flag("listen", "127.0.0.1:4")],
        })
        .unwrap();
        let origin = |name: &str| {
            let found = loaded.values.iter().find(|(key, ..)| key.name == name).unwrap();
            (found.1.to_string(), found.2.to_string())
        };
        let named = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
        let path = file.0.display();
        assert_eq!(origin("listen"), named("\"127.0.0.1:4\"", "flag --listen"));
        assert_eq!(origin("limits.burst"), named("2", "environment VISIBILITY_LIMITS__BURST"));
        assert_eq!(origin("limits.queue"), named("7", &format!("file {path}")));
        assert_eq!(origin("limits.permits"), named("0", "default"));
        assert_eq!(loaded.settings.listen.port(), 4);
        assert_eq!((loaded.settings.limits.burst, loaded.settings.limits.queue), (2, 7));
        assert_eq!(loaded.settings.base_url.as_deref(), Some("http://a"));
    }

    #[test]
    fn unknown_keys_are_named_with_their_origin() {
        let message = |error: SettingsError| format!("{error} / {:?}", error.hint());
        let file = Toml::new("limits.brust = 1");
        let error = message(file.load().unwrap_err());
        assert!(
            error.contains(
                "there is no setting `limits.brust` / Some(\"did you mean `limits.burst`?"
            ),
            "{error}"
        );
        assert!(error.starts_with("file "), "{error}");
        for text in ["limits = 3", "listen.port = 3", "[limits.burst]\na = 1", "[[limits]]"] {
            assert!(Toml::new(text).load().is_err(), "{text}");
        }
        let sources = Sources {
            environment: environment(&[("VISIBILITY_BURST", "1")]),
            ..Sources::default()
        };
        assert_eq!(
            message(load(&sources).unwrap_err()),
            "environment VISIBILITY_BURST: there is no setting `burst` / \
             Some(\"did you mean `limits.burst`?\")"
        );
    }

    #[test]
    fn values_that_do_not_fit_are_named_with_what_does() {
        let cases = [
            ("listen", "localhost"),
            ("listen", ""),
            ("ingest_listen", "127.0.0.1"),
            ("base_url", "visibility.example.com"),
            ("base_url", "ftp://example.com"),
            ("base_url", "https://user@example.com"),
            ("data_dir", ""),
            ("trusted_proxies", "10.0.0.0/8,ten"),
            ("log.format", "xml"),
            ("log.level", "loud"),
            ("limits.burst", "-1"),
            ("limits.burst", "1.5"),
            ("limits.burst", ""),
            ("limits.burst", "18446744073709551616"),
            ("limits.connections", "0"),
            ("timeouts.head", "0"),
        ];
        for (name, value) in cases {
            let sources = Sources { flags: vec![flag(name, value)], ..Sources::default() };
            let error = load(&sources).unwrap_err().to_string();
            let start = format!("flag --{name}: `{name}` cannot be `");
            assert!(error.starts_with(&start) && error.contains("`; it must be "), "{error}");
        }
        for text in ["limits.burst = '1'", "listen = 8080", "log.level = 2", "trusted_proxies = ''"]
        {
            let error = Toml::new(text).load().unwrap_err();
            assert!(matches!(error, SettingsError::Value { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn an_empty_text_takes_an_optional_setting_back() {
        let loaded = load(&Sources {
            environment: environment(&[("VISIBILITY_METRICS_LISTEN", "127.0.0.1:1")]),
            flags: vec![flag("metrics_listen", "")],
            file: None,
        })
        .unwrap();
        assert_eq!(loaded.settings.metrics_listen, None);
    }

    #[test]
    fn lists_are_split_at_commas() {
        let sources = Sources {
            flags: vec![flag("trusted_proxies", "10.0.0.0/8, fd00::/8,")],
            ..Sources::default()
        };
        assert_eq!(load(&sources).unwrap().settings.trusted_proxies.len(), 2);
    }

    #[test]
    fn a_named_file_must_exist_and_be_toml() {
        let missing = Sources { file: Some("/nowhere/a.toml".into()), ..Sources::default() };
        assert!(matches!(load(&missing), Err(SettingsError::File { .. })));
        assert!(matches!(Toml::new("listen = ").load(), Err(SettingsError::Toml { .. })));
    }

    #[test]
    fn variables_are_the_keys_in_upper_case() {
        for key in &KEYS {
            let loaded = load(&Sources {
                environment: vec![(key.variable().into(), "\0".into())],
                ..Sources::default()
            });
            // Every variable is known; whether it takes this value is another matter.
            assert!(!matches!(loaded, Err(SettingsError::UnknownKey { .. })), "{}", key.name);
        }
    }
}
