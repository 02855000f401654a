//! Parts of a list that is too long for one answer.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

/// Rows of a list if nothing else is said.
pub const DEFAULT_LIMIT: usize = 100;
/// Most rows.
pub const MAX_LIMIT: usize = 1000;

/// Which part of a list is wanted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Page {
    /// Most rows.
    pub limit: usize,
    /// The row before the first.
    pub after: Option<Cursor>,
}

/// The place of a row in a list whose order is that of a number, the greatest first, and then of a key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Cursor {
    number: u64,
    key: String,
}

/// Why a text is not the place of a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("it is not what `next` of an answer says")]
pub struct CursorError;

impl Default for Page {
    fn default() -> Self {
        Self { limit: DEFAULT_LIMIT, after: None }
    }
}

impl Page {
    /// Sorts rows, takes those of the page, and says where the next page begins.
    pub(super) fn take<T>(
        &self,
        mut rows: Vec<T>,
        place: impl Fn(&T) -> (u64, String),
    ) -> (Vec<T>, Option<String>) {
        let order = |row: &T| {
            let (number, key) = place(row);
            (Reverse(number), key)
        };
        rows.sort_by_cached_key(&order);
        if let Some(after) = &self.after {
            let last = (Reverse(after.number), after.key.clone());
            rows.retain(|row| order(row) > last);
        }
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().filter(|_| has_more).map(|row| {
            let (number, key) = place(row);
            Cursor { number, key }.to_string()
        });
        (rows, next)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.number, self.key)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, key) = text.split_once('.').ok_or(CursorError)?;
        // A number has one form, and `+1` is not it.
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number).ok_or(CursorError)?;
        Ok(Self { number, key: key.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_each_row_once() {
        let rows: Vec<(u64, &str)> = vec![(1, "b"), (9, "a"), (1, "a"), (5, "x.y"), (1, "c")];
        let mut seen = Vec::new();
        let mut page = Page { limit: 2, after: None };
        loop {
            let (taken, next) = page.take(rows.clone(), |row| (row.0, row.1.to_owned()));
            seen.extend(taken);
            let Some(next) = next else { break };
            page.after = Some(next.parse().unwrap());
        }
        assert_eq!(seen, [(9, "a"), (5, "x.y"), (1, "a"), (1, "b"), (1, "c")]);
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in ["", "a", "1", ".a", "+1.a", "-1.a", "99999999999999999999.a"] {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
        }
        let cursor: Cursor = "12.openai-gptbot.404".parse().unwrap();
        assert_eq!(cursor.to_string(), "12.openai-gptbot.404");
    }
}
