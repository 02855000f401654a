//! Names that are denied only beside other names, in some paths, or with some values.

/// What is known of a target: some of the names that it has, and what its path is about.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct TargetFacts(u16);

impl TargetFacts {
    const STATE: Self = Self(1);
    const SESSION_STATE: Self = Self(1 << 1);
    const ISS: Self = Self(1 << 2);
    const CODE: Self = Self(1 << 3);
    const ERROR: Self = Self(1 << 4);
    const ID_TOKEN: Self = Self(1 << 5);
    const ACCESS_TOKEN: Self = Self(1 << 6);
    const RESPONSE_TYPE: Self = Self(1 << 7);
    const CLIENT_ID: Self = Self(1 << 8);
    const SIGNATURE: Self = Self(1 << 9);
    const KEY_PAIR_ID: Self = Self(1 << 10);
    const LOGIN_PATH: Self = Self(1 << 11);
    const TICKET_PATH: Self = Self(1 << 12);

    /// The facts that names state, squashed as they are compared.
    pub(super) const NAMES: [(&'static str, Self); 11] = [
        ("state", Self::STATE),
        ("sessionstate", Self::SESSION_STATE),
        ("iss", Self::ISS),
        ("code", Self::CODE),
        ("error", Self::ERROR),
        ("idtoken", Self::ID_TOKEN),
        ("accesstoken", Self::ACCESS_TOKEN),
        ("responsetype", Self::RESPONSE_TYPE),
        ("clientid", Self::CLIENT_ID),
        ("signature", Self::SIGNATURE),
        ("keypairid", Self::KEY_PAIR_ID),
    ];

    pub(super) fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }

    /// Notes what a path is about.
    pub(super) fn note_path(&mut self, path: &str) {
        if LOGIN_PATHS.iter().any(|step| has_step(path, step)) {
            self.add(Self::LOGIN_PATH);
        }
        if TICKET_PATHS.iter().any(|step| has_step(path, step)) {
            self.add(Self::TICKET_PATH);
        }
    }

    fn any_of(self, others: &[Self]) -> bool {
        others.iter().any(|other| self.0 & other.0 != 0)
    }
}

/// Paths in which `code` and `state` belong to a login.
const LOGIN_PATHS: [&str; 9] = [
    "/callback",
    "/oauth",
    "/oauth2",
    "/auth",
    "/signin",
    "/sign-in",
    "/login",
    "/sso",
    "/connect",
];
/// Paths in which `ticket` belongs to a login.
const TICKET_PATHS: [&str; 3] = ["/cas", "/login", "/sso"];
/// Words that begin like a step of those paths and are about something else.
const OTHER_WORDS: [&str; 12] = [
    "/author",
    "/case",
    "/cash",
    "/casa",
    "/casi",
    "/casu",
    "/cast",
    "/cass",
    "/connected",
    "/connection",
    "/connectiv",
    "/connector",
];
/// And words that begin like one of those.
const LOGIN_WORDS: [&str; 2] = ["/authoriz", "/authoris"];

/// Whether a path has a step, in any ASCII case, that is not the beginning of another word.
fn has_step(path: &str, step: &str) -> bool {
    let bytes = path.as_bytes();
    let begins = |at: usize, word: &str| {
        bytes
            .get(at..at + word.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()))
    };
    memchr::memchr_iter(b'/', bytes).any(|at| {
        begins(at, step)
            && (!OTHER_WORDS.iter().any(|word| begins(at, word))
                || LOGIN_WORDS.iter().any(|word| begins(at, word)))
    })
}

/// A rule of `default_profile.conditional`, named after the parameter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Condition {
    Code,
    State,
    Nonce,
    Ticket,
    Request,
    Key,
    Hash,
    Policy,
    User,
}

impl Condition {
    pub(super) const ALL: [(&'static str, Self); 9] = [
        ("code", Self::Code),
        ("state", Self::State),
        ("nonce", Self::Nonce),
        ("ticket", Self::Ticket),
        ("request", Self::Request),
        ("key", Self::Key),
        ("hash", Self::Hash),
        ("policy", Self::Policy),
        ("user", Self::User),
    ];

    /// Whether the value alone is reason enough.
    pub(super) fn denies(self, value: &str) -> bool {
        match self {
            Self::Ticket => value.starts_with("ST-") || value.starts_with("PT-"),
            Self::Request => value.starts_with("eyJ"),
            Self::Key => is_key(value.as_bytes()),
            Self::Hash => value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit()),
            Self::User => value.contains('@'),
            Self::Code | Self::State | Self::Nonce | Self::Policy => false,
        }
    }

    /// Whether the rest of the target is.
    pub(super) fn holds(self, facts: TargetFacts) -> bool {
        facts.any_of(match self {
            Self::Code => &[
                TargetFacts::STATE,
                TargetFacts::SESSION_STATE,
                TargetFacts::ISS,
                TargetFacts::LOGIN_PATH,
            ],
            Self::State => &[
                TargetFacts::CODE,
                TargetFacts::ERROR,
                TargetFacts::ID_TOKEN,
                TargetFacts::ACCESS_TOKEN,
                TargetFacts::LOGIN_PATH,
            ],
            Self::Nonce => {
                &[TargetFacts::RESPONSE_TYPE, TargetFacts::ID_TOKEN, TargetFacts::CLIENT_ID]
            }
            Self::Ticket => &[TargetFacts::TICKET_PATH],
            Self::Policy => &[TargetFacts::SIGNATURE, TargetFacts::KEY_PAIR_ID],
            Self::Request | Self::Key | Self::Hash | Self::User => &[],
        })
    }
}

/// Whether a value looks like an API key.
fn is_key(value: &[u8]) -> bool {
    value.len() >= 20
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
}
