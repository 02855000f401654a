//! Files with secrets.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Bytes of a file that are read at most.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Reads a file that other users cannot read.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if !is_secret(&file.metadata()?) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "other users can read it; run `chmod 600` on it",
        ));
    }
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// The group may read a file that belongs to root: so are secrets in a container whose process is another user.
fn is_secret(file: &Metadata) -> bool {
    let of_others = if file.uid() == 0 { 0o027 } else { 0o077 };
    file.mode() & of_others == 0
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_that_other_users_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "secret\n").unwrap();
        let is_of_root = fs::metadata(&path).unwrap().uid() == 0;
        for (mode, is_read) in
            [(0o600, true), (0o400, true), (0o440, is_of_root), (0o644, false), (0o604, false)]
        {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let read = read(&path);
            assert_eq!(read.is_ok(), is_read, "{mode:o}: {read:?}");
        }
    }
}
