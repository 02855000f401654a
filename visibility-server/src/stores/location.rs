//! Where the stores are.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "s3")]
use super::objects::bucket::CredentialSources;
#[cfg(feature = "s3")]
pub use super::objects::bucket::{BucketAddress, CredentialsError};
#[cfg(feature = "postgres")]
use super::postgres::password;
#[cfg(feature = "postgres")]
use crate::settings::database_address::{AddressError, DatabaseAddress};
#[cfg(feature = "postgres")]
use crate::settings::load;
use crate::settings::{ObjectSettings, Settings};

/// The folder of the objects within the data directory.
const OBJECTS: &str = "objects";

/// Where the stores are.
#[derive(Clone, Debug)]
pub struct StoreLocation {
    /// The folder of what belongs to one node: its lock, its spool, and all else that has no other place.
    pub data_dir: PathBuf,
    /// The database.
    pub database: DatabaseLocation,
    /// The objects.
    pub objects: ObjectsLocation,
    /// Whether other nodes use the same stores.
    pub is_shared: bool,
}

/// Where the objects are.
#[derive(Clone, Debug)]
pub enum ObjectsLocation {
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket of an S3-compatible store.
    #[cfg(feature = "s3")]
    Bucket(Box<BucketAddress>),
}

/// Where the database is.
#[derive(Clone, Debug)]
pub enum DatabaseLocation {
    /// A file in the data directory.
    DataDir,
    /// A server.
    #[cfg(feature = "postgres")]
    Postgres {
        /// Its address, with the password.
        address: Box<DatabaseAddress>,
        /// Connections that a node holds at most.
        connections: usize,
    },
}

/// Why settings name no place for the stores.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocationError {
    /// The objects of one node would not be seen by the others.
    #[error(
        "with a database that several nodes share, `objects.url` must name a place that all of them see"
    )]
    UnsharedObjects,
    /// The program cannot use PostgreSQL.
    #[error("this program was built without PostgreSQL")]
    NoPostgres,
    /// The program cannot use a bucket.
    #[error("this program was built without S3")]
    NoS3,
    /// There are no credentials for the bucket.
    #[cfg(feature = "s3")]
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// The address of the database is not valid.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A file with a password cannot be used.
    #[error("cannot read the password of the database in {}", path.display())]
    Password {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl LocationError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnsharedObjects => {
                "set `objects.url = \"s3://bucket/prefix\"` or `objects.url = \"file:///mnt/objects\"`, or \
                    `node.alone = true` if this is the only node"
            }
            Self::NoPostgres => "build it with the feature `postgres`",
            Self::NoS3 => "build it with the feature `s3`",
            #[cfg(feature = "s3")]
            Self::Credentials(error) => error.hint(),
            #[cfg(feature = "postgres")]
            Self::Address(error) => error.hint(),
            Self::Password { .. } => "make it a file that its owner alone can read",
        }
    }
}

impl StoreLocation {
    /// The place that settings name.
    ///
    /// # Errors
    ///
    /// When they name none, or its password cannot be read.
    pub fn of(settings: &Settings) -> Result<Self, LocationError> {
        let data_dir = settings.data_dir.clone();
        let objects = objects_of(&settings.objects)?;
        let database = database_of(settings)?;
        let is_embedded = matches!(database, DatabaseLocation::DataDir);
        if !is_embedded && objects.is_none() && !settings.node.alone {
            return Err(LocationError::UnsharedObjects);
        }
        Ok(Self {
            objects: objects.unwrap_or_else(|| ObjectsLocation::Folder(data_dir.join(OBJECTS))),
            data_dir,
            is_shared: !is_embedded && !settings.node.alone,
            database,
        })
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for StoreLocation {
    /// Everything in one data directory.
    fn from(data_dir: &P) -> Self {
        let data_dir = data_dir.as_ref().to_owned();
        Self {
            objects: ObjectsLocation::Folder(data_dir.join(OBJECTS)),
            data_dir,
            database: DatabaseLocation::DataDir,
            is_shared: false,
        }
    }
}

/// The place that settings name for objects, if they name one.
fn objects_of(settings: &ObjectSettings) -> Result<Option<ObjectsLocation>, LocationError> {
    let Some((bucket, prefix)) = settings.bucket() else {
        return Ok(settings.folder().map(ObjectsLocation::Folder));
    };
    bucket_location(settings, bucket, prefix).map(Some)
}

#[cfg(not(feature = "s3"))]
fn bucket_location(
    _settings: &ObjectSettings,
    _bucket: String,
    _prefix: String,
) -> Result<ObjectsLocation, LocationError> {
    Err(LocationError::NoS3)
}

#[cfg(feature = "s3")]
fn bucket_location(
    settings: &ObjectSettings,
    bucket: String,
    prefix: String,
) -> Result<ObjectsLocation, LocationError> {
    let credentials =
        CredentialSources::of_environment(settings.credentials_file.clone()).find()?;
    Ok(ObjectsLocation::Bucket(Box::new(BucketAddress {
        bucket,
        prefix,
        endpoint: settings.endpoint.clone(),
        region: settings.region.clone(),
        credentials,
        ca_cert: settings.ca_cert.clone(),
    })))
}

#[cfg(not(feature = "postgres"))]
fn database_of(settings: &Settings) -> Result<DatabaseLocation, LocationError> {
    match &settings.database.url {
        None => Ok(DatabaseLocation::DataDir),
        Some(_) => Err(LocationError::NoPostgres),
    }
}

#[cfg(feature = "postgres")]
fn database_of(settings: &Settings) -> Result<DatabaseLocation, LocationError> {
    let settings = &settings.database;
    let Some(url) = &settings.url else { return Ok(DatabaseLocation::DataDir) };
    let address: DatabaseAddress = url.parse()?;
    let sources = password::PasswordSources {
        variable: std::env::var(load::PASSWORD).ok(),
        file: settings.password_file.clone(),
        password_file: std::env::var_os("PGPASSFILE").map(PathBuf::from),
        home: std::env::var_os("HOME").map(PathBuf::from),
    };
    let password = sources
        .find(&address)
        .map_err(|(path, source)| LocationError::Password { path, source })?;
    Ok(DatabaseLocation::Postgres {
        address: Box::new(address.with_password(password)),
        connections: settings.connections,
    })
}
