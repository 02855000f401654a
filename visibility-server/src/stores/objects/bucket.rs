//! Objects in a bucket of an S3-compatible store.

mod credentials;
mod writer;

use std::fmt;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{HttpClient, HttpConnector};
use object_store::path::Path as Location;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode,
    PutPayload, RetryConfig,
};
use tokio::runtime::Runtime;
use visibility_core::store::{
    EachPage, LIST_PAGE, ListedObject, ObjectWriter, Objects, StoreError,
};

pub(in crate::stores) use self::credentials::CredentialSources;
use self::credentials::Credentials;
pub use self::credentials::CredentialsError;
use self::writer::BucketWriter;
use super::{ObjectFiles, failed, is_in_use, is_node_mark, location, wait_for};
use crate::stores::{tls, unnamed_file};

/// How long one request may take, and how often it is sent: an answer of 503 comes within half a minute.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MOST_RETRIES: usize = 2;
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes that are read by one request.
const RANGE_BYTES: u64 = 8 * 1024 * 1024;
/// Each look at the marks of other nodes is a request that has a price.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// A bucket, and what it takes to use it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BucketAddress {
    pub(in crate::stores) bucket: String,
    /// What all names begin with, without a slash at the end. It may be empty.
    pub(in crate::stores) prefix: String,
    pub(in crate::stores) endpoint: Option<String>,
    pub(in crate::stores) region: Option<String>,
    /// Without them, they come from where the programs of Amazon find them.
    pub(in crate::stores) credentials: Option<Credentials>,
    /// Certificates to trust beside the public ones.
    pub(in crate::stores) ca_cert: Option<PathBuf>,
}

/// Such as `s3://bucket/prefix`.
impl fmt::Display for BucketAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}", self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(formatter, "/{}", self.prefix) }
    }
}

/// Objects of a bucket, all below one prefix. A multipart upload that a killed process has left is not listed, and is
/// removed by a rule of the bucket.
#[derive(Debug)]
pub(in crate::stores) struct BucketObjects {
    address: BucketAddress,
    store: Arc<PrefixStore<AmazonS3>>,
    /// Where objects are fetched to.
    spool: PathBuf,
    /// None once it is being dropped.
    runtime: Option<Runtime>,
}

impl Drop for BucketObjects {
    fn drop(&mut self) {
        // A thread that runs other tasks must not wait for those of the connections.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl BucketObjects {
    /// Makes ready to use the bucket. Nothing is asked of it yet.
    ///
    /// # Errors
    ///
    /// When there are no credentials, or a certificate cannot be read.
    pub(in crate::stores) fn open(
        address: BucketAddress,
        spool: PathBuf,
    ) -> Result<Self, StoreError> {
        let describe = || format!("use the bucket {address}");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("objects")
            .enable_all()
            .build()
            .map_err(|error| StoreError::io(describe(), error))?;
        let connector = Connector::new(address.ca_cert.as_deref())
            .map_err(|error| StoreError::unchanged(describe(), error))?;
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(&address.bucket)
            .with_http_connector(connector)
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: MOST_RETRIES,
                retry_timeout: RETRY_TIMEOUT,
            })
            // Not all stores have it.
            .with_disable_bulk_delete(true);
        if let Some(endpoint) = &address.endpoint {
            // Or else one of the environment would win.
            builder = builder
                .with_config(AmazonS3ConfigKey::S3Endpoint, endpoint)
                .with_allow_http(endpoint.starts_with("http://"));
        }
        if let Some(region) = &address.region {
            builder = builder.with_region(region);
        }
        if let Some(credentials) = &address.credentials {
            builder = credentials.give_to(builder);
        }
        let store = builder.build().map_err(|error| failed(describe(), &error))?;
        let store = Arc::new(PrefixStore::new(store, address.prefix.as_str()));
        Ok(Self { address, store, spool, runtime: Some(runtime) })
    }

    /// Waits for what a request comes to.
    fn wait_for<T>(
        &self,
        future: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        let _entered = self.runtime.as_ref().map(Runtime::enter);
        wait_for(future)
    }

    /// Some bytes of an object, and its size.
    fn range(&self, name: &str, range: Range<u64>) -> Result<(Vec<u8>, u64), StoreError> {
        let location = location(name)?;
        let get = async {
            let options = GetOptions { range: Some(range.into()), ..GetOptions::default() };
            let found = self.store.get_opts(&location, options).await?;
            let size = found.meta.size;
            Ok((found.bytes().await?, size))
        };
        let (bytes, size) =
            self.wait_for(get).map_err(|error| failed(format!("read {name}"), &error))?;
        Ok((bytes.into(), size))
    }

    fn size(&self, name: &str) -> Result<u64, StoreError> {
        let head = self.wait_for(self.store.head(&location(name)?));
        head.map(|meta| meta.size).map_err(|error| failed(format!("look for {name}"), &error))
    }

    fn list_where(
        &self,
        folder: Option<&Location>,
        is_wanted: fn(&str) -> bool,
        each_page: &mut EachPage<'_>,
    ) -> Result<(), StoreError> {
        let mut listed = self.store.list(folder).try_chunks(LIST_PAGE);
        loop {
            let page = self.wait_for(async { listed.try_next().await.map_err(|error| error.1) });
            let page = page.map_err(|error| failed("list the objects".to_owned(), &error))?;
            let Some(metas) = page else { return Ok(()) };
            let objects = metas.into_iter().map(|meta| ListedObject {
                name: meta.location.into(),
                modified: meta.last_modified,
                bytes: meta.size,
            });
            each_page(objects.filter(|object| is_wanted(&object.name)).collect())?;
        }
    }

    fn put(&self, name: &str, text: &[u8], mode: PutMode) -> Result<bool, StoreError> {
        let location = location(name)?;
        let payload = PutPayload::from(text.to_vec());
        match self.wait_for(self.store.put_opts(&location, payload, mode.into())) {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(error) => Err(failed(format!("write {name}"), &error)),
        }
    }
}

impl Objects for BucketObjects {
    fn create(&self, name: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let runtime = self.runtime.as_ref().map(|runtime| runtime.handle().clone());
        let Some(runtime) = runtime else {
            return Err(StoreError::unchanged(format!("create {name}"), "the store is closed"));
        };
        let store: Arc<dyn ObjectStore> = Arc::<PrefixStore<AmazonS3>>::clone(&self.store);
        Ok(Box::new(BucketWriter::new(store, runtime, location(name)?)))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let location = location(name)?;
        self.wait_for(async { self.store.get(&location).await?.bytes().await })
            .map(Vec::from)
            .map_err(|error| failed(format!("read {name}"), &error))
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        match self.wait_for(self.store.delete(&location(name)?)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(format!("delete {name}"), &error)),
        }
    }

    fn discard(&self, names: &[String]) {
        let Some(runtime) = &self.runtime else { return };
        let store = Arc::clone(&self.store);
        let names = names.to_vec();
        runtime.spawn(async move {
            for name in names.iter().filter_map(|name| location(name).ok()) {
                if store.delete(&name).await.is_err() {
                    return;
                }
            }
        });
    }

    /// A bucket knows no other name for an object: it is copied. A crash in between leaves both, and the next time
    /// goes on from there.
    fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let (old, new) = (location(from)?, location(to)?);
        let describe = || format!("move {from} to {to}");
        match self.wait_for(self.store.copy(&old, &new)) {
            Ok(()) => self.delete(from),
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(describe(), &error)),
        }
    }

    fn list(&self, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.list_where(None, is_in_use, each_page)
    }

    fn list_below(&self, folder: &str, each_page: &mut EachPage<'_>) -> Result<(), StoreError> {
        self.list_where(Some(&location(folder)?), |_name| true, each_page)
    }
}

impl ObjectFiles for BucketObjects {
    /// Fetches the object, range by range.
    fn open(&self, name: &str) -> Result<File, StoreError> {
        let describe = |error| StoreError::io(format!("fetch {name}"), error);
        let mut file = unnamed_file(&self.spool).map_err(describe)?;
        let mut read = 0;
        loop {
            let (bytes, size) = match self.range(name, read..read + RANGE_BYTES) {
                // An empty object has no range.
                Err(_) if read == 0 && self.size(name)? == 0 => break,
                range => range?,
            };
            file.write_all(&bytes).map_err(describe)?;
            read += bytes.len() as u64;
            if read >= size {
                break;
            }
            if bytes.is_empty() {
                return Err(describe(io::ErrorKind::UnexpectedEof.into()));
            }
        }
        file.seek(SeekFrom::Start(0)).map_err(describe)?;
        Ok(file)
    }

    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let wanted = range.end - range.start;
        let (bytes, _size) = self.range(name, range)?;
        if (bytes.len() as u64) < wanted {
            let cause = io::Error::from(io::ErrorKind::UnexpectedEof);
            return Err(StoreError::io(format!("read {name}"), cause));
        }
        Ok(bytes)
    }

    fn address(&self, name: &str) -> Result<String, StoreError> {
        Ok(format!("{}/{}", self.address, location(name)?))
    }

    fn exists(&self, name: &str) -> Result<bool, StoreError> {
        match self.wait_for(self.store.head(&location(name)?)) {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(failed(format!("look for {name}"), &error)),
        }
    }

    fn mark(&self, mark: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let location = location(mark)?;
        match self.wait_for(async { self.store.get(&location).await?.bytes().await }) {
            Ok(text) => Ok(Some(text.into())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(format!("read {}", self.address(mark)?), &error)),
        }
    }

    fn create_mark(&self, mark: &str, text: &[u8]) -> Result<bool, StoreError> {
        self.put(mark, text, PutMode::Create)
    }

    fn replace_mark(&self, mark: &str, text: &[u8]) -> Result<(), StoreError> {
        self.put(mark, text, PutMode::Overwrite).map(|_is_new| ())
    }

    fn remove_mark(&self, mark: &str) -> Result<(), StoreError> {
        self.delete(mark)
    }

    fn look_every(&self) -> Duration {
        LOOK_EVERY
    }

    /// Marks of nodes alone: what of an object is not finished is no object.
    fn remove_leftovers(&self, before: Option<SystemTime>) -> Result<usize, StoreError> {
        let listed = self
            .wait_for(self.store.list_with_delimiter(None))
            .map_err(|error| failed("list the marks of nodes".to_owned(), &error))?;
        let is_old =
            |time: DateTime<Utc>| before.is_none_or(|before| time < DateTime::<Utc>::from(before));
        let mut removed = 0;
        for mark in listed.objects {
            if is_node_mark(mark.location.as_ref()) && is_old(mark.last_modified) {
                self.delete(mark.location.as_ref())?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// The address of the bucket.
impl fmt::Display for BucketObjects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(formatter)
    }
}

/// What makes connections, with the encryption that the whole program uses.
#[derive(Debug)]
struct Connector(rustls::ClientConfig);

impl Connector {
    fn new(ca_cert: Option<&Path>) -> Result<Self, String> {
        let mut roots = tls::public_roots();
        if let Some(path) = ca_cert {
            tls::add_file(&mut roots, path)?;
        }
        tls::client_config(roots).map(Self).map_err(|error| error.to_string())
    }
}

impl HttpConnector for Connector {
    /// The options are those for the endpoint and for that of credentials; both may take the same time.
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.0.clone())
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .user_agent(concat!("visibility/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| object_store::Error::Generic { store: "S3", source: error.into() })?;
        Ok(HttpClient::new(client))
    }
}
