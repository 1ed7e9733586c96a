-- Languages of e-mails.
--
-- An account has the language that its first request asked for, until its owner chooses another. An
-- e-mail to an address without an account has the language of the person who caused it: of the page
-- on which the code was requested, or of the inviter.

-- Sets the language of an account to the one that its request asks for, if none is known. Skips an
-- account whose row is locked: otherwise two sign-ins at once would wait for each other.
CREATE OR REPLACE FUNCTION app.set_locale_if_unknown(p_locale text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    UPDATE app.users AS u SET locale = p_locale
        WHERE u.id = (
            SELECT o.id FROM app.users AS o
            WHERE o.id = app.account_id() AND o.kind = 'account' AND o.deleted_at IS NULL
                AND o.locale IS NULL
            FOR NO KEY UPDATE SKIP LOCKED);
$$;

COMMENT ON FUNCTION app.set_locale_if_unknown(text) IS
    'Sets the language of the caller''s account, if it has none.';

-- Writes no audit entry: the language is changed together with the profile, whose entry covers it.
CREATE OR REPLACE FUNCTION app.choose_locale(p_locale text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    UPDATE app.users AS u SET locale = p_locale WHERE u.id = v_account;
END $$;

COMMENT ON FUNCTION app.choose_locale(text) IS
    'Changes the language of the caller''s account.';

-- Language of an e-mail, by kind of recipient; null if none is known.

CREATE OR REPLACE FUNCTION app.locale_of_account(p_user uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT u.locale FROM app.users AS u WHERE u.id = p_user);
END $$;

CREATE OR REPLACE FUNCTION app.locale_of_erasure(p_erasure uuid) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT e.locale FROM app.erasures AS e WHERE e.id = p_erasure;
$$;

-- Language of the account that signs in with the address, or whose address the token changes; or
-- else of the page.
CREATE OR REPLACE FUNCTION app.locale_of_email_token(p_ticket uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT coalesce(
            app.locale_of_account(coalesce(t.user_id, app.account_of_mailbox(t.mailbox))), t.locale)
        FROM app.email_tokens AS t WHERE t.id = p_ticket);
END $$;

-- Language of the account that signs in with the address, or else of the inviter.
CREATE OR REPLACE FUNCTION app.locale_of_invitation(p_invitation uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT coalesce(
            app.locale_of_account(app.account_of_mailbox(i.mailbox)),
            app.locale_of_account(i.invited_by))
        FROM app.family_invitations AS i WHERE i.id = p_invitation);
END $$;

CREATE OR REPLACE FUNCTION app.return_path_of_email_token(p_ticket uuid) RETURNS bytea
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT t.return_path FROM app.email_tokens AS t WHERE t.id = p_ticket);
END $$;

COMMENT ON FUNCTION app.return_path_of_email_token(uuid) IS
    'Page to which an e-mail token''s link leads after sign-in, encrypted; null: the account.';

GRANT EXECUTE ON FUNCTION app.set_locale_if_unknown(text), app.choose_locale(text) TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.locale_of_account(uuid), app.locale_of_erasure(uuid), app.locale_of_email_token(uuid),
    app.locale_of_invitation(uuid), app.return_path_of_email_token(uuid)
    TO hearth_worker;
