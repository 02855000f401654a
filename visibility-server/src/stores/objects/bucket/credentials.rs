//! Credentials for a bucket: from the environment, or from a file in the form that the programs of Amazon use. Without
//! either, `object_store` asks the endpoint of the container or of the machine.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use object_store::aws::AmazonS3Builder;

use crate::stores::secret_file;

/// The section of a file that counts if no other one is asked for.
const DEFAULT_PROFILE: &str = "default";

/// A key with its secret.
#[derive(Clone, Eq, PartialEq)]
pub(in crate::stores) struct Credentials {
    key_id: String,
    secret_key: String,
    session_token: Option<String>,
}

/// The secret is not shown.
impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// Why there are no credentials.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// A file cannot be read, or others can read it too.
    #[error("cannot read the credentials in {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file has none.
    #[error("{} has no `aws_access_key_id` and `aws_secret_access_key` for the profile `{profile}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The section that was looked for.
        profile: String,
    },
}

impl CredentialsError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::File { .. } => "make it a file that its owner alone can read",
            Self::Missing { .. } => {
                "write a section `[default]` with both, or set `AWS_PROFILE` to the section that has them"
            }
        }
    }
}

/// Where credentials may be.
#[derive(Clone, Debug, Default)]
pub(in crate::stores) struct CredentialSources {
    /// Whether the environment has a key.
    pub(in crate::stores) has_variable: bool,
    /// The file of the settings.
    pub(in crate::stores) file: Option<PathBuf>,
    /// The file that the environment names.
    pub(in crate::stores) shared_file: Option<PathBuf>,
    /// The section that the environment names.
    pub(in crate::stores) profile: Option<String>,
}

impl CredentialSources {
    /// Those of this process, beside the file of the settings.
    pub(in crate::stores) fn of_environment(file: Option<PathBuf>) -> Self {
        Self {
            has_variable: std::env::var_os("AWS_ACCESS_KEY_ID").is_some(),
            file,
            shared_file: std::env::var_os("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from),
            profile: std::env::var("AWS_PROFILE").ok(),
        }
    }

    /// The credentials of the first file that is named. None if no file is, or if the environment has a key.
    pub(in crate::stores) fn find(&self) -> Result<Option<Credentials>, CredentialsError> {
        if self.has_variable {
            return Ok(None);
        }
        let Some(path) = self.file.as_deref().or(self.shared_file.as_deref()) else {
            return Ok(None);
        };
        let profile = self.profile.as_deref().unwrap_or(DEFAULT_PROFILE);
        Credentials::read(path, profile).map(Some)
    }
}

impl Credentials {
    fn read(path: &Path, profile: &str) -> Result<Self, CredentialsError> {
        let text = secret_file::read(path)
            .map_err(|source| CredentialsError::File { path: path.to_owned(), source })?;
        Self::parse(&text, profile).ok_or_else(|| CredentialsError::Missing {
            path: path.to_owned(),
            profile: profile.to_owned(),
        })
    }

    /// Reads the section of a file with lines such as `aws_access_key_id = …` below `[default]`.
    fn parse(text: &str, profile: &str) -> Option<Self> {
        let (mut key_id, mut secret_key, mut session_token) = (None, None, None);
        let mut is_section = false;
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                is_section = name.trim() == profile;
            }
            let Some((name, value)) = line.split_once('=').filter(|_| is_section) else { continue };
            let value = Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned);
            match name.trim() {
                "aws_access_key_id" => key_id = value,
                "aws_secret_access_key" => secret_key = value,
                "aws_session_token" => session_token = value,
                _ => {}
            }
        }
        Some(Self { key_id: key_id?, secret_key: secret_key?, session_token })
    }

    /// Makes a client use these.
    pub(super) fn give_to(&self, builder: AmazonS3Builder) -> AmazonS3Builder {
        let builder =
            builder.with_access_key_id(&self.key_id).with_secret_access_key(&self.secret_key);
        match &self.session_token {
            Some(token) => builder.with_token(token),
            None => builder,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const FILE: &str = "
# ours
[other]
aws_access_key_id = OTHER
aws_secret_access_key = secret-of-other
[default]
aws_access_key_id=KEY
aws_secret_access_key = a=b/c+d
region = eu-central-1
[ session ]
aws_access_key_id = KEY
aws_secret_access_key = S
aws_session_token = T
[half]
aws_access_key_id = KEY
";

    #[test]
    fn a_section_of_a_file_has_the_key_and_its_secret() {
        let of = |profile| Credentials::parse(FILE, profile);
        let found = of("default").unwrap();
        assert_eq!((found.key_id.as_str(), found.secret_key.as_str()), ("KEY", "a=b/c+d"));
        assert_eq!(found.session_token, None);
        assert_eq!(of("session").unwrap().session_token.as_deref(), Some("T"));
        assert_eq!(of("other").unwrap().key_id, "OTHER");
        assert_eq!(of("half"), None);
        assert_eq!(of("absent"), None);
        assert!(!format!("{found:?}").contains("a=b"));
    }

    #[test]
    fn the_environment_comes_first_and_then_the_file_of_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, FILE).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let mut sources = CredentialSources {
            file: Some(write("ours", 0o600)),
            shared_file: Some(folder.path().join("absent")),
            ..CredentialSources::default()
        };
        assert_eq!(sources.find().unwrap().unwrap().key_id, "KEY");
        sources.profile = Some("half".to_owned());
        assert!(matches!(sources.find().unwrap_err(), CredentialsError::Missing { .. }));
        sources.has_variable = true;
        assert_eq!(sources.find().unwrap(), None);
        sources.has_variable = false;
        sources.file = None;
        assert!(matches!(sources.find().unwrap_err(), CredentialsError::File { .. }));
        sources.shared_file = Some(write("open", 0o644));
        let error = sources.find().unwrap_err();
        assert!(matches!(&error, CredentialsError::File { .. }), "{error}");
        assert_eq!(CredentialSources::default().find().unwrap(), None);
    }
}
