package import Domain
package import Postgres

/// How far the changes go of what a caller follows: its own, or those of a family.
package struct FollowedVersion: RowDecodable, Sendable {
    /// The user, or the family.
    package let id: UInt128
    /// The version that the last change has; each change has the next number.
    package let version: Int64
    /// Changes up to this version are forgotten.
    package let purgedVersion: Int64
    /// When the version was given; nil if that was not recorded yet.
    package let raisedAt: Timestamp?
    /// What `lately` calls it.
    package let idHash: Int64
    /// Whether it is the caller's own, and not a family's.
    package let isOwn: Bool

    package static let row = RowDecoder(Self.init)
}

/// Something that was changed, or that is there.
package struct ChangedThing: RowDecodable, Sendable {
    package let kind: ChangeKind
    /// The user, member, family or invitation that it is, or whose it is.
    package let id: UInt128
    /// Nil for a profile and for an invitation that was received.
    package let family: FamilyID?
    /// That of its last change.
    package let version: Int64
    /// Whether clients know the id as that of a managed child, and whether as that of an account:
    /// both of a child that has grown up since.
    package let isManaged: Bool
    package let isAccount: Bool

    package static let row = RowDecoder(Self.init)
}

/// A family or person that has changed, for waking those who wait.
package struct LateChange: RowDecodable, Sendable {
    /// The family's or person's id as `FollowedVersion.idHash` has it, or the session's.
    package let idHash: Int64
    package let version: Int64

    package static let row = RowDecoder(Self.init)
}

/// What a look could not see yet: the transactions that were under way, and those to come.
package struct ChangeHorizon: RowDecodable, Sendable {
    /// When the look's transaction began, by the database's clock.
    package let moment: Timestamp
    /// Transactions under way with numbers below `end`.
    package let underWay: [Int64]
    /// No transaction with this number or a higher one had ended. Some may have begun.
    package let end: Int64
    /// No transaction with this number or a higher one had begun to write.
    package let next: Int64

    package init(moment: Timestamp, underWay: [Int64], end: Int64, next: Int64) {
        self.moment = moment
        self.underWay = underWay
        self.end = end
        self.next = next
    }

    package static let row = RowDecoder(Self.init)
}

/// What was changed, in which order. Lists of changes begin after a place: version, kind, id and
/// family of the last thing that was read.
package enum Changes {
    /// The subject's own version, which nobody has without a caller, and then those of the
    /// families that it is an active member of. One statement reads all of them, so that what one
    /// transaction has changed of a person and of its families is found at once. `OFFSET 0` has
    /// each family looked up by its id: joined, the table could be read whole, because the planner
    /// does not know how few there are.
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
            FROM app.user_versions_of_batch AS v WHERE v.place = q.place
            UNION ALL
            (SELECT v.family_unit_id, v.version, v.purged_version, v.raised_at,
                hashtextextended(v.family_unit_id::text, 0), false
            FROM app.family_versions_of_batch AS v WHERE v.place = q.place
            ORDER BY v.family_unit_id LIMIT 100)
            """)

    /// Families that the subject was in, and is no more.
    package static let formerFamilies = Statement<Scalar<FamilyID>>(
        """
        SELECT family_unit_id FROM app.family_members
        WHERE user_id = app.user_id() AND status = 'removed' ORDER BY removed_at DESC LIMIT 1000
        """)

    /// At which versions of these families the subject's memberships of them ended.
    package static let versionsWhenLeft = Statement<Pair<UInt128, Int64>, [UInt128]>(
        "SELECT family_unit_id, version FROM app.versions_when_left($1)")

    /// The subject's own things that were changed from after a version up to another, each with its
    /// last version: from, to, place, how many.
    package static let mineSince = Statement<
        ChangedThing, Int64, Int64, Int64, String, UInt128, UInt128, Int32
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

    /// The same of a family. With each change the family itself counts as changed: what is shown of
    /// it depends on its members, and its last version tells how far the client is.
    package static let ofFamilySince = Statement<
        ChangedThing, FamilyID, Int64, Int64, Int64, String, UInt128, Int32
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

    /// All things of the subject's own: version to give them, place, how many.
    package static let allMine = Statement<
        ChangedThing, Int64, String, UInt128, UInt128, Int32
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

    /// The same of a family: the family, version, place, how many.
    package static let allOfFamily = Statement<
        ChangedThing, FamilyID, Int64, String, UInt128, Int32
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

    /// When a version of a family was given that its follower has seen.
    package static let familyVersionRaisedAt = Statement<Scalar<Timestamp?>, FamilyID, Int64>(
        "SELECT app.family_version_raised_at($1, $2)")

    /// The same of the subject's own.
    package static let myVersionRaisedAt = Statement<Scalar<Timestamp?>, Int64>(
        "SELECT app.my_version_raised_at($1)")

    /// What `lately` calls a session, whose version becomes 1 when it ends.
    package static let ofSession = Statement<Scalar<Int64>, SessionID>(
        "SELECT hashtextextended($1::text, 0)",
        forEach: "SELECT hashtextextended(q.p1::text, 0)")

    /// Lets a change on only if the versions that are named, each behind its id, are still right.
    package static let expect = Statement<NoRow, String>(
        "SELECT FROM set_config('hearth.expected_versions', $1, true)")

    /// The families and people that have changed, and the sessions that have ended, since the last
    /// look: the transactions that were under way then, the moment before which each had written
    /// nothing, the first number of all others to come, their moment, the moment of the last look,
    /// and how many seconds to go back at most. Needs no caller.
    package static let lately = Statement<
        LateChange, [Int64], [Timestamp], Int64, Timestamp, Timestamp, Double
    >("SELECT id_hash, version FROM app.changed_since($1, $2, $3, $4, $5, $6)")

    /// The present moment, as one that the next looks may go back to. Needs no caller.
    ///
    /// A snapshot does not tell which number the next transaction gets: it ends behind the last
    /// number that has ended, and higher ones may be under way. `age` reads the counter, of which
    /// it tells the lower 32 bits, counted from the first number.
    package static let horizon = Statement<ChangeHorizon>(
        """
        SELECT transaction_timestamp(), s.under_way, s.stop,
            s.stop + ((3 + age('3'::xid)::bigint - s.stop) & 4294967295)
        FROM (
            SELECT ARRAY(SELECT pg_snapshot_xip(now)::text::bigint) AS under_way,
                pg_snapshot_xmax(now)::text::bigint AS stop
            FROM pg_current_snapshot() AS now) AS s
        """)

    /// Which of these families, people and sessions are at other versions now, by their numbers in
    /// the list: ids, versions, and when each version was given (the epoch for what is not known).
    /// Needs no caller.
    package static let beyond = Statement<Scalar<Int64>, [UInt128], [Int64], [Timestamp]>(
        "SELECT place FROM app.outdated_versions($1, $2, $3)")
}

extension ChangeKind: PostgresWord {}
