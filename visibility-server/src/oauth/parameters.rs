//! Parameters of a query or of a form, each at most once: RFC 6749 section 3.1.

use url::form_urlencoded;

/// Parameters that are looked at; more are refused.
const MAX_PARAMETERS: usize = 64;
/// Bytes of all of them.
pub(super) const MAX_BYTES: usize = 16 * 1024;

/// Parameters in their order. A parameter without a value is ignored.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters(Vec<(String, String)>);

/// Why parameters cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ParametersError {
    /// There are too many, or they are too long.
    TooMany,
    /// They are not text.
    NotText,
    /// A parameter appears more than once.
    Repeated,
}

impl Parameters {
    /// Reads what a browser would write.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ParametersError> {
        if bytes.len() > MAX_BYTES {
            return Err(ParametersError::TooMany);
        }
        let mut parameters = Vec::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            if parameters.len() >= MAX_PARAMETERS {
                return Err(ParametersError::TooMany);
            }
            // Invalid UTF-8 was replaced, so it could not be echoed unchanged.
            if name.contains(char::REPLACEMENT_CHARACTER)
                || value.contains(char::REPLACEMENT_CHARACTER)
            {
                return Err(ParametersError::NotText);
            }
            parameters.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self(parameters))
    }

    /// The value of a parameter that may appear once.
    pub(super) fn single(&self, name: &'static str) -> Result<Option<&str>, ParametersError> {
        let mut values = self.named(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
            (_, Some(_)) => Err(ParametersError::Repeated),
        }
    }

    /// All values of a parameter that may appear more than once.
    pub(super) fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.named(name).filter(|value| !value.is_empty())
    }

    fn named(&self, name: &'static str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(own, _)| own == name);
        named.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_appears_once_and_has_a_value() {
        let found = Parameters::parse(b"a=1&b=&c=x%20y+z&d=1&d=1&e=1&e=").unwrap();
        assert_eq!(found.single("a"), Ok(Some("1")));
        assert_eq!(found.single("b"), Ok(None));
        assert_eq!(found.single("c"), Ok(Some("x y z")));
        assert_eq!(found.single("d"), Err(ParametersError::Repeated));
        assert_eq!(found.single("e"), Err(ParametersError::Repeated));
        assert_eq!(found.single("f"), Ok(None));
        assert_eq!((found.all("d").count(), found.all("e").count()), (2, 1));
    }

    #[test]
    fn there_are_bounds() {
        let many = |count: usize| "a=b&".repeat(count);
        assert!(Parameters::parse(many(MAX_PARAMETERS).as_bytes()).is_ok());
        let error = |bytes: &[u8]| Parameters::parse(bytes).unwrap_err();
        assert_eq!(error(many(MAX_PARAMETERS + 1).as_bytes()), ParametersError::TooMany);
        assert_eq!(error("a".repeat(MAX_BYTES + 1).as_bytes()), ParametersError::TooMany);
        assert_eq!(error(b"a=%ff"), ParametersError::NotText);
        assert_eq!(error(b"%ff=a"), ParametersError::NotText);
    }
}
