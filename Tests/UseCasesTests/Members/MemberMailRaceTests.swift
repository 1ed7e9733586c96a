import Domain
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import UseCaseSupport
import UseCases

/// Changes by members and operators that read a family, wait for its lock, and then find it
/// changed.
///
/// `HEARTH_TEST_RACES=100` repeats each race a hundred times.
@Suite("E-mails about changes that waited for a family's lock")
struct MemberMailRaceTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private static let rounds =
        0..<(Int(ProcessInfo.processInfo.environment["HEARTH_TEST_RACES"] ?? "") ?? 1)

    /// The author of the late change.
    enum Author: CaseIterable, Sendable { case member, operators }

    /// The way in which a guardian stops being one.
    enum Departure: CaseIterable, Sendable { case removal, demotion }

    /// Starts `late`, makes the changes `early` once it waits for the family's lock, and returns
    /// when both are committed.
    private func race(
        in family: FamilyID, early: [SQL], late: @escaping @Sendable () throws -> Void
    ) throws {
        let settings = try entry.test.settings()
        let observer = try Connection(settings)
        let hasEnded = Atomic(false)
        let waiting = try Connection(settings).transaction { transaction in
            try transaction.query(
                "SELECT FROM app.family_units WHERE id = \(family.rawValue) FOR NO KEY UPDATE")
            let holder: Int32 = try transaction.query("SELECT pg_backend_pid()").scalar()
            let waiting = inBackground {
                defer { hasEnded.store(true, ordering: .releasing) }
                try late()
            }
            try eventually {
                let blocked: Int = try observer.query(
                    """
                    SELECT count(*) FROM pg_stat_activity AS a
                    WHERE \(holder) = ANY (pg_blocking_pids(a.pid))
                    """
                ).scalar()
                return blocked > 0 || hasEnded.load(ordering: .acquiring)
            }
            for statement in early { try transaction.query(statement) }
            return waiting
        }
        try waiting.wait()
    }

    /// A session of an operator's command.
    private static func session(_ entry: UseCaseDatabase) throws -> OperatorSession {
        try OperatorSession(entry.test.settings(as: "hearth_admin"), operatorName: "jo")
    }

    /// The number of e-mails of a kind about the family to a person.
    private func mails(
        _ kind: String, to person: RequestContext, in family: FamilyID
    ) throws -> Int {
        let recipient = try #require(person.adoptedID).description
        return try entry.count(
            """
            SELECT count(*) FROM jobs.live WHERE kind = \("mail." + kind)
                AND family_unit_id = \(family.rawValue) AND payload ->> 'recipient' = \(recipient)
            """)
    }

    private func set(_ member: MemberID, to role: String) -> SQL {
        """
        UPDATE app.family_members SET household_role = \(role),
            household_ceiling = CASE \(role) WHEN 'visitor' THEN 'visitor' ELSE 'adult' END
        WHERE id = \(member.rawValue)
        """
    }

    // MARK: Guardians who are replaced

    /// Ends the guardianships of a member: `author` removes or demotes it and names `heir`.
    private static func end(
        _ departure: Departure, of member: MemberID, heir: MemberID, by author: Author,
        _ admin: RequestContext, _ entry: UseCaseDatabase
    ) throws {
        switch author {
        case .member:
            let members = MemberService(entry.database)
            switch departure {
            case .removal: try members.remove(by: admin, member: member, reassigningTo: heir)
            case .demotion:
                _ = try members.setHouseholdRole(
                    by: admin, member: member, to: .visitor, reassigningTo: heir)
            }
        case .operators:
            let session = try Self.session(entry)
            let (former, next) = (try session.member(member), try session.member(heir))
            switch departure {
            case .removal:
                try session.removeMember(
                    former, reassigningManagedTo: next, rotatesCode: false)
            case .demotion:
                try session.setHouseholdRole(
                    of: former, to: .visitor, reassigningManagedTo: next)
            }
        }
    }

    @Test(
        "an adult who became a child's guardian meanwhile is mailed when it is replaced",
        arguments: Author.allCases, Departure.allCases)
    func newGuardian(author: Author, departure: Departure) throws {
        let entry = try entry
        for _ in Self.rounds {
            let family = try entry.family()
            let (guardian, member) = try family.joiner()
            let heir = try family.member(family.adult)
            let user = try #require(guardian.adoptedID).rawValue
            let child = family.child.rawValue
            try race(
                in: family.id,
                early: [
                    "DELETE FROM app.guardianships WHERE member_id = \(child)",
                    "UPDATE app.family_members SET parent_user_id = \(user) WHERE id = \(child)",
                ],
                late: {
                    try Self.end(
                        departure, of: member, heir: heir, by: author, family.admin, entry)
                })
            #expect(try mails("guardian_replaced", to: guardian, in: family.id) == 1)
            #expect(try mails("guardian_replaced", to: family.adult, in: family.id) == 0)
            #expect(
                try mails("member_removed", to: guardian, in: family.id)
                    == (departure == .removal ? 1 : 0))
        }
    }

    @Test(
        "a guardian whose child got another guardian meanwhile is not mailed about a new one",
        arguments: Author.allCases, Departure.allCases)
    func otherGuardian(author: Author, departure: Departure) throws {
        let entry = try entry
        for _ in Self.rounds {
            let family = try entry.family()
            let member = try family.member(family.adult)
            let (_, heir) = try family.joiner()
            let user = try #require(family.admin.adoptedID).rawValue
            try race(
                in: family.id,
                early: [
                    """
                    INSERT INTO app.guardianships
                        (member_id, guardian_user_id, family_unit_id, slot)
                    VALUES (\(family.child.rawValue), \(user), \(family.id.rawValue), 2)
                    """
                ],
                late: {
                    try Self.end(
                        departure, of: member, heir: heir, by: author, family.admin, entry)
                })
            #expect(try mails("guardian_replaced", to: family.adult, in: family.id) == 0)
            let guardian = try entry.members(family.admin, family.id)
                .first { $0.id == family.child }?.guardian
            #expect(guardian == family.admin.adoptedID)
        }
    }

    @Test(
        "an adult who became a child's guardian meanwhile is not mailed about it again",
        arguments: Author.allCases)
    func addedTwice(author: Author) throws {
        let entry = try entry
        for _ in Self.rounds {
            let family = try entry.family()
            let guardian = try family.member(family.admin)
            let user = try #require(family.admin.adoptedID).rawValue
            try race(
                in: family.id,
                early: [
                    """
                    INSERT INTO app.guardianships
                        (member_id, guardian_user_id, family_unit_id, slot)
                    VALUES (\(family.child.rawValue), \(user), \(family.id.rawValue), 2)
                    """
                ],
                late: {
                    switch author {
                    case .member:
                        _ = try GuardianService(entry.database).add(
                            by: family.adult, member: family.child, guardian: guardian)
                    case .operators:
                        let session = try Self.session(entry)
                        try session.addGuardian(
                            try session.member(guardian), of: try session.member(family.child))
                    }
                })
            #expect(try mails("guardian_named", to: family.admin, in: family.id) == 0)
        }
    }

    // MARK: New Parent Admins

    @Test(
        "those who are adults once the seat moves are mailed about the new Parent Admin",
        arguments: Author.allCases)
    func adults(author: Author) throws {
        let entry = try entry
        for _ in Self.rounds {
            let family = try entry.family()
            let next = try family.member(family.adult)
            let (former, member) = try family.joiner()
            try race(
                in: family.id,
                early: [
                    set(member, to: "visitor"), set(try family.member(family.visitor), to: "adult"),
                ],
                late: {
                    switch author {
                    case .member:
                        _ = try MemberService(entry.database).transferAdmin(
                            by: family.admin, family: family.id, to: next)
                    case .operators:
                        let session = try Self.session(entry)
                        try session.transferAdmin(to: try session.member(next))
                    }
                })
            for person in [family.admin, family.adult, family.visitor] {
                #expect(try mails("admin_changed", to: person, in: family.id) == 1)
            }
            for person in [former, family.player] {
                #expect(try mails("admin_changed", to: person, in: family.id) == 0)
            }
        }
    }

    @Test(
        "nobody is mailed about a Parent Admin who got the seat meanwhile",
        arguments: Author.allCases)
    func seated(author: Author) throws {
        let entry = try entry
        for _ in Self.rounds {
            let family = try entry.family()
            let creator = try family.member(family.admin)
            try entry.asSuperuser(set(creator, to: "adult"))
            try race(
                in: family.id, early: [set(creator, to: "parent_admin")],
                late: {
                    switch author {
                    case .member:
                        _ = try MemberService(entry.database).setHouseholdRole(
                            by: family.admin, member: creator, to: .parentAdmin)
                    case .operators:
                        let session = try Self.session(entry)
                        try session.setHouseholdRole(
                            of: try session.member(creator), to: .parentAdmin,
                            reassigningManagedTo: nil)
                    }
                })
            for person in [family.admin, family.adult] {
                #expect(try mails("admin_changed", to: person, in: family.id) == 0)
            }
        }
    }
}
