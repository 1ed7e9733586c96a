-- E-mail tokens that change the address of an account, and sessions that such a change ends.
--
-- user_id: the account whose address changes. previous_email: the address at the time of the
-- request; it gets a notice, even if the address has changed by the time the notice is sent. A
-- token that an operator creates has no ticket, because only its link changes the address; a
-- person's has one, because only its code does.
--
-- Locks: ACCESS EXCLUSIVE on app.email_tokens and app.sessions. The new columns are null in all
-- rows, so the foreign key has nothing to look up. The new conditions are wider than the old ones,
-- so existing rows meet them; a separate step checks these rows.

ALTER TABLE app.email_tokens ADD COLUMN user_id uuid, ADD COLUMN previous_email text;

ALTER TABLE app.email_tokens
    DROP CONSTRAINT email_tokens_purpose_known,
    DROP CONSTRAINT email_tokens_code_has_ticket,
    ADD CONSTRAINT email_tokens_purpose_known CHECK (
        purpose IN ('sign_in', 'sign_up', 'reset', 'change')) NOT VALID,
    ADD CONSTRAINT email_tokens_code_has_ticket CHECK (
        purpose = 'change' OR (ticket_hash IS NULL) = (purpose = 'reset')) NOT VALID,
    ADD CONSTRAINT email_tokens_change_has_account CHECK (
        (purpose = 'change') = (user_id IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT email_tokens_previous_email_size CHECK (
        octet_length(previous_email) <= 254) NOT VALID,
    ADD CONSTRAINT email_tokens_user_fkey FOREIGN KEY (user_id) REFERENCES app.users (id)
        ON DELETE CASCADE NOT VALID;
ALTER TABLE app.email_tokens VALIDATE CONSTRAINT email_tokens_purpose_known;
ALTER TABLE app.email_tokens VALIDATE CONSTRAINT email_tokens_code_has_ticket;
ALTER TABLE app.email_tokens VALIDATE CONSTRAINT email_tokens_change_has_account;
ALTER TABLE app.email_tokens VALIDATE CONSTRAINT email_tokens_previous_email_size;
ALTER TABLE app.email_tokens VALIDATE CONSTRAINT email_tokens_user_fkey;

CREATE INDEX email_tokens_user ON app.email_tokens (user_id) WHERE user_id IS NOT NULL;

COMMENT ON COLUMN app.email_tokens.user_id IS
    'Account whose address the token changes; null for other purposes.';
COMMENT ON COLUMN app.email_tokens.previous_email IS
    'Verified address of that account at the time of the request; null if there was none.';

ALTER TABLE app.sessions
    DROP CONSTRAINT sessions_end_reason_known,
    ADD CONSTRAINT sessions_end_reason_known CHECK (
        end_reason IN ('signed_out', 'revoked', 'reused', 'operator', 'password', 'replaced',
            'provider', 'moved', 'blocked', 'address')) NOT VALID;
ALTER TABLE app.sessions VALIDATE CONSTRAINT sessions_end_reason_known;
