//! Product tokens in a `User-Agent`.
//!
//! All tokens are looked for at once; a hit counts if it is where a product is. The longest
//! token wins, so that `OAI-SearchBot` is never taken for a part of it.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::Agent;

/// Bytes of a `User-Agent` that are looked at.
const MAX_BYTES: usize = 1024;

/// Finds agents by the product tokens of their `User-Agent`; built when first used.
#[derive(Clone, Debug, Default)]
pub struct UserAgentIndex(OnceLock<Tokens>);

impl UserAgentIndex {
    /// The agent that a `User-Agent` claims to be, of those that count. `agents` are the same at each
    /// call.
    pub(super) fn find<'a>(
        &self,
        agents: &'a [Agent],
        user_agent: &str,
        counts: fn(&Agent) -> bool,
    ) -> Option<&'a Agent> {
        let text = unquoted(user_agent);
        if text.is_empty() || text == "-" {
            return None;
        }
        self.0.get_or_init(|| Tokens::new(agents)).find(agents, text.as_bytes(), counts)
    }
}

/// The tokens of all agents but those that only exist in robots.txt.
#[derive(Clone, Debug)]
struct Tokens {
    automaton: Option<AhoCorasick>,
    /// For each token, the number of its agent.
    agents: Vec<usize>,
}

impl Tokens {
    fn new(agents: &[Agent]) -> Self {
        let visitors = agents.iter().enumerate().filter(|(_, agent)| !agent.robots_only);
        let tokens = visitors.flat_map(|(number, agent)| {
            agent.user_agent_tokens.iter().map(move |token| (token.as_str(), number))
        });
        let (texts, agents): (Vec<&str>, Vec<usize>) = tokens.unzip();
        // Building fails only beyond 2^31 states; then nothing is an agent.
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(texts)
            .ok();
        Self { automaton, agents }
    }

    fn find<'a>(
        &self,
        agents: &'a [Agent],
        text: &[u8],
        counts: fn(&Agent) -> bool,
    ) -> Option<&'a Agent> {
        let start = text.get(..MAX_BYTES).unwrap_or(text);
        let mut best: Option<(usize, &Agent)> = None;
        for hit in self.automaton.as_ref()?.find_overlapping_iter(start) {
            let token = self.agents.get(hit.pattern().as_usize());
            let Some(agent) = token.and_then(|number| agents.get(*number)) else { continue };
            if counts(agent)
                && best.is_none_or(|(length, _)| hit.len() > length)
                && is_product(text, hit.start(), hit.end(), agent)
            {
                best = Some((hit.len(), agent));
            }
        }
        best.map(|(_, agent)| agent)
    }
}

/// Whether the bytes from `start` to `end` are the name of a product, and not a part of a longer
/// name, of an address, or of what another product says about itself.
fn is_product(text: &[u8], start: usize, end: usize, agent: &Agent) -> bool {
    let (before, token_and_more) = text.split_at(start);
    let (_, after) = text.split_at(end);
    let is_right =
        |byte: &u8| b"/ ;,)]+\t".contains(byte) || (agent.token_is_prefix && *byte == b'-');
    let has_version = || matches!(after, [b'/', digit, ..] if digit.is_ascii_digit());
    let leads = before.is_empty()
        || text.get(..8).is_some_and(|head| head.eq_ignore_ascii_case(b"Mozilla/"));
    leads
        && before.last().is_none_or(|byte| b" ;(,[\t".contains(byte))
        && after.first().is_none_or(is_right)
        && (!agent.version_required || has_version())
        && !is_address(before, token_and_more)
}

/// Whether the word around a hit is a URL, a host or an e-mail address.
fn is_address(before: &[u8], token_and_more: &[u8]) -> bool {
    let is_end = |byte: &u8| b" ;(),[]\t".contains(byte);
    let from = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    // A token may hold a space: look for the end of the word behind its first byte's word.
    let to = token_and_more.iter().position(is_end).unwrap_or(token_and_more.len());
    let word =
        [before.get(from..).unwrap_or_default(), token_and_more.get(..to).unwrap_or_default()]
            .concat();
    word.contains(&b'@')
        || word.windows(3).any(|bytes| bytes == b"://")
        || word.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"www."))
}

/// The value without white space and quotes around it.
fn unquoted(user_agent: &str) -> &str {
    let text = user_agent.trim();
    let quotes = ['"', '\''];
    let inner = quotes.iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(text).trim()
}
