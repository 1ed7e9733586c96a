-- Invitations by e-mail or link, and the hashes by which their links are recognised.
--
-- The application derives an invitation's token from a key that the database never sees. Only the
-- token's SHA-256 is stored here, so nobody can open an invitation with a copy of the database.
-- When an invitation is sent again, its generation rises, and the hash of the new generation
-- replaces the earlier one.
--
-- delivery_status is about the e-mail of the generation delivery_generation, and no longer applies
-- once the invitation has been sent again.
--
-- kind, graduate_id: how a child without an account grows up. Its primary guardian sends an
-- invitation of the kind `graduation`, and the account that accepts it becomes the member whose
-- membership is graduate_id. The membership keeps its id, slot, preferences and history, and its
-- user is the account from then on (app.user_aliases). A child has at most one pending invitation
-- to grow up: inviting the child again renews it.

CREATE TABLE app.family_invitations (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    family_unit_id uuid NOT NULL,
    kind text NOT NULL DEFAULT 'member',
    graduate_id uuid,
    invited_by uuid,
    invited_email text,
    email_domain text,
    mailbox text GENERATED ALWAYS AS (CASE WHEN invited_email ~ '@[!-~]+$'
        THEN invited_email
        ELSE split_part(invited_email, '@', 1) || '@' || email_domain END) STORED,
    role text NOT NULL,
    household_role text NOT NULL,
    vouched boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'pending',
    delivery text NOT NULL,
    generation integer NOT NULL DEFAULT 1,
    sent_count integer NOT NULL DEFAULT 0,
    last_sent_at timestamptz,
    delivery_status text,
    delivery_generation integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL DEFAULT now() + interval '7 days',
    accepted_at timestamptz,
    accepted_by uuid,
    closed_at timestamptz,
    invited_by_key text,
    CONSTRAINT family_invitations_pkey PRIMARY KEY (id),
    CONSTRAINT family_invitations_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT family_invitations_invited_by_fkey FOREIGN KEY (invited_by)
        REFERENCES app.users (id),
    CONSTRAINT family_invitations_accepted_by_fkey FOREIGN KEY (accepted_by)
        REFERENCES app.users (id),
    CONSTRAINT family_invitations_graduate_fkey FOREIGN KEY (family_unit_id, graduate_id)
        REFERENCES app.family_members (family_unit_id, id) ON DELETE CASCADE,
    CONSTRAINT family_invitations_by_person_or_key CHECK (
        (invited_by IS NULL) = (invited_by_key IS NOT NULL)),
    CONSTRAINT family_invitations_by_key_form CHECK (
        invited_by_key IS NULL OR (kind = 'member' AND NOT vouched)),
    CONSTRAINT family_invitations_kind_known CHECK (kind IN ('member', 'graduation')),
    CONSTRAINT family_invitations_graduation_names_child CHECK (
        (kind = 'graduation') = (graduate_id IS NOT NULL)),
    CONSTRAINT family_invitations_graduation_form CHECK (
        kind <> 'graduation'
        OR (role, household_role) IN (('player', 'kid'), ('parent', 'adult'))),
    CONSTRAINT family_invitations_role_known CHECK (role IN ('player', 'parent')),
    CONSTRAINT family_invitations_at_most_adult CHECK (
        household_role IN ('adult', 'kid', 'visitor')),
    CONSTRAINT family_invitations_status_known CHECK (
        status IN ('pending', 'accepted', 'declined', 'revoked', 'expired')),
    CONSTRAINT family_invitations_delivery_known CHECK (delivery IN ('email', 'link')),
    CONSTRAINT family_invitations_address_fits_delivery CHECK (
        (delivery = 'email') = (invited_email IS NOT NULL)),
    CONSTRAINT family_invitations_email_normalised CHECK (
        invited_email IS NFC NORMALIZED
        AND invited_email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'
        AND octet_length(invited_email) <= 254),
    CONSTRAINT family_invitations_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$'),
    CONSTRAINT family_invitations_generation_positive CHECK (generation > 0),
    CONSTRAINT family_invitations_closed_is_dated CHECK (
        (status = 'pending') = (closed_at IS NULL)),
    CONSTRAINT family_invitations_accepted_is_signed CHECK (
        (status = 'accepted') = (accepted_at IS NOT NULL)
        AND (status = 'accepted') = (accepted_by IS NOT NULL)),
    CONSTRAINT family_invitations_delivery_status_known CHECK (
        delivery_status IN ('sent', 'failed')
        AND (delivery_status IS NULL) = (delivery_generation IS NULL))
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX family_invitations_of_family
    ON app.family_invitations (family_unit_id, created_at DESC, id DESC);
CREATE INDEX family_invitations_expiring ON app.family_invitations (expires_at)
    WHERE status = 'pending';
CREATE INDEX family_invitations_closed ON app.family_invitations (closed_at)
    WHERE closed_at IS NOT NULL;
CREATE INDEX family_invitations_invited_by ON app.family_invitations (invited_by, created_at);
-- For the console, which counts the invitations of the last days.
CREATE INDEX family_invitations_newest ON app.family_invitations (created_at);
-- For the foreign key: when a user is deleted, PostgreSQL looks for the invitations that the user
-- has accepted.
CREATE INDEX family_invitations_accepted_by ON app.family_invitations (accepted_by)
    WHERE accepted_by IS NOT NULL;
CREATE UNIQUE INDEX family_invitations_one_graduation
    ON app.family_invitations (graduate_id)
    WHERE status = 'pending' AND graduate_id IS NOT NULL;
CREATE UNIQUE INDEX family_invitations_one_pending
    ON app.family_invitations (family_unit_id, mailbox) WHERE status = 'pending';
CREATE INDEX family_invitations_to_address ON app.family_invitations (mailbox)
    WHERE status = 'pending';
CREATE INDEX family_invitations_without_a_label ON app.family_invitations (invited_email)
    WHERE mailbox IS NULL AND invited_email IS NOT NULL;

COMMENT ON TABLE app.family_invitations IS 'Invitations, without their tokens.';
COMMENT ON COLUMN app.family_invitations.vouched IS
    'Whether the sender was vouched for when the invitation was sent.';
COMMENT ON COLUMN app.family_invitations.invited_by_key IS
    'Name of the API key that made the invitation; null for one by a person.';
COMMENT ON COLUMN app.family_invitations.graduate_id IS
    'Child whose membership the accepting account gets; null for an invitation of a new member.';

ALTER TABLE app.family_invitations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_invitations_owner ON app.family_invitations TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_invitations_authz ON app.family_invitations FOR SELECT TO hearth_authz
    USING (true);
GRANT SELECT ON app.family_invitations TO hearth_authz;
GRANT SELECT (id, family_unit_id, invited_by, role, household_role, status, delivery, generation,
    expires_at, created_at, accepted_at, accepted_by, closed_at, sent_count, last_sent_at)
    ON app.family_invitations TO hearth_api;
CREATE POLICY family_invitations_inviter_or_governor_deletes ON app.family_invitations
    FOR DELETE TO authenticated
    USING (
        status = 'pending'
        AND ((invited_by = (SELECT app.account_id())
              AND family_unit_id = ANY (ARRAY(
                  SELECT f.family_unit_id FROM app.my_trusting_families AS f)))
             OR family_unit_id = ANY (ARRAY(
                  SELECT f.family_unit_id FROM app.my_governed_families AS f))));
GRANT SELECT (id, family_unit_id, invited_by, invited_email, role, household_role, status,
    delivery, expires_at, created_at, accepted_at)
    ON app.family_invitations TO authenticated;
GRANT DELETE ON app.family_invitations TO authenticated;
CREATE POLICY family_invitations_operator_reads ON app.family_invitations
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.family_invitations TO hearth_admin;
-- All members except visitors see the invitations of their families. Views mask the address.
CREATE POLICY family_invitations_member_reads ON app.family_invitations
    FOR SELECT TO hearth_api, authenticated
    USING (family_unit_id = ANY (ARRAY(
        SELECT f.family_unit_id FROM app.resident_families_of_account AS f)));

CREATE TABLE app.invitation_secrets (
    invitation_id uuid NOT NULL,
    generation integer NOT NULL,
    token_hash bytea NOT NULL,
    CONSTRAINT invitation_secrets_pkey PRIMARY KEY (invitation_id),
    CONSTRAINT invitation_secrets_token_hash_key UNIQUE (token_hash),
    CONSTRAINT invitation_secrets_invitation_fkey FOREIGN KEY (invitation_id)
        REFERENCES app.family_invitations (id) ON DELETE CASCADE,
    CONSTRAINT invitation_secrets_token_hash_size CHECK (octet_length(token_hash) = 32)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE app.invitation_secrets IS
    'SHA-256 of the token of the present generation. No client role has any right here.';

ALTER TABLE app.invitation_secrets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY invitation_secrets_owner ON app.invitation_secrets TO hearth_owner
    USING (true) WITH CHECK (true);
