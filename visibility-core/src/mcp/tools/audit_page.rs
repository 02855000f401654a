//! `audit_page`: how well one page can be read and quoted.

use crate::accounts::scope::Scope;
use crate::audit::profile;
use crate::error::Problem;
use crate::fetch::page_url::PageUrl;
use crate::text::locale::{self, Catalog, Values};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audited::{self, Output};
use crate::mcp::host::Host;
use crate::mcp::input::LangInput;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;

/// The tool.
pub(crate) struct AuditPage;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as `https://example.com/pricing`.
    url: String,
    /// Kind of page.
    #[serde(default)]
    profile: ProfileInput,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// Kinds of pages, as an argument.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProfileInput {
    /// What the page shows.
    #[default]
    Auto,
    /// One thing to buy.
    Product,
    /// Many things to buy, to choose from.
    Collection,
    /// Something to read.
    Article,
    /// What is offered, and everything else.
    Landing,
    /// What explains how something works.
    Documentation,
    /// What people say to each other.
    Forum,
    /// Links to other pages.
    Listing,
}

impl ProfileInput {
    /// The kind that was chosen, if one was.
    fn chosen(self) -> Option<profile::Profile> {
        match self {
            Self::Auto => None,
            Self::Product => Some(profile::Profile::Product),
            Self::Collection => Some(profile::Profile::Collection),
            Self::Article => Some(profile::Profile::Article),
            Self::Landing => Some(profile::Profile::Landing),
            Self::Documentation => Some(profile::Profile::Documentation),
            Self::Forum => Some(profile::Profile::Forum),
            Self::Listing => Some(profile::Profile::Listing),
        }
    }
}

impl Tool for AuditPage {
    const NAME: &'static str = "audit_page";
    const TITLE: &'static str = "Audit a page";
    const DESCRIPTION: &'static str = "Score how well answer engines can read and quote a page, with fixes. Use it for \
        one page.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::AuditRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let lang = input.lang.into();
        let url = PageUrl::from_typed(&input.url).map_err(|error| Problem::from(&error))?;
        let values = Values::from([("url", url.to_string())]);
        let doing = Catalog::for_lang(lang).fill(&["mcp", "progress", "audit"], &values);
        let audit = call.host.audit(call.caller, &url, input.profile.chosen(), lang);
        let result = call.progress.during(&doing, audit).await?;
        Ok(audited::reply(result, lang))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_the_core_can_be_chosen() {
        for kind in profile::Profile::ALL {
            let chosen: ProfileInput = serde_json::from_value(kind.as_str().into()).unwrap();
            assert_eq!(chosen.chosen(), Some(kind));
        }
        let auto: ProfileInput = serde_json::from_value("auto".into()).unwrap();
        assert_eq!(auto.chosen(), None);
    }
}
