-- hearth: no-transaction
-- A child has at most one pending invitation to grow up. Inviting the child again renews it.
--
-- Locks: SHARE UPDATE EXCLUSIVE on app.family_invitations while the index is built, which stops
-- neither reads nor writes.

CREATE UNIQUE INDEX CONCURRENTLY family_invitations_one_graduation
    ON app.family_invitations (graduate_id)
    WHERE status = 'pending' AND graduate_id IS NOT NULL;
