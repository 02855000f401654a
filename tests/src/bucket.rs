//! The objects under test: a folder of the data directory, or with `VISIBILITY_TEST_S3` a bucket of the S3-compatible
//! store of that address, which `tests/s3` starts.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use visibility_server::settings::Settings;

/// The address of an S3-compatible store with the bucket `visibility`.
const VARIABLE: &str = "VISIBILITY_TEST_S3";
/// The folder in which the store keeps its objects.
const OBJECTS_VARIABLE: &str = "VISIBILITY_TEST_S3_OBJECTS";

/// The address of the store, if objects are in one.
pub fn endpoint() -> Option<String> {
    std::env::var(VARIABLE).ok()
}

/// The folder of an address in the store, if it keeps objects as files.
pub fn folder_of(url: &str) -> Option<PathBuf> {
    let objects = std::env::var_os(OBJECTS_VARIABLE)?;
    Some(Path::new(&objects).join(url.strip_prefix("s3://")?))
}

/// The place in the bucket that belongs to a data directory, always the same one for a directory; none if its objects
/// are in there.
pub fn url(data_dir: &Path) -> Option<String> {
    endpoint()?;
    let mut hasher = DefaultHasher::new();
    data_dir.hash(&mut hasher);
    Some(format!("s3://visibility/t{:016x}", hasher.finish()))
}

/// What sets the objects of a data directory in the environment of a program.
pub fn variables(data_dir: &Path) -> Vec<(&'static str, String)> {
    let (Some(url), Some(endpoint)) = (url(data_dir), endpoint()) else { return Vec::new() };
    let credentials = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    let credentials =
        credentials.into_iter().filter_map(|name| Some((name, std::env::var(name).ok()?)));
    [("VISIBILITY_OBJECTS__URL", url), ("VISIBILITY_OBJECTS__ENDPOINT", endpoint)]
        .into_iter()
        .chain(credentials)
        .collect()
}

/// Sets the objects of the data directory in settings.
pub fn set(settings: &mut Settings) {
    set_shared(settings, &settings.data_dir.clone());
}

/// Sets the objects of a directory that several nodes share in settings: a folder of it, or the place in the bucket.
pub fn set_shared(settings: &mut Settings, shared: &Path) {
    if let Some(url) = url(shared) {
        settings.objects.url = Some(url);
        settings.objects.endpoint = endpoint();
    }
}
