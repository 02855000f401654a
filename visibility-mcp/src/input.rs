//! Arguments that several tools take.

use schemars::JsonSchema;
use serde::Deserialize;
use visibility_core::domain::Domain;
use visibility_core::error::Problem;
use visibility_core::locale;

use crate::refusal::Refusal;

/// Language of the texts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lang {
    /// English.
    #[default]
    En,
    /// Turkish.
    Tr,
}

impl From<Lang> for locale::Lang {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::En,
            Lang::Tr => Self::Tr,
        }
    }
}

/// The domain that an argument names.
pub(crate) fn domain(text: &str) -> Result<Domain, Refusal> {
    text.parse().map_err(|error| Problem::from(&error).into())
}
