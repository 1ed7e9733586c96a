import Postgres

/// The privileges of client roles in PostgreSQL's catalogue, compared with a list written by hand.
/// This finds grants that nobody uses.
enum Catalogue {
    /// Role, relation or function, privilege, and for a table its columns.
    static let written: Set<String> = Set(
        """
        anon none
        authenticated usage api
        authenticated usage gateway
        authenticated select api.family_invitations *
        authenticated select api.family_members *
        authenticated select api.family_units *
        authenticated select api.users *
        authenticated insert api.family_units code_generated_at created_at created_by_user_id \
        family_code family_name id updated_at
        authenticated insert api.family_members added_at family_unit_id id role user_id
        authenticated update api.family_units family_name
        authenticated update api.users avatar_key avatar_url full_name
        authenticated delete api.family_invitations
        authenticated select app.family_units code_expires_at code_generated_at created_at \
        created_by_user_id family_code family_name home_latitude home_longitude id player_details \
        updated_at
        authenticated insert app.family_units created_by_user_id family_code family_name id
        authenticated update app.family_units family_name
        authenticated select app.family_members added_at family_unit_id household_role id \
        joined_via parent_user_id removed_at removed_by role status updated_at user_id user_kind
        authenticated insert app.family_members family_unit_id id role user_id
        authenticated select app.guardianships family_unit_id guardian_user_id member_id since
        authenticated select app.users avatar_key avatar_url created_at email full_name id kind \
        role updated_at
        authenticated update app.users avatar_key avatar_url full_name
        authenticated select app.family_invitations accepted_at created_at delivery expires_at \
        family_unit_id household_role id invited_by invited_email role status
        authenticated delete app.family_invitations
        authenticated select app.children_of_account *
        authenticated select app.my_contacts *
        authenticated select app.my_families *
        authenticated select app.my_governed_families *
        authenticated select app.my_memberless_families *
        authenticated select app.my_relatives *
        authenticated select app.my_trusting_families *
        authenticated select app.resident_families_of_account *
        authenticated execute app.account_id
        authenticated execute app.actor_id
        authenticated execute app.user_id
        authenticated execute gateway.begin_request
        authenticated execute gateway.insert_family
        authenticated execute gateway.insert_member
        hearth_api usage app
        hearth_api usage jobs
        hearth_api execute jobs.enqueue
        hearth_api execute jobs.failing_queues
        hearth_api execute jobs.pauses
        hearth_api execute jobs.stats
        hearth_api select app.family_units approval_required code_expires_at code_generated_at \
        created_at created_by_user_id family_name id member_limit updated_at
        hearth_api update app.family_units approval_required family_name home_latitude \
        home_longitude
        hearth_api select app.family_members added_at family_unit_id household_role id joined_via \
        parent_user_id removed_at removed_by role status updated_at user_id user_kind
        hearth_api select app.guardianships family_unit_id guardian_user_id member_id since
        hearth_api select app.users avatar_key avatar_url created_at full_name id kind role \
        updated_at
        hearth_api update app.users avatar_key avatar_url full_name
        hearth_api select app.family_invitations accepted_at accepted_by closed_at created_at \
        delivery expires_at family_unit_id generation household_role id invited_by last_sent_at \
        role sent_count status
        hearth_api select app.consents *
        hearth_api select app.account_consents ended_at given_at purpose user_id version
        hearth_api select app.family_attributes *
        hearth_api select app.member_preferences *
        hearth_api insert app.member_preferences family_unit_id preferences user_id
        hearth_api update app.member_preferences preferences
        hearth_api select app.family_changes audience family_unit_id id is_managed kind version
        hearth_api select app.family_versions family_unit_id purged_version raised_at version
        hearth_api select app.role_conflicts at by_member_id family_unit_id member_id user_id version
        hearth_api select app.standby_readers id number
        hearth_api select app.user_changes family_unit_id id is_managed kind user_id version
        hearth_api select app.user_versions purged_version raised_at user_id version
        hearth_api select app.children_of_account *
        hearth_api select app.children_of_actor *
        hearth_api select app.children_of_actor_without_consent *
        hearth_api select app.delegations *
        hearth_api select app.my_families_of_batch *
        hearth_api select app.family_versions_of_batch *
        hearth_api select app.former_member_list *
        hearth_api select app.invitation_list *
        hearth_api select app.invitations_of_batch *
        hearth_api select app.invitations_to_me *
        hearth_api select app.live_sessions *
        hearth_api select app.member_list *
        hearth_api select app.members_of_batch *
        hearth_api select app.my_admitting_families *
        hearth_api select app.my_contacts *
        hearth_api select app.my_families *
        hearth_api select app.my_family_list *
        hearth_api select app.my_governed_families *
        hearth_api select app.my_memberless_families *
        hearth_api select app.missing_consents_of_batch *
        hearth_api select app.my_missing_consents *
        hearth_api select app.my_profile *
        hearth_api select app.my_profiles *
        hearth_api select app.my_relatives *
        hearth_api select app.my_requests *
        hearth_api select app.my_resident_families *
        hearth_api select app.my_sessions *
        hearth_api select app.my_trusting_families *
        hearth_api select app.profiles_of_batch *
        hearth_api select app.requests_of_batch *
        hearth_api select app.resident_families_of_account *
        hearth_api select app.session_versions *
        hearth_api select app.sign_in_versions *
        hearth_api select app.sign_ins *
        hearth_api select app.user_versions_of_batch *
        hearth_server usage app
        hearth_server select app.family_units approval_required created_at created_by_user_id \
        family_name id member_limit updated_at
        hearth_server select app.key_scopes *
        hearth_server select app.live_key *
        hearth_server select app.server_members *
        hearth_server select app.server_people *
        hearth_server select app.server_sign_ins *
        hearth_server select app.webhook_events *
        hearth_server execute app.begin_server_request
        hearth_server execute app.display_name
        hearth_server execute app.number_events
        hearth_server execute app.person_of_subject
        hearth_server execute app.record_key_uses
        hearth_server execute app.server_add_invitation_secret
        hearth_server execute app.server_create_invitation
        hearth_server execute app.store_domain_label
        hearth_server execute app.take_key_uses
        app.guardians_encoded is no barrier
        app.callers is no barrier
        app.consents_missing is no barrier
        app.families_joined is no barrier
        app.visible_families is no barrier
        app.visible_invitations is no barrier
        app.visible_members is no barrier
        app.own_profiles is no barrier
        app.visible_requests is no barrier
        app.unended_sessions is no barrier
        """.split(separator: "\n").map(String.init))

    /// Functions that `hearth_api` may call.
    static let functions: Set<String> = [
        "account_id", "set_subject", "actor_id", "user_id", "claims_mark", "claims_unchanged",
        "begin_request",
        "begin_requests", "versions_of_callers", "upsert_user", "audit_page",
        "create_family", "reserve_hits", "release_hits", "reserve_code_attempt",
        "join_family_by_code", "preview_code", "regenerate_code", "remove_member", "leave_family",
        "withdraw_request",
        "change_household_role", "role_was_changed_later",
        "transfer_admin", "approve_member", "add_managed_member", "update_managed_member",
        "reassign_managed_member", "add_guardian", "remove_guardian", "make_primary_guardian",
        "update_profile", "change_player_details", "other_player_details", "display_name",
        "patch_attributes", "update_family",
        "create_invitation", "add_invitation_secret", "resend_invitation", "revoke_invitation",
        "preview_invitation", "join_by_invitation", "decline_invitation",
        "claim_idempotency_key", "store_idempotent_response", "oldest_transaction_seconds",
        "webhook_stats", "latest_findings",
        "max_invitation_looks", "invitation_looks_window",
        "applied_repeatable_files",
        "was_erased", "session_was_erased", "was_id_of", "reserve_mailed_code",
        "reserve_deletion_code", "caller_is_operator", "reserve_deletion_attempt",
        "erase_my_account", "reserve_export", "export_my_data",
        "record_sign_ins", "my_sign_ins", "report_process",
        "report_signing_keys",
        "begin_session", "exchange_for_session", "refresh_session", "end_session_of_token",
        "end_my_session", "end_my_sessions", "extend_session", "choose_shown_family",
        "shown_family", "unseen_role_conflicts", "hide_role_conflicts",
        "request_address_change", "change_my_address",
        "create_page_ticket", "account_of_page_ticket", "use_page_ticket",
        "set_locale_if_unknown", "choose_locale",
        "store_provider_token", "claim_provider_check", "record_provider_check",
        "refusable_invitation", "refuse_invitations",
        "create_email_token", "try_mailed_code", "sign_in_by_mail", "reserve_password_attempt",
        "release_password_attempt", "password_of_address", "sign_in_by_password",
        "password_reset_user", "reset_password", "my_password", "change_my_password",
        "my_identities", "remove_my_identity", "add_sign_in", "sign_in_created_account",
        "changed_since", "outdated_versions", "family_version_raised_at", "my_version_raised_at",
        "versions_on_leaving",
        "reserve_passkey_attempt", "passkey_of_credential", "sign_in_by_passkey",
        "my_passkey_account", "my_passkeys", "add_my_passkey", "remove_my_passkey",
        "start_graduation", "kind_of_invitation", "apply_consent_purposes", "give_consent",
        "withdraw_consent", "reserve_consent_attempt", "apply_code_settings",
        "give_own_consent", "withdraw_own_consent",
        "standbys_in_use", "renew_standby_reader", "end_standby_reader",
        "request_to_join_by_code", "approval_terms_of_code", "code_guess_status",
        "newest_link", "is_link_known",
        "account_of_link", "belongs_to_family_of", "store_domain_label", "own_status_at_code",
        "prospect_of_invitation", "prospect_of_code",
    ]

    /// Every policy: its name, command and roles. Owners' policies serve functions and views.
    static let policies: Set<String> = Set(
        """
        api_key_uses_owner all hearth_owner
        api_keys_authz select hearth_authz
        api_keys_owner all hearth_owner
        family_units_server_reads select hearth_server
        webhook_events_server_reads select hearth_server
        account_consents_account_reads select hearth_api
        account_consents_authz select hearth_authz
        account_consents_owner all hearth_owner
        audit_log_authz select hearth_authz
        audit_log_owner_append insert hearth_owner
        answered_challenges_owner all hearth_owner
        audit_exports_owner all hearth_owner
        audit_log_owner_purge delete hearth_owner
        audit_log_owner_read select hearth_owner
        audit_log_owner_renames update hearth_owner
        automatic_approval_owner all hearth_owner
        code_lookups_owner all hearth_owner
        code_settings_owner all hearth_owner
        consent_purposes_authz select hearth_authz
        console_links_owner all hearth_owner
        console_passkeys_owner all hearth_owner
        console_sessions_owner all hearth_owner
        consent_purposes_owner all hearth_owner
        consents_authz select hearth_authz
        consents_guardian_reads select hearth_api
        consents_owner all hearth_owner
        email_sign_ins_owner all hearth_owner
        erasures_owner all hearth_owner
        family_attributes_owner all hearth_owner
        family_attributes_resident_reads select hearth_api
        family_changes_audience_reads select hearth_api
        doctor_results_owner all hearth_owner
        domain_labels_owner all hearth_owner
        family_changes_owner all hearth_owner
        family_code_usage_log_owner all hearth_owner
        family_codes_owner all hearth_owner
        family_invitations_authz select hearth_authz
        family_invitations_inviter_or_governor_deletes delete authenticated
        family_invitations_member_reads select authenticated hearth_api
        family_invitations_owner all hearth_owner
        family_members_authz select hearth_authz
        family_members_creator_enters insert authenticated
        family_members_family_reads select authenticated hearth_api
        family_members_owner all hearth_owner
        former_ids_authz select hearth_authz
        former_ids_owner all hearth_owner
        family_units_account_creates insert authenticated
        family_units_authz select hearth_authz
        family_units_creator_reads_memberless select authenticated
        family_units_governor_changes update authenticated hearth_api
        family_units_member_reads select authenticated hearth_api
        family_units_owner all hearth_owner
        guardianships_authz select hearth_authz
        guardianships_family_reads select authenticated hearth_api
        guardianships_owner all hearth_owner
        family_versions_member_reads select hearth_api
        family_versions_authz select hearth_authz
        family_versions_owner all hearth_owner
        idempotency_keys_owner all hearth_owner
        invitation_secrets_owner all hearth_owner
        mail_verdicts_owner all hearth_owner
        email_tokens_owner all hearth_owner
        member_preferences_owner all hearth_owner
        member_preferences_self_or_guardian all hearth_api
        operators_owner all hearth_owner
        page_tickets_owner all hearth_owner
        passkeys_owner all hearth_owner
        passwords_owner all hearth_owner
        pending_changes_owner all hearth_owner
        process_samples_owner all hearth_owner
        processes_owner all hearth_owner
        rate_limits_owner all hearth_owner
        provider_tokens_owner all hearth_owner
        refresh_tokens_owner all hearth_owner
        refused_invitations_owner all hearth_owner
        role_changes_owner all hearth_owner
        role_conflicts_author_reads select hearth_api
        role_conflicts_owner all hearth_owner
        sessions_authz select hearth_authz
        sessions_owner all hearth_owner
        sign_ins_log_owner all hearth_owner
        standby_readers_api_reads select hearth_api
        standby_readers_owner all hearth_owner
        suppressed_addresses_owner all hearth_owner
        trusted_issuers_owner all hearth_owner
        unlinked_sign_ins_owner all hearth_owner
        user_aliases_authz select hearth_authz
        user_aliases_owner all hearth_owner
        user_changes_owner all hearth_owner
        user_changes_self_reads select hearth_api
        user_identities_authz select hearth_authz
        user_identities_owner all hearth_owner
        user_versions_authz select hearth_authz
        user_versions_owner all hearth_owner
        user_versions_self_reads select hearth_api
        users_authz select hearth_authz
        users_owner all hearth_owner
        users_relative_reads select authenticated hearth_api
        users_self_or_guardian_changes update authenticated hearth_api
        webhook_attempts_owner all hearth_owner
        webhook_deliveries_owner all hearth_owner
        wrong_code_hours_owner all hearth_owner
        wrong_codes_owner all hearth_owner
        webhook_endpoints_owner all hearth_owner
        webhook_events_owner all hearth_owner
        """.split(separator: "\n").map { "policy \($0)" })

    /// Functions that clients may call and that run as their owner: all except functions that
    /// return facts about the caller, and functions that begin a request.
    static var definers: Set<String> {
        let invokers: Set<String> = [
            "account_id", "set_subject", "actor_id", "user_id", "claims_mark", "claims_unchanged",
            "begin_request",
            "max_invitation_looks", "invitation_looks_window", "other_player_details",
            "display_name",
            "begin_session",
        ]
        return Set(
            functions.subtracting(invokers).map {
                "app.\($0) runs as its owner\(forms[$0] ?? "")"
            }
        )
        .union(
            [
                "gateway.begin_request", "jobs.enqueue", "jobs.failing_queues", "jobs.pauses",
                "jobs.stats",
            ].map { "\($0) runs as its owner" }
        )
        .union(
            [
                "number_events", "record_key_uses", "server_add_invitation_secret",
                "server_create_invitation", "take_key_uses",
            ].map { "app.\($0) runs as its owner" }
        )
        .union(triggers.map { "app.\($0) runs as its owner" })
    }

    /// Triggers that count, read or write with rights that the writing role lacks.
    static let triggers: Set<String> = [
        "audit_family_statement", "audit_invitation_statement", "audit_issuer_statement",
        "audit_member_statement", "audit_preferences_statement", "audit_user_statement",
        "assign_family_code", "enforce_slot_limit", "limit_families_created",
        "enforce_family_limit", "normalise_family", "normalise_person", "record_empty_since",
        "give_changed_member_slot",
        "give_new_member_slot", "record_primary_guardian", "end_guardianships_of_child",
        "end_guardianships_of_adult",
        "emit_member_changed_event", "emit_user_erased_event", "emit_family_event",
        "emit_invitation_event",
        "emit_member_joined_event",
        "begin_family_versions", "begin_user_versions", "record_change_of_attributes",
        "record_change_of_consent", "record_change_of_family", "record_change_of_guardianship",
        "record_change_of_invitation", "record_change_of_member", "record_change_of_preferences",
        "record_change_of_user", "record_role_change",
        "raise_versions_at_commit",
        "label_domain", "update_stand_ins", "apply_stated_role", "update_entered_after_key",
    ]

    /// Role memberships.
    static let memberships: Set<String> = [
        "hearth_owner is hearth_authz", "hearth_migrator is hearth_owner",
        "authenticator is anon", "authenticator is authenticated",
    ]

    static var expected: Set<String> {
        written.subtracting(["anon none"]).union(policies).union(definers).union(memberships)
            .union(functions.map { "hearth_api execute app.\($0)\(forms[$0] ?? "")" })
    }

    /// Names of overloaded functions. An entry applies to all overloads.
    private static let forms = [
        "begin_request": " in 2 forms", "begin_session": " in 2 forms",
    ]

    /// Differences: `+` exists and should not, `-` the reverse.
    static func differences(_ connection: Connection) throws(PostgresError) -> [String] {
        let found = Set(
            try connection.query(query).map { (row) throws(PostgresError) in
                try row.read(String.self)
            })
        return found.subtracting(expected).map { "+ \($0)" }.sorted()
            + expected.subtracting(found).map { "- \($0)" }.sorted()
    }
}
