-- Indexes for the screens of the console.
--
-- The audit log finds the entries of a person by two indexes, one for the person who acted and one
-- for the person whom an entry is about. Lists of failed deliveries, and of addresses that get no
-- e-mail, begin with the newest. The overview counts the invitations of the last days.
--
-- Locks: each index blocks writes to its table while it is built.

CREATE INDEX audit_log_of_actor ON app.audit_log (actor_user_id, at DESC, id DESC)
    WHERE actor_user_id IS NOT NULL;
CREATE INDEX audit_log_of_subject ON app.audit_log (subject_user_id, at DESC, id DESC)
    WHERE subject_user_id IS NOT NULL;

DROP INDEX app.webhook_deliveries_failed;
CREATE INDEX webhook_deliveries_failed ON app.webhook_deliveries (endpoint_id, event_number)
    WHERE state = 'failed';

CREATE INDEX suppressed_addresses_newest ON app.suppressed_addresses (since DESC, email);
CREATE INDEX mail_verdicts_newest ON app.mail_verdicts (held_since DESC, mailbox)
    WHERE held_since IS NOT NULL;
CREATE INDEX refused_invitations_newest
    ON app.refused_invitations (since DESC, email, family_unit_id);

CREATE INDEX family_invitations_newest ON app.family_invitations (created_at);
