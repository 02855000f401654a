//! Where a score stands among those of a corpus of pages.

use crate::audit::profile::Profile;

/// The corpus that the points come from.
pub const CORPUS: &str = "WCXB";

/// The points are percentiles 5, 10, 20 ... 90, 95.
const RANKS: [u32; 11] = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95];

/// Scores at [`RANKS`], by a prototype of these rules on 2,008 labelled pages, without robots.txt,
/// header fields and sitemaps.
fn scores(profile: Profile) -> [u32; 11] {
    match profile {
        Profile::Product => [40, 64, 71, 73, 75, 76, 78, 81, 86, 90, 92],
        Profile::Landing | Profile::Collection | Profile::Listing => {
            [40, 40, 57, 61, 63, 67, 68, 70, 73, 80, 87]
        }
        Profile::Article | Profile::Documentation | Profile::Forum => {
            [60, 64, 68, 70, 72, 75, 77, 80, 86, 90, 92]
        }
    }
}

/// The percentile of a score among pages of its profile, 0 to 100: interpolated between 11 points,
/// below the first one from 0 at score 0, above the last one to 100 at score 100.
pub fn percentile(score: u8, profile: Profile) -> u8 {
    let score = u32::from(score);
    let points = scores(profile).into_iter().zip(RANKS).chain([(100, 100)]);
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
        for (score, profile, expected) in [
            (0, Profile::Product, 0),
            (20, Profile::Product, 2),
            (40, Profile::Product, 5),
            (76, Profile::Product, 50),
            (92, Profile::Product, 95),
            (96, Profile::Product, 97),
            (100, Profile::Product, 100),
            (40, Profile::Landing, 10),
            (67, Profile::Collection, 50),
            (75, Profile::Article, 50),
        ] {
            assert_eq!(percentile(score, profile), expected, "{score}");
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
