//! Applies what an audit offers to a page, as its owner would: elements at their places, properties in
//! the markup, lines in robots.txt and in the sitemap.

use serde_json::{Map, Value};
use visibility_core::audit::result::AuditFixResult;
use visibility_core::page::Document;
use visibility_core::page::content::{Block, BlockKind};
use visibility_core::rubric::fix::{FileMode, FixFile, Placement};

use super::Inputs;

/// A page, and what its site says of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Source {
    /// The HTML.
    pub html: String,
    /// Header fields of the response.
    pub headers: Vec<(String, String)>,
    /// robots.txt.
    pub robots: String,
    /// `lastmod` of its entry in the sitemap; `None` if it has no entry.
    pub lastmod: Option<String>,
}

/// The page after a fix; an error names what could not be applied.
///
/// # Errors
///
/// If a file has no place in the page.
pub fn applied(source: &Source, fix: &AuditFixResult, inputs: Inputs) -> Result<Source, String> {
    let mut after = source.clone();
    for file in &fix.files {
        let content = match inputs {
            Inputs::Filled => filled(&file.content, &fix.needs_input),
            Inputs::Unfilled => file.content.clone(),
        };
        after.apply(file, &content).ok_or_else(|| format!("no place for {file:?}"))?;
    }
    Ok(after)
}

impl Source {
    fn apply(&mut self, file: &FixFile, content: &str) -> Option<()> {
        if file.path.as_deref() == Some("/robots.txt") {
            self.robots.push('\n');
            self.robots.push_str(content);
            return Some(());
        }
        match file.place? {
            Placement::Head => {
                let old = file.replaces.as_ref();
                let (at, len) = match old {
                    Some(old) => (self.html.find(&old.content)?, old.content.len()),
                    None if file.mode == FileMode::Replace => return self.replace_in_head(content),
                    None => (find(&self.html, "</head>")?, 0),
                };
                self.html.replace_range(at..at + len, content);
                Some(())
            }
            Placement::HtmlElement => {
                let at = start_tag(&self.html, "html")?;
                self.html.replace_range(at, content);
                Some(())
            }
            Placement::Main => {
                let at = self.begin_of_main(content.starts_with("<h1>"))?;
                self.html.insert_str(at, content);
                Some(())
            }
            Placement::InPlace if file.media_type == "application/json" => self.complete(content),
            Placement::InPlace => self.replace(content),
            Placement::Sitemap => {
                let (_, rest) = content.split_once("<lastmod>")?;
                self.lastmod = Some(rest.split_once("</lastmod>")?.0.to_owned());
                Some(())
            }
            Placement::Server => {
                for line in content.lines() {
                    let (name, value) = line.split_once(": ")?;
                    self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
                    self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Where a text of the main content goes: a heading comes first, everything else after it.
    fn begin_of_main(&self, is_heading: bool) -> Option<usize> {
        let content =
            Document::parse(self.html.as_bytes(), Some("text/html; charset=utf-8")).content();
        let line_of = |block: &Block| {
            let mut ends = self.html.match_indices('\n').map(|(at, _)| at + 1);
            if block.line < 2 { Some(0) } else { ends.nth(block.line - 2) }
        };
        let heading = content.blocks.iter().find(|block| block.kind == BlockKind::Heading(1));
        if let Some(heading) = heading.filter(|_| !is_heading) {
            let from = line_of(heading)?;
            let end = find(self.html.get(from..)?, "</h1>").map(|at| from + at + "</h1>".len());
            return end;
        }
        if let Some(main) = start_tag(&self.html, "main") {
            return Some(main.end);
        }
        // Before the first element of it.
        let first = content.blocks.first()?;
        let from = line_of(first)?;
        let word = first.text.split(' ').next()?;
        let text = self.html.get(from..)?.find(word).map_or(from, |at| from + at);
        let block = |name: &str| self.html.get(..text)?.rfind(name);
        ["<p", "<h", "<div", "<li", "<td"].into_iter().filter_map(block).max()
    }

    /// Puts elements into the head, in the place of those with the same key.
    fn replace_in_head(&mut self, content: &str) -> Option<()> {
        for line in content.lines() {
            let title = element(&self.html, "<title>", "</title>");
            if let Some(old) = title.filter(|_| line.starts_with("<title>")) {
                self.html.replace_range(old, "");
            }
            let keys = ["name=", "property=", "rel="];
            let Some(key) = keys.iter().find_map(|key| {
                let start = line.find(key)?;
                let value = line.get(start + key.len() + 1..)?.split('"').next()?;
                Some(format!("{key}\"{value}\""))
            }) else {
                continue;
            };
            while let Some(at) = self.html.find(&key) {
                let start = self.html.get(..at)?.rfind('<')?;
                let end = at + self.html.get(at..)?.find('>')? + 1;
                self.html.replace_range(start..end, "");
            }
        }
        let at = self.html.find("</head>")?;
        self.html.insert_str(at, content);
        Some(())
    }

    /// Puts elements in the place of those that they improve.
    fn replace(&mut self, content: &str) -> Option<()> {
        if content.starts_with("<link") || content.starts_with("<meta") {
            return self.replace_in_head(content);
        }
        if content.starts_with("<details>") {
            let hidden = element(&self.html, "<div hidden>", "</div>")?;
            self.html.replace_range(hidden, content);
            return Some(());
        }
        if content.starts_with("<dl>") {
            let lines = element(&self.html, "<p class=\"line\">", "</section>")?;
            self.html.replace_range(lines, &format!("{content}</section>"));
            return Some(());
        }
        for new in content.split_inclusive('\n') {
            let new = new.trim_end();
            let Some(src) = new.split("src=\"").nth(1).and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            if new.starts_with("<track") || new.starts_with("  <track") {
                continue;
            }
            let at = self.html.find(&format!("src=\"{src}\""))?;
            let start = self.html.get(..at)?.rfind('<')?;
            let end = if new.starts_with("<img") { ">" } else { "</video>" };
            let end = at + end_of(self.html.get(at..)?, end)?;
            let whole = if new.starts_with("<img") { new } else { content };
            self.html.replace_range(start..end, whole);
        }
        Some(())
    }

    /// Adds properties to the entity of the page, or puts a whole block in the place of a broken one.
    fn complete(&mut self, content: &str) -> Option<()> {
        if content.starts_with('{') || content.starts_with('[') {
            let is_broken = |script: &std::ops::Range<usize>| {
                let json = self.html.get(script.clone()).unwrap_or_default();
                serde_json::from_str::<Value>(json).is_err()
            };
            let scripts = self.json_ld();
            let broken = scripts.iter().find(|script| is_broken(script)).or(scripts.first())?;
            self.html.replace_range(broken.clone(), content);
            return Some(());
        }
        let members = serde_json::from_str(&format!("{{{content}}}")).ok()?;
        for things in THINGS {
            for script in self.json_ld() {
                let json = self.html.get(script.clone())?;
                let Ok(mut whole) = serde_json::from_str(json) else { continue };
                if add_to_entity(&mut whole, &members, things) {
                    self.html.replace_range(script, &whole.to_string());
                    return Some(());
                }
            }
        }
        None
    }

    /// Where the JSON-LD of the page is.
    fn json_ld(&self) -> Vec<std::ops::Range<usize>> {
        let lower = self.html.to_ascii_lowercase();
        let types = lower.match_indices("application/ld+json");
        let block = |(at, _): (usize, &str)| {
            let start = at + lower.get(at..)?.find('>')? + 1;
            Some(start..start + lower.get(start..)?.find("</script>")?)
        };
        types.filter_map(block).collect()
    }
}

/// Parts of the names of types that a page is about, those that say most first.
const THINGS: [&[&str]; 3] = [
    &[
        "Product",
        "Article",
        "SoftwareApplication",
        "BlogPosting",
        "Service",
        "DiscussionForumPosting",
    ],
    &["CollectionPage", "ItemList", "WebPage", "Recipe", "Event", "Course", "Book", "Movie"],
    &[""],
];

/// Adds members to the first object that describes a thing, and not its site.
fn add_to_entity(value: &mut Value, members: &Map<String, Value>, things: &[&str]) -> bool {
    match value {
        Value::Array(all) => all.iter_mut().any(|one| add_to_entity(one, members, things)),
        Value::Object(object) => {
            let kind = object.get("@type").map(ToString::to_string).unwrap_or_default();
            if !kind.is_empty() && things.iter().any(|thing| kind.contains(thing)) {
                object.extend(members.clone());
                return true;
            }
            object.get_mut("@graph").is_some_and(|graph| add_to_entity(graph, members, things))
        }
        _ => false,
    }
}

/// Where a text is, whatever its case.
fn find(html: &str, text: &str) -> Option<usize> {
    html.to_ascii_lowercase().find(text)
}

/// The first start tag of an element.
fn start_tag(html: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let lower = html.to_ascii_lowercase();
    let begin = format!("<{name}");
    let mut tags = lower.match_indices(&begin).map(|(at, _)| at);
    let is_tag = |at: &usize| {
        let after = lower.get(at + 1 + name.len()..).and_then(|rest| rest.chars().next());
        after.is_some_and(|ch| ch == '>' || ch.is_ascii_whitespace())
    };
    let at = tags.find(is_tag)?;
    Some(at..at + end_of(lower.get(at..)?, ">")?)
}

fn end_of(html: &str, tag: &str) -> Option<usize> {
    html.find(tag).map(|at| at + tag.len())
}

fn element(html: &str, start: &str, end: &str) -> Option<std::ops::Range<usize>> {
    let at = html.find(start)?;
    Some(at..at + end_of(html.get(at..)?, end)?)
}

/// What is true of the fixture pages, as their owners know it.
fn filled(text: &str, needs_input: &[String]) -> String {
    const TRUTH: [(&str, &str); 36] = [
        ("[ALT", "A jacket on a glacier at dawn"),
        ("[APPLICATION_CATEGORY", "BusinessApplication"),
        ("[AREA", "Germany"),
        ("[ATTRIBUTE", "Lining"),
        ("[ANSWER", "what they say of temperature, grind and time"),
        ("[AUTHOR_URL", "https://coffee.example.com/authors/ines-calloway"),
        ("[AUTHOR", "Ines Calloway"),
        ("[AVAILABILITY", "InStock"),
        ("[BRAND", "Northbound Outfitters"),
        ("[CAPTIONS_URL", "/captions/aurora.vtt"),
        ("[CATEGORY", "goose down jacket"),
        ("[CURRENCY", "EUR"),
        ("[DATE", "2026-11-18"),
        (
            "[DESCRIPTION",
            "An 850-fill goose down jacket that weighs 480 g and keeps you warm at -25 °C.",
        ),
        ("[FACT", "it weighs 480 g and keeps you warm at -25 °C"),
        ("[HEADLINE", "Espresso by numbers: what 240 measured shots say"),
        ("[IMAGE_URL", "https://shop.example.com/images/aurora-front.jpg"),
        ("[ITEM_URL", "https://shop.example.com/jackets/borealis"),
        ("[ITEM", "Borealis down jacket"),
        ("[LANGUAGE", "en"),
        ("[LOGO_URL", "https://shop.example.com/logo.png"),
        ("[NAME", "Aurora down jacket"),
        ("[OPERATING_SYSTEM", "Web"),
        ("[PRICE", "349.00"),
        ("[PROFILE_URL", "https://www.instagram.com/northboundoutfitters"),
        ("[PROVIDER", "Northbound Outfitters"),
        ("[PURPOSE", "keeps you warm at -25 °C"),
        ("[SKU", "NB-AUR-850"),
        ("[STOCK", "In stock"),
        ("[TELEPHONE", "+353 91 555 0100"),
        ("[TEXT", "The jacket weighs 480 g and packs into 3 liters."),
        ("[TITLE", "Aurora down jacket with 850-fill goose down"),
        ("[START_DATE", "2026-12-05"),
        ("[TRANSCRIPT", "This is the Aurora. It weighs 480 g and packs into 3 liters."),
        ("[URL", "https://shop.example.com/jackets/aurora"),
        ("[VALUE", "20-denier nylon, 38 g"),
    ];
    needs_input.iter().fold(text.to_owned(), |text, placeholder| {
        let known = TRUTH.iter().find(|(known, _)| placeholder.starts_with(known));
        let Some((known, value)) = known else { return text };
        // Several of one kind differ.
        let number = placeholder.get(known.len()..).unwrap_or_default();
        let number = number.trim_start_matches('_').trim_end_matches(']');
        let number = if number.parse::<u32>().is_ok() { number } else { "" };
        text.replace(placeholder, &format!("{value}{number}"))
    })
}
