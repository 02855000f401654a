//! The public suffix list, embedded and parsed once.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use publicsuffix::{List, Psl, Type};

const TEXT: &str = include_str!("../../data/public_suffix_list.dat");

/// Built on first use: 9 ms of CPU time and 2.4 MiB, measured in a release build.
static LIST: LazyLock<List> = LazyLock::new(|| ascii_rules(TEXT).parse().unwrap_or_default());

/// The sections and rules of the list, without comments, names in IDNA form.
fn ascii_rules(text: &str) -> String {
    let mut rules = Vec::new();
    for line in text.lines() {
        let is_section = line.starts_with("// ===BEGIN");
        if line.is_empty() || line.starts_with("//") && !is_section {
            continue;
        }
        let encoded = if line.is_ascii() { None } else { idna::domain_to_ascii(line).ok() };
        rules.push(encoded.map_or(Cow::from(line), Cow::from));
    }
    let wild: BTreeSet<&str> = rules.iter().filter_map(|rule| rule.strip_prefix("*.")).collect();
    let mut text = String::with_capacity(text.len() / 2);
    for rule in &rules {
        text.push_str(rule);
        text.push('\n');
        hidden_matches(rule, &wild, &mut text);
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

/// Whether this top-level domain stands in the ICANN section, with a rule of its own or one below.
pub(super) fn is_delegated(tld: &str) -> bool {
    let below = format!("x.{tld}");
    [tld, &below].iter().any(|name| kind(name) == Some(Type::Icann))
}

/// Whether a name is a suffix of the ICANN section, under which others register names.
pub(super) fn is_icann_suffix(name: &str) -> bool {
    let suffix = LIST.suffix(name.as_bytes());
    // A top-level domain whose only rules stand one level below has no rule of its own.
    !name.contains('.')
        || suffix.is_some_and(|s| s.typ() == Some(Type::Icann) && s.as_bytes() == name.as_bytes())
}

/// The suffix and one label more; the name itself if it is no longer than its suffix.
pub(super) fn registrable(name: &str) -> &str {
    let domain = LIST.domain(name.as_bytes()).map(|domain| domain.as_bytes().len());
    domain.and_then(|len| name.get(name.len().checked_sub(len)?..)).unwrap_or(name)
}

fn kind(name: &str) -> Option<Type> {
    LIST.suffix(name.as_bytes()).and_then(|suffix| suffix.typ())
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
        let text = ascii_rules(TEXT);
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
                let found = LIST.suffix(name.as_bytes()).unwrap();
                assert_eq!(found.as_bytes(), expected.as_bytes(), "{name}");
            }
        }
    }

    #[test]
    fn no_rule_is_left_in_unicode_or_upper_case() {
        let text = ascii_rules(TEXT);
        assert!(
            text.lines()
                .filter(|l| !l.starts_with("//"))
                .all(|l| l.is_ascii() && !l.bytes().any(|b| b.is_ascii_uppercase()))
        );
    }
}
