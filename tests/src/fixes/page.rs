//! Applies what an audit offers to a page, as its owner would: elements at their places, properties in
//! the markup, lines in robots.txt and in the sitemap.

use serde_json::{Map, Value};
use visibility_core::audit::result::AuditFixResult;
use visibility_core::rubric::fix::{FixFile, Placement};

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
                    None => (self.html.find("</head>")?, 0),
                };
                self.html.replace_range(at..at + len, content);
                Some(())
            }
            Placement::HtmlElement => {
                let element = element(&self.html, "<html", ">")?;
                self.html.replace_range(element, content);
                Some(())
            }
            Placement::Main => {
                // A heading comes first, everything else after it.
                let after = if content.starts_with("<h1>") { "<main>" } else { "</h1>" };
                let at = [after, "<main>"].iter().find_map(|tag| end_of(&self.html, tag))?;
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
        let script = element(&self.html, "<script type=\"application/ld+json\">", "</script>")?;
        let script = script.start + "<script type=\"application/ld+json\">".len()
            ..script.end - "</script>".len();
        if content.starts_with('{') || content.starts_with('[') {
            self.html.replace_range(script, content);
            return Some(());
        }
        let members = serde_json::from_str(&format!("{{{content}}}")).ok()?;
        let mut whole: Value = serde_json::from_str(self.html.get(script.clone())?).ok()?;
        add_to_entity(&mut whole, &members).then_some(())?;
        self.html.replace_range(script, &whole.to_string());
        Some(())
    }
}

/// Adds members to the first object that describes a thing, and not its site.
fn add_to_entity(value: &mut Value, members: &Map<String, Value>) -> bool {
    match value {
        Value::Array(all) => all.iter_mut().any(|one| add_to_entity(one, members)),
        Value::Object(object) => {
            let kind = object.get("@type").map(ToString::to_string).unwrap_or_default();
            let things = ["Product", "Article", "SoftwareApplication"];
            if things.iter().any(|thing| kind.contains(thing)) {
                object.extend(members.clone());
                return true;
            }
            object.get_mut("@graph").is_some_and(|graph| add_to_entity(graph, members))
        }
        _ => false,
    }
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
    const TRUTH: [(&str, &str); 32] = [
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
        ("[TITLE", "Aurora down jacket with 850-fill goose down"),
        ("[TRANSCRIPT", "This is the Aurora. It weighs 480 g and packs into 3 liters."),
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
