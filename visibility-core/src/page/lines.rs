//! Converts offsets to line numbers.

/// Bytes between two counts.
const STRIDE: usize = 1024;

/// Counts the lines of a text up to any offset.
#[derive(Debug)]
pub(super) struct LineIndex<'a> {
    text: &'a [u8],
    /// Line ends before each multiple of [`STRIDE`].
    counts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut total = 0;
        let counts = text.as_bytes().chunks(STRIDE).map(|chunk| {
            let before = total;
            total += line_ends(chunk);
            before
        });
        Self { counts: counts.collect(), text: text.as_bytes() }
    }

    /// The line of an offset, counted from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let chunk = offset / STRIDE;
        let before = self.counts.get(chunk).or(self.counts.last()).copied().unwrap_or_default();
        let start = chunk.min(self.counts.len().saturating_sub(1)) * STRIDE;
        before + line_ends(self.text.get(start..offset).unwrap_or_default()) + 1
    }
}

fn line_ends(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_more_than_the_line_ends_before_it() {
        let text = "ab\n".repeat(STRIDE);
        let index = LineIndex::new(&text);
        for offset in [0, 2, 3, 4, STRIDE, STRIDE + 1, 3 * STRIDE - 1, 3 * STRIDE, 9 * STRIDE] {
            let before = text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
            assert_eq!(index.line(offset), before + 1, "{offset}");
        }
        assert_eq!(LineIndex::new("").line(7), 1);
    }
}
