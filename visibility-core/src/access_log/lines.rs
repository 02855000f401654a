//! Chunks become lines, wherever they are cut.

use memchr::memchr;

/// Bytes of a line. Some sources write messages of 256 KiB; our choice is above that.
const MAX_LINE_BYTES: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One line of a log, without its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SplitLine<'a> {
    Whole(&'a [u8]),
    /// The last one of a file, whose end has not come.
    Unended(&'a [u8]),
    TooLong,
}

/// Splits the bytes of a file into lines. Those that lie within a chunk are not copied.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    /// The start of a line whose end has not come.
    carried: Vec<u8>,
    /// Whether the line is too long already, and its rest is skipped.
    is_skipping: bool,
    /// Whether a line of the file has been seen.
    has_begun: bool,
}

impl LineSplitter {
    /// Takes the next bytes of a file.
    pub(super) fn feed<E>(
        &mut self,
        chunk: &[u8],
        mut each: impl FnMut(SplitLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = chunk;
        while let Some(at) = memchr(b'\n', rest) {
            let (line, behind) = rest.split_at_checked(at).unwrap_or((rest, b""));
            rest = behind.get(1..).unwrap_or_default();
            if self.carried.is_empty() && !self.is_skipping {
                each(whole(line, &mut self.has_begun))?;
                continue;
            }
            self.carry(line);
            let carried = std::mem::take(&mut self.carried);
            let is_too_long = std::mem::take(&mut self.is_skipping);
            let split =
                if is_too_long { SplitLine::TooLong } else { whole(&carried, &mut self.has_begun) };
            let result = each(split);
            self.carried = carried;
            self.carried.clear();
            result?;
        }
        self.carry(rest);
        Ok(())
    }

    /// Ends a file. Another one may follow.
    pub(super) fn end<E>(
        &mut self,
        mut each: impl FnMut(SplitLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let carried = std::mem::take(&mut self.carried);
        let is_too_long = std::mem::take(&mut self.is_skipping);
        let split = match whole(&carried, &mut self.has_begun) {
            _ if is_too_long => Some(SplitLine::TooLong),
            SplitLine::Whole(line) if !line.is_empty() => Some(SplitLine::Unended(line)),
            SplitLine::Whole(_) => None,
            other => Some(other),
        };
        self.has_begun = false;
        split.map_or(Ok(()), &mut each)
    }

    fn carry(&mut self, part: &[u8]) {
        if self.is_skipping {
            return;
        }
        // One byte more, for the carriage return of a line that is as long as a line may be.
        if self.carried.len() + part.len() > MAX_LINE_BYTES + 1 {
            self.is_skipping = true;
            self.carried.clear();
            return;
        }
        self.carried.extend_from_slice(part);
    }
}

fn whole<'a>(line: &'a [u8], has_begun: &mut bool) -> SplitLine<'a> {
    let is_first = !std::mem::replace(has_begun, true);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > MAX_LINE_BYTES {
        return SplitLine::TooLong;
    }
    let marked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first);
    SplitLine::Whole(marked.unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let mut found = Vec::new();
        let mut splitter = LineSplitter::default();
        let mut each = |line: SplitLine<'_>| {
            found.push(match line {
                SplitLine::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                SplitLine::Unended(line) => format!("{}…", String::from_utf8_lossy(line)),
                SplitLine::TooLong => "too long".to_owned(),
            });
            Ok::<(), ()>(())
        };
        for chunk in chunks {
            splitter.feed(chunk, &mut each).unwrap();
        }
        splitter.end(&mut each).unwrap();
        found
    }

    #[test]
    fn lines_are_the_same_wherever_chunks_are_cut() {
        let text = b"\xEF\xBB\xBFa\r\n\nbc\nd";
        let expected = ["a", "", "bc", "d…"];
        assert_eq!(split(&[text]), expected);
        for at in 0..text.len() {
            let (start, end) = text.split_at(at);
            assert_eq!(split(&[start, end]), expected, "{at}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_to_its_end() {
        let long = vec![b'x'; MAX_LINE_BYTES + 2];
        let whole = [&long[..MAX_LINE_BYTES], b"\r\n"].concat();
        assert_eq!(split(&[&long, b"\nb\n"]), ["too long", "b"]);
        assert_eq!(split(&[b"a\n", &long, &long, b"x\nb\n"]), ["a", "too long", "b"]);
        assert_eq!(split(&[&[long.as_slice(), b"\nb\n"].concat()]), ["too long", "b"]);
        assert_eq!(split(&[&long]), ["too long"]);
        for at in [0, 10, MAX_LINE_BYTES, MAX_LINE_BYTES + 1] {
            let (start, end) = whole.split_at(at);
            assert_eq!(split(&[start, end])[0].len(), MAX_LINE_BYTES, "{at}");
        }
    }
}
