//! The percentile of a score in a corpus of pages.

use crate::audit::profile::Profile;

/// The corpus that the points come from: pages of its development part.
pub(crate) const CORPUS: &str = "WCXB";

/// The points are percentiles 5, 10, 20 ... 90, 95.
const RANKS: [u32; 11] = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95];

/// Pages of a kind, and their scores at [`RANKS`], by these rules; the pages had neither robots.txt nor
/// header fields nor sitemaps. `labelled-pages` of the tests prints the table.
fn measured(profile: Profile) -> (u32, [u32; 11]) {
    match profile {
        Profile::Product => (65, [71, 78, 82, 86, 88, 89, 90, 92, 94, 96, 97]),
        Profile::Collection => (56, [62, 67, 73, 78, 81, 84, 87, 88, 89, 92, 94]),
        Profile::Article => (459, [75, 78, 82, 85, 86, 87, 89, 91, 93, 95, 96]),
        Profile::Landing => (84, [68, 70, 74, 76, 79, 80, 82, 83, 86, 88, 89]),
        Profile::Documentation => (57, [75, 76, 80, 83, 85, 88, 89, 89, 91, 94, 97]),
        Profile::Forum => (73, [72, 76, 84, 87, 89, 90, 92, 94, 94, 95, 97]),
        Profile::Listing => (38, [65, 67, 69, 73, 76, 79, 80, 82, 83, 87, 91]),
    }
}

/// How many pages of a kind the points come from.
pub(crate) fn pages(profile: Profile) -> u32 {
    measured(profile).0
}

/// The percentile of a score among pages of its profile, 0 to 100: interpolated between 11 points,
/// below the first one from 0 at score 0, above the last one to 100 at score 100.
pub(crate) fn percentile(score: u8, profile: Profile) -> u8 {
    let score = u32::from(score);
    let points = measured(profile).1.into_iter().zip(RANKS).chain([(100, 100)]);
    let (mut low, mut low_rank) = (0, 0);
    for (high, rank) in points {
        if score < high {
            let rank = low_rank + (rank - low_rank) * (score - low) / (high - low);
            return u8::try_from(rank).unwrap_or(100);
        }
        (low, low_rank) = (high, rank);
    }
    100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_of_the_corpus_are_met_and_between_them_is_a_line() {
        for profile in Profile::ALL {
            let (_, scores) = measured(profile);
            assert!(scores.is_sorted(), "{profile:?}");
            // Of equal scores the highest rank counts.
            for (at, (score, rank)) in scores.into_iter().zip(RANKS).enumerate() {
                if scores.get(at + 1) != Some(&score) {
                    let score = u8::try_from(score).unwrap();
                    assert_eq!(u32::from(percentile(score, profile)), rank, "{profile:?} {score}");
                }
            }
            assert_eq!((percentile(0, profile), percentile(100, profile)), (0, 100));
            let half = u8::try_from(scores[0] / 2).unwrap();
            assert!((1..=3).contains(&percentile(half, profile)), "{profile:?}");
        }
    }

    #[test]
    fn a_better_score_never_has_a_lower_percentile() {
        for profile in Profile::ALL {
            let all: Vec<u8> = (0..=100).map(|score| percentile(score, profile)).collect();
            assert!(all.is_sorted(), "{all:?}");
        }
    }
}
