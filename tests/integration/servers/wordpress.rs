//! Pieces of `functions.php` in PHP, with the hooks of WordPress that they use.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use visibility_core::rubric::fix::{Edit, FileMode, Platform, ReplacedText, files};

/// Runs the pieces for these edits, for the front page and for another one.
fn run(edits: &[Edit]) -> [Value; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("functions.php");
    let pieces = files(edits, Platform::WordPress).into_iter();
    let pieces = pieces.filter(|file| file.path.as_deref() == Some("functions.php"));
    let content: String = pieces.map(|file| file.content).collect();
    fs::write(&path, format!("<?php\n{content}")).expect("it is written");
    let hooks = concat!(env!("CARGO_MANIFEST_DIR"), "/integration/servers/wordpress.php");
    let done = Command::new("php").arg(hooks).arg(&path).output().expect("PHP is installed");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\nof\n{content}");
    serde_json::from_str(&said).expect("what the hooks did")
}

#[test]
#[ignore = "needs PHP: tests/run servers"]
fn pieces_for_wordpress_do_what_they_say_whatever_the_site_wrote() {
    for text in [
        "Tea house",
        "It's \"tea\" $home {$argv} {${phpinfo()}} \\n \\ ?> <?php exit; ?>",
        "EOT\nVISIBILITY_HEA\n  VISIBILITY_\n'; exit; //",
        "Çay & şeker — 茶",
    ] {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        let quoted = escaped.replace('\'', "&#39;");
        let meta = format!("<meta name=\"description\" content='{quoted}'>\n");
        let old = ReplacedText { line: 3, content: "<title>Old</title>".to_owned() };
        let edits = [
            Edit::add_to_head(meta.clone()),
            Edit::replace_in_head(format!("<title>{escaped}</title>"), Some(old)),
            Edit::Document {
                path: "/sitemap.xml".to_owned(),
                media_type: "application/xml".to_owned(),
                content: "<urlset/>".to_owned(),
            },
            Edit::Header {
                mode: FileMode::Append,
                name: "Link".to_owned(),
                value: "</llms.txt>; rel=\"alternate\"".to_owned(),
            },
        ];
        let [front, other] = run(&edits);
        let head = meta.trim_end();
        assert_eq!(front, json!({ "head": head, "title": text, "sitemap": true }));
        assert_eq!(other, json!({ "head": "", "title": "", "sitemap": true }));
    }
}
