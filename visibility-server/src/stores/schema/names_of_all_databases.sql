-- Other databases give `user` another meaning, silently: in PostgreSQL, a column of that name reads as the role of the
-- connection.
ALTER TABLE "user" RENAME TO person;
ALTER TABLE session RENAME COLUMN "user" TO person;
DROP INDEX session_by_user;
CREATE INDEX session_by_person ON session (person, created_at);

-- Hits have numbers in the order in which they were granted.
ALTER TABLE hit RENAME TO old_hit;
DROP INDEX hit_by_tenant;
DROP INDEX hit_of_strangers;
CREATE TABLE hit (
    seq     INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    kind    INTEGER NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
INSERT INTO hit (subject, kind, at) SELECT subject, kind, at FROM old_hit ORDER BY at;
DROP TABLE old_hit;
CREATE INDEX hit_by_subject ON hit (subject, kind, seq);
CREATE INDEX hit_of_strangers ON hit (at) WHERE kind = 5;
