package import Domain
package import Postgres

/// The beginning of a request with an API key.
package struct BegunServerRequest: RowDecodable, Sendable {
    package enum Outcome: String, PostgresWord, Sendable {
        case known
        /// The key doesn't exist, was revoked or has expired.
        case unknown
        case insufficientScope = "insufficient_scope"
    }

    package let outcome: Outcome
    /// The key; nil if it is unknown.
    package let key: APIKeyID?
    /// The key's scopes, separated by spaces; empty if it is unknown.
    private let scopeWords: String

    package static let row = RowDecoder(Self.init)

    /// The scopes of the key.
    package var scopes: Set<KeyScope> {
        Set(scopeWords.split(separator: " ").compactMap { KeyScope(rawValue: String($0)) })
    }
}

/// Requests of a key that the database has reserved for a process.
package struct TakenUses: RowDecodable, Sendable {
    package let granted: Int32
    /// Time until the end of the minute in which the process may use the reserved requests.
    package let endsInMilliseconds: Int32
    /// The key's limit.
    package let most: Int32

    package init(granted: Int32, endsInMilliseconds: Int32, most: Int32) {
        self.granted = granted
        self.endsInMilliseconds = endsInMilliseconds
        self.most = most
    }

    package static let row = RowDecoder(Self.init)
}

/// A family as keys read it.
package struct ServerFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    package let createdBy: UserID
    package let memberLimit: Int16
    package let isApprovalRequired: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A member as keys read it.
package struct ServerMember: RowDecodable, Sendable {
    package let id: MemberID
    package let family: FamilyID
    package let user: UserID
    package let isManaged: Bool
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let addedAt: Timestamp
    package let displayName: String
    /// The address; empty if there is none or the key may not read it.
    package let email: String
    package let isEmailVerified: Bool
    private let guardianColumn: [ListedGuardian]?

    package static let row = RowDecoder(Self.init)

    /// The guardians of a child, the primary one first.
    package var guardians: [ListedGuardian] { ListedGuardian.listed(guardianColumn) }
}

/// A person as keys read it.
package struct ServerPerson: RowDecodable, Sendable {
    package let id: UserID
    package let isManaged: Bool
    package let role: MemberRole
    package let displayName: String
    /// The address; empty if there is none or the key may not read it.
    package let email: String
    package let isEmailVerified: Bool
    package let createdAt: Timestamp
    private let guardianColumn: [ListedGuardian]?

    package static let row = RowDecoder(Self.init)

    /// The guardians of a child, the primary one first.
    package var guardians: [ListedGuardian] { ListedGuardian.listed(guardianColumn) }
}

/// An event as keys read it: the same as in a webhook's request.
package struct ServerEvent: RowDecodable, Sendable {
    package let id: WebhookEventID
    package let type: String
    package let occurredAt: Timestamp
    /// Number of the event, which grows within a family.
    package let number: Int64
    /// Data of the event, as a JSON object.
    package let data: PostgresJSON
    /// Position among all events.
    package let position: Int64

    package static let row = RowDecoder(Self.init)
}

/// The result of inviting with a key.
package struct ServerInvitation: RowDecodable, Sendable {
    private let id: InvitationID?
    private let generation: Int32?
    private let expiresAt: Timestamp?
    private let delivery: InvitationDelivery
    private let isRenewed: Bool?
    /// Code of the refusal if the address can't be invited; nil otherwise. A refused attempt
    /// counts as an invitation.
    package let refusal: String?

    package static let row = RowDecoder(Self.init)

    /// The invitation; nil if it was refused.
    package var issued: IssuedInvitation? {
        guard let id, let generation, let expiresAt, let isRenewed else { return nil }
        return IssuedInvitation(
            id: id, generation: generation, expiresAt: expiresAt, delivery: delivery,
            isRenewed: isRenewed)
    }
}

/// Statements of requests with API keys, with the role `hearth_server`.
package enum Servers {
    /// Reserves requests of a key for this process. Parameters: the key's SHA-256, the number of
    /// requests wanted. Returns no row if the key is not valid.
    package static let takeUses = Statement<TakenUses, PostgresBytes, Int32>(
        "SELECT granted, ends_in_ms, most FROM app.take_key_uses($1, $2)")

    /// Records served requests. Parameters: SHA-256 of each key, number of requests of each.
    package static let recordUses = Statement<NoRow, [PostgresBytes], [Int64]>(
        "SELECT FROM app.record_key_uses($1, $2)")

    /// Begins a request. Parameters: the key's SHA-256, the scope that the operation needs. No row
    /// is visible before this statement, nor afterwards unless its outcome is `known`.
    package static let begin = Statement<BegunServerRequest, PostgresBytes, KeyScope>(
        """
        SELECT outcome, key_id, coalesce(array_to_string(scopes, ' '), '')
        FROM app.begin_server_request($1, $2)
        """)

    /// Begins a change like `begin`, and sets the request's id for the audit log. Parameters: those
    /// of `begin`, the id.
    package static let beginChange = Statement<BegunServerRequest, PostgresBytes, KeyScope, String>(
        """
        SELECT b.outcome, b.key_id, coalesce(array_to_string(b.scopes, ' '), '')
        FROM (SELECT set_config('hearth.request', $3, true)) AS r
        CROSS JOIN app.begin_server_request($1, $2) AS b
        """)

    private static let familyColumns = """
        id, family_name, created_by_user_id, member_limit, approval_required, created_at,
        updated_at
        """

    /// Returns a page of all families, by id. Parameters: the id after which to begin (null: from
    /// the first), maximum number.
    package static let families = Statement<ServerFamily, FamilyID?, Int32>(
        """
        SELECT \(familyColumns) FROM app.family_units
        WHERE id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
        ORDER BY id LIMIT $2
        """)

    /// Returns a family; no row if there is none.
    package static let family = Statement<ServerFamily, FamilyID>(
        "SELECT \(familyColumns) FROM app.family_units WHERE id = $1")

    private static let memberColumns = """
        id, family_unit_id, user_id, is_managed, role, household_role, added_at, display_name,
        email, email_verified, guardians
        """

    /// Returns the active members of a family in the order in which they joined.
    package static let members = Statement<ServerMember, FamilyID>(
        """
        SELECT \(memberColumns) FROM app.server_members WHERE family_unit_id = $1
        ORDER BY added_at, id LIMIT 100
        """)

    /// Returns the active memberships of a person.
    package static let memberships = Statement<ServerMember, UserID>(
        """
        SELECT \(memberColumns) FROM app.server_members WHERE user_id = $1
        ORDER BY added_at, id LIMIT 100
        """)

    /// Returns a person; no row if there is none, or the person was erased.
    package static let person = Statement<ServerPerson, UserID>(
        """
        SELECT id, is_managed, role, display_name, email, email_verified, created_at, guardians
        FROM app.server_people WHERE id = $1
        """)

    /// Returns the account that signs in with a subject. Parameters: issuer, SHA-256 of the sign-in
    /// (``RequestIdentities``).
    package static let personOfSubject = Statement<Scalar<UserID?>, String, PostgresBytes>(
        "SELECT app.person_of_subject($1, $2)")

    /// Gives new events their positions.
    package static let numberEvents = Statement<NoRow>("SELECT FROM app.number_events()")

    /// Returns the events after a position (null: from the first). Parameters: position, maximum
    /// number.
    package static let events = Statement<ServerEvent, Int64?, Int32>(
        """
        SELECT id, event_type, occurred_at, number, data, stream_number FROM app.webhook_events
        WHERE stream_number > coalesce($1, 0)
        ORDER BY stream_number LIMIT $2
        """)

    /// Returns whether the event at a position has this id. False if the event is no longer stored,
    /// or if the position was given to another event after a failover.
    package static let isEventAt = Statement<Scalar<Bool>, Int64, WebhookEventID>(
        """
        SELECT EXISTS (
            SELECT FROM app.webhook_events WHERE stream_number = $1 AND id = $2)
        """)

    /// Creates an invitation in the key's name, or renews the key's pending one for the address.
    /// Parameters: family, address, role, household role, delivery. `addSecret` must follow in the
    /// same transaction, which must be committed even if the address can't be invited.
    package static let createInvitation = Statement<
        ServerInvitation, FamilyID, String?, MemberRole, HouseholdRole?, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed, refusal
        FROM app.server_create_invitation($1, $2, $3, $4, $5)
        """)

    /// Stores the SHA-256 of a link's token, and enqueues the e-mail of an invitation by e-mail.
    /// Parameters: invitation, number of the link, digest.
    package static let addSecret = Statement<NoRow, InvitationID, Int32, PostgresBytes>(
        "SELECT FROM app.server_add_invitation_secret($1, $2, $3)")
}

extension ListedGuardian {
    /// Returns the guardians in a column whose first element is the primary guardian.
    fileprivate static func listed(_ column: [ListedGuardian]?) -> [ListedGuardian] {
        list(column, primary: column?.first?.user)
    }
}
