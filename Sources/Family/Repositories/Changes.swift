package import Domain
package import Postgres

/// Current version of something the caller follows: the caller's own data, or a family.
package struct FollowedVersion: RowDecodable, Sendable {
    /// The user, or the family.
    package let id: UInt128
    /// Version of the last change; each change increments it.
    package let version: Int64
    /// Changes up to this version are deleted.
    package let purgedVersion: Int64
    /// Time at which the version was assigned; nil if it was not recorded yet.
    package let raisedAt: Timestamp?
    /// Hash of the id, by which `changedSince` identifies it.
    package let idHash: Int64
    /// Whether this is the caller's own version, not a family's.
    package let isOwn: Bool

    package static let row = RowDecoder(Self.init)
}

/// An entity on a page of changes: one that changed or, in a full read, any that exists.
package struct ChangedEntity: RowDecodable, Sendable {
    package let kind: ChangeKind
    /// The id of the user, member, family or invitation. Preferences have their owner's id; player
    /// details and attributes have their family's.
    package let id: UInt128
    /// The family; nil for a profile and for a received invitation.
    package let family: FamilyID?
    /// Version of its last change.
    package let version: Int64
    /// Whether clients know the id as a managed child's, and whether they know it as an account's.
    /// Both are true for a child that has since got an account.
    package let isManaged: Bool
    package let isAccount: Bool

    package static let row = RowDecoder(Self.init)
}

/// A changed family or person, or an ended session, to wake long polls.
package struct RecentChange: RowDecodable, Sendable {
    /// Hash of the id, as in `FollowedVersion.idHash`; for a session, the hash of its id.
    package let idHash: Int64
    package let version: Int64

    package static let row = RowDecoder(Self.init)
}

/// Transactions that a snapshot could not see: those in progress, and later ones.
package struct TransactionSnapshot: RowDecodable, Sendable {
    /// Start of the snapshot's transaction, by the database's clock.
    package let moment: Timestamp
    /// Ids of transactions in progress that are below `end`.
    package let underWay: [Int64]
    /// Upper bound of ended transactions: none with this id or a higher one had ended, although
    /// some may have begun.
    package let end: Int64
    /// Upper bound of writing transactions: none with this id or a higher one had begun to write.
    package let next: Int64

    package init(moment: Timestamp, underWay: [Int64], end: Int64, next: Int64) {
        self.moment = moment
        self.underWay = underWay
        self.end = end
        self.next = next
    }

    package static let row = RowDecoder(Self.init)
}

/// Statements that read changes in their order. Pages of changes begin after a position: version,
/// kind, id and family of the last entity that was read.
package enum Changes {
    /// Returns the subject's own version (no row without a caller), and then the versions of the
    /// families in which the subject is an active member. One statement reads all of them, so that
    /// all changes of one transaction to a person and the person's families are seen together.
    /// `OFFSET 0` makes PostgreSQL look up each family by its id: with a join it could read the
    /// whole table, because the planner does not know how few families there are.
    package static let followed = Statement<FollowedVersion>(
        """
        SELECT user_id, version, purged_version, raised_at, hashtextextended(user_id::text, 0),
            true
        FROM app.user_versions WHERE user_id = app.user_id()
        UNION ALL
        (SELECT f.family_unit_id, v.version, v.purged_version, v.raised_at,
            hashtextextended(f.family_unit_id::text, 0), false
        FROM app.my_families AS f
        CROSS JOIN LATERAL (
            SELECT v.version, v.purged_version, v.raised_at FROM app.family_versions AS v
            WHERE v.family_unit_id = f.family_unit_id OFFSET 0) AS v
        ORDER BY f.family_unit_id LIMIT 100)
        """,
        forEach: """
            SELECT v.user_id, v.version, v.purged_version, v.raised_at,
                hashtextextended(v.user_id::text, 0), true
            FROM app.user_versions_of_batch AS v WHERE v.caller_index = q.caller_index
            UNION ALL
            (SELECT v.family_unit_id, v.version, v.purged_version, v.raised_at,
                hashtextextended(v.family_unit_id::text, 0), false
            FROM app.family_versions_of_batch AS v WHERE v.caller_index = q.caller_index
            ORDER BY v.family_unit_id LIMIT 100)
            """)

    /// Returns the families in which the subject is a former member.
    package static let formerFamilies = Statement<Scalar<FamilyID>>(
        """
        SELECT family_unit_id FROM app.family_members
        WHERE user_id = app.user_id() AND status = 'removed' ORDER BY removed_at DESC LIMIT 1000
        """)

    /// Returns the versions of these families in which the subject's memberships ended.
    package static let versionsOnLeaving = Statement<Pair<UInt128, Int64>, [UInt128]>(
        "SELECT family_unit_id, version FROM app.versions_on_leaving($1)")

    /// Returns the subject's own entities that changed between two versions, each with its last
    /// version. Parameters: version after which to begin, last version, position, maximum number.
    package static let ownSince = Statement<
        ChangedEntity, Int64, Int64, Int64, String, UInt128, UInt128, Int32
    >(
        """
        SELECT c.kind, c.id, c.family_unit_id, max(c.version), bool_or(c.is_managed),
            bool_or(NOT c.is_managed)
        FROM app.user_changes AS c
        WHERE c.user_id = app.user_id() AND c.version > $1 AND c.version <= $2
        GROUP BY c.kind, c.id, c.family_unit_id
        HAVING (max(c.version), c.kind, c.id, coalesce(c.family_unit_id, c.id)) > ($3, $4, $5, $6)
        ORDER BY max(c.version), c.kind, c.id, coalesce(c.family_unit_id, c.id) LIMIT $7
        """)

    /// Returns the changed entities of a family, like `ownSince`. Each change is also returned as a
    /// change of the family itself: the family's fields depend on its members, and the family's
    /// last version shows clients how much they have read.
    package static let ofFamilySince = Statement<
        ChangedEntity, FamilyID, Int64, Int64, Int64, String, UInt128, Int32
    >(
        """
        WITH changes AS (
            SELECT c.kind, c.id, c.version, c.is_managed FROM app.family_changes AS c
            WHERE c.family_unit_id = $1 AND c.version > $2 AND c.version <= $3)
        SELECT c.kind, c.id, $1, max(c.version), bool_or(c.is_managed),
            bool_or(NOT c.is_managed)
        FROM (
            SELECT kind, id, version, is_managed FROM changes
            UNION ALL SELECT 'family', $1, version, false FROM changes) AS c
        GROUP BY c.kind, c.id
        HAVING (max(c.version), c.kind, c.id) > ($4, $5, $6)
        ORDER BY max(c.version), c.kind, c.id LIMIT $7
        """)

    /// Returns all of the subject's own entities. Parameters: version to assign to them, position,
    /// maximum number.
    package static let allOwn = Statement<
        ChangedEntity, Int64, String, UInt128, UInt128, Int32
    >(
        """
        SELECT s.kind, s.id, s.family_unit_id, $1, s.is_managed, NOT s.is_managed
        FROM (
            SELECT 'profile' AS kind, p.id, NULL::uuid AS family_unit_id,
                p.kind = 'managed' AS is_managed
            FROM app.my_profile AS p
            UNION ALL SELECT 'profile', w.user_id, NULL, true FROM app.children_of_account AS w
            UNION ALL
            SELECT 'preferences', p.user_id, p.family_unit_id,
                p.user_id <> app.user_id() OR app.account_id() IS NULL
            FROM app.member_preferences AS p
            UNION ALL
            SELECT 'receivedInvitation', i.id, NULL, false FROM app.invitations_to_me AS i) AS s
        WHERE (s.kind, s.id, coalesce(s.family_unit_id, s.id)) > ($2, $3, $4)
        ORDER BY s.kind, s.id, coalesce(s.family_unit_id, s.id) LIMIT $5
        """)

    /// Returns all entities of a family. Parameters: family, version, position, maximum number.
    package static let allOfFamily = Statement<
        ChangedEntity, FamilyID, Int64, String, UInt128, Int32
    >(
        """
        SELECT s.kind, s.id, $1, $2, s.is_managed, NOT s.is_managed
        FROM (
            SELECT 'family' AS kind, f.family_unit_id AS id, false AS is_managed
            FROM app.my_family_list AS f WHERE f.family_unit_id = $1
            UNION ALL
            SELECT 'playerDetails', f.family_unit_id, false
            FROM app.my_family_list AS f
            WHERE f.family_unit_id = $1 AND f.player_details IS NOT NULL
            UNION ALL
            SELECT 'attributes', a.family_unit_id, false
            FROM app.family_attributes AS a WHERE a.family_unit_id = $1
            UNION ALL
            SELECT 'member', m.id, m.is_managed
            FROM app.member_list AS m WHERE m.family_unit_id = $1
            UNION ALL
            SELECT 'invitation', i.id, false
            FROM app.invitation_list AS i
            WHERE i.family_unit_id = $1 AND i.status = 'pending') AS s
        WHERE (s.kind, s.id) > ($3, $4)
        ORDER BY s.kind, s.id LIMIT $5
        """)

    /// Returns the time at which a family's version was assigned; the follower has already seen
    /// this version.
    package static let familyVersionRaisedAt = Statement<Scalar<Timestamp?>, FamilyID, Int64>(
        "SELECT app.family_version_raised_at($1, $2)")

    /// Returns the time at which a version of the subject's account was assigned.
    package static let myVersionRaisedAt = Statement<Scalar<Timestamp?>, Int64>(
        "SELECT app.my_version_raised_at($1)")

    /// Returns the hash with which `changedSince` identifies a session, whose version becomes 1
    /// when the session ends.
    package static let hashOfSession = Statement<Scalar<Int64>, SessionID>(
        "SELECT hashtextextended($1::text, 0)",
        forEach: "SELECT hashtextextended(q.p1::text, 0)")

    /// Sets the versions that the transaction expects; its changes fail unless these are still
    /// current. Parameter: ids, each followed by its version.
    package static let expectVersions = Statement<NoRow, String>(
        "SELECT FROM set_config('hearth.expected_versions', $1, true)")

    /// Returns the families and people that have changed, and the sessions that have ended, since
    /// the last snapshot. Parameters: ids of the transactions in progress then, for each the time
    /// before which it had written nothing, the first id of all later transactions, the time of
    /// that id, the time of the last snapshot, maximum number of seconds to go back. Needs no
    /// caller.
    package static let changedSince = Statement<
        RecentChange, [Int64], [Timestamp], Int64, Timestamp, Timestamp, Double
    >("SELECT id_hash, version FROM app.changed_since($1, $2, $3, $4, $5, $6)")

    /// Returns the current snapshot, to which later calls of `changedSince` may go back. Needs no
    /// caller.
    ///
    /// A snapshot does not contain the id of the next transaction: its upper bound follows the
    /// highest id that has ended, and transactions with higher ids may be in progress. So the
    /// statement derives the id from `age('3')`, the lower 32 bits of the distance from the first
    /// id to the next one.
    package static let snapshot = Statement<TransactionSnapshot>(
        """
        SELECT transaction_timestamp(), s.under_way, s.stop,
            s.stop + ((3 + age('3'::xid)::bigint - s.stop) & 4294967295)
        FROM (
            SELECT ARRAY(SELECT pg_snapshot_xip(now)::text::bigint) AS under_way,
                pg_snapshot_xmax(now)::text::bigint AS stop
            FROM pg_current_snapshot() AS now) AS s
        """)

    /// Returns the indices of those families, people and sessions in a list whose versions differ
    /// now. Parameters: ids, versions, and the times at which the versions were assigned (the epoch
    /// if unknown). Needs no caller.
    package static let outdated = Statement<Scalar<Int64>, [UInt128], [Int64], [Timestamp]>(
        "SELECT list_index FROM app.outdated_versions($1, $2, $3)")
}

extension ChangeKind: PostgresWord {}
