/// Mutants that don't change the database's behaviour, so no test can detect them, each with the
/// reason.
enum Equivalents {
    private static let reasons: [(mutant: String, reason: String)] = [
        (
            "family_members_creator_enters: WITH CHECK (true) for (status =",
            "no client may name the column in an INSERT: its default decides"
        ),
        (
            "family_members_creator_enters: WITH CHECK (true) for (joined_via =",
            "no client may name the column in an INSERT: its default decides"
        ),
        (
            "family_units_governor_changes: WITH CHECK (true) for",
            "USING has the same condition, and the key can't be changed"
        ),
        (
            "users_self_or_guardian_changes: WITH CHECK (true) for",
            "USING has the same condition, and the key can't be changed"
        ),
        (
            "users_self_or_guardian_changes: USING (true) for (deleted_at IS NULL",
            "an erased account begins no request; one erased meanwhile is tried in SchemaTests"
        ),
        (
            "app.delegations: (true) for (m.status = 'active'",
            "active_guardian_id is null unless the member is active"
        ),
        (
            "app.delegations: (true) for (m.user_kind =",
            "a constraint gives a guardian to managed members only"
        ),
        (
            "app.delegations: (true) for (g.status =",
            "active_adult_user_id is null unless the guardian is active"
        ),
        (
            "app.leave_own_family: true for AND m.user_id = p_user",
            "the own family is left only if nobody else is active in it"
        ),
        (
            "app.leave_own_family: true for AND m.status = 'active'",
            "the own family is left by somebody who is active in it"
        ),
        (
            "app.upsert_user: true for AND i.issuer = p_issuer",
            "the hash of a subject is made with its issuer"
        ),
        (
            "app.record_wrong_code: true for IF v_codes > app.wrong_code_rate()",
            "the condition after it is stricter: this one saves its look-up where it can"
        ),
        (
            "app.children_of_account: (true) for (m.status =",
            "active_guardian_id is null unless the member is active"
        ),
        (
            "app.children_of_account: (true) for (g.status =",
            "active_adult_user_id is null unless the guardian is active"
        ),
        (
            "app.children_of_actor: (true) for (m.status =",
            "a child that is not active has no guardianships"
        ),
        (
            "app.children_of_actor: (true) for (g.status =",
            "active_adult_user_id is null unless the guardian is active"
        ),
        (
            "app.children_of_actor_without_consent: (true) for (m.user_kind =",
            "a constraint gives a guardian to managed members only"
        ),
        (
            "app.my_profiles: (true) for (m.status =",
            "active_guardian_id is null unless the member is active"
        ),
        (
            "app.my_profiles: (true) for (g.status =",
            "active_adult_user_id is null unless the guardian is active"
        ),
        (
            "app.my_relatives: (true) for (me.user_id = app.account_id())",
            "nobody governs who has no account"
        ),
        (
            "app.my_trusting_families: (true) for (m.status =",
            "nobody confides who is not active"
        ),
        (
            "app.my_governed_families: (true) for (m.status =",
            "nobody governs who is not active"
        ),
        (
            "app.former_member_list: (true) for (me.status =",
            "nobody governs who is not active"
        ),
        (
            "app.my_contacts: (true) for (me.status =",
            "nobody confides who is not active"
        ),
        (
            "app.become_member: true for AND m.status <> 'active'",
            "graduation_refusal has refused active members under the family's lock"
        ),
        (
            "app.graduate: true for IF v_invitation.status = 'accepted'",
            "the member is the account's only when the account has accepted"
        ),
        (
            "app.graduate: true for AND v_child.user_id = v_account",
            "locked_invitation refuses all but the account that accepted, which became the member"
        ),
        (
            "app.begin_request: (true) for (current_setting(",
            "what is cleared is clear already"
        ),
        (
            "app.begin_session: (true) for (current_setting(",
            "what is cleared is clear already"
        ),
        (
            "app.begin_request: (true) for (s.subject_hash =",
            "the view shows the sign-in of that hash alone"
        ),
        (
            "app.create_family: without PERFORM app.refuse('HF403', 'account_required'",
            "limit_families_created refuses an account that is gone in the same words"
        ),
        (
            "app.create_family: true for AND u.deleted_at IS NULL",
            "limit_families_created refuses an account that is gone in the same words"
        ),
        (
            "app.change_household_role: true for ELSIF v_target.household_role = p_household_role",
            "what confirm_role writes before a change, the change itself writes again"
        ),
        (
            "jobs.claim: true for IF v_probe IS NOT NULL",
            "a queue that is not paused has no row to change: the condition saves the look-up"
        ),
        (
            "gateway.begin_request: true for ELSIF v_outcome = 'stale'",
            "a request that has begun, or of somebody unknown, begins again alike"
        ),
        (
            "gateway.begin_request: false for OR v_issuer.issuer IS NULL",
            "audience_matches has refused: an issuer that is not there has no audiences"
        ),
        (
            "app.begin_session: (true) for (s.id =",
            "the view shows that session alone"
        ),
        (
            "app.begin_request: (true) for (s.user_id IS NOT NULL)",
            "without a sign-in its account, which would be set, is null"
        ),
        (
            "app.begin_request: (true) for (b.actor_id IS NOT NULL)",
            "nobody is the guardian that is null"
        ),
        (
            "app.begin_session: (true) for (b.actor_id IS NOT NULL)",
            "nobody is the guardian that is null"
        ),
        (
            "app.begin_request: (true) for (begin_request.p_acting_as IS NOT NULL)",
            "no member is null"
        ),
        (
            "app.begin_session: (true) for (begin_session.p_acting_as IS NOT NULL)",
            "no member is null"
        ),
        (
            "app.begin_request: (true) for (d_1.guardian_id =",
            "the view shows the caller's own children alone"
        ),
        (
            "app.begin_session: (true) for (d_1.guardian_id =",
            "the view shows the caller's own children alone"
        ),
        (
            "app.open_session: true for AND u.kind = 'account'",
            "constraints give ways in, and sessions, to accounts alone"
        ),
        (
            "app.remove_my_identity: true for WHERE i.user_id = v_account",
            "the id is that of this sign-in alone, and was found among the account's own"
        ),
        (
            "app.remove_my_identity: true for AND i.issuer = v_identity.name",
            "the id is that of this sign-in alone, and was found among the account's own"
        ),
        (
            "app.remove_my_identity: true for WHERE k.user_id = v_account",
            "the passkey was found among the account's own"
        ),
        (
            "app.sign_in_by_passkey: true for AND u.deleted_at IS NULL",
            "an erased account has no passkeys, and open_session refuses it"
        ),
        (
            "app.reset_password: false for IF v_email IS NULL",
            "nobody signs in with the address that is null, so it ends alike"
        ),
        (
            "app.begin_webhook_delivery: false for OR v_endpoint.id IS NULL",
            "a delivery goes with its endpoint: a foreign key"
        ),
        (
            "app.begin_webhook_delivery: false for OR v_event.id IS NULL",
            "a delivery goes with its event: a foreign key"
        ),
        (
            "app.enqueue_first_webhooks: true for AND d.family_unit_id IS NOT NULL",
            "the first of no family comes again below, and has its job then"
        ),
        (
            "app.purge_empty_families: true for AND u.kind",
            "a child's membership alone has the id of a user"
        ),
        (
            "app.erase_removed_members: true for WHERE m.status",
            "a constraint dates the removal of those alone that are removed"
        ),
        (
            "app.purge_retired_codes: true for WHERE c.state",
            "a constraint dates the retirement of those codes alone that are retired"
        ),
        (
            "app.audit_user_statement: true for AND m.user_kind",
            "a child's membership alone has the id of a user"
        ),
        (
            "app.delete_audit_entries: true for WHERE a.at",
            "no two entries have one id: the time says in which part to look for it"
        ),
        (
            "app.changes_of_people: true for AND f.kind = 'member'",
            "of members alone it is told to governors only"
        ),
        (
            "app.begin_operation: without PERFORM app.require_operator",
            "nobody but hearth_admin may call it"
        ),
        (
            "app.enqueue_webhook: true for AND j.state = 'ready'",
            "the time of a job that runs is not looked at"
        ),
        (
            "app.check_slots: true for OR m.slot > v_smallest",
            "each candidate's slot is compared with the limit of its own family"
        ),
        (
            "app.check_slots: true for WHERE s.slot IS NOT NULL",
            "no member is found by a slot that is null"
        ),
        (
            "app.check_slots: true for AND m.slot = d.slot",
            "another member with the same slot is looked for again"
        ),
        (
            "app.operator_add_member: without PERFORM app.require_operator",
            "lock_family_for_operator requires the name again, before anything is changed"
        ),
        (
            "app.operator_resume_webhook: true for AND d.first_failed_at IS NOT NULL",
            "what is null is set to null"
        ),
        (
            "app.locked_invitation: true for AND p_token_hash IS NOT NULL",
            "an id was looked up among the invitations to the account's address"
        ),
        (
            "app.record_event: true for IF v_is_sent",
            "the loop then finds no endpoint"
        ),
        (
            "app.queue_webhook: true for IF p_family IS NOT NULL",
            "no delivery is found by a family that is null"
        ),
        (
            "jobs.heartbeat: true for WHERE s.next_at",
            "tick looks for those that are due itself"
        ),
        (
            "jobs.heartbeat: true for AND j.priority",
            "the earliest of all is the same; by its priority it is found in an index"
        ),
        (
            "app.my_admitting_families: (true) for (m.status =",
            "governs is false unless the member is active, and a trigger keeps stands_in so"
        ),
        (
            "api.family_members: (true) for (o.status =",
            "nobody waits in the cases' family with one member; DirectOrderTests tries it"
        ),
        (
            "app.remove_my_passkey: false for WHERE u.id",
            "remove_my_identity takes the same lock before anything is changed"
        ),
    ]

    static func reason(for mutant: String) -> String? {
        reasons.first { mutant.contains($0.mutant) }?.reason
    }
}
