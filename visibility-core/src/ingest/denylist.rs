//! Query parameters that a request target must not have: those that carry secrets or the data of
//! persons.
//!
//! The names are data, `data/query_denylist.json`; the order of the steps is its `matching.order`.
//! Where that leaves room:
//!
//! * `%` anywhere in the path is reason to decode it, so that a separator is found under up to three
//!   rounds of encoding.
//! * A matrix parameter is one only with `=`; behind `?` and `#` a bare name is a parameter.
//! * A decoded value is a query of its own if it has `=` and one of the separators. The text
//!   before its first `?` or `#` is then not a parameter if it looks like an address.
//! * Marks above and below letters do not tell names apart, nor does the dot of a Turkish `i`.
//! * Empty parameters are not counted. Encoded ones are, as soon as they are found.
//!
//! Every byte is looked at a bounded number of times, and a plain query costs no allocation.

mod conditions;
mod decode;
mod names;
pub(super) mod strip;

use memchr::{memchr, memchr2};

use self::conditions::{Condition, TargetFacts};
use self::decode::decode;
use self::names::{DenylistNames, NameBuffer};
use crate::ingest::byte_class::ByteClasses;
use crate::limits::MAX_QUERY_PARAMETERS;

/// Rounds of decoding of a name and of the path: `matching.limits.max_decode_rounds`.
const NAME_ROUNDS: usize = 3;
/// Rounds of decoding of a value.
const VALUE_ROUNDS: usize = 2;

/// What separates parameters.
const SEPARATORS: [char; 4] = ['&', ';', '?', '#'];
/// The same as bytes.
const SEPARATOR_BYTES: ByteClasses = ByteClasses::new(&[b"&;?#"]);

/// Without one of these a target is all path.
const MARKS: ByteClasses = ByteClasses::new(&[b"?;#%"]);

/// What the parameters of a target come to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Parameters {
    /// None is denied.
    Fine,
    /// One is denied.
    Denied,
    /// There are more than are looked at.
    TooMany,
}

/// What is made of the names of a target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Purpose {
    /// Whether one is denied, with the conditions that the rest of the target decides.
    Check,
    /// The facts that they state, denied or not.
    NoteFacts,
    /// Whether one is denied, as the facts of the whole target are known.
    CheckPart,
}

/// Why looking at parameters ended early.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Denied,
    TooMany,
}

/// Looks at the parameters of one target after the other.
#[derive(Debug)]
pub(crate) struct Denylist {
    names: &'static DenylistNames,
    is_extended: bool,
    name: NameBuffer,
    /// Buffers that are not in use.
    spare: Vec<String>,
    bytes: Vec<u8>,
    /// What is known of the target so far.
    facts: TargetFacts,
    pending: Vec<Condition>,
    count: usize,
    purpose: Purpose,
}

impl Denylist {
    /// A denylist, with the names of the extended profile or without them.
    pub(crate) fn new(is_extended: bool) -> Self {
        Self {
            names: DenylistNames::embedded(),
            is_extended,
            name: NameBuffer::default(),
            spare: Vec::new(),
            bytes: Vec::new(),
            facts: TargetFacts::default(),
            pending: Vec::new(),
            count: 0,
            purpose: Purpose::Check,
        }
    }

    /// Looks at the parameters of a request target.
    pub(super) fn check(&mut self, target: &str) -> Parameters {
        if MARKS.any(target.as_bytes()) == 0 {
            return Parameters::Fine;
        }
        self.facts = TargetFacts::default();
        self.pending.clear();
        self.count = 0;
        match self.target(target) {
            Ok(()) if self.pending.is_empty() => Parameters::Fine,
            Ok(()) if self.holds(target) => Parameters::Denied,
            Ok(()) => Parameters::Fine,
            Err(Stop::Denied) => Parameters::Denied,
            Err(Stop::TooMany) => Parameters::TooMany,
        }
    }

    /// Whether one of the pending conditions holds.
    fn holds(&mut self, target: &str) -> bool {
        self.note_path(target);
        self.pending.iter().any(|condition| condition.holds(self.facts))
    }

    /// Notes what the path of a target is about.
    fn note_path(&mut self, target: &str) {
        let (path, _) = split_query(target);
        let mut decoded = self.buffer();
        self.decode_rounds(path, NAME_ROUNDS, &mut decoded);
        self.facts.note_path(path);
        self.facts.note_path(split_query(&decoded).0);
        self.spare.push(decoded);
    }

    fn target(&mut self, target: &str) -> Result<(), Stop> {
        let (path, query) = split_query(target);
        if has_many_separators(query) && parts(query).nth(MAX_QUERY_PARAMETERS).is_some() {
            return Err(Stop::TooMany);
        }
        self.path(path)?;
        if memchr(b'%', path.as_bytes()).is_some() {
            let mut decoded = self.buffer();
            self.decode_rounds(path, NAME_ROUNDS, &mut decoded);
            let (path, query) = split_query(&decoded);
            self.path(path)?;
            self.parameters(query)?;
            self.spare.push(decoded);
        }
        self.parameters(query)
    }

    /// The matrix parameters of a path.
    fn path(&mut self, path: &str) -> Result<(), Stop> {
        if memchr(b';', path.as_bytes()).is_none() {
            return Ok(());
        }
        for segment in path.split('/') {
            for part in segment.split(';').skip(1).filter(|part| part.contains('=')) {
                self.parameter(part)?;
            }
        }
        Ok(())
    }

    fn parameters(&mut self, query: &str) -> Result<(), Stop> {
        parts(query).try_for_each(|part| self.parameter(part))
    }

    /// One parameter, and the query that its value may be.
    fn parameter(&mut self, part: &str) -> Result<(), Stop> {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if memchr(b'%', value.as_bytes()).is_none() {
            return self.name(name, value, NAME_ROUNDS);
        }
        let mut decoded = self.buffer();
        self.decode_rounds(value, VALUE_ROUNDS, &mut decoded);
        self.name(name, &decoded, NAME_ROUNDS)?;
        if decoded.contains('=') && decoded.contains(SEPARATORS) {
            self.nested(&decoded)?;
        }
        self.spare.push(decoded);
        Ok(())
    }

    /// A value that is a query, or an address with one.
    fn nested(&mut self, text: &str) -> Result<(), Stop> {
        let (head, query) = split_query(text);
        let is_address = head.contains("://") || head.starts_with('/');
        if is_address || (head.len() < text.len() && !head.contains('=')) {
            self.facts.note_path(head);
            for part in head.split(';').skip(1).filter(|part| part.contains('=')) {
                self.nested_parameter(part)?;
            }
        } else {
            parts(head).try_for_each(|part| self.nested_parameter(part))?;
        }
        parts(query).try_for_each(|part| self.nested_parameter(part))
    }

    fn nested_parameter(&mut self, part: &str) -> Result<(), Stop> {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        self.name(name, value, NAME_ROUNDS)
    }

    /// A name that may be encoded, and may turn out to be several.
    fn name(&mut self, name: &str, value: &str, rounds: usize) -> Result<(), Stop> {
        if rounds == 0 || !name.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
            return self.plain_name(name, value);
        }
        let mut decoded = self.buffer();
        decode(name, &mut self.bytes, &mut decoded);
        if decoded == name {
            self.plain_name(name, value)?;
        } else {
            let mut names = parts(&decoded).peekable();
            while let Some(part) = names.next() {
                let outer = if names.peek().is_none() { value } else { "" };
                let (name, value) = part.split_once('=').unwrap_or((part, outer));
                self.name(name, value, rounds - 1)?;
            }
        }
        self.spare.push(decoded);
        Ok(())
    }

    fn plain_name(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        self.count += 1;
        if self.count > MAX_QUERY_PARAMETERS {
            return Err(Stop::TooMany);
        }
        let found = self.names.find(name, &mut self.name, self.is_extended);
        if self.purpose == Purpose::NoteFacts {
            self.facts.add(found.facts);
            return Ok(());
        }
        if found.is_denied {
            return Err(Stop::Denied);
        }
        self.facts.add(found.facts);
        match found.condition {
            Some(condition) if condition.denies(value) => Err(Stop::Denied),
            Some(condition) if self.purpose == Purpose::CheckPart => {
                if condition.holds(self.facts) { Err(Stop::Denied) } else { Ok(()) }
            }
            Some(condition) => {
                if !self.pending.contains(&condition) {
                    self.pending.push(condition);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Decodes until nothing changes any more.
    fn decode_rounds(&mut self, text: &str, rounds: usize, into: &mut String) {
        decode(text, &mut self.bytes, into);
        let mut next = self.buffer();
        for _ in 1..rounds {
            if memchr(b'%', into.as_bytes()).is_none() {
                break;
            }
            decode(into, &mut self.bytes, &mut next);
            std::mem::swap(into, &mut next);
        }
        self.spare.push(next);
    }

    fn buffer(&mut self) -> String {
        self.spare.pop().unwrap_or_default()
    }
}

/// The path, and everything behind the first `?` or `#`.
fn split_query(target: &str) -> (&str, &str) {
    let split = memchr2(b'?', b'#', target.as_bytes()).and_then(|at| target.split_at_checked(at));
    let (path, query) = split.unwrap_or((target, ""));
    (path, query.get(1..).unwrap_or_default())
}

/// Whether there may be more parameters than are looked at: there is a separator between two of them.
fn has_many_separators(query: &str) -> bool {
    // A parameter and its separator have two bytes at least.
    let is_long = query.len() > 2 * MAX_QUERY_PARAMETERS;
    let is_separator = |byte: &u8| matches!(byte, b'&' | b';' | b'?' | b'#');
    is_long
        && query.as_bytes().iter().filter(|byte| is_separator(byte)).count() >= MAX_QUERY_PARAMETERS
}

/// The parameters of a query that are not empty.
fn parts(query: &str) -> impl Iterator<Item = &str> {
    let mut rest = query;
    // As `split` does, but byte by byte: a batch may have tens of millions of them.
    let part = move || {
        let begin = rest.bytes().position(|byte| SEPARATOR_BYTES.get(byte) == 0)?;
        let (_, behind) = rest.split_at_checked(begin)?;
        let end = behind.bytes().position(|byte| SEPARATOR_BYTES.get(byte) != 0);
        let (part, behind) = behind.split_at_checked(end.unwrap_or(behind.len()))?;
        rest = behind;
        Some(part)
    };
    std::iter::from_fn(part)
}

#[cfg(test)]
mod tests;
