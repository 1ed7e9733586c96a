-- hearth: no-transaction
-- Who accepted an invitation is looked for when a person's row is deleted. Without an index each child
-- of a family that stood empty cost a look at all invitations: with a million of them 0.2 s, so
-- that purging such families took longer than a worker waits for an answer.
--
-- Locks: none that reading or writing waits for.

CREATE INDEX CONCURRENTLY family_invitations_accepted_by ON app.family_invitations (accepted_by)
    WHERE accepted_by IS NOT NULL;
