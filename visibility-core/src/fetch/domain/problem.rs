//! The error for a text that is not a domain.

use crate::error::{ErrorCode, Problem};
use crate::fetch::domain::DomainError;

/// The hint that names the domain which may have been meant.
const DID_YOU_MEAN: [&str; 2] = ["errors", "did-you-mean"];

impl From<&DomainError> for Problem {
    fn from(error: &DomainError) -> Self {
        let mut problem = Self::at(ErrorCode::InvalidDomain, ["domain_errors", error.id()])
            .detail("reason", error.code());
        for (name, value) in error.values() {
            problem = problem.value(name, value);
        }
        match error.suggestion() {
            Some(domain) => problem
                .with_hint_from(DID_YOU_MEAN)
                .value("domain", &domain)
                .detail("suggestion", domain),
            None => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::domain::Domain;
    use crate::text::locale::Lang;

    #[test]
    fn the_hint_for_a_bad_domain_names_the_one_that_was_meant() {
        let error = "https://Example.com/shop".parse::<Domain>().unwrap_err();
        let object = Problem::from(&error).object(Lang::En);
        assert_eq!(object.code, ErrorCode::InvalidDomain);
        assert_eq!(object.message, "A domain has no scheme such as `https://`.");
        assert_eq!(object.hint.as_deref(), Some("Did you mean `example.com`?"));
        assert_eq!(object.details["suggestion"], "example.com");
        assert_eq!(object.details["reason"], "not_a_bare_host");
    }

    #[test]
    fn a_bad_domain_that_means_none_has_a_hint_of_its_own() {
        for text in ["", "127.0.0.1", "server", "com.tr", "a..com"] {
            let error = text.parse::<Domain>().unwrap_err();
            for lang in Lang::ALL {
                let object = Problem::from(&error).object(lang);
                assert!(object.hint.is_some(), "{text:?}");
                assert!(!object.details.contains_key("suggestion"), "{text:?}");
            }
        }
    }
}
