//! What to change on a site or on a page: edits that no platform decides, and the files that they
//! become on one.

mod config;
mod files;
pub(crate) mod firewall;
pub(crate) mod next;
mod platform;
mod promise;
mod replaced;
mod server;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::text::locale::Catalog;
use crate::text::placeholder::placeholder;

pub use self::files::files;
pub(crate) use self::files::served_path;
pub use self::firewall::WallVendor;
pub use self::platform::Platform;
pub use self::promise::{is_promised, is_tried, needs_htaccess, realized, vendor_page};
pub(crate) use self::promise::{realized_where, vendor_pages};
pub use self::replaced::ReplacedText;

/// What a finding offers: the edits that fix it, and what only a person can add to them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Fix {
    /// The edits, in the order in which they are made.
    pub edits: Vec<Edit>,
    /// Placeholders of the edits.
    pub inputs: Vec<FixInput>,
}

impl Fix {
    /// A fix of one edit.
    pub fn new(edit: Edit) -> Self {
        Self { edits: vec![edit], inputs: Vec::new() }
    }

    /// A fix of these edits.
    pub fn from_edits(edits: Vec<Edit>) -> Self {
        Self { edits, inputs: Vec::new() }
    }

    /// Adds an edit.
    #[must_use]
    pub fn and(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    /// Names a placeholder that a person has to fill, with an example of what fills it.
    #[must_use]
    pub fn with_input(
        mut self,
        name: impl Into<Cow<'static, str>>,
        example: impl Into<String>,
    ) -> Self {
        self.inputs.push(FixInput { name: name.into(), example: example.into() });
        self
    }

    /// The placeholders that these files still have, as a person sees them.
    pub fn placeholders(&self, files: &[FixFile]) -> Vec<String> {
        let names: BTreeSet<&str> = self.inputs.iter().map(|input| &*input.name).collect();
        let all = names.into_iter().map(placeholder);
        all.filter(|name| files.iter().any(|file| file.content.contains(name))).collect()
    }

    /// The text of the main edit: what a person pastes first.
    pub fn snippet(&self) -> Option<String> {
        self.edits.iter().find_map(Edit::text)
    }
}

/// Something that the site does not say and a person has to add.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FixInput {
    /// Name of the placeholder, in capitals: `MCP_ENDPOINT`.
    pub name: Cow<'static, str>,
    /// What could fill it. Never shown; the gain of the fix is computed as if this were filled in.
    pub example: String,
}

impl FixInput {
    /// A text with the example in the place of the placeholder.
    pub fn filled(&self, text: &str) -> String {
        text.replace(&placeholder(&self.name), &self.example)
    }
}

/// One thing to change, whatever the site runs on.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Edit {
    /// A document at a path of the site.
    Document {
        /// The path, beginning with `/`.
        path: String,
        /// Its media type.
        media_type: String,
        /// The whole document.
        content: String,
    },
    /// Lines of robots.txt.
    Robots {
        /// `create` for the whole file, `append` for lines at its end, `replace` for lines in the place
        /// of others.
        mode: FileMode,
        /// The lines.
        content: String,
        /// The lines whose place they take.
        #[serde(default)]
        replaces: Option<ReplacedText>,
    },
    /// Elements of `<head>`.
    Head {
        /// `replace` if they take the place of elements of the same kind, else `append`.
        mode: FileMode,
        /// The elements.
        content: String,
        /// The element whose place they take, where it is one that can be quoted.
        #[serde(default)]
        replaces: Option<ReplacedText>,
    },
    /// The start tag of the `<html>` element.
    HtmlElement {
        /// The tag with the attributes to set.
        content: String,
    },
    /// Elements of the main content.
    Main {
        /// The elements.
        content: String,
    },
    /// A field in the header of the home page.
    Header {
        /// `replace` if the field takes the place of one of the same name, else `append`.
        mode: FileMode,
        /// Name of the field.
        name: String,
        /// Its value; empty to remove the field.
        value: String,
    },
    /// A rule of the server.
    Server {
        /// The rule.
        rule: ServerRule,
    },
    /// A rule of the firewall that lets agents pass.
    Firewall {
        /// Who runs the firewall.
        vendor: WallVendor,
        /// Product tokens of the agents.
        agents: Vec<String>,
    },
    /// Something that has to exist before the other edits are true.
    Build {
        /// What it is.
        what: Build,
        /// Where it answers; a placeholder if the site does not say where.
        url: String,
    },
    /// Work on the application, without anything to paste.
    Code {
        /// What it achieves.
        task: Task,
    },
}

impl Edit {
    /// Elements at the end of `<head>`.
    pub fn add_to_head(content: impl Into<String>) -> Self {
        Self::Head { mode: FileMode::Append, content: content.into(), replaces: None }
    }

    /// An element of `<head>` in the place of another.
    pub fn replace_in_head(content: impl Into<String>, replaces: Option<ReplacedText>) -> Self {
        Self::Head { mode: FileMode::Replace, content: content.into(), replaces }
    }

    /// The edit with its comments in the language of a catalog.
    #[must_use]
    pub fn with_comments(self, catalog: &Catalog) -> Self {
        self.with_texts(|text| catalog.with_comments(text))
    }

    /// The edit with each text that it writes changed.
    #[must_use]
    pub(crate) fn with_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::Document { content: text, .. }
            | Self::Robots { content: text, .. }
            | Self::Head { content: text, .. }
            | Self::HtmlElement { content: text }
            | Self::Main { content: text }
            | Self::Header { value: text, .. }
            | Self::Build { url: text, .. } => *text = change(text),
            Self::Server { .. } | Self::Firewall { .. } | Self::Code { .. } => {}
        }
        self
    }

    /// The text to paste, if the edit has one that needs no platform.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Document { content, .. }
            | Self::Robots { content, .. }
            | Self::Head { content, .. }
            | Self::HtmlElement { content }
            | Self::Main { content } => Some(content.clone()),
            Self::Header { name, value, .. } => {
                (!value.is_empty()).then(|| format!("{name}: {value}\n"))
            }
            Self::Server { rule } => server::text(rule),
            Self::Firewall { vendor, agents } => Some(vendor.allow(agents)),
            Self::Build { .. } | Self::Code { .. } => None,
        }
    }
}

/// A rule of a server.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum ServerRule {
    /// Files and well-known documents that do not exist get 404, ahead of the fallback of a
    /// single-page application.
    NotFound,
    /// Plain HTTP and the other names of the site lead to one host over HTTPS.
    Redirects {
        /// All names of the site.
        names: Vec<String>,
        /// The one that stays.
        canonical: String,
    },
    /// A certificate for these names.
    Certificate {
        /// The names.
        names: Vec<String>,
    },
    /// The home page as Markdown for clients that ask for it.
    Markdown {
        /// Name of the site.
        host: String,
    },
    /// Text is compressed.
    Compression,
    /// Pages that are the same for everyone may be cached.
    Caching,
}

/// Something that has to be built before a document about it is true.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Build {
    /// A description of the API in OpenAPI.
    ApiDescription,
    /// An MCP server.
    McpServer,
    /// An agent that speaks A2A.
    A2aAgent,
    /// A shop that speaks UCP.
    UcpService,
    /// An authorization server.
    AuthorizationServer,
}

/// Work on an application.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// The text of the page is in the HTML that the server sends.
    RenderOnServer,
    /// The home page answers within 800 ms.
    AnswerFaster,
}

/// One file of a fix, or some lines for a file that exists.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FixFile {
    /// A path on the site if it begins with `/`, otherwise in the project or in the configuration of
    /// the server, or a script to run there (`.sh`); null when `place` says where the content belongs.
    pub path: Option<String>,
    /// Where in a page, a response or a setting the content belongs; null for a whole file.
    pub place: Option<Placement>,
    /// Media type of the content.
    pub media_type: String,
    /// How the content gets into the file.
    pub mode: FileMode,
    /// The content. May quote the site; untrusted.
    pub content: String,
    /// With `replace`: what the content takes the place of; null where the evidence names it.
    #[serde(default)]
    pub replaces: Option<ReplacedText>,
}

impl FixFile {
    /// A file at a path.
    pub fn at(
        path: impl Into<String>,
        media_type: &str,
        mode: FileMode,
        content: impl Into<String>,
    ) -> Self {
        Self {
            path: Some(path.into()),
            place: None,
            media_type: media_type.to_owned(),
            mode,
            content: content.into(),
            replaces: None,
        }
    }

    /// Content for a place that is not a file.
    pub fn placed(
        place: Placement,
        media_type: &str,
        mode: FileMode,
        content: impl Into<String>,
    ) -> Self {
        Self {
            path: None,
            place: Some(place),
            media_type: media_type.to_owned(),
            mode,
            content: content.into(),
            replaces: None,
        }
    }
}

impl FixFile {
    /// The file, in the place of this text.
    #[must_use]
    pub fn replacing(self, replaces: Option<ReplacedText>) -> Self {
        Self { replaces, ..self }
    }

    /// The file with its comments in the language of a catalog.
    #[must_use]
    pub fn with_comments(self, catalog: &Catalog) -> Self {
        Self { content: catalog.with_comments(&self.content), ..self }
    }
}

/// How content gets into a file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FileMode {
    /// The file is new, or becomes exactly this.
    Create,
    /// The content is added to what the file has.
    Append,
    /// The content takes the place of `replaces`, or of what the evidence quotes.
    Replace,
}

impl FileMode {
    /// All, in order.
    pub const ALL: [Self; 3] = [Self::Create, Self::Append, Self::Replace];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Append => "append",
            Self::Replace => "replace",
        }
    }
}

/// Where a snippet belongs.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Inside of `<head>`.
    Head,
    /// On the `<html>` element.
    HtmlElement,
    /// In the main content.
    Main,
    /// In place of the quoted element.
    InPlace,
    /// In robots.txt.
    RobotsTxt,
    /// In the sitemap.
    Sitemap,
    /// In the configuration of the server.
    Server,
    /// In the header of the response.
    Header,
    /// In the rules of the firewall.
    Firewall,
}

impl Placement {
    /// All, in order.
    pub const ALL: [Self; 9] = [
        Self::Head,
        Self::HtmlElement,
        Self::Main,
        Self::InPlace,
        Self::RobotsTxt,
        Self::Sitemap,
        Self::Server,
        Self::Header,
        Self::Firewall,
    ];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::HtmlElement => "html_element",
            Self::Main => "main",
            Self::InPlace => "in_place",
            Self::RobotsTxt => "robots_txt",
            Self::Sitemap => "sitemap",
            Self::Server => "server",
            Self::Header => "header",
            Self::Firewall => "firewall",
        }
    }
}
