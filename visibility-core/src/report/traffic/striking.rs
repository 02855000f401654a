//! What is worth a look.

/// Requests from which a share is marked.
const MIN_STRIKING: u64 = 5;

/// Whether so many of all requests went wrong that a reader should look: at least five, and a twentieth.
pub fn is_striking(part: u64, whole: u64) -> bool {
    part >= MIN_STRIKING && u128::from(part) * 20 >= u128::from(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_of_many_are_not_striking() {
        for (part, whole, striking) in [
            (0, 0, false),
            (4, 4, false),
            (5, 100, true),
            (5, 101, false),
            (u64::MAX, u64::MAX, true),
        ] {
            assert_eq!(is_striking(part, whole), striking, "{part} of {whole}");
        }
    }
}
