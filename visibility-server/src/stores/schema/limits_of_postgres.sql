-- Counts an admission of a subject unless the limit is reached, one node after another and by the clock of the database.
-- It is the rule of `SlidingWindow`: at most `most` admissions in any `span` of microseconds. A refused one does not count.
-- Hits of a clock that was ahead count from now on, so that they keep no one out for longer than the span.
CREATE OR REPLACE FUNCTION count_hit(
    hit_subject TEXT, hit_kind BIGINT, most BIGINT, span BIGINT, counts BOOLEAN, lock_key BIGINT,
    OUT admitted_at BIGINT, OUT used BIGINT, OUT frees_in BIGINT
) LANGUAGE plpgsql AS $$
DECLARE
    now_us BIGINT;
    oldest BIGINT;
BEGIN
    -- Only a limit depends on what a loss of power may undo here.
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(lock_key);
    now_us := extract(epoch FROM clock_timestamp()) * 1000000;
    UPDATE hit SET at = now_us WHERE subject = hit_subject AND kind = hit_kind AND at > now_us;
    SELECT count(*), min(at) INTO used, oldest FROM hit
    WHERE subject = hit_subject AND kind = hit_kind AND at > now_us - span;
    IF counts AND used < most THEN
        DELETE FROM hit WHERE subject = hit_subject AND kind = hit_kind AND at <= now_us - span;
        INSERT INTO hit (subject, kind, at) VALUES (hit_subject, hit_kind, now_us);
        admitted_at := now_us;
        used := used + 1;
        oldest := coalesce(oldest, now_us);
    END IF;
    frees_in := coalesce(oldest + span - now_us, span);
END $$;
