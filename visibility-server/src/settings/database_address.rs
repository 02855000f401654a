//! Where the database is, who uses it, and its password.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The address of a database, such as `postgresql://visibility@db.example.com/visibility`. Shown without a password.
#[derive(Clone, Debug)]
pub struct DatabaseAddress {
    config: Config,
    shown: String,
    /// Whose certificates the database may have.
    certificates: Certificates,
}

/// Who must have signed the certificate of the database.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Certificates {
    /// No one: the connection is not encrypted.
    None,
    /// An authority that browsers trust.
    Public,
    /// One whose certificate is in this file, as PEM.
    File(PathBuf),
}

/// Why a text is not the address of a database.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// It does not begin with `postgresql://`.
    #[error("the address of a database begins with `postgresql://`")]
    Scheme,
    /// It names no user.
    #[error("the address of the database names no user")]
    NoUser,
    /// It has a password in it.
    #[error(
        "the address of the database has a password in it, where logs and process lists would show it"
    )]
    Password,
    /// It allows what is not secure without a decision.
    #[error("`sslmode={0}` is not supported")]
    SslMode(String),
    /// Something else is wrong.
    #[error("the address of the database is not valid: {0}")]
    Invalid(String),
}

impl AddressError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Scheme | Self::NoUser | Self::Invalid(_) => {
                "write it as `postgresql://USER@HOST/DATABASE`"
            }
            Self::Password => {
                "remove it, and set `VISIBILITY_DATABASE__PASSWORD`, `database.password_file` or a \
                    `PGPASSFILE`"
            }
            Self::SslMode(_) => "use `verify-full`, or `disable` on a network that you trust",
        }
    }
}

impl FromStr for DatabaseAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let rest = text
            .strip_prefix("postgresql://")
            .or_else(|| text.strip_prefix("postgres://"))
            .ok_or(AddressError::Scheme)?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let user = place.split('/').next().and_then(|host| host.rsplit_once('@'));
        if user.is_some_and(|(user, _)| user.contains(':')) {
            return Err(AddressError::Password);
        }
        let mut ssl_mode = None;
        let mut root_file = None;
        let mut others = Vec::new();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "password" => return Err(AddressError::Password),
                "sslmode" => ssl_mode = Some(value.into_owned()),
                "sslrootcert" => root_file = Some(PathBuf::from(value.into_owned())),
                _ => others.push((name, value)),
            }
        }
        let mut address = format!("postgresql://{place}");
        if !others.is_empty() {
            let query =
                url::form_urlencoded::Serializer::new(String::new()).extend_pairs(others).finish();
            // Spaces of values are written as such by a form, which its reader here does not know.
            address = format!("{address}?{}", query.replace('+', "%20"));
        }
        let mut config: Config = address
            .parse()
            .map_err(|error: tokio_postgres::Error| AddressError::Invalid(cause(&error)))?;
        if config.get_user().is_none_or(str::is_empty) {
            return Err(AddressError::NoUser);
        }
        if config.get_hosts().is_empty() {
            return Err(AddressError::Invalid("it names no host".to_owned()));
        }
        let is_encrypted = match ssl_mode.as_deref() {
            None => !config.get_hosts().iter().all(is_this_machine),
            Some("disable") => false,
            Some("require" | "verify-ca" | "verify-full") => true,
            Some(other) => return Err(AddressError::SslMode(other.to_owned())),
        };
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        let certificates = match root_file {
            _ if !is_encrypted => Certificates::None,
            None => Certificates::Public,
            Some(file) => Certificates::File(file),
        };
        Ok(Self { config, shown: text.to_owned(), certificates })
    }
}

impl DatabaseAddress {
    /// The address with a password, which is never shown.
    #[must_use]
    pub fn with_password(mut self, password: Option<String>) -> Self {
        if let Some(password) = password {
            self.config.password(password);
        }
        self
    }

    /// The host, port, database and user as a password file has them.
    pub(crate) fn password_file_fields(&self) -> [String; 4] {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(_)) => "localhost".to_owned(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let user = self.config.get_user().unwrap_or_default().to_owned();
        let database = self.config.get_dbname().map_or_else(|| user.clone(), str::to_owned);
        [host, port.to_string(), database, user]
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn certificates(&self) -> &Certificates {
        &self.certificates
    }
}

impl fmt::Display for DatabaseAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn cause(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DatabaseAddress, AddressError> {
        text.parse()
    }

    #[test]
    fn connections_to_other_machines_are_encrypted_unless_the_address_says_otherwise() {
        let certificates = |text| parse(text).unwrap().certificates;
        assert_eq!(certificates("postgresql://a@db.example.com/v"), Certificates::Public);
        assert_eq!(certificates("postgresql://a@localhost/v"), Certificates::None);
        assert_eq!(certificates("postgresql://a@[::1]:5433/v"), Certificates::None);
        assert_eq!(certificates("postgresql://a@/v?host=%2Frun%2Fpostgresql"), Certificates::None);
        assert_eq!(certificates("postgresql://a@localhost,db/v"), Certificates::Public);
        assert_eq!(certificates("postgres://a@db/v?sslmode=disable"), Certificates::None);
        assert_eq!(certificates("postgres://a@127.0.0.1/v?sslmode=require"), Certificates::Public);
        let file = "postgres://a@db/v?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem";
        assert_eq!(certificates(file), Certificates::File("/etc/ca.pem".into()));
    }

    #[test]
    fn what_is_no_address_says_what_is_wrong() {
        let error = |text| parse(text).unwrap_err();
        assert_eq!(error("host=db user=a"), AddressError::Scheme);
        assert_eq!(error("mysql://a@db/v"), AddressError::Scheme);
        assert_eq!(error("postgresql://db/v"), AddressError::NoUser);
        assert_eq!(error("postgresql://a:secret@db/v"), AddressError::Password);
        assert_eq!(error("postgresql://a:@db/v"), AddressError::Password);
        assert_eq!(error("postgresql://a@db/v?password=secret"), AddressError::Password);
        assert_eq!(error("postgresql://a@db/v?pass%77ord=secret"), AddressError::Password);
        assert_eq!(
            error("postgresql://a@db/v?sslmode=prefer"),
            AddressError::SslMode("prefer".into())
        );
        assert!(matches!(error("postgresql://a@db:x/v"), AddressError::Invalid(_)));
        assert!(matches!(error("postgresql://a@db/v?colour=red"), AddressError::Invalid(_)));
    }

    #[test]
    fn a_password_is_never_shown() {
        let address = parse("postgresql://a@db/v").unwrap().with_password(Some("secret".into()));
        assert_eq!(address.to_string(), "postgresql://a@db/v");
        assert!(!format!("{address:?}").contains("secret"));
        assert_eq!(address.config().get_password(), Some(&b"secret"[..]));
        assert_eq!(address.password_file_fields(), ["db", "5432", "v", "a"]);
    }

    #[test]
    fn options_of_a_session_are_kept() {
        let address = parse("postgresql://a@db/v?options=-c%20search_path%3Dx+y").unwrap();
        assert_eq!(address.config().get_options(), Some("-c search_path=x y"));
    }
}
