//! Caps: problems that limit the score of a page, however good the rest is.

use serde::{Deserialize, Serialize};

/// Something that limits the score.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Gate))]
#[serde(rename_all = "kebab-case")]
pub enum AuditCap {
    /// The page asks not to be indexed.
    Noindex,
    /// Scripts fill an empty page.
    ScriptShell,
    /// All large answer engines are kept out by robots.txt.
    AnswerBotsBlocked,
    /// The page asks not to be quoted.
    Nosnippet,
    /// There is next to nothing to read.
    ThinContent,
    /// There are words for machines that readers do not see.
    Manipulation,
}

impl AuditCap {
    /// All caps, the lowest limit first.
    pub const ALL: [Self; 6] = [
        Self::Noindex,
        Self::ScriptShell,
        Self::AnswerBotsBlocked,
        Self::Nosnippet,
        Self::ThinContent,
        Self::Manipulation,
    ];

    /// The value on the wire; its sentence is in `locales/` under `gates`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Noindex => "noindex",
            Self::ScriptShell => "script-shell",
            Self::AnswerBotsBlocked => "answer-bots-blocked",
            Self::Nosnippet => "nosnippet",
            Self::ThinContent => "thin-content",
            Self::Manipulation => "manipulation",
        }
    }

    /// A cap by its value on the wire.
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cap| cap.as_str() == text)
    }

    /// The highest score that remains possible.
    pub fn limit(self) -> u8 {
        match self {
            Self::Noindex => 20,
            Self::ScriptShell => 25,
            Self::AnswerBotsBlocked => 30,
            Self::Nosnippet => 35,
            Self::ThinContent => 40,
            Self::Manipulation => 50,
        }
    }
}
