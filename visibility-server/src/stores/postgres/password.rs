//! The password of the database: from the environment, a file of its own, or a password file as `psql` reads.

use std::io;
use std::path::PathBuf;

use crate::settings::database_address::DatabaseAddress;
use crate::stores::secret_file;

/// Where a password may be, the first that has one.
#[derive(Clone, Default)]
pub(crate) struct PasswordSources {
    /// The password itself.
    pub(crate) variable: Option<String>,
    /// A file with nothing but the password.
    pub(crate) file: Option<PathBuf>,
    /// A file with lines of `host:port:database:user:password`.
    pub(crate) password_file: Option<PathBuf>,
    /// The folder in which such a file is called `.pgpass`.
    pub(crate) home: Option<PathBuf>,
}

impl PasswordSources {
    /// The password for a database. Nothing if none is set: the database may trust the user without one.
    pub(crate) fn find(
        &self,
        address: &DatabaseAddress,
    ) -> Result<Option<String>, (PathBuf, io::Error)> {
        if let Some(password) = &self.variable {
            return Ok(Some(password.clone()));
        }
        if let Some(path) = &self.file {
            let text = secret_file::read(path).map_err(|error| (path.clone(), error))?;
            let password = text.lines().next().unwrap_or_default();
            return Ok(Some(password.to_owned()));
        }
        let in_home = self.home.as_ref().map(|home| home.join(".pgpass"));
        let in_home = in_home.filter(|path| path.is_file());
        let Some(path) = self.password_file.clone().or(in_home) else { return Ok(None) };
        let text = secret_file::read(&path).map_err(|error| (path, error))?;
        Ok(text.lines().find_map(|line| password_of_line(line, &address.password_file_fields())))
    }
}

/// The password of a line whose first fields are these, or `*`.
fn password_of_line(line: &str, fields: &[String; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut found = Vec::new();
    let mut field = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => field.extend(characters.next()),
            ':' if found.len() < fields.len() => found.push(std::mem::take(&mut field)),
            character => field.push(character),
        }
    }
    let is_for = found.len() == fields.len()
        && found.iter().zip(fields).all(|(found, field)| found == "*" || found == field);
    is_for.then_some(field)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    fn address() -> DatabaseAddress {
        "postgresql://ada@db.example.com:5433/visibility".parse().unwrap()
    }

    fn private_file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    #[test]
    fn the_first_source_that_is_set_has_the_password() {
        let folder = tempfile::tempdir().unwrap();
        let file = private_file(folder.path(), "password", "from a file\n");
        let line = "db.example.com:5433:visibility:ada:from a password file\n";
        let password_file = private_file(folder.path(), "other", line);
        private_file(folder.path(), ".pgpass", "*:*:*:*:from home\n");
        let mut sources = PasswordSources {
            variable: Some("from the environment".to_owned()),
            file: Some(file),
            password_file: Some(password_file),
            home: Some(folder.path().to_owned()),
        };
        let found = |sources: &PasswordSources| sources.find(&address()).unwrap().unwrap();
        assert_eq!(found(&sources), "from the environment");
        sources.variable = None;
        assert_eq!(found(&sources), "from a file");
        sources.file = None;
        assert_eq!(found(&sources), "from a password file");
        sources.password_file = None;
        assert_eq!(found(&sources), "from home");
        assert_eq!(PasswordSources::default().find(&address()).unwrap(), None);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = private_file(folder.path(), "password", "secret");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let sources = PasswordSources { file: Some(file.clone()), ..PasswordSources::default() };
        let (path, error) = sources.find(&address()).unwrap_err();
        assert_eq!((path, error.kind()), (file, io::ErrorKind::PermissionDenied));
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn lines_of_a_password_file_are_for_one_database() {
        let fields = ["db", "5432", "v", "ada"].map(str::to_owned);
        let of = |line| password_of_line(line, &fields);
        assert_eq!(of("db:5432:v:ada:secret").as_deref(), Some("secret"));
        assert_eq!(of("*:*:*:ada:a:b\\:c\\\\").as_deref(), Some("a:b:c\\"));
        assert_eq!(of("other:5432:v:ada:secret"), None);
        assert_eq!(of("db:5432:v:ada"), None);
        assert_eq!(of("# db:5432:v:ada:secret"), None);
        assert_eq!(of(""), None);
    }
}
