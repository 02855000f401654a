-- What takes the files of a tenant elsewhere. Its id changes when it begins once more; the version is the last one of the
-- log that it writes.
CREATE TABLE consumer (
    name    TEXT NOT NULL,
    tenant  TEXT NOT NULL,
    id      TEXT NOT NULL,
    version INTEGER,
    PRIMARY KEY (name, tenant)
) STRICT, WITHOUT ROWID;

-- The outbox: changes of files that a consumer has not taken yet. Kind 0 is published, 1 a replacement of other files,
-- 2 replaced by others, 3 forgotten.
CREATE TABLE file_event (
    seq      INTEGER PRIMARY KEY,
    consumer TEXT NOT NULL,
    tenant   TEXT NOT NULL,
    kind     INTEGER NOT NULL,
    file_id  INTEGER NOT NULL
) STRICT;
CREATE INDEX file_event_by_consumer ON file_event (consumer, tenant, seq);
CREATE INDEX file_event_by_file ON file_event (file_id);
