-- What the transaction of a batch adds up, beside `rollup`. Days are days since 1970, hours are hours since 1970.

-- `kind` is the number of a kind of path; it comes early in the key, so that days and kinds are grouped without sorting.
-- `status_group` is the status that stands for all of its first digit and class,
-- such as 404 for 404 and 410.
CREATE TABLE kind_day (
    tenant       TEXT NOT NULL,
    day          INTEGER NOT NULL,
    kind         INTEGER NOT NULL,
    agent        TEXT NOT NULL,
    host         TEXT NOT NULL,
    status_group INTEGER NOT NULL,
    records      INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, kind, agent, host, status_group)
) STRICT, WITHOUT ROWID;

-- Kept for fewer days than the others.
CREATE TABLE hour (
    tenant  TEXT NOT NULL,
    hour    INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    host    TEXT NOT NULL,
    records INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    failed  INTEGER NOT NULL,
    PRIMARY KEY (tenant, hour, agent, host)
) STRICT, WITHOUT ROWID;

-- The times of the first and the last record of an agent at a host.
CREATE TABLE agent_seen (
    tenant   TEXT NOT NULL,
    agent    TEXT NOT NULL,
    host     TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, host)
) STRICT, WITHOUT ROWID;

-- Lines by the day on which they arrived.
CREATE TABLE rejection (
    tenant  TEXT NOT NULL,
    day     INTEGER NOT NULL,
    reason  TEXT NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, reason)
) STRICT, WITHOUT ROWID;

-- Days of which `kind_day` and `hour` lack records, as a program without these tables published them. They are counted
-- again from the files, unless some of their records were forgotten.
CREATE TABLE uncounted_day (
    tenant    TEXT NOT NULL,
    day       INTEGER NOT NULL,
    forgotten INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;
INSERT INTO uncounted_day (tenant, day) SELECT DISTINCT tenant, day FROM rollup;

-- How many steps of the schema a node knows; NULL for one that knows no more than those before this one. It goes on
-- publishing without these tables until it ends. A database without tenants is a new one.
ALTER TABLE node ADD COLUMN schema_version INTEGER;
INSERT INTO store_state (name, value)
    SELECT 'older_nodes', 'true' WHERE EXISTS (SELECT 1 FROM tenant);
