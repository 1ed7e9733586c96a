-- Checks whether a process has the secret key from which links are derived. The programs compute
-- links, and the database has only their hashes.

-- Id and generation of the pending invitation that expires last. Returns no row if none is pending.
CREATE OR REPLACE FUNCTION app.newest_link()
RETURNS TABLE (invitation_id uuid, generation integer)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path = '' AS $$
    SELECT i.id, s.generation FROM app.family_invitations AS i
    JOIN app.invitation_secrets AS s ON s.invitation_id = i.id
    WHERE i.status = 'pending'
    ORDER BY i.expires_at DESC LIMIT 1
$$;

COMMENT ON FUNCTION app.newest_link() IS
    'An invitation with whose link a process checks its secret key; at most one row.';

-- Whether one of the hashes is that of the invitation's link. Also true if the invitation has no
-- link of this generation any more.
CREATE OR REPLACE FUNCTION app.is_link_known(
    p_invitation uuid, p_generation integer, p_hashes bytea[]
) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT coalesce(bool_or(s.token_hash = ANY (p_hashes)), true)
    FROM app.invitation_secrets AS s
    WHERE s.invitation_id = p_invitation AND s.generation = p_generation
$$;

COMMENT ON FUNCTION app.is_link_known(uuid, integer, bytea[]) IS
    'Whether the link of an invitation has one of these hashes.';

GRANT EXECUTE ON FUNCTION app.newest_link(), app.is_link_known(uuid, integer, bytea[])
    TO hearth_api, hearth_worker, hearth_admin;
