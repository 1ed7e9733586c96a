-- The limits for callers, each defined once, with its unit. The functions that enforce a limit read
-- it here. Tests compare the limits that the programs tell callers with these.
--
-- All are immutable, so that the planner puts the constant in their place.

-- Families that an account may have created.
CREATE OR REPLACE FUNCTION app.max_families_created() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Families that an account may be in or wait for. No list of families is longer, and a cursor of
-- sync has room for as many.
CREATE OR REPLACE FUNCTION app.max_families() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;

-- What may be noted about a family's player besides the named details.
CREATE OR REPLACE FUNCTION app.max_further_details() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- People who may wait for a family's approval. With the 64 slots that a family can have, no list of
-- members is longer than a hundred.
CREATE OR REPLACE FUNCTION app.max_members_waiting() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Guardians that a child without an account can have; the table's CHECK repeats it.
CREATE OR REPLACE FUNCTION app.max_guardians() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 4;

-- Days that a family code may be made to last.
CREATE OR REPLACE FUNCTION app.max_code_days() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 365;

-- Failed attempts of an account at family codes, in one code_attempts_window().
CREATE OR REPLACE FUNCTION app.max_code_attempts_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- The same from an address, by whatever account.
CREATE OR REPLACE FUNCTION app.max_code_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- The same from a network, by whatever account.
CREATE OR REPLACE FUNCTION app.max_code_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;

CREATE OR REPLACE FUNCTION app.code_attempts_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- Distinct family codes that an account may look up in one window, found or not.
CREATE OR REPLACE FUNCTION app.max_distinct_codes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

CREATE OR REPLACE FUNCTION app.distinct_codes_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 hour';

-- How long automatic approval lasts after the last wrong code above the rate
-- (automatic_approval.sql).
CREATE OR REPLACE FUNCTION app.automatic_approval_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- Rows that a minute of wrong codes has at most.
CREATE OR REPLACE FUNCTION app.shards_of_wrong_codes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 16;

-- Lookups of invitation tokens from an address, in one window.
CREATE OR REPLACE FUNCTION app.max_invitation_looks() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 60;

CREATE OR REPLACE FUNCTION app.invitation_looks_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- Invitations that an account may create in one window.
CREATE OR REPLACE FUNCTION app.max_invitations_made() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

CREATE OR REPLACE FUNCTION app.invitations_made_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 hour';

-- Requests to join a family of which its governors are told by e-mail, in one window.
CREATE OR REPLACE FUNCTION app.max_request_mails() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- The same of one account.
CREATE OR REPLACE FUNCTION app.max_request_mails_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;

CREATE OR REPLACE FUNCTION app.request_mails_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Permanent verdicts of mail servers, other than that an address is dead, within one
-- hold_off_time() that hold the address off.
CREATE OR REPLACE FUNCTION app.verdicts_until_hold_off() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

-- How long an address is held off: it gets no invitations and no notices.
CREATE OR REPLACE FUNCTION app.hold_off_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- The minimum time between two e-mails that the owner of an address asked for while it is held off.
CREATE OR REPLACE FUNCTION app.held_off_tries_pause() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 minute';

-- For how long somebody can't ask a family again that has turned it down twice in that time.
CREATE OR REPLACE FUNCTION app.rejections_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 days';

-- The minimum time between two e-mails of one invitation.
CREATE OR REPLACE FUNCTION app.resend_pause() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 minute';

-- Idempotency keys of an account, counted for as long as their responses are stored.
CREATE OR REPLACE FUNCTION app.max_idempotency_keys() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;

CREATE OR REPLACE FUNCTION app.idempotency_key_retention() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '24 hours';

-- How old a sign-in may be that proves enough to erase an account or to change the ways into it,
-- and how long a mailed code for an erasure is valid at least.
CREATE OR REPLACE FUNCTION app.fresh_proof_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- Attempts of an account at such a code, in one window.
CREATE OR REPLACE FUNCTION app.max_deletion_attempts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Attempts of an account at a code that proves a consent, in as long a window.
CREATE OR REPLACE FUNCTION app.max_consent_attempts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- E-mails with codes and links to an address, at the request of one network, in one
-- mailed_codes_window().
CREATE OR REPLACE FUNCTION app.max_mailed_codes_of_address_by_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- E-mails with codes and links to an address, at whoever's request, in one mailed_codes_window().
CREATE OR REPLACE FUNCTION app.max_mailed_codes_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- E-mails with codes and links at the request of one network, to whatever address, in one
-- mailed_codes_window().
CREATE OR REPLACE FUNCTION app.max_mailed_codes_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 60;

CREATE OR REPLACE FUNCTION app.mailed_codes_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 hour';

-- Wrong guesses at all mailed codes of an account together, in one code_guesses_window(): at those
-- to sign in, to delete the account and to give consent. Of an address without an account, at its
-- codes to sign in.
CREATE OR REPLACE FUNCTION app.max_code_guesses() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 25;

CREATE OR REPLACE FUNCTION app.code_guesses_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '24 hours';

-- Exports of what is stored about an account, in one window.
CREATE OR REPLACE FUNCTION app.max_exports() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

CREATE OR REPLACE FUNCTION app.exports_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- How long an erasure is remembered: longer than tokens of identity providers are valid, and longer
-- than the e-mail that confirms it is tried.
CREATE OR REPLACE FUNCTION app.erasure_retention() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '9 days';

-- How long a session lasts that is not refreshed.
CREATE OR REPLACE FUNCTION app.session_idle_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '60 days';

-- How long a session lasts at most, however often it is refreshed.
CREATE OR REPLACE FUNCTION app.session_life() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '365 days';

-- How long an access token of Hearth's own lives.
CREATE OR REPLACE FUNCTION app.access_token_life() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- For how long a refresh token gives the newest one again after its next one was taken as well.
CREATE OR REPLACE FUNCTION app.refresh_grace_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 seconds';

-- How long a provider's confirmation that the person still uses it for this app is valid.
CREATE OR REPLACE FUNCTION app.provider_check_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Sessions that an account can have at once. No list of sessions is longer.
CREATE OR REPLACE FUNCTION app.max_sessions() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;

-- How long a mailed code is valid, with its link.
CREATE OR REPLACE FUNCTION app.mailed_code_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- How often a mailed code may be tried.
CREATE OR REPLACE FUNCTION app.max_code_tries() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- How long a link to reset a password is valid.
CREATE OR REPLACE FUNCTION app.reset_link_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 minutes';

-- Failed attempts at the password of an account, in one password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_password_attempts_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- Failed attempts at passwords from an address, in one password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_password_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Failed attempts at passwords from a network, in one password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_password_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 300;

-- The window of failed attempts at passwords, and of those by passkeys.
CREATE OR REPLACE FUNCTION app.password_attempts_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '15 minutes';

-- Passkeys of an account.
CREATE OR REPLACE FUNCTION app.max_passkeys() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Failed attempts to sign in by passkeys from an address, in one password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_passkey_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Failed attempts to sign in by passkeys from a network, in one password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_passkey_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 300;

GRANT EXECUTE ON FUNCTION app.max_invitation_looks(), app.invitation_looks_window() TO hearth_api;
GRANT EXECUTE ON FUNCTION app.hold_off_time() TO hearth_admin;

-- Versions whose changes are kept, of a family or a person. Somewhat more may be there.
CREATE OR REPLACE FUNCTION app.retained_changes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;

-- For how long changes are kept, for clients that follow them.
CREATE OR REPLACE FUNCTION app.change_retention() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 days';

GRANT EXECUTE ON FUNCTION app.change_retention() TO hearth_worker;
