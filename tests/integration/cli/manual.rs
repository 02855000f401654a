//! `visibility completions` and `visibility man`.

use std::fs;

use crate::cli::program::{Folder, run};

#[test]
fn completions_and_manual_pages_are_written() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run(&["completions", shell]);
        assert_eq!(run.code, Some(0));
        assert!(run.stdout.contains("visibility"), "{shell}");
        let completes_values = matches!(shell, "bash" | "fish" | "zsh");
        assert!(!completes_values || run.stdout.contains("llms-txt"), "{shell}");
    }
    let page = run(&["man"]).stdout;
    for part in [".TH visibility 1", ".SH \"EXIT STATUS\"", "\\fB130\\fR", ".SH EXAMPLES"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let folder = Folder::new();
    assert_eq!(run(&["man", "--dir", &folder.path("man")]).code, Some(0));
    for page in ["visibility.1", "visibility-scan.1", "visibility-robots-check.1"] {
        let text = fs::read_to_string(folder.path(&format!("man/{page}"))).unwrap();
        assert!(text.contains(".SH") && !text.contains("EXTRA"), "{page}");
        if page != "visibility.1" {
            for part in ["[\\-\\-format <FORMAT>]", ".SH \"EXIT STATUS\"", ".SH EXAMPLES"] {
                assert!(text.contains(part), "{page} {part}: {text}");
            }
        }
    }
}
