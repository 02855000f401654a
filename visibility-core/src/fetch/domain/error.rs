//! Errors of domain names, with hints for users.

use crate::fetch::domain::Domain;

/// Why a text is not a domain that can be scanned.
///
/// The sentences for readers are in `locales/` under `domain_errors` and [`DomainError::id`].
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// Nothing there.
    #[error("the domain is empty")]
    Empty,
    /// More than 253 bytes as a name, or more than 1,024 as sent.
    #[error("the domain is longer than 253 characters")]
    TooLong,
    /// A URL, and not a host.
    #[error("a domain has no scheme such as `{scheme}`")]
    Scheme {
        /// The text before `://`, cut at 20 characters.
        scheme: String,
        /// The host that may have been meant.
        suggestion: Option<Box<Domain>>,
    },
    /// A host and a path, query or fragment.
    #[error("a domain has no path")]
    Path {
        /// The host that may have been meant.
        suggestion: Option<Box<Domain>>,
    },
    /// A host and a port.
    #[error("a domain has no port")]
    Port {
        /// The host that may have been meant.
        suggestion: Option<Box<Domain>>,
    },
    /// A mail address, or a host and a user name.
    #[error("a domain has no user name")]
    UserInfo {
        /// The host that may have been meant.
        suggestion: Option<Box<Domain>>,
    },
    /// A character that no host name has.
    #[error("a domain cannot contain {}", name_of(*character))]
    Character {
        /// The first of them.
        character: char,
        /// The host that may have been meant.
        suggestion: Option<Box<Domain>>,
    },
    /// An IP address in any spelling, or a name that ends in a number.
    #[error("an IP address is not a domain")]
    IpLiteral,
    /// One label that is not even a top-level domain.
    #[error("`{name}` has no top-level domain")]
    SingleLabel {
        /// The label.
        name: String,
    },
    /// A name reserved for private or special use, RFC 6761 and its like.
    #[error("names under `{name}` are not on the public internet")]
    SpecialUse {
        /// The last label.
        name: String,
    },
    /// A name below a top-level domain that does not exist.
    #[error("there is no top-level domain `{name}`")]
    UndelegatedTld {
        /// The last label.
        name: String,
    },
    /// A suffix under which others register names, such as `com.tr`.
    #[error("`{name}` is a public suffix, not a site")]
    PublicSuffix {
        /// The suffix.
        name: String,
    },
    /// Two dots in a row, or a dot at the start.
    #[error("a label of the domain is empty")]
    EmptyLabel,
    /// A label of more than 63 bytes.
    #[error("a label of the domain has {bytes} characters, but at most 63 are allowed")]
    LabelTooLong {
        /// Its length in IDNA form.
        bytes: usize,
    },
    /// A label that starts or ends with a hyphen, or has two as its third and fourth characters.
    #[error("the domain has a hyphen where none is allowed")]
    Hyphen,
    /// An `xn--` label that encodes no valid name.
    #[error("a label of the domain is not valid Punycode")]
    Punycode,
}

impl DomainError {
    /// The kind of the fault for machines, fewer than there are variants.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::Scheme { .. }
            | Self::Path { .. }
            | Self::Port { .. }
            | Self::UserInfo { .. }
            | Self::Character { .. } => "not_a_bare_host",
            Self::IpLiteral => "ip_literal",
            Self::SingleLabel { .. } | Self::SpecialUse { .. } | Self::UndelegatedTld { .. } => {
                "special_use"
            }
            Self::PublicSuffix { .. } => "public_suffix",
            Self::EmptyLabel | Self::LabelTooLong { .. } | Self::Hyphen | Self::Punycode => {
                "bad_label"
            }
        }
    }

    /// The key of its sentences in `locales/`, one for each variant.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too-long",
            Self::Scheme { .. } => "scheme",
            Self::Path { .. } => "path",
            Self::Port { .. } => "port",
            Self::UserInfo { .. } => "user-info",
            Self::Character { .. } => "character",
            Self::IpLiteral => "ip-literal",
            Self::SingleLabel { .. } => "single-label",
            Self::SpecialUse { .. } => "special-use",
            Self::UndelegatedTld { .. } => "undelegated-tld",
            Self::PublicSuffix { .. } => "public-suffix",
            Self::EmptyLabel => "empty-label",
            Self::LabelTooLong { .. } => "label-too-long",
            Self::Hyphen => "hyphen",
            Self::Punycode => "punycode",
        }
    }

    /// The values that its sentences name.
    pub fn values(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Scheme { scheme, .. } => vec![("scheme", scheme.clone())],
            Self::Character { character, .. } => vec![("character", name_of(*character))],
            Self::SingleLabel { name }
            | Self::SpecialUse { name }
            | Self::UndelegatedTld { name }
            | Self::PublicSuffix { name } => vec![("name", name.clone())],
            Self::LabelTooLong { bytes } => vec![("length", bytes.to_string())],
            Self::Empty
            | Self::TooLong
            | Self::Path { .. }
            | Self::Port { .. }
            | Self::UserInfo { .. }
            | Self::IpLiteral
            | Self::EmptyLabel
            | Self::Hyphen
            | Self::Punycode => Vec::new(),
        }
    }

    /// The host that may have been meant, itself a valid domain.
    pub fn suggestion(&self) -> Option<String> {
        match self {
            Self::Scheme { suggestion, .. }
            | Self::Path { suggestion }
            | Self::Port { suggestion }
            | Self::UserInfo { suggestion }
            | Self::Character { suggestion, .. } => suggestion.as_ref().map(ToString::to_string),
            _ => None,
        }
    }
}

/// A character in backticks, or its code point if it is not ASCII: it may be invisible or turn the
/// direction of the text.
fn name_of(character: char) -> String {
    if character.is_ascii_graphic() {
        format!("`{character}`")
    } else {
        format!("U+{:04X}", u32::from(character))
    }
}
