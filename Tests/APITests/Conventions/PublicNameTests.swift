import Domain
import DomainCore
import FamilySettings
import Testing
import UseCases

@testable import API

/// The names that clients, operators and their files contain. Each list is written by hand, so that
/// a name which a renaming changes by mistake fails a test. `DescriptionTests` lists the routes
/// with their operation ids, `MetricsTests` the metrics and the kinds of jobs.
@Suite("Public names")
struct PublicNameTests {
    private func expect(
        _ names: [String], _ list: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let listed = list.split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(
            Set(names).symmetricDifference(listed).sorted() == [], sourceLocation: location)
        #expect(names.count == listed.count, sourceLocation: location)
    }

    @Test("the codes of refusals and faults are the listed ones")
    func codes() {
        expect(RefusalCode.allCases.map(\.rawValue), Self.refusals)
        expect(FaultCode.allCases.map(\.rawValue), Self.faults)
        expect(OperatorRefusalCode.allCases.map(\.rawValue), Self.operatorRefusals)
    }

    @Test("the types of webhook events and the kinds of changes are the listed ones")
    func events() {
        expect(WebhookEventType.allCases.map(\.rawValue), Self.webhookEvents)
        expect(ChangeKind.allCases.map(\.rawValue), Self.changes)
    }

    @Test("the settings are the listed ones")
    func settings() {
        expect(HearthSettings.all.map(\.declaration.name), Self.settings)
    }

    /// Codes of refusals, on the wire and in metrics.
    private static let refusals = """
        account_blocked account_required acting_refused admin_not_adult already_invited
        already_member attributes_too_large browser_refused challenge_expired code_expired
        code_malformed code_unknown code_wrong consent_missing consent_outdated consent_required
        cursor_expired erasure_blocked family_full family_not_found family_required
        fresh_sign_in_required
        guardian_has_managed_members guardian_not_adult idempotency_key_in_use
        idempotency_key_reused identity_in_use identity_not_found identity_of_issuer_exists
        insufficient_scope invalid_api_key invalid_credentials invalid_field invalid_refresh_token
        invitation_answered invitation_expired invitation_just_sent invitation_not_found
        key_limit_reached last_identity member_is_not_waiting member_is_waiting member_not_found
        missing_field no_verified_address not_the_addressee not_the_graduate not_while_acting
        oneself operator_role_stands parent_admin_exists passkey_exists passkey_invalid
        passkey_not_found passkey_refused password_too_weak person_already_member person_not_found
        player_has_family preferences_of_another preferences_too_large privileged_field
        purpose_not_found removed_from_family retry_later role_fixed_in_family role_mismatch
        role_too_high seat_reserved session_ended session_not_found session_required sign_in_again
        standing_too_low target_is_managed target_is_parent_admin too_many_attempts
        too_many_families too_many_guardians too_many_invitations too_many_keys too_many_passkeys
        transfer_admin_first visitors_only_read
        """

    /// Codes of malformed requests and of failures of the server.
    private static let faults = """
        body_too_large database_away database_busy database_restart_needed draining
        headers_too_large internal invalid_body invalid_token keys_pending
        malformed_acting_as malformed_request method_not_allowed not_acceptable not_found
        not_signed_in outcome_unknown pooler_unfit precondition_failed schema_behind
        secret_key_differs unavailable unsupported_media_type
        """

    /// Codes that only operators get.
    private static let operatorRefusals = """
        address_not_suppressed address_suppressed already_admin api_key_exists api_key_expired
        api_key_not_found api_key_rotating audit_month_open audit_not_exported export_not_begun
        family_ambiguous guardian_changed job_not_found last_admin
        member_ambiguous no_inviter not_an_operator operator_exists operator_not_found
        role_does_not_allow secret_key_differs user_ambiguous user_not_found webhook_changed
        webhook_not_found webhook_not_tried
        """

    /// Types of webhook events.
    private static let webhookEvents = """
        account.erased family.created family.updated invitation.accepted invitation.created
        invitation.declined managed.created managed.graduated member.joined member.left
        member.removed member.role_changed
        """

    /// Kinds of changes in `GET /api/sync`.
    private static let changes = """
        attributes family invitation member playerDetails preferences profile
        receivedInvitation
        """

    /// Settings of the programs.
    private static let settings = """
        HEARTH_ADMIN_DATABASE_URL HEARTH_ADMIN_PASSWORD HEARTH_ANDROID_APPS HEARTH_API_PASSWORD
        HEARTH_APPLE_APP_IDS HEARTH_APP_ACCENT HEARTH_APP_LINKS HEARTH_APP_LOGO_FILE
        HEARTH_APP_NAME HEARTH_APP_SCHEME HEARTH_APP_STORE_URL HEARTH_AUTHENTICATOR_PASSWORD
        HEARTH_CODE_LENGTH HEARTH_CONNECTIONS HEARTH_CONNECTIONS_PER_ADDRESS
        HEARTH_CONSENTS_FILE HEARTH_CONSOLE_LISTEN HEARTH_CONSOLE_MAILED_CODES
        HEARTH_CONSOLE_PROXY_ADDRESSES HEARTH_CONSOLE_PROXY_HEADER HEARTH_CONSOLE_PROXY_SECRET
        HEARTH_CONSOLE_PUBLIC_URL
        HEARTH_CONSOLE_SESSION_HOURS HEARTH_CORS_ORIGINS HEARTH_DATABASE_POOL HEARTH_DATABASE_URL
        HEARTH_DEMO_LINKS_FILE HEARTH_HTTP_THREADS HEARTH_ISSUERS_FILE HEARTH_KEEP_AUDIT_DAYS
        HEARTH_KEEP_CODE_LOG_DAYS HEARTH_KEEP_EMPTY_FAMILIES_DAYS
        HEARTH_KEEP_IDEMPOTENCY_KEYS_DAYS HEARTH_KEEP_INVITATIONS_DAYS
        HEARTH_KEEP_JOB_HISTORY_DAYS HEARTH_KEEP_REMOVED_MEMBERS_DAYS
        HEARTH_KEEP_RETIRED_CODES_DAYS HEARTH_KEEP_SESSIONS_DAYS HEARTH_KEEP_SIGN_INS_DAYS
        HEARTH_KEEP_UNEXPORTED_AUDIT
        HEARTH_KEEP_WEBHOOK_EVENTS_DAYS HEARTH_LISTEN HEARTH_LOG_LEVEL HEARTH_MAIL_FROM
        HEARTH_MAIL_REPLY_TO HEARTH_MAIL_TEMPLATES HEARTH_MAIL_THREADS HEARTH_METRICS_LISTEN
        HEARTH_MIGRATE_DATABASE_URL HEARTH_MIGRATOR_PASSWORD HEARTH_OPERATOR
        HEARTH_OTLP_AUTHORIZATION HEARTH_OTLP_ONE_IN HEARTH_OTLP_URL HEARTH_OUTBOX_DIR
        HEARTH_PASSKEY_DOMAIN HEARTH_PASSKEY_ORIGINS HEARTH_PLAY_STORE_URL HEARTH_POSTGREST_URL
        HEARTH_PREPARED_STATEMENTS HEARTH_PUBLIC_URL HEARTH_READ_CACHE HEARTH_READ_DATABASE_URL
        HEARTH_SECRET_KEY HEARTH_SERVER_DATABASE_URL HEARTH_SERVER_PASSWORD HEARTH_SHUTDOWN_DELAY
        HEARTH_SIGNING_KEYS_FILE HEARTH_SIGN_IN HEARTH_SMTP_CA_FILE HEARTH_SMTP_PASSWORD
        HEARTH_SMTP_TLS HEARTH_SMTP_URL HEARTH_SMTP_USER HEARTH_SUPPORT_EMAIL HEARTH_TRUSTED_PROXIES
        HEARTH_VIEWER_DATABASE_URL HEARTH_VIEWER_PASSWORD
        HEARTH_WEBHOOK_CA_FILE HEARTH_WEBHOOK_LOOPBACK HEARTH_WORKER_DATABASE_URL
        HEARTH_WORKER_PASSWORD HEARTH_WRONG_CODES_A_MINUTE
        """
}
