//! The profiles that a page may have.

use crate::audit::profile::Profile;

/// The profiles that a page may have. Where it is not certain which one, the page is judged by what they have in
/// common.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PossibleProfiles {
    /// This one for certain.
    One(Profile),
    /// One of these two, the likelier one first.
    Two([Profile; 2]),
    /// Any: there is too little to read.
    Any,
}

impl PossibleProfiles {
    /// All of them, the likeliest one first.
    pub fn as_slice(&self) -> &[Profile] {
        match self {
            Self::One(profile) => std::slice::from_ref(profile),
            Self::Two(profiles) => profiles,
            Self::Any => &Profile::ALL,
        }
    }

    /// The profile, if it is certain.
    pub fn certain(self) -> Option<Profile> {
        match self {
            Self::One(profile) => Some(profile),
            Self::Two(_) | Self::Any => None,
        }
    }

    /// Whether the page has this profile for certain.
    pub fn is(self, profile: Profile) -> bool {
        self.certain() == Some(profile)
    }

    /// Whether the page may have this profile.
    pub fn may_be(self, profile: Profile) -> bool {
        self.as_slice().contains(&profile)
    }

    /// What holds for each of them alike; `None` if it differs.
    pub fn in_common<T: PartialEq>(self, of: impl Fn(Profile) -> T) -> Option<T> {
        let mut all = self.as_slice().iter().map(|profile| of(*profile));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_profile_is_certain() {
        use Profile::{Article, Forum, Product};
        let (one, two) = (PossibleProfiles::One(Article), PossibleProfiles::Two([Forum, Article]));
        assert!(one.is(Article) && one.may_be(Article) && !one.may_be(Forum));
        assert!(!two.is(Forum) && two.may_be(Article) && !two.may_be(Product));
        assert!(PossibleProfiles::Any.may_be(Product) && PossibleProfiles::Any.certain().is_none());
        assert_eq!(two.in_common(|profile| profile == Product), Some(false));
        assert_eq!(two.in_common(|profile| profile == Forum), None);
    }
}
