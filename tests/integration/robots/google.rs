//! A file as Google's parser reads it, written so that ours reads the same.

use super::Case;

/// One thing that the two parsers see differently; the list of decision 0003.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Leniency {
    /// A key that only begins like one of the standard, or is misspelled, counts.
    Typos,
    /// White space replaces the colon when there are two words.
    MissingColon,
    /// `Allow: /x/index.html` allows `/x/` too.
    IndexHtml,
    /// A product token ends before its first digit.
    Digits,
    /// URLs are compared as they are, patterns but for non-ASCII bytes and the case of digits.
    Encoding,
    /// Any other record closes a list of agents (the current C++ library no longer does this).
    OtherRecords,
    /// A byte-order mark belongs to the first key (the C++ library skips it).
    ByteOrderMark,
}

impl Leniency {
    pub(crate) const ALL: [Self; 7] = [
        Self::Typos,
        Self::MissingColon,
        Self::IndexHtml,
        Self::Digits,
        Self::Encoding,
        Self::OtherRecords,
        Self::ByteOrderMark,
    ];
}

#[derive(Clone, Copy)]
enum Kind {
    UserAgent,
    Allow,
    Disallow,
    Other,
}

/// Rewrites a case so that these leniencies, and no others, are gone from it.
pub(crate) fn view([robots, agent, url]: &Case, leniencies: &[Leniency]) -> Case {
    let has = |leniency| leniencies.contains(&leniency);
    let mut text = robots.clone();
    if has(Leniency::ByteOrderMark) {
        text = text.replace('\u{feff}', "x");
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut view = String::new();
    for line in lines.split('\n') {
        view += &view_of_line(line, &has);
        view.push('\n');
    }
    let url = if has(Leniency::Encoding) { literal(url) } else { url.clone() };
    [view, agent.clone(), url]
}

fn view_of_line(line: &str, has: &dyn Fn(Leniency) -> bool) -> String {
    let bare = line.trim_start_matches('\u{feff}');
    let Some((key, value, has_colon)) = key_and_value(bare) else { return line.to_owned() };
    let (kind, is_exact) = kind(key);
    let is_strict = is_exact && has_colon;
    let is_read = is_strict
        || ((has_colon || has(Leniency::MissingColon)) && (is_exact || has(Leniency::Typos)));
    match kind {
        Kind::Other => {
            let is_record = has_colon || has(Leniency::MissingColon);
            let closes = is_record && has(Leniency::OtherRecords);
            if closes { "Disallow:".to_owned() } else { line.to_owned() }
        }
        _ if !is_read => line.to_owned(),
        Kind::UserAgent if has(Leniency::Digits) && !value.starts_with('*') => {
            let is_token = |c: &char| c.is_ascii_alphabetic() || matches!(c, '-' | '_');
            format!("User-agent: {}", value.chars().take_while(is_token).collect::<String>())
        }
        Kind::UserAgent => format!("User-agent: {value}"),
        Kind::Disallow => format!("Disallow: {}", pattern(value, has)),
        Kind::Allow => {
            let rule = format!("Allow: {}", pattern(value, has));
            let index = value.rfind('/').map(|slash| value.split_at(slash + 1));
            if let Some((folder, file)) = index
                && file.starts_with("index.htm")
                && has(Leniency::IndexHtml)
            {
                return format!("{rule}\nAllow: {}", pattern(&format!("{folder}$"), has));
            }
            rule
        }
    }
}

/// What Google's parser splits a line into, and whether there was a colon.
fn key_and_value(line: &str) -> Option<(&str, &str, bool)> {
    let line = line.split_once('#').map_or(line, |(text, _)| text.trim());
    let (key, value, has_colon) = if let Some((key, value)) = line.split_once(':') {
        (key, value, true)
    } else {
        let (key, value) = line.split_once([' ', '\t'])?;
        let value = value.trim();
        if value.is_empty() || value.contains([' ', '\t']) {
            return None;
        }
        (key, value, false)
    };
    (!key.is_empty()).then(|| (key.trim(), value.trim(), has_colon))
}

/// What a key means to Google's parser, and whether it is written as in the standard.
fn kind(key: &str) -> (Kind, bool) {
    let key = key.to_ascii_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| key.starts_with(start));
    if begins(&["user-agent", "useragent", "user agent"]) {
        (Kind::UserAgent, key == "user-agent")
    } else if begins(&["allow"]) {
        (Kind::Allow, key == "allow")
    } else if begins(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        (Kind::Disallow, key == "disallow")
    } else {
        (Kind::Other, false)
    }
}

fn pattern(value: &str, has: &dyn Fn(Leniency) -> bool) -> String {
    if !has(Leniency::Encoding) {
        return value.to_owned();
    }
    let escaped = robotstxt::parser::escape_pattern(value);
    let (body, end) = match escaped.strip_suffix('$') {
        Some(body) => (body, "$"),
        None => (escaped.as_str(), ""),
    };
    let parts: Vec<String> = body.split('*').map(literal).collect();
    parts.join("*") + end
}

/// Writes what normalization would change as letters that occur nowhere else, one for each byte.
fn literal(text: &str) -> String {
    let letter = |c: char| match c {
        '%' => "Z".to_owned(),
        '$' => "Y".to_owned(),
        '*' => "X".to_owned(),
        '<' => "W".to_owned(),
        c if !c.is_ascii() => "V".repeat(c.len_utf8()),
        c => c.to_string(),
    };
    text.chars().map(letter).collect()
}
