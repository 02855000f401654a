//! Takes denied parameters out of a request target, and leaves every other byte as it was.
//!
//! Some names are denied only beside others: `code` beside `state`. So the facts of the whole target are noted first, and
//! each parameter is looked at under all of them. Keeping parameters one by one as long as the rest is fine would keep the
//! `code` of `/cb?code=SECRET&state=x`.

use std::borrow::Cow;

use super::{Denylist, Parameters, Purpose, SEPARATORS, TargetFacts, split_query};

/// A request target without the parameters that it must not have.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StrippedTarget<'a> {
    /// What is left; the target itself if it is fine.
    pub target: Cow<'a, str>,
    /// How many parameters were taken out.
    pub removed: u32,
}

/// Takes the parameters out of a request target that may carry a secret or a person's data.
///
/// With those of the extended list, or without them. Nothing is left if the path alone has one that cannot be taken out.
///
/// ```
/// use visibility_core::ingest::strip_denied;
///
/// let stripped = strip_denied("/cb?code=SECRET&page=2&state=x", false).unwrap();
/// assert_eq!((stripped.target.as_ref(), stripped.removed), ("/cb?page=2", 2));
/// ```
pub fn strip_denied(target: &str, is_extended: bool) -> Option<StrippedTarget<'_>> {
    Denylist::new(is_extended).strip(target)
}

impl Denylist {
    /// As [`strip_denied`], with buffers that are used again.
    ///
    /// A target with more parameters than are looked at stays as it is: it is refused as a whole.
    pub(crate) fn strip<'t>(&mut self, target: &'t str) -> Option<StrippedTarget<'t>> {
        let unchanged = StrippedTarget { target: Cow::Borrowed(target), removed: 0 };
        if self.check(target) != Parameters::Denied || !self.note_facts(target) {
            return Some(unchanged);
        }
        let kept = self.kept(target, None)?;
        (self.check(&kept.target) == Parameters::Fine).then_some(kept)
    }

    /// A target for people, with a marker in the place of each denied parameter.
    pub(crate) fn mark<'t>(&mut self, target: &'t str, marker: &str) -> Option<Cow<'t, str>> {
        if self.check(target) != Parameters::Denied || !self.note_facts(target) {
            return Some(Cow::Borrowed(target));
        }
        self.kept(target, Some(marker)).map(|kept| kept.target)
    }

    /// Notes the facts of a whole target; false if it has more parameters than are looked at.
    fn note_facts(&mut self, target: &str) -> bool {
        self.facts = TargetFacts::default();
        self.count = 0;
        self.purpose = Purpose::NoteFacts;
        let is_whole = self.target(target).is_ok();
        self.purpose = Purpose::Check;
        self.note_path(target);
        is_whole
    }

    fn kept(&mut self, target: &str, marker: Option<&str>) -> Option<StrippedTarget<'static>> {
        self.purpose = Purpose::CheckPart;
        let (path, _) = split_query(target);
        let mut kept = String::with_capacity(target.len());
        let mut removed = self.keep_path(path, marker, &mut kept);
        self.count = 0;
        let is_fine = self.target(&kept).is_ok();
        let query = target.get(path.len()..).unwrap_or_default();
        removed += self.keep_query(query, marker, &mut kept);
        self.purpose = Purpose::Check;
        is_fine.then_some(StrippedTarget { target: Cow::Owned(kept), removed })
    }

    /// Keeps a path without its denied matrix parameters.
    fn keep_path(&mut self, path: &str, marker: Option<&str>, kept: &mut String) -> u32 {
        let mut removed = 0;
        for (number, segment) in path.split('/').enumerate() {
            if number > 0 {
                kept.push('/');
            }
            for (number, part) in segment.split(';').enumerate() {
                let is_parameter = number > 0 && part.contains('=');
                if is_parameter && self.is_denied(part) {
                    removed += 1;
                    if let Some(marker) = marker {
                        kept.push(';');
                        kept.push_str(marker);
                    }
                    continue;
                }
                if number > 0 {
                    kept.push(';');
                }
                kept.push_str(part);
            }
        }
        removed
    }

    /// Keeps a query with the separator before it, without its denied parameters. Each goes with the separator before it; a
    /// `?` or `#` is then before the next parameter.
    fn keep_query(&mut self, query: &str, marker: Option<&str>, kept: &mut String) -> u32 {
        let mut removed = 0;
        let mut first = None;
        let mut rest = query;
        while let Some(separator) = rest.chars().next() {
            let behind = rest.get(1..).unwrap_or_default();
            let end = behind.find(SEPARATORS).unwrap_or(behind.len());
            let (part, following) = behind.split_at_checked(end).unwrap_or((behind, ""));
            rest = following;
            let begins = matches!(separator, '?' | '#');
            if !part.is_empty() && self.is_denied(part) {
                removed += 1;
                if let Some(marker) = marker {
                    kept.push(separator);
                    kept.push_str(marker);
                } else if begins {
                    first = Some(separator);
                }
                continue;
            }
            if begins {
                first = None;
            } else if part.is_empty() && first.is_some() {
                continue;
            }
            kept.push(first.take().unwrap_or(separator));
            kept.push_str(part);
        }
        removed
    }

    fn is_denied(&mut self, part: &str) -> bool {
        self.count = 0;
        self.parameter(part).is_err()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn denied_parameters_are_taken_out_and_nothing_else() {
        for (target, expected, removed) in [
            ("/p", "/p", 0),
            ("/p?", "/p?", 0),
            ("/p?a=1&&b=2", "/p?a=1&&b=2", 0),
            ("/p?page=2&token=s3cr3t&email=a%40b.com", "/p?page=2", 2),
            ("/p?token=x", "/p", 1),
            ("/p?token=x&", "/p", 1),
            ("/p?token=x&b=2", "/p?b=2", 1),
            ("/p?a=1;token=x;b=2", "/p?a=1;b=2", 1),
            ("/p?token=x#top", "/p#top", 1),
            ("/p#access_token=x&b=2", "/p#b=2", 1),
            ("/p;token=x/q;v=1?b=2", "/p/q;v=1?b=2", 1),
            ("/cb?code=SECRET&state=x", "/cb", 2),
            ("/cb?code=SECRET&page=2&state=x", "/cb?page=2", 2),
            ("/shop?code=TR&page=2", "/shop?code=TR&page=2", 0),
            ("/shop?code=TR&token=x", "/shop?code=TR", 1),
            ("/oauth/callback?code=abc", "/oauth/callback", 1),
            ("/go?next=%2Fcb%3Ftoken%3Dx&b=2", "/go?b=2", 1),
            ("/go?a%26token=x&b=2", "/go?b=2", 1),
            ("/p?%74oken=x&b=2", "/p?b=2", 1),
            ("/p?%2574oken=x&b=ü", "/p?b=ü", 1),
        ] {
            let stripped = strip_denied(target, false).unwrap_or_else(|| panic!("{target}"));
            assert_eq!(
                (stripped.target.as_ref(), stripped.removed),
                (expected, removed),
                "{target}"
            );
        }
    }

    #[test]
    fn a_path_that_is_denied_itself_leaves_nothing() {
        for target in ["/p%3Ftoken=x", "/p%3Btoken%3Dx", "/a%3Ftoken=x?b=2"] {
            assert_eq!(strip_denied(target, false), None, "{target}");
        }
    }

    #[test]
    fn what_is_taken_out_can_be_marked() {
        let mut denylist = Denylist::new(false);
        let marked = denylist.mark("/cb;token=x?code=SECRET&page=2&state=x", "[removed]");
        assert_eq!(marked.unwrap(), "/cb;[removed]?[removed]&page=2&[removed]");
        assert_eq!(denylist.mark("/p?page=2", "[removed]").unwrap(), "/p?page=2");
    }

    #[test]
    fn a_target_with_too_many_parameters_is_left_to_be_refused() {
        let target = format!("/p?token=x{}", "&a=1".repeat(600));
        assert_eq!(strip_denied(&target, false).unwrap().target, target);
    }

    fn part() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "a",
            "page",
            "token",
            "code",
            "state",
            "nonce",
            "client_id",
            "policy",
            "signature",
            "key",
            "email",
            "ticket",
            "%74oken",
            "%2574oken",
            "next",
            "a%26token",
            "ü",
            "%",
            "",
        ]);
        let value = prop::sample::select(vec![
            "",
            "1",
            "SECRET",
            "ST-1",
            "%2Fcb%3Fcode%3D1%26state%3D2",
            "%2Fp%3Fq%3D1",
            "a@b.com",
            "a b",
            "%ff",
        ]);
        (name, prop::bool::ANY, value).prop_map(|(name, has_value, value)| {
            if has_value { format!("{name}={value}") } else { name.to_owned() }
        })
    }

    fn target() -> impl Strategy<Value = String> {
        let path = prop::sample::select(vec![
            "/",
            "/p",
            "/oauth/cb",
            "/p;a=1/q",
            "/p;token=x",
            "/login",
            "/p%3Ba%3D1",
        ]);
        let separator = prop::sample::select(vec!['&', ';', '?', '#']);
        (path, prop::collection::vec((separator, part()), 0..8)).prop_map(|(path, parts)| {
            let query: String =
                parts.into_iter().map(|(mark, part)| format!("{mark}{part}")).collect();
            format!("{path}{query}")
        })
    }

    proptest! {
        #[test]
        fn what_is_left_is_fine_and_twice_is_once(target in target()) {
            let mut denylist = Denylist::new(false);
            let was_fine = denylist.check(&target) == Parameters::Fine;
            if let Some(stripped) = denylist.strip(&target) {
                prop_assert_eq!(denylist.check(&stripped.target), Parameters::Fine);
                prop_assert_eq!(was_fine, stripped.removed == 0);
                prop_assert!(!was_fine || stripped.target == target);
                prop_assert_eq!(&denylist.strip(&stripped.target).unwrap().target, &stripped.target);
            }
        }
    }
}
