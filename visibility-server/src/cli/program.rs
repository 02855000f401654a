//! The name by which this program was called, so that suggested commands can be pasted.

/// The name that texts use for this program.
const NAME: &str = "visibility-server";

/// The command up to its arguments, for a shell.
pub(crate) fn invocation() -> String {
    let name = std::env::args_os().next().unwrap_or_default();
    if name.is_empty() { NAME.to_owned() } else { shell_quoted(&name.to_string_lossy()) }
}

/// A text whose commands, such as `visibility-server tokens list`, begin with `program` instead.
pub(crate) fn with_program(text: &str, program: &str) -> String {
    text.replace(&format!("{NAME} "), &format!("{program} "))
}

/// A word for a shell.
pub(crate) fn shell_quoted(word: &str) -> String {
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+:@,".contains(c))
    {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_safe_for_a_shell() {
        assert_eq!(shell_quoted("/var/lib/a-b"), "/var/lib/a-b");
        assert_eq!(shell_quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(shell_quoted(""), "''");
    }

    #[test]
    fn a_command_begins_with_the_program() {
        let text = "Next: visibility-server tokens create acme\n  visibility-server serve";
        assert_eq!(
            with_program(text, &shell_quoted("/my bin/visibility-server")),
            "Next: '/my bin/visibility-server' tokens create acme\n  \
             '/my bin/visibility-server' serve"
        );
    }
}
