//! What to change on a site or on a page, as files and lines that can be pasted.

use serde::{Deserialize, Serialize};

/// One file of a fix, or some lines for a file that exists.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FixFile {
    /// A path on the site if it begins with `/`, otherwise in the project or in the configuration of
    /// the server; null when `place` says where the content belongs.
    pub path: Option<String>,
    /// Where in a page, a response or a setting the content belongs; null for a whole file.
    pub place: Option<Placement>,
    /// Media type of the content.
    pub media_type: String,
    /// How the content gets into the file.
    pub mode: FileMode,
    /// The content. May quote the site; untrusted.
    pub content: String,
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
    /// The content takes the place of what the evidence quotes.
    Replace,
}

impl FileMode {
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
    /// Where the quoted element stands.
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
