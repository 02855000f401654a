//! Files of fixes in a theme of Shopify and in a project of Next.js: the templates in an engine of Liquid, the
//! configuration in Node, the pages in the compiler of TypeScript.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use visibility_core::rubric::fix::{Edit, FileMode, FixFile, Platform, files};
use visibility_core::text::locale::{Catalog, Lang};

const CANONICAL: &str = "<link rel=\"canonical\" href=\"https://a.example/\">";
const LINK: &str = "</llms.txt>; rel=\"alternate\"; type=\"text/markdown\"";

/// What the script beside this file answers to each item.
fn answers(items: &[Value]) -> Vec<Value> {
    let variable = |name: &str| std::env::var(name).expect("tests/run servers sets it");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/integration/servers/projects.js");
    let mut child = Command::new(variable("NODE"))
        .args([script, &variable("NODE_PACKAGES")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Node");
    let input = serde_json::to_vec(items).expect("JSON");
    child.stdin.take().expect("a pipe").write_all(&input).expect("a reader");
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("answers")
}

fn one_file(edits: &[Edit], platform: Platform, path: &str) -> FixFile {
    let mut files = files(edits, platform).into_iter();
    let file = files.find(|file| file.path.as_deref() == Some(path)).expect("a file");
    file.with_comments(Catalog::for_lang(Lang::En))
}

#[test]
#[ignore = "needs Node and packages of npm: tests/run servers"]
fn a_layout_of_shopify_shows_on_the_home_page_what_belongs_there() {
    let edit = Edit::add_to_head(format!("{CANONICAL}\n"));
    let file = one_file(&[edit], Platform::Shopify, "layout/theme.liquid");
    let layout = format!("<head>\n<title>{{{{ title }}}}</title>\n{}</head>", file.content);
    let page = |page_type: &str| {
        let values = json!({ "title": "Tea", "request": { "page_type": page_type } });
        json!({ "kind": "liquid", "template": layout, "values": values })
    };
    let rendered = answers(&[page("index"), page("product"), page("page")]);
    assert!(rendered[0].as_str().is_some_and(|home| home.contains(CANONICAL)), "{rendered:?}");
    for other in &rendered[1..] {
        assert_eq!(other, "<head>\n<title>Tea</title></head>");
    }
}

#[test]
#[ignore = "needs Node and packages of npm: tests/run servers"]
fn a_template_of_shopify_keeps_the_groups_of_the_shop() {
    let lines = "User-agent: *\nContent-Signal: search=yes, ai-input=yes\n";
    let content = lines.to_owned();
    let edit = Edit::Robots { mode: FileMode::Append, content, replaces: None };
    let file = one_file(&[edit], Platform::Shopify, "templates/robots.txt.liquid");
    let values = json!({ "robots": { "default_groups": [{
        "user_agent": "User-agent: *\n",
        "rules": ["Disallow: /cart\n", "Allow: /\n"],
        "sitemap": "Sitemap: https://a.example/sitemap.xml\n",
    }] } });
    let item = json!({ "kind": "liquid", "template": file.content, "values": values });
    let rendered = answers(&[item]);
    let text = rendered[0].as_str().expect("a text");
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let groups = ["Disallow: /cart", "Allow: /", "Sitemap: https://a.example/sitemap.xml"];
    for line in groups.into_iter().chain(lines.lines()) {
        assert!(all.contains(&line), "{line}: {text}");
    }
}

#[test]
#[ignore = "needs Node and packages of npm: tests/run servers"]
fn a_configuration_of_next_keeps_what_it_has() {
    let (mode, name) = (FileMode::Append, "Link".to_owned());
    let edit = Edit::Header { mode, name, value: LINK.to_owned() };
    let addition = one_file(&[edit], Platform::NextJs, "next.config.js").content;
    let sent = json!({ "source": "/", "headers": [{ "key": "Link", "value": LINK }] });
    let own = "{ source: \"/a\", headers: [{ key: \"X-A\", value: \"1\" }] }";
    let own_sent = json!({ "source": "/a", "headers": [{ "key": "X-A", "value": "1" }] });
    let settings = "{ reactStrictMode: true }".to_owned();
    let with_headers =
        format!("{{ reactStrictMode: true, async headers() {{ return [{own}]; }} }}");
    let mut items = Vec::new();
    let mut expected = Vec::new();
    for (object, fields) in [(settings, vec![sent.clone()]), (with_headers, vec![own_sent, sent])] {
        for (name, start, export) in [
            ("next.config.js", "const nextConfig = ", "module.exports = nextConfig;"),
            ("next.config.mjs", "const nextConfig = ", "export default nextConfig;"),
            (
                "next.config.ts",
                "type NextConfig = { reactStrictMode: boolean; headers?: () => Promise<object[]> };\n\
                 const nextConfig: NextConfig = ",
                "export default nextConfig;",
            ),
        ] {
            // Where it says, and at the end, as people paste.
            for text in [
                format!("{start}{object};\n{addition}{export}\n"),
                format!("{start}{object};\n{export}\n{addition}"),
            ] {
                items.push(json!({ "kind": "config", "name": name, "text": text }));
                expected.push(json!({ "reactStrictMode": true, "headers": fields }));
            }
        }
    }
    assert_eq!(answers(&items), expected);
}

#[test]
#[ignore = "needs Node and packages of npm: tests/run servers"]
fn what_a_page_of_next_gets_is_code() {
    let elements = "<title>It's {tea} &amp; `more`</title>\n\
        <meta name=\"description\" content=\"&quot;a&quot; ${b}\">\n";
    let data = "<script type=\"application/ld+json\">\n{\"name\": \"</p> {x}\"}\n</script>\n";
    let old = None;
    let edits = [
        Edit::add_to_head(elements),
        Edit::replace_in_head(format!("{CANONICAL}\n"), old),
        Edit::add_to_head(data),
    ];
    let page = |path: &str| {
        let file = one_file(&edits, Platform::NextJs, path);
        let at = file.content.find("\n<").map(|at| at + 1).expect("an element");
        let (top, inside) = file.content.split_at(at);
        let text = format!("{top}\nexport default () => <main>{inside}</main>;\n");
        json!({ "kind": "page", "text": text })
    };
    let faults = answers(&[page("app/page.tsx"), page("pages/index.tsx")]);
    assert_eq!(faults, [json!([]), json!([])]);
}
