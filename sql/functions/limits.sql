-- Limits for callers, each defined once, with its unit. The functions that enforce a limit read it
-- here. Tests compare the limits that the programs state with these.
--
-- All functions are immutable, so that the planner replaces each call by its value.

-- Maximum number of families that an account may have created.
CREATE OR REPLACE FUNCTION app.max_families_created() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Maximum number of families that an account may be in or wait for approval to join. No list of
-- families is longer, and a sync cursor has room for as many.
CREATE OR REPLACE FUNCTION app.max_families() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;

-- Maximum number of further texts that a family may store about its player, besides the details
-- with fixed names.
CREATE OR REPLACE FUNCTION app.max_other_details() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Maximum number of people who may wait for a family's approval. As a family has at most 64 slots,
-- no list of members is longer than a hundred.
CREATE OR REPLACE FUNCTION app.max_members_waiting() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Maximum number of guardians that a managed child may have; the CHECK of the table repeats the
-- limit.
CREATE OR REPLACE FUNCTION app.max_guardians() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 4;

-- Maximum validity of a family code, in days.
CREATE OR REPLACE FUNCTION app.max_code_days() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 365;

-- Maximum number of failed attempts of an account at family codes, in one code_attempts_window().
CREATE OR REPLACE FUNCTION app.max_code_attempts_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Maximum number of failed attempts at family codes from one address, by any account, in one
-- code_attempts_window().
CREATE OR REPLACE FUNCTION app.max_code_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Maximum number of failed attempts at family codes from one network, by any account, in one
-- code_attempts_window().
CREATE OR REPLACE FUNCTION app.max_code_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;

CREATE OR REPLACE FUNCTION app.code_attempts_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- Maximum number of distinct family codes that an account may look up in one
-- distinct_codes_window(), found or not.
CREATE OR REPLACE FUNCTION app.max_distinct_codes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

CREATE OR REPLACE FUNCTION app.distinct_codes_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 hour';

-- Time for which approval stays required after the last wrong code above the rate
-- (automatic_approval.sql).
CREATE OR REPLACE FUNCTION app.automatic_approval_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- Maximum number of rows (shards) in which the wrong codes of a minute are counted.
CREATE OR REPLACE FUNCTION app.shards_of_wrong_codes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 16;

-- Maximum number of lookups of invitation tokens from one address, in one
-- invitation_looks_window().
CREATE OR REPLACE FUNCTION app.max_invitation_looks() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 60;

CREATE OR REPLACE FUNCTION app.invitation_looks_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- Maximum number of invitations that an account may create in one invitations_made_window().
CREATE OR REPLACE FUNCTION app.max_invitations_made() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

CREATE OR REPLACE FUNCTION app.invitations_made_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 hour';

-- Maximum number of invitations that an API key may create, in all families, in one
-- invitations_made_window().
CREATE OR REPLACE FUNCTION app.max_key_invitations() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 200;

-- Maximum number of invitations to one family that all API keys together may create, in one
-- invitations_made_window().
CREATE OR REPLACE FUNCTION app.max_key_invitations_to_family() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- Time for which API keys can read an event.
CREATE OR REPLACE FUNCTION app.event_stream_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '7 days';

-- Maximum number of events to which one read assigns positions in the stream.
CREATE OR REPLACE FUNCTION app.max_events_numbered() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10000;

-- Window of an API key's limit: a process may serve the requests that it has reserved until the
-- window ends.
CREATE OR REPLACE FUNCTION app.key_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 minute';

-- Longest time for which a rotated API key's previous secret stays valid.
CREATE OR REPLACE FUNCTION app.max_key_overlap() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '168 hours';

-- Maximum number of requests to join one family that are announced by e-mail, in one
-- request_mails_window().
CREATE OR REPLACE FUNCTION app.max_request_mails() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Maximum number of requests of one account to join one family that are announced by e-mail, in one
-- request_mails_window().
CREATE OR REPLACE FUNCTION app.max_request_mails_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;

CREATE OR REPLACE FUNCTION app.request_mails_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Number of permanent rejections by mail servers, within one mail_hold_time(), that put an address
-- on hold. A rejection because the address does not exist is not counted here: it suppresses the
-- address.
CREATE OR REPLACE FUNCTION app.max_mail_rejections() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

-- Time for which an address is on hold: it gets no invitations and no notices.
CREATE OR REPLACE FUNCTION app.mail_hold_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Minimum time between two e-mails to an address on hold that its owner asked for.
CREATE OR REPLACE FUNCTION app.mail_hold_pause() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 minute';

-- Window in which a second rejection blocks further requests: the person can't ask the family again
-- for as long as this window is.
CREATE OR REPLACE FUNCTION app.rejections_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 days';

-- Minimum time between two e-mails of one invitation.
CREATE OR REPLACE FUNCTION app.resend_pause() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 minute';

-- Maximum number of idempotency keys of one account, counted as long as their responses are stored.
CREATE OR REPLACE FUNCTION app.max_idempotency_keys() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;

CREATE OR REPLACE FUNCTION app.idempotency_key_retention() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '24 hours';

-- Maximum age of a sign-in that is recent enough to erase the account or to change its sign-in
-- methods, and minimum validity of a mailed code for an erasure.
CREATE OR REPLACE FUNCTION app.fresh_proof_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- Maximum number of attempts of an account at the mailed code for an erasure, in one
-- fresh_proof_time().
CREATE OR REPLACE FUNCTION app.max_deletion_attempts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Maximum number of attempts of an account at the mailed code that proves a consent, in one
-- fresh_proof_time().
CREATE OR REPLACE FUNCTION app.max_consent_attempts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Maximum number of e-mails with codes and links to one address, at the request of one network, in
-- one mailed_codes_window().
CREATE OR REPLACE FUNCTION app.max_mailed_codes_of_address_by_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Maximum number of e-mails with codes and links to one address, at anybody's request, in one
-- mailed_codes_window().
CREATE OR REPLACE FUNCTION app.max_mailed_codes_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Maximum number of e-mails with codes and links at the request of one network, to any address, in
-- one mailed_codes_window().
CREATE OR REPLACE FUNCTION app.max_mailed_codes_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 60;

CREATE OR REPLACE FUNCTION app.mailed_codes_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 hour';

-- Maximum number of wrong guesses at all mailed codes of an account together, in one
-- code_guesses_window(): codes to sign in, to erase the account and to give consent. For an address
-- without an account: wrong guesses at its codes to sign in.
CREATE OR REPLACE FUNCTION app.max_code_guesses() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 25;

CREATE OR REPLACE FUNCTION app.code_guesses_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '24 hours';

-- Maximum number of exports of the data about an account, in one exports_window().
CREATE OR REPLACE FUNCTION app.max_exports() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

CREATE OR REPLACE FUNCTION app.exports_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Time for which an erasure is remembered: longer than tokens of identity providers are valid, and
-- longer than the mailer tries to send the confirmation.
CREATE OR REPLACE FUNCTION app.erasure_retention() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '9 days';

-- Lifetime of a session that is not refreshed.
CREATE OR REPLACE FUNCTION app.session_idle_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '60 days';

-- Maximum lifetime of a session, however often it is refreshed.
CREATE OR REPLACE FUNCTION app.session_life() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '365 days';

-- Lifetime of an access token that Hearth issues.
CREATE OR REPLACE FUNCTION app.access_token_life() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- Time after the use of a refresh token for which it may still be exchanged for the newest token,
-- although its successor was used as well.
CREATE OR REPLACE FUNCTION app.refresh_grace_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 seconds';

-- Validity of a provider's confirmation that the person still allows the app to sign in there.
CREATE OR REPLACE FUNCTION app.provider_check_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Maximum number of sessions that an account may have at once. No list of sessions is longer.
CREATE OR REPLACE FUNCTION app.max_sessions() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;

-- Maximum number of live browser sessions that one app session has opened.
CREATE OR REPLACE FUNCTION app.max_child_sessions() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Validity of a page ticket.
CREATE OR REPLACE FUNCTION app.page_ticket_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 minute';

-- Maximum number of page tickets that an account may request in one page_tickets_window().
CREATE OR REPLACE FUNCTION app.max_page_tickets() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 60;

CREATE OR REPLACE FUNCTION app.page_tickets_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '15 minutes';

-- Validity of a mailed code and its link.
CREATE OR REPLACE FUNCTION app.mailed_code_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- Maximum number of attempts at one mailed code.
CREATE OR REPLACE FUNCTION app.max_code_tries() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Validity of a link to reset a password.
CREATE OR REPLACE FUNCTION app.reset_link_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 minutes';

-- Maximum number of failed attempts at the password of an account, in one
-- password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_password_attempts_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- Maximum number of failed attempts at passwords from an address, in one
-- password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_password_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Maximum number of failed attempts at passwords from a network, in one password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_password_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 300;

-- Window in which failed attempts at passwords, and failed attempts with passkeys, are counted.
CREATE OR REPLACE FUNCTION app.password_attempts_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '15 minutes';

-- Maximum number of passkeys that an account may have.
CREATE OR REPLACE FUNCTION app.max_passkeys() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Maximum number of failed attempts to sign in with passkeys from an address, in one
-- password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_passkey_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- Maximum number of failed attempts to sign in with passkeys from a network, in one
-- password_attempts_window().
CREATE OR REPLACE FUNCTION app.max_passkey_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 300;

GRANT EXECUTE ON FUNCTION app.max_invitation_looks(), app.invitation_looks_window() TO hearth_api;
GRANT EXECUTE ON FUNCTION app.mail_hold_time() TO hearth_admin;

-- Number of versions of a family or a user whose changes are kept. Slightly more may be stored.
CREATE OR REPLACE FUNCTION app.retained_changes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;

-- Time for which changes are kept for clients that follow them.
CREATE OR REPLACE FUNCTION app.change_retention() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '30 days';

GRANT EXECUTE ON FUNCTION app.change_retention() TO hearth_worker;
-- For a view of the console, which runs functions with the rights of its reader.
GRANT EXECUTE ON FUNCTION app.mail_hold_time() TO hearth_viewer;
