-- What the bytes of an object are known by, and when it was last read and compared. The youngest batch with a record in a
-- file is not known of files of before: it is no younger than the file.
ALTER TABLE data_file ADD COLUMN digest BLOB;
ALTER TABLE data_file ADD COLUMN partial_digest BLOB;
ALTER TABLE data_file ADD COLUMN looked_at INTEGER;
ALTER TABLE data_file ADD COLUMN newest_batch INTEGER;
UPDATE data_file SET newest_batch = created_at;
ALTER TABLE batch ADD COLUMN body_digest BLOB;
ALTER TABLE batch ADD COLUMN looked_at INTEGER;

-- Objects that are not what was written, until a good copy is in their place.
CREATE TABLE damage (
    object   TEXT PRIMARY KEY,
    tenant   TEXT NOT NULL,
    found_at INTEGER NOT NULL,
    reason   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
