//! Files of Next.js: a route, an addition to its configuration, and what its pages put into the head.
//!
//! Nothing of a project was read, so that only a route is a file of its own; all else is added to files
//! that are there.

use serde_json::json;

use crate::rubric::fix::files::{JSON_LD, TEXT};
use crate::rubric::fix::{Edit, FileMode, FixFile, Placement};
use crate::text::escape::from_html_entities;
use crate::text::locale::comment;

const TYPESCRIPT: &str = "text/typescript";

/// The home page in a project with the App Router.
pub(crate) const APP_PAGE: &str = "app/page.tsx";
/// The home page in a project with the Pages Router.
pub(crate) const ROUTER_PAGE: &str = "pages/index.tsx";

/// A route that answers with a document.
pub(super) fn route(path: &str, media_type: &str, document: &str) -> FixFile {
    let content = format!(
        "const DOCUMENT = {};\n\nexport function GET() {{\n  return new Response(DOCUMENT, {{\n    \
         headers: {{ \"Content-Type\": {}, \"Access-Control-Allow-Origin\": \"*\" }},\n  }});\n}}\n",
        json!(document),
        json!(media_type)
    );
    FixFile::at(format!("app{path}/route.ts"), TYPESCRIPT, FileMode::Create, content)
}

/// An addition to a configuration that sends a header field. In a block of its own and with what is there called
/// first, so that it replaces nothing and can be added twice.
pub(super) fn header(path: &str, name: &str, value: &str) -> FixFile {
    let content = format!(
        "// {}\n{{\n  const earlier = nextConfig.headers;\n  nextConfig.headers = async () => [\n    \
         ...((await earlier?.()) ?? []),\n    {{\n      source: {},\n      headers: [{{ key: {}, value: {} }}],\n    \
         }},\n  ];\n}}\n",
        comment("next-config"),
        json!(path),
        json!(name),
        json!(value)
    );
    FixFile::at("next.config.js", TEXT, FileMode::Append, content)
}

/// What the home page has to put into its head: one file for each router, of which a project has one. Nothing
/// where an element cannot be written so.
pub(super) fn home_page(edits: &[Edit]) -> Vec<FixFile> {
    let mut elements = Vec::new();
    let mut mode = FileMode::Append;
    for edit in edits {
        let Edit::Head { mode: of_edit, content, .. } = edit else { continue };
        if *of_edit == FileMode::Replace {
            mode = FileMode::Replace;
        }
        elements.extend(head_elements(content));
    }
    if elements.is_empty() {
        return Vec::new();
    }
    let file = |path: &str, content: String| {
        let file = FixFile::at(path, TYPESCRIPT, mode, content);
        FixFile { place: Some(Placement::Head), ..file }
    };
    vec![file(APP_PAGE, app_page(&elements)), file(ROUTER_PAGE, router_page(&elements))]
}

/// Whether all elements of a head can be written for a page.
pub(super) fn knows_all(content: &str) -> bool {
    !content.trim().is_empty() && head_elements(content).len() == count_of_elements(content)
}

fn count_of_elements(content: &str) -> usize {
    if content.trim_start().starts_with(JSON_LD) { 1 } else { content.lines().count() }
}

/// An element of a head, as the fixes write them.
enum HeadElement {
    Title(String),
    /// The attribute that names it, its name, and its content.
    Meta {
        attribute: &'static str,
        name: String,
        content: String,
    },
    Canonical(String),
    JsonLd(String),
}

fn head_elements(content: &str) -> Vec<HeadElement> {
    let data = content.trim().strip_prefix(JSON_LD).and_then(|data| data.strip_suffix("</script>"));
    match data {
        Some(data) => vec![HeadElement::JsonLd(data.trim().to_owned())],
        None => content.lines().filter_map(HeadElement::from_line).collect(),
    }
}

impl HeadElement {
    fn from_line(line: &str) -> Option<Self> {
        let line = line.trim();
        let between = |start: &str, end: &str| {
            let text = line.strip_prefix(start)?.strip_suffix(end)?;
            Some(from_html_entities(text))
        };
        if let Some(title) = between("<title>", "</title>") {
            return Some(Self::Title(title));
        }
        if let Some(url) = between("<link rel=\"canonical\" href=\"", "\">") {
            return Some(Self::Canonical(url));
        }
        ["name", "property"].into_iter().find_map(|attribute| {
            let rest = line.strip_prefix(&format!("<meta {attribute}=\""))?;
            let (name, content) = rest.strip_suffix("\">")?.split_once("\" content=\"")?;
            let (name, content) = (from_html_entities(name), from_html_entities(content));
            Some(Self::Meta { attribute, name, content })
        })
    }
}

/// `metadata` of the App Router, and the script of the page.
fn app_page(elements: &[HeadElement]) -> String {
    let mut members = Vec::new();
    let mut open_graph = Vec::new();
    let mut scripts = String::new();
    for element in elements {
        match element {
            // A layout may have a template for titles.
            HeadElement::Title(title) => {
                members.push(format!("title: {{ absolute: {} }}", json!(title)));
            }
            HeadElement::Canonical(url) => {
                members.push(format!("alternates: {{ canonical: {} }}", json!(url)));
            }
            HeadElement::Meta { name, content, .. } => match name.as_str() {
                "description" | "robots" => members.push(format!("{name}: {}", json!(content))),
                "og:image" => open_graph.push(format!("images: [{}]", json!(content))),
                "og:title" => open_graph.push(format!("title: {}", json!(content))),
                _ => members.push(format!("other: {{ {}: {} }}", json!(name), json!(content))),
            },
            HeadElement::JsonLd(data) => scripts.push_str(&script(data, "")),
        }
    }
    if !open_graph.is_empty() {
        members.push(format!("openGraph: {{ {} }}", open_graph.join(", ")));
    }
    let mut text = String::new();
    if !members.is_empty() {
        text.push_str(&format!("// {}\n", comment("next-metadata")));
        text.push_str("export const metadata = {\n");
        text.extend(members.iter().map(|member| format!("  {member},\n")));
        text.push_str("};\n");
    }
    if !scripts.is_empty() {
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str(&format!("// {}\n{scripts}", comment("next-in-page")));
    }
    text
}

/// `Head` of the Pages Router.
fn router_page(elements: &[HeadElement]) -> String {
    let mut children = String::new();
    for element in elements {
        match element {
            HeadElement::Title(title) => {
                children.push_str(&format!("  <title>{{{}}}</title>\n", json!(title)));
            }
            HeadElement::Canonical(url) => {
                children
                    .push_str(&format!("  <link rel=\"canonical\" href={{{}}} />\n", json!(url)));
            }
            HeadElement::Meta { attribute, name, content } => children.push_str(&format!(
                "  <meta {attribute}={{{}}} content={{{}}} />\n",
                json!(name),
                json!(content)
            )),
            HeadElement::JsonLd(data) => children.push_str(&script(data, "  ")),
        }
    }
    format!(
        "// {}\nimport Head from \"next/head\";\n\n// {}\n<Head>\n{children}</Head>\n",
        comment("next-import"),
        comment("next-in-page")
    )
}

fn script(data: &str, indent: &str) -> String {
    format!(
        "{indent}<script\n{indent}  type=\"application/ld+json\"\n{indent}  \
         dangerouslySetInnerHTML={{{{ __html: {} }}}}\n{indent}/>\n",
        json!(data)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELEMENTS: &str = "<title>Tea &amp; {co}</title>\n\
        <meta name=\"description\" content=\"Say &quot;tea&quot;\">\n\
        <link rel=\"canonical\" href=\"https://a.example/\">\n\
        <meta property=\"og:title\" content=\"Tea\">\n";

    fn pages(contents: &[&str]) -> (String, String) {
        let edits: Vec<Edit> = contents.iter().map(|content| Edit::add_to_head(*content)).collect();
        let files = home_page(&edits);
        let [app, router] = files.as_slice() else { panic!("{files:?}") };
        assert_eq!(
            (app.path.as_deref(), router.path.as_deref()),
            (Some(APP_PAGE), Some(ROUTER_PAGE))
        );
        (app.content.clone(), router.content.clone())
    }

    #[test]
    fn elements_become_metadata_of_the_home_page_alone() {
        let (app, router) = pages(&[ELEMENTS]);
        for part in [
            "export const metadata = {\n  title: { absolute: \"Tea & {co}\" },\n",
            "  description: \"Say \\\"tea\\\"\",\n",
            "  alternates: { canonical: \"https://a.example/\" },\n",
            "  openGraph: { title: \"Tea\" },\n};\n",
        ] {
            assert!(app.contains(part), "{app}");
        }
        for part in [
            "import Head from \"next/head\";\n",
            "<Head>\n  <title>{\"Tea & {co}\"}</title>\n",
            "  <meta name={\"description\"} content={\"Say \\\"tea\\\"\"} />\n",
            "  <link rel=\"canonical\" href={\"https://a.example/\"} />\n",
            "  <meta property={\"og:title\"} content={\"Tea\"} />\n</Head>\n",
        ] {
            assert!(router.contains(part), "{router}");
        }
        assert_eq!(home_page(&[]), []);
    }

    #[test]
    fn data_stays_a_string_whatever_is_in_it() {
        let block = "<script type=\"application/ld+json\">\n{\"name\": \"`${x}`\"}\n</script>";
        let data = "dangerouslySetInnerHTML={{ __html: \"{\\\"name\\\": \\\"`${x}`\\\"}\" }}\n";
        let (app, router) = pages(&[block, ELEMENTS]);
        assert!(app.contains(data) && router.contains(data), "{app}{router}");
        assert_eq!(app.matches("export const metadata").count(), 1);
        let (app, _) = pages(&[block]);
        assert!(!app.contains("metadata"), "{app}");
    }

    #[test]
    fn what_it_cannot_write_is_known() {
        assert!(knows_all(ELEMENTS));
        assert!(knows_all("<script type=\"application/ld+json\">\n{}\n</script>\n"));
        for content in ["", "<base href=\"/\">\n", "<title>a</title>\n<style></style>\n"] {
            assert!(!knows_all(content), "{content}");
        }
    }

    #[test]
    fn a_document_in_a_route_stays_a_string() {
        let file = route("/.well-known/ucp", "application/json", "\"`${process.env.KEY}`\n</");
        assert_eq!(file.path.as_deref(), Some("app/.well-known/ucp/route.ts"));
        assert!(file.content.starts_with("const DOCUMENT = \"\\\"`${process.env.KEY}`\\n</\";\n"));
    }

    #[test]
    fn a_configuration_is_added_to_and_not_replaced() {
        let file = header("/", "Link", "</llms.txt>; rel=\"alternate\"");
        assert_eq!((file.path.as_deref(), file.mode), (Some("next.config.js"), FileMode::Append));
        assert!(!file.content.contains("module.exports"), "{}", file.content);
        assert!(file.content.contains("...((await earlier?.()) ?? []),"), "{}", file.content);
    }
}
