//! The public suffix list, embedded. The rules of a top-level domain are parsed when they are first needed.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{LazyLock, OnceLock};

use publicsuffix::{List, Psl, Type};

const TEXT: &str = include_str!("../../../data/public_suffix_list.dat");

/// The rules by top-level domain. All of them as one list would take 9 ms of CPU time and 2.4 MiB.
static RULES: LazyLock<HashMap<Cow<'static, str>, Rules>> = LazyLock::new(|| rules_of(TEXT));

/// The rules of top-level domains that do not exist.
static NO_RULES: LazyLock<List> = LazyLock::new(List::default);

/// What the list has below one top-level domain.
#[derive(Debug, Default)]
struct Rules {
    /// Lines with the marks of their sections.
    lines: Vec<&'static str>,
    section: &'static str,
    list: OnceLock<List>,
}

impl Rules {
    fn list(&self) -> &List {
        self.list.get_or_init(|| ascii_rules(&self.lines).parse().unwrap_or_default())
    }
}

/// The rules for a name, which are those of its top-level domain.
fn list(name: &str) -> &'static List {
    let tld = name.rsplit('.').next().unwrap_or(name);
    RULES.get(tld).map_or(&NO_RULES, Rules::list)
}

/// Sorts the lines by top-level domain, in IDNA form.
fn rules_of(text: &'static str) -> HashMap<Cow<'static, str>, Rules> {
    let mut rules: HashMap<Cow<'static, str>, Rules> = HashMap::with_capacity(2_000);
    let mut section = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("// ===BEGIN") {
            section = line;
        }
        if !is_rule(line) {
            continue;
        }
        let tld = top_level(line);
        let below = rules.entry(in_ascii(tld)).or_default();
        if below.section != section {
            below.section = section;
            below.lines.push(section);
        }
        below.lines.push(line);
        // Most rules follow others of the same top-level domain.
        while let Some(next) = lines.next_if(|next| is_rule(next) && top_level(next) == tld) {
            below.lines.push(next);
        }
    }
    rules
}

fn is_rule(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("//")
}

fn top_level(rule: &str) -> &str {
    let start = rule.bytes().rposition(|byte| matches!(byte, b'.' | b'!')).map_or(0, |at| at + 1);
    rule.get(start..).unwrap_or(rule)
}

fn in_ascii(name: &str) -> Cow<'_, str> {
    let encoded = if name.is_ascii() { None } else { idna::domain_to_ascii(name).ok() };
    encoded.map_or(Cow::from(name), Cow::from)
}

/// The lines with names in IDNA form.
fn ascii_rules(lines: &[&'static str]) -> String {
    let rules: Vec<Cow<'_, str>> = lines.iter().map(|line| in_ascii(line)).collect();
    let wild: BTreeSet<&str> = rules.iter().filter_map(|rule| rule.strip_prefix("*.")).collect();
    let mut text = String::new();
    for rule in &rules {
        text.push_str(rule);
        text.push('\n');
        if !wild.is_empty() {
            hidden_matches(rule, &wild, &mut text);
        }
    }
    text
}

/// Writes out what a wildcard rule matches on the way to a longer rule: the package looks no
/// further at the wildcard once it has found a label by its name.
fn hidden_matches(rule: &str, wild: &BTreeSet<&str>, text: &mut String) {
    if rule.starts_with(['!', '/']) {
        return;
    }
    let mut name = rule.strip_prefix("*.").unwrap_or(rule);
    while let Some((_, parent)) = name.split_once('.') {
        if wild.contains(parent) {
            text.push_str(name);
            text.push('\n');
        }
        name = parent;
    }
}

/// Whether this top-level domain is in the ICANN section, with a rule of its own or one below.
pub(super) fn is_delegated(tld: &str) -> bool {
    let below = format!("x.{tld}");
    [tld, &below].iter().any(|name| kind(name) == Some(Type::Icann))
}

/// Whether a name is a suffix of the ICANN section, under which others register names.
pub(super) fn is_icann_suffix(name: &str) -> bool {
    let suffix = list(name).suffix(name.as_bytes());
    // A top-level domain whose only rules are one level below has no rule of its own.
    !name.contains('.')
        || suffix.is_some_and(|s| s.typ() == Some(Type::Icann) && s.as_bytes() == name.as_bytes())
}

/// The suffix and one label more; the name itself if it is no longer than its suffix.
pub(super) fn registrable(name: &str) -> &str {
    let domain = list(name).domain(name.as_bytes()).map(|domain| domain.as_bytes().len());
    domain.and_then(|len| name.get(name.len().checked_sub(len)?..)).unwrap_or(name)
}

fn kind(name: &str) -> Option<Type> {
    list(name).suffix(name.as_bytes()).and_then(|suffix| suffix.typ())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The algorithm of <https://publicsuffix.org/list/> word by word: the longest of all rules
    /// that match, an exception before all others, `*` if there is none.
    fn suffix_by_the_letter<'a>(rules: &BTreeMap<&str, Type>, name: &'a str) -> &'a str {
        let parent = |name: &&'a str| name.split_once('.').map(|(_, parent)| parent);
        let names = || std::iter::successors(Some(name), parent);
        let is_exception = |name: &&str| rules.contains_key(format!("!{name}").as_str());
        if let Some(suffix) = names().find(is_exception).and_then(|name| parent(&name)) {
            return suffix;
        }
        let is_rule = |name: &&str| {
            let wild = name.split_once('.').map(|(_, parent)| format!("*.{parent}"));
            rules.contains_key(name) || wild.is_some_and(|wild| rules.contains_key(wild.as_str()))
        };
        names().find(is_rule).or(names().last()).unwrap()
    }

    #[test]
    fn every_rule_gives_what_the_algorithm_of_the_list_gives() {
        let lines: Vec<&str> = TEXT
            .lines()
            .filter(|line| line.starts_with("// ===BEGIN") || !line.starts_with("//"))
            .filter(|line| !line.is_empty())
            .collect();
        let text = ascii_rules(&lines);
        let mut rules = BTreeMap::new();
        let mut section = Type::Icann;
        for line in text.lines() {
            match line {
                line if line.contains("BEGIN PRIVATE") => section = Type::Private,
                line if line.starts_with("//") => {}
                line => drop(rules.insert(line.trim(), section)),
            }
        }
        assert!(rules.len() > 10_000, "{}", rules.len());
        for rule in rules.keys() {
            let base = rule.trim_start_matches(['!', '*', '.']);
            let above = base.split_once('.').map_or(base, |(_, parent)| parent);
            let names =
                [above.to_owned(), base.to_owned(), format!("aa.{base}"), format!("aa.bb.{base}")];
            for name in names {
                let expected = suffix_by_the_letter(&rules, &name);
                let found = list(&name).suffix(name.as_bytes()).unwrap();
                assert_eq!(found.as_bytes(), expected.as_bytes(), "{name}");
            }
        }
    }

    #[test]
    fn no_rule_is_left_in_unicode_or_upper_case() {
        let sorted: BTreeMap<_, _> = RULES.iter().collect();
        for (tld, rules) in sorted {
            let text = ascii_rules(&rules.lines);
            let mut names = text.lines().filter(|line| !line.starts_with("//")).chain([&**tld]);
            let is_plain =
                |name: &str| name.is_ascii() && !name.bytes().any(|b| b.is_ascii_uppercase());
            assert!(names.all(is_plain), "{tld}");
        }
    }
}
