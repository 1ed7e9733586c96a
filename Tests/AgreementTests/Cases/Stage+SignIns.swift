extension Stage {
    /// Sessions and stored tokens of identity providers.
    static var signIns: String {
        let sessions = SampleSession.allCases.map {
            "('\($0.id)', '\($0.owner.userID)', 'exchange', '\($0.issuer)', "
                + "now() + interval '\($0.isExpired ? -1 : 1) day', "
                + ($0.isEnded ? "now(), 'signed_out')" : "NULL, NULL)")
        }
        let tokens = SampleToken.allCases.map {
            "('\($0.id)', '\($0.issuer)', 'app', \($0.subjectHash), "
                + ($0.owner.map { "'\($0.userID)'" } ?? "NULL")
                + ", 'sealed, as long as it has to be', "
                + "now() + interval '\($0.hoursToCheck) hours')"
        }
        return """
            INSERT INTO app.sessions (id, user_id, method, issuer, ends_at, ended_at, end_reason)
                VALUES \(sessions.joined(separator: ", "));
            INSERT INTO app.provider_tokens (id, issuer, client, subject_hash, user_id, sealed,
                    check_at)
                VALUES \(tokens.joined(separator: ", "));
            """
    }

    /// Functions that verify effects that the caller can't see. They return 1 for exactly the
    /// expected effect, otherwise 0 or null. One of them first changes a row.
    static let effects = """
        CREATE FUNCTION proof.put_off(p_token uuid) RETURNS integer
        LANGUAGE sql SECURITY DEFINER AS $effect$
            SELECT (array_agg(p.id) = ARRAY[p_token])::integer FROM app.provider_tokens AS p
            WHERE p.check_at > now() + interval '12 hours';
        $effect$;
        CREATE FUNCTION proof.ended(p_session uuid) RETURNS integer
        LANGUAGE sql SECURITY DEFINER AS $effect$
            SELECT (array_agg(s.id) = ARRAY[p_session])::integer FROM app.sessions AS s
            WHERE s.end_reason = 'provider';
        $effect$;
        CREATE FUNCTION proof.refused(p_email text, p_family uuid) RETURNS integer
        LANGUAGE sql SECURITY DEFINER AS $effect$
            SELECT (array_agg((r.email, r.family_unit_id)::text)
                = ARRAY[(p_email, p_family)::text])::integer
            FROM app.refused_invitations AS r;
        $effect$;
        CREATE FUNCTION proof.renew(p_letter uuid) RETURNS void
        LANGUAGE sql SECURITY DEFINER AS $effect$
            UPDATE app.family_invitations AS i SET generation = i.generation + 1
            WHERE i.id = p_letter;
        $effect$;
        GRANT EXECUTE ON FUNCTION proof.put_off(uuid), proof.ended(uuid),
            proof.refused(text, uuid), proof.renew(uuid) TO PUBLIC;
        """
}
