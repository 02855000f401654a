//! Errors of commands, with hints for the operator.

use std::io;
use std::path::{Path, PathBuf};

use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::{StoreError, StoreErrorKind};

use crate::access::auth::external::ExternalIssuerError;
use crate::cli::demo::FillError;
use crate::cli::exit_code::Exit;
use crate::fetch::FetchClientError;
use crate::ingest::stats::StatsError;
use crate::settings::load::SettingsError;
use crate::state::StateError;
use crate::stores::identity::IdentityError;
use crate::stores::location::LocationError;
use crate::stores::state::credentials::CredentialError;
use crate::stores::state::keys::KeyError;
use crate::stores::state::users::UserError;
use crate::stores::transfer::TransferError;
use crate::stores::{InUse, NodesServe, database_damage};
use crate::telemetry::log::TelemetryError;

/// A command that came to no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// What was asked for cannot be done, or not so.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The settings name no place for the stores.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// A tenant or a token was not changed.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// A key was not changed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A user was not changed.
    #[error(transparent)]
    User(#[from] UserError),
    /// The data of a demonstration could not be written.
    #[error(transparent)]
    Demo(#[from] FillError),
    /// Standard output was closed by its reader, as `head` does: nothing is wrong.
    #[error("standard output was closed")]
    Closed,
    /// The program, its database or its disk failed.
    #[error("{message}")]
    Internal {
        /// What went wrong.
        message: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl CommandError {
    /// Something that cannot be done, and what to do instead.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()), source: None }
    }

    /// Something that the system refused.
    pub(crate) fn refused(
        message: impl Into<String>,
        hint: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Usage {
            message: message.into(),
            hint: Some(hint.into()),
            source: Some(source.into()),
        }
    }

    /// Why a data directory cannot be used.
    pub(crate) fn of_open(folder: &Path, error: StoreError) -> Self {
        if error.source.as_ref().is_some_and(|source| source.is::<InUse>()) {
            return Self::refused(
                format!("the data directory `{}` is in use", folder.display()),
                "stop that process, or choose another folder with `--data-dir`",
                InUse,
            );
        }
        error.into()
    }

    /// Why stores cannot be moved.
    pub(crate) fn of_move(folders: &[PathBuf], error: StoreError) -> Self {
        if error.source.as_ref().is_some_and(|source| source.is::<InUse>()) {
            let used =
                folders.iter().find(|folder| error.action.ends_with(&*folder.to_string_lossy()));
            return Self::of_open(used.map_or(Path::new("."), PathBuf::as_path), error);
        }
        match TransferError::of(&error).cloned() {
            Some(problem) => {
                Self::refused(format!("refused to {}", error.action), problem.hint(), problem)
            }
            None => error.into(),
        }
    }

    /// An internal error of the program or its environment.
    pub(crate) fn internal(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Internal { message: message.into(), source: source.into() }
    }

    /// Trouble with standard output.
    pub(crate) fn stdout(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::internal("cannot write to standard output", error),
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } => hint.clone(),
            Self::Settings(error) => error.hint(),
            Self::Location(error) => Some(error.hint().to_owned()),
            Self::Credential(error) => hint_of_credentials(error),
            Self::Key(error) => hint_of_keys(error),
            Self::User(error) => hint_of_users(error),
            Self::Demo(_) => Some(
                "it needs 20 MB in the temporary folder: make room there, or name another folder \
                 in `TMPDIR`"
                    .to_owned(),
            ),
            Self::Closed | Self::Internal { .. } => None,
        }
    }

    /// How the process ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Credential(CredentialError::Store(_))
            | Self::Key(KeyError::Store(_))
            | Self::User(UserError::Store(_))
            | Self::Demo(_)
            | Self::Internal { .. } => Exit::Internal,
            Self::Usage { .. }
            | Self::Settings(_)
            | Self::Location(_)
            | Self::Credential(_)
            | Self::Key(_)
            | Self::User(_) => Exit::Usage,
            Self::Closed => Exit::Ok,
        }
    }
}

impl From<StatsError> for CommandError {
    fn from(error: StatsError) -> Self {
        match error {
            StatsError::Store(error) => error.into(),
            StatsError::Stopped => Self::internal("the records were not counted", error),
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        if let Some(problem) = IdentityError::of(&error).cloned() {
            let message = format!("refused to {}", error.action);
            return Self::refused(message, problem.hint(), problem);
        }
        if let Some(damage) = database_damage(&error) {
            let hint = "stop the server, and restore the database of a backup";
            return Self::refused("the database is damaged", hint, damage);
        }
        if let Some(serving) =
            error.source.as_ref().and_then(|source| source.downcast_ref::<NodesServe>()).cloned()
        {
            let message = format!("refused to {}", error.action);
            let hint = "stop them; one that was killed counts for half a minute";
            return Self::refused(message, hint, serving);
        }
        Self::Credential(error.into())
    }
}

impl From<StateError> for CommandError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Store(error) => error.into(),
            StateError::Client(error)
            | StateError::External(ExternalIssuerError::Client(error)) => error.into(),
            StateError::External(error) => {
                let hint = Some(error.hint().to_owned());
                Self::Usage { message: error.to_string(), hint, source: None }
            }
        }
    }
}

impl From<FetchClientError> for CommandError {
    fn from(error: FetchClientError) -> Self {
        let hint = Some(error.hint().to_owned());
        let message = error.to_string();
        let source = match error {
            FetchClientError::Read { source, .. } | FetchClientError::Threads(source) => {
                Some(source.into())
            }
            FetchClientError::Certificates { source, .. } | FetchClientError::Client(source) => {
                Some(source.into())
            }
            FetchClientError::ConnectTo(source) => Some(source.into()),
            FetchClientError::Resolver(source) => Some(source.into()),
        };
        Self::Usage { message, hint, source }
    }
}

impl From<TelemetryError> for CommandError {
    fn from(error: TelemetryError) -> Self {
        Self::internal("cannot set up the log", error)
    }
}

fn hint_of_credentials(error: &CredentialError) -> Option<String> {
    match error {
        CredentialError::TenantExists(slug) => {
            Some(format!("create a token for it with `visibility-server tokens create {slug}`"))
        }
        CredentialError::NoTenant(slug) => Some(no_tenant(slug)),
        CredentialError::TenantDisabled(slug) => Some(disabled(slug)),
        CredentialError::NoToken(_) => {
            Some("see `visibility-server tokens list` for the ids".to_owned())
        }
        CredentialError::TooManyTokens { active, .. } => {
            let oldest = active.first()?;
            let first_end = active.iter().map(|token| token.expires_at).min()?;
            Some(format!(
                "wait until one expires on {}, or revoke the older one as soon as no sender uses it: \
                 `visibility-server tokens revoke {}`",
                first_end.format("%Y-%m-%d"),
                oldest.id
            ))
        }
        CredentialError::NothingToRotate(slug) => {
            Some(format!("create one with `visibility-server tokens create {slug}`"))
        }
        CredentialError::Store(error) => (error.kind == StoreErrorKind::Full)
            .then(|| "make room on that disk, or use a folder on another one".to_owned()),
    }
}

fn hint_of_keys(error: &KeyError) -> Option<String> {
    match error {
        KeyError::NoTenant(slug) => Some(no_tenant(slug)),
        KeyError::TenantDisabled(slug) => Some(disabled(slug)),
        KeyError::NoKey(_) => Some("see `visibility-server keys list` for the ids".to_owned()),
        KeyError::NameTaken(key) => Some(format!(
            "replace it with `visibility-server keys rotate {}`, or choose another `--name`",
            key.key.id
        )),
        KeyError::TooManyKeys { active, .. } => {
            let old = active.iter().find(|key| key.replaced_by.is_some()).or(active.first())?;
            let end = old.expires_at.map(|end| end.format("%Y-%m-%d %H:%M UTC").to_string());
            let wait =
                end.map_or_else(String::new, |end| format!("wait until it expires on {end}, or "));
            Some(format!(
                "{wait}revoke it as soon as no client uses it: `visibility-server keys revoke {}`",
                old.key.id
            ))
        }
        KeyError::NotActive { active: Some(active), .. } => {
            Some(format!("rotate the active one instead: `visibility-server keys rotate {active}`"))
        }
        KeyError::NotActive { tenant, name, active: None, .. } => Some(format!(
            "create another with `visibility-server keys create {tenant} --name \
                '{name}'`"
        )),
        KeyError::Store(_) => None,
    }
}

fn hint_of_users(error: &UserError) -> Option<String> {
    match error {
        UserError::NoTenant(slug) => Some(no_tenant(slug)),
        UserError::TenantDisabled(slug) => Some(disabled(slug)),
        UserError::NameTaken(name) => Some(format!(
            "set its password with `visibility-server users passwd {name}`, or \
                choose another name; names are unique across tenants"
        )),
        UserError::NoUser(_) => Some("see `visibility-server users list` for the names".to_owned()),
        UserError::Store(_) => None,
    }
}

fn no_tenant(slug: &TenantSlug) -> String {
    format!(
        "see `visibility-server tenants list`, or create it with `visibility-server \
            tenants create {slug}`"
    )
}

fn disabled(slug: &TenantSlug) -> String {
    format!("enable it with `visibility-server tenants enable {slug}`")
}
