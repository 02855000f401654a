//! The operating-system user that runs a command.

use std::fs;
use std::os::unix::fs::MetadataExt;

/// The name of the operating system's user, if it has one that is known here.
pub(super) fn name() -> Option<String> {
    let process = fs::metadata("/proc/self").ok()?;
    name_of(&fs::read_to_string("/etc/passwd").ok()?, process.uid())
}

/// The name of a user in a file such as `/etc/passwd`.
fn name_of(users: &str, uid: u32) -> Option<String> {
    let uid = uid.to_string();
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)? == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_number() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\n+\n:x:7:7::/:\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(name_of(users, 0).as_deref(), Some("root"));
        assert_eq!(name_of(users, 1000).as_deref(), Some("ada"));
        for uid in [7, 1001] {
            assert_eq!(name_of(users, uid), None);
        }
    }
}
