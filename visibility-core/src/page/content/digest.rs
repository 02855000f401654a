//! A number for a text, by which the same text is recognized elsewhere on the page.

/// A polynomial over the bytes of a text, white space left out, so that it does not matter how the text is cut into elements.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct TextDigest {
    sum: u64,
    /// What the sum of a text before this one is multiplied by.
    shift: u64,
}

impl Default for TextDigest {
    fn default() -> Self {
        Self { sum: 0, shift: 1 }
    }
}

impl TextDigest {
    /// That of FNV.
    const BASE: u64 = 0x0100_0000_01b3;

    pub(super) fn of(text: &str) -> Self {
        let bytes = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
        bytes.fold(Self::default(), |digest, byte| Self {
            sum: digest.sum.wrapping_mul(Self::BASE).wrapping_add(u64::from(byte) + 1),
            shift: digest.shift.wrapping_mul(Self::BASE),
        })
    }

    /// That of this text and another one behind it.
    #[must_use]
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            sum: self.sum.wrapping_mul(next.shift).wrapping_add(next.sum),
            shift: self.shift.wrapping_mul(next.shift),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_matter_how_a_text_is_cut() {
        let whole = TextDigest::of("a loaf of rye");
        assert_eq!(
            TextDigest::of("a lo").then(TextDigest::of("af\n of ")).then(TextDigest::of("rye")),
            whole
        );
        assert_eq!(TextDigest::default().then(whole), whole);
        assert_ne!(TextDigest::of("of rye").then(TextDigest::of("a loaf")), whole);
        assert_ne!(TextDigest::of("a loaf of rye\0"), whole);
    }
}
