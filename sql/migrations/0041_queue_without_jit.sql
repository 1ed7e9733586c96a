-- The queue's functions are never compiled just in time.
--
-- Ruling a kind of plan out makes it cost more than anything else, and where there is no other,
-- as with a table of a few rows that has no fitting index, that cost makes PostgreSQL compile the
-- plan: half a second for a statement that takes less than a millisecond.
--
-- Locks: none but those on the functions' rows.

ALTER FUNCTION jobs.claim(integer, text, text[], integer, timestamptz[], bigint[]) SET jit = off;
ALTER FUNCTION jobs.complete(bigint[], bigint[]) SET jit = off;
ALTER FUNCTION jobs.beat(integer, text[], text) SET jit = off;
