-- Comparisons of stored moments with the present.
--
-- A clock that was ahead for a while leaves moments of the future behind. They must not make anybody
-- wait until they come: a moment that has happened can't be ahead of the clock by more than
-- processes' clocks and transactions differ, for which a minute is ample.

-- Whether something happened within the last p_span. A moment that is more than a minute ahead did
-- not.
CREATE OR REPLACE FUNCTION app.is_within(p_at timestamptz, p_span interval) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN p_at > now() - p_span AND p_at <= now() + interval '1 minute';
