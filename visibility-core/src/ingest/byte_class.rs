//! Classes of bytes, looked up in tables: texts are gone through without a branch for each byte.

/// For each byte, the classes that it is in, one bit each.
pub(super) struct ByteClasses([u8; 256]);

impl ByteClasses {
    /// The nth text lists the bytes of the class whose bit is the nth.
    #[expect(clippy::indexing_slicing, reason = "a byte is below 256; evaluated when compiled")]
    pub(super) const fn new(classes: &[&[u8]]) -> Self {
        let mut table = [0; 256];
        let mut class = 0;
        while class < classes.len() {
            let mut at = 0;
            while at < classes[class].len() {
                table[classes[class][at] as usize] |= 1 << class;
                at += 1;
            }
            class += 1;
        }
        Self(table)
    }

    /// The classes that any byte is in.
    pub(super) fn any(&self, bytes: &[u8]) -> u8 {
        bytes.iter().fold(0, |any, byte| any | self.get(*byte))
    }

    /// The classes that every byte is in.
    pub(super) fn all(&self, bytes: &[u8]) -> u8 {
        bytes.iter().fold(u8::MAX, |all, byte| all & self.get(*byte))
    }

    #[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
    pub(super) fn get(&self, byte: u8) -> u8 {
        self.0[usize::from(byte)]
    }
}

/// Bytes that are looked at side by side.
const BLOCK: usize = 32;

/// Whether any byte is a control character of ASCII.
pub(super) fn has_controls(bytes: &[u8]) -> bool {
    let mut least = [u8::MAX; BLOCK];
    for block in blocks(bytes) {
        for (least, byte) in least.iter_mut().zip(block) {
            *least = (*least).min(*byte);
        }
    }
    least.iter().any(|byte| *byte < b' ') || short(bytes).iter().any(|byte| *byte < b' ')
}

/// Whether a test holds for every byte: one without branches, which is 1 if it holds, else 0.
#[inline]
pub(super) fn all(bytes: &[u8], test: impl Fn(u8) -> u8) -> bool {
    let mut fails = [0; BLOCK];
    for block in blocks(bytes) {
        for (fails, byte) in fails.iter_mut().zip(block) {
            *fails |= test(*byte) ^ 1;
        }
    }
    fails == [0; BLOCK] && short(bytes).iter().all(|byte| test(*byte) == 1)
}

/// 1 if a byte is one of a range, its ends included, else 0; without a branch.
#[inline]
pub(super) fn between(byte: u8, first: u8, last: u8) -> u8 {
    u8::from(byte.wrapping_sub(first) <= last - first)
}

/// Blocks that cover the bytes, the last of them some of them twice: compilers turn a loop over
/// blocks into vectors.
fn blocks(bytes: &[u8]) -> impl Iterator<Item = &[u8; BLOCK]> {
    bytes.as_chunks().0.iter().chain(bytes.last_chunk())
}

/// The bytes if they are too few for a block.
fn short(bytes: &[u8]) -> &[u8] {
    if bytes.len() < BLOCK { bytes } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_bits() {
        const CLASSES: ByteClasses = ByteClasses::new(&[b"ab", b"b"]);
        assert_eq!((CLASSES.any(b"xa"), CLASSES.any(b"xb"), CLASSES.any(b"x")), (1, 3, 0));
        assert_eq!((CLASSES.all(b"ab"), CLASSES.all(b"bb"), CLASSES.all(b"bx")), (1, 3, 0));
    }

    #[test]
    fn a_control_character_is_found_at_any_position() {
        let mut bytes = vec![b' '; 200];
        assert!(!has_controls(&bytes));
        for at in 0..bytes.len() {
            bytes[at] = 0x1F;
            assert!(has_controls(&bytes));
            bytes[at] = 0xFF;
        }
    }
}
