//! Classes of octets, looked up in tables: texts are gone through without a branch for each octet.

/// For each octet, the classes that it is in, one bit each.
pub(super) struct Classes([u8; 256]);

impl Classes {
    /// The nth text lists the octets of the class whose bit is the nth.
    #[expect(clippy::indexing_slicing, reason = "an octet is below 256; evaluated when compiled")]
    pub(super) const fn of(classes: &[&[u8]]) -> Self {
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

    /// The classes that any octet is in.
    pub(super) fn any(&self, octets: &[u8]) -> u8 {
        octets.iter().fold(0, |any, octet| any | self.get(*octet))
    }

    /// The classes that every octet is in.
    pub(super) fn all(&self, octets: &[u8]) -> u8 {
        octets.iter().fold(u8::MAX, |all, octet| all & self.get(*octet))
    }

    #[expect(clippy::indexing_slicing, reason = "an octet is below 256")]
    pub(super) fn get(&self, octet: u8) -> u8 {
        self.0[usize::from(octet)]
    }
}

/// Whether any octet is a control character of ASCII. In blocks, which compilers turn into vectors.
pub(super) fn has_controls(octets: &[u8]) -> bool {
    let is_control =
        |octets: &[u8]| octets.iter().fold(0_u8, |any, octet| any | u8::from(*octet < b' ')) != 0;
    let (blocks, rest) = octets.as_chunks::<64>();
    blocks.iter().any(|block| is_control(block)) || is_control(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_bits() {
        const CLASSES: Classes = Classes::of(&[b"ab", b"b"]);
        assert_eq!((CLASSES.any(b"xa"), CLASSES.any(b"xb"), CLASSES.any(b"x")), (1, 3, 0));
        assert_eq!((CLASSES.all(b"ab"), CLASSES.all(b"bb"), CLASSES.all(b"bx")), (1, 3, 0));
    }

    #[test]
    fn a_control_character_is_found_wherever_it_stands() {
        let mut octets = vec![b' '; 200];
        assert!(!has_controls(&octets));
        for at in 0..octets.len() {
            octets[at] = 0x1F;
            assert!(has_controls(&octets));
            octets[at] = 0xFF;
        }
    }
}
