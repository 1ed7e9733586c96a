-- Operators change nothing without a name.
--
-- What the worker calls is the worker's: for operators there are functions that ask for the name
-- first, and they have no way around those. Raw SQL as hearth_admin could take jobs away, lift
-- what holds an address off, and purge, without anybody being named.
--
-- Locks: none but those on the functions' rows.

REVOKE EXECUTE ON FUNCTION
    jobs.pause(text, text), jobs.resume(text), jobs.revive(bigint), jobs.cancel(bigint),
    jobs.keep_history(interval), app.unsuppress_address(text),
    app.expire_invitations(integer), app.expire_codes(integer),
    app.purge_invitations(interval, integer), app.purge_retired_codes(interval, integer),
    app.purge_code_usage_log(interval, integer), app.purge_rate_limits(interval, integer),
    app.purge_idempotency_keys(interval, integer), app.erase_removed_members(interval, integer),
    app.purge_empty_families(interval, integer)
    FROM hearth_admin;

-- One batch of what the worker does every minute and every hour, by the name under which it is
-- reported; another name is an error. p_age is ignored where things expire by their own time.
CREATE FUNCTION app.operator_purge(p_object text, p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    CASE p_object
        WHEN 'expired_invitations' THEN RETURN app.expire_invitations(p_batch);
        WHEN 'expired_codes' THEN RETURN app.expire_codes(p_batch);
        WHEN 'closed_invitations' THEN RETURN app.purge_invitations(p_age, p_batch);
        WHEN 'retired_codes' THEN RETURN app.purge_retired_codes(p_age, p_batch);
        WHEN 'code_usage_log' THEN RETURN app.purge_code_usage_log(p_age, p_batch);
        WHEN 'rate_limits' THEN RETURN app.purge_rate_limits(p_age, p_batch);
        WHEN 'idempotency_keys' THEN RETURN app.purge_idempotency_keys(p_age, p_batch);
        WHEN 'removed_members' THEN RETURN app.erase_removed_members(p_age, p_batch);
        WHEN 'empty_families' THEN RETURN app.purge_empty_families(p_age, p_batch);
        WHEN 'job_history_days' THEN RETURN jobs.keep_history(p_age);
    END CASE;
END $$;

COMMENT ON FUNCTION app.operator_purge(text, interval, integer) IS
    'Lets expire or forgets up to so many things of a kind; how many it were.';

GRANT EXECUTE ON FUNCTION app.operator_purge(text, interval, integer) TO hearth_admin;
