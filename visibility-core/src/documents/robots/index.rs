//! Groups by product token, and their patterns.

use std::collections::HashMap;

use super::parse::product_token;
use super::pattern::Pattern;

/// The groups of a file made ready for decisions.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Numbers of the groups that name a token (in lower case), in order.
    pub(super) groups_by_token: HashMap<String, Vec<usize>>,
    /// For each group, the patterns of its rules; `None` where a rule can match nothing.
    pub(super) patterns: Vec<Vec<Option<Pattern>>>,
}

/// The groups that govern an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selected<'a> {
    /// The token that they name.
    pub(super) token: &'a str,
    /// Their numbers, in order; at least one.
    pub(super) groups: &'a [usize],
}

impl Index {
    /// The groups of the first token that any group names, else those of `*`.
    ///
    /// Of each text only the product token at its start counts, as in a `User-agent` line.
    pub(super) fn select(&self, tokens: &[&str]) -> Option<Selected<'_>> {
        let own = tokens.iter().map(|token| {
            let token = product_token(token.as_bytes());
            String::from_utf8_lossy(token).to_ascii_lowercase()
        });
        own.chain(std::iter::once("*".to_owned())).find_map(|token| {
            let (token, groups) = self.groups_by_token.get_key_value(&token)?;
            Some(Selected { token, groups })
        })
    }
}
