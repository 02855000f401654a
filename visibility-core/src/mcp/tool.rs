//! The trait of a tool.

use std::sync::Arc;

use crate::accounts::scope::Scope;
use crate::fetch::domain::Domain;
use crate::scan::result::ScanResult;
use crate::text::locale::{Catalog, Lang, Values};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::mcp::host::{CallerContext, Host};
use crate::mcp::progress::Progress;
use crate::mcp::reply::Reply;
use crate::mcp::schema;
use crate::mcp::tool_error::ToolError;

/// What a tool looks at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum World {
    /// What this program knows.
    Closed,
    /// Sites of strangers.
    Open,
}

/// One tool. All of them read and change nothing.
pub(crate) trait Tool {
    /// Its name: a verb and a noun.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it does and when to use it, in at most two sentences.
    const DESCRIPTION: &'static str;
    /// What it looks at.
    const WORLD: World;
    /// What the asker must be allowed to do.
    const SCOPE: Option<Scope>;
    /// Whether it counts traffic, which not every host has.
    const NEEDS_TRAFFIC: bool = false;

    type Input: DeserializeOwned + JsonSchema + Send;
    /// What it returns.
    type Output: Serialize + JsonSchema;

    /// The language of its texts, and of its errors.
    fn lang(input: &Self::Input) -> Lang;

    /// Does it.
    fn call<H: Host>(
        call: Call<'_, H>,
        input: Self::Input,
    ) -> impl Future<Output = Result<Reply<Self::Output>, ToolError>> + Send;
}

/// What a tool works with.
#[derive(Debug)]
pub(crate) struct Call<'a, H> {
    /// Who does the work.
    pub(crate) host: &'a H,
    pub(crate) caller: CallerContext<'a>,
    /// Where to tell how far it is.
    pub(crate) progress: &'a Progress,
}

impl<H: Host> Call<'_, H> {
    /// The result of a domain, whether it is kept or scanned now.
    pub(crate) async fn scan(
        &self,
        domain: &Domain,
        lang: Lang,
    ) -> Result<Arc<ScanResult>, ToolError> {
        let what = scanning(domain.as_str(), lang);
        self.progress.during(&what, self.host.scan(self.caller, domain, lang)).await
    }
}

/// The progress that is reported while sites are scanned.
pub(crate) fn scanning(domains: &str, lang: Lang) -> String {
    let values = Values::from([("domain", domains.to_owned())]);
    Catalog::for_lang(lang).fill(&["mcp", "progress", "scan"], &values)
}

/// A tool as it is listed.
pub(crate) fn listed<T: Tool>() -> Listed {
    let input: JsonObject = schema::input_schema::<T::Input>();
    let mut listed = Listed::new(T::NAME, T::DESCRIPTION, Arc::new(input));
    listed.title = Some(T::TITLE.to_owned());
    listed.output_schema = Some(Arc::new(schema::output_schema::<T::Output>()));
    let annotations = ToolAnnotations::from_raw(
        None,
        Some(true),
        Some(false),
        Some(true),
        Some(T::WORLD == World::Open),
    );
    listed.annotations = Some(annotations);
    listed
}
