-- Programs that registered themselves. Redirect URIs are a list with spaces.
CREATE TABLE oauth_client (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    last_used_at  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_client_by_time ON oauth_client (last_used_at, created_at);

-- What a person lets a program do; codes and tokens are those of a grant, and go with it.
CREATE TABLE oauth_grant (
    id          TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL,
    client_id   TEXT NOT NULL,
    client_name TEXT NOT NULL,
    scopes      TEXT NOT NULL,
    resource    TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    revoked_at  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_grant_by_user ON oauth_grant (user_id, created_at);
CREATE INDEX oauth_grant_by_client ON oauth_grant (client_id);
CREATE INDEX oauth_grant_by_time ON oauth_grant (expires_at);

CREATE TABLE oauth_code (
    digest       BLOB PRIMARY KEY,
    grant_id     TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    challenge    TEXT NOT NULL,
    expires_at   INTEGER NOT NULL,
    used_at      INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_code_by_grant ON oauth_code (grant_id);

CREATE TABLE oauth_access_token (
    digest     BLOB PRIMARY KEY,
    grant_id   TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
    scopes     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_access_token_by_grant ON oauth_access_token (grant_id, created_at);
CREATE INDEX oauth_access_token_by_time ON oauth_access_token (expires_at);

-- A token that was replaced works on for a while: until one that replaced it was used, and some minutes.
CREATE TABLE oauth_refresh_token (
    digest            BLOB PRIMARY KEY,
    grant_id          TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
    parent            BLOB,
    created_at        INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL,
    replaced_at       INTEGER,
    successor_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_refresh_token_by_grant ON oauth_refresh_token (grant_id, created_at);
CREATE INDEX oauth_refresh_token_by_time ON oauth_refresh_token (expires_at);
