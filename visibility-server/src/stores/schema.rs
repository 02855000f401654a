//! The tables, and the migrations of older databases.

use super::database::SqlError;

/// One step for each version of the schema; `user_version` says how many were taken. Steps are never
/// changed, only added.
///
/// Times are microseconds since 1970, days are days since 1970.
pub(super) const STEPS: [&str; 15] = [
    "
CREATE TABLE tenant (
    slug        TEXT PRIMARY KEY,
    created_at  INTEGER NOT NULL,
    disabled_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
    id           TEXT PRIMARY KEY,
    tenant       TEXT NOT NULL REFERENCES tenant (slug),
    digest       BLOB NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    revoked_at   INTEGER,
    last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- The ledger: one row for each batch that was answered with 202 or 207.
CREATE TABLE batch (
    tenant      TEXT NOT NULL,
    batch_id    BLOB NOT NULL,
    received_at INTEGER NOT NULL,
    received    INTEGER NOT NULL,
    accepted    INTEGER NOT NULL,
    rejected    INTEGER NOT NULL,
    body_object TEXT,
    body        BLOB,
    UNIQUE (tenant, batch_id),
    CHECK (accepted + rejected = received),
    CHECK ((body IS NULL) <> (body_object IS NULL))
) STRICT;
CREATE INDEX batch_by_time ON batch (received_at);
CREATE INDEX batch_by_object ON batch (body_object) WHERE body_object IS NOT NULL;

-- The manifest: a file exists for readers if it stands here and is not retired.
CREATE TABLE data_file (
    id         INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    name       TEXT NOT NULL UNIQUE,
    partial    TEXT,
    rows       INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    min_time   INTEGER NOT NULL,
    max_time   INTEGER NOT NULL,
    day        INTEGER,
    created_at INTEGER NOT NULL,
    retired_at INTEGER
) STRICT;
CREATE INDEX data_file_by_tenant ON data_file (tenant, retired_at, day);

CREATE TABLE rollup (
    tenant  TEXT NOT NULL,
    day     INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    host    TEXT NOT NULL,
    status  INTEGER NOT NULL,
    records INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, agent, host, status)
) STRICT, WITHOUT ROWID;

-- Hosts with rollup rows of their own; the rows of all others have the host `(other)`.
CREATE TABLE rollup_host (
    tenant TEXT NOT NULL,
    host   TEXT NOT NULL,
    PRIMARY KEY (tenant, host)
) STRICT, WITHOUT ROWID;

-- What ledger, files and rollups have forgotten, so that their sums stay equal.
CREATE TABLE forgotten (
    tenant TEXT PRIMARY KEY,
    ledger INTEGER NOT NULL DEFAULT 0,
    files  INTEGER NOT NULL DEFAULT 0,
    rollup INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Requests that count for the limits: kind 0 for the burst, kind 1 for the hour.
CREATE TABLE hit (
    tenant TEXT NOT NULL,
    kind   INTEGER NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX hit_by_tenant ON hit (tenant, kind, at);
",
    "
-- Keys of the public API. Scopes and networks are lists with spaces.
CREATE TABLE api_key (
    id             TEXT PRIMARY KEY,
    tenant         TEXT NOT NULL REFERENCES tenant (slug),
    name           TEXT NOT NULL,
    shown          TEXT NOT NULL,
    digest         BLOB NOT NULL UNIQUE,
    scopes         TEXT NOT NULL,
    networks       TEXT NOT NULL,
    created_by     TEXT,
    created_at     INTEGER NOT NULL,
    lifetime       INTEGER,
    expires_at     INTEGER,
    revoked_at     INTEGER,
    replaced_by    TEXT REFERENCES api_key (id),
    last_used_at   INTEGER,
    last_used_from TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_by_name ON api_key (tenant, name);

-- Limits are those of a subject: a tenant that sends logs, or the keys of one name.
ALTER TABLE hit RENAME COLUMN tenant TO subject;
",
    "
-- Results of scans as gzip, one for each domain.
CREATE TABLE scan (
    domain     TEXT NOT NULL UNIQUE,
    scanned_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    rubric     TEXT NOT NULL,
    tag        TEXT NOT NULL,
    en         BLOB NOT NULL,
    tr         BLOB NOT NULL
) STRICT;
CREATE INDEX scan_by_time ON scan (expires_at);
",
    "
-- Results of page audits as gzip, by id. One that may stand in for another audit has the name of its page.
CREATE TABLE audit (
    id         TEXT NOT NULL UNIQUE,
    name       TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    rubric     TEXT NOT NULL,
    en         BLOB NOT NULL,
    tr         BLOB NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (created_at);

-- What became of wishes for audits, by day.
CREATE TABLE audit_usage (
    day   INTEGER NOT NULL,
    event TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, event)
) STRICT, WITHOUT ROWID;

-- Random numbers that never leave the service.
CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Kind 2 is for the minute of a key, 3 for its day, 5 for audits of an address in a day: such a subject is a
-- keyed hash, and its hits go when they count no longer.
CREATE INDEX hit_of_strangers ON hit (at) WHERE kind = 5;
",
    "
-- Who signs in. Scopes are a list with spaces, a password is a PHC string of Argon2id. What a user has
-- granted before its credentials changed is void.
CREATE TABLE \"user\" (
    id                     TEXT PRIMARY KEY,
    tenant                 TEXT NOT NULL REFERENCES tenant (slug),
    name                   TEXT NOT NULL UNIQUE,
    scopes                 TEXT NOT NULL,
    password               TEXT NOT NULL,
    created_at             INTEGER NOT NULL,
    credentials_changed_at INTEGER NOT NULL,
    disabled_at            INTEGER
) STRICT, WITHOUT ROWID;

-- Who is signed in, by the SHA-256 of a cookie.
CREATE TABLE session (
    digest     BLOB PRIMARY KEY,
    \"user\"     TEXT NOT NULL REFERENCES \"user\" (id),
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (\"user\", created_at);
CREATE INDEX session_by_time ON session (created_at);
",
    include_str!("schema/oauth.sql"),
    "
-- What is true of the store as a whole, as JSON.
CREATE TABLE store_state (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
",
    include_str!("schema/names_of_all_databases.sql"),
    include_str!("schema/nodes.sql"),
    "
CREATE INDEX data_file_by_partial ON data_file (partial) WHERE partial IS NOT NULL;
",
    include_str!("schema/outbox.sql"),
    include_str!("schema/digests.sql"),
    include_str!("schema/sums.sql"),
    "
-- The batches of a tenant one after the other, and its last one.
CREATE INDEX batch_by_tenant ON batch (tenant, received_at);
",
    "
-- What is kept of the last scan of each domain and day: a byte for each check and agent.
CREATE TABLE scan_day (
    domain     TEXT NOT NULL,
    day        INTEGER NOT NULL,
    scanned_at INTEGER NOT NULL,
    rubric     TEXT NOT NULL,
    score      INTEGER,
    tier       TEXT,
    tag        TEXT NOT NULL,
    checks     BLOB NOT NULL,
    agents     BLOB NOT NULL,
    PRIMARY KEY (domain, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX scan_day_by_day ON scan_day (day);
",
];

/// The version of the schema with all steps.
#[cfg(feature = "postgres")]
pub(super) const VERSION: usize = STEPS.len();

/// The function that counts for limits in PostgreSQL, replaced at each start.
#[cfg(feature = "postgres")]
pub(super) const LIMITS_OF_POSTGRES: &str = include_str!("schema/limits_of_postgres.sql");

/// A step as PostgreSQL takes it. Texts are compared byte by byte, as SQLite does.
#[cfg(feature = "postgres")]
pub(super) fn for_postgres(step: &str) -> String {
    step.replace("INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
        .replace("INTEGER", "BIGINT")
        .replace("BLOB", "BYTEA")
        .replace("TEXT", "TEXT COLLATE \"C\"")
        .replace(" STRICT, WITHOUT ROWID", "")
        .replace(" STRICT", "")
}

/// The steps that a database of some version has not taken yet.
pub(super) fn missing_steps(taken: i64) -> Result<impl Iterator<Item = &'static str>, SqlError> {
    let taken = usize::try_from(taken).unwrap_or_default();
    if taken > STEPS.len() {
        return Err(SqlError::unchanged(format!(
            "its schema has version {taken}; this program supports versions up to {}",
            STEPS.len()
        )));
    }
    Ok(STEPS.into_iter().skip(taken))
}
