import DomainCore
import Foundation
import HearthClient
import Testing

@testable import struct HearthClient.Fields

@Suite("Models")
struct ModelTests {
    private static let ids = #""id": "m1", "family_unit_id": "f1", "user_id": "u1""#

    private func member(_ more: String) throws -> Member {
        let json = try JSONValue(parsing: Data("{\(Self.ids)\(more)}".utf8))
        return try Member(try Fields(json))
    }

    @Test("models accept missing fields, and unknown fields and values from a later server")
    func later() throws {
        let bare = try member("")
        #expect(bare.id.rawValue == "m1" && bare.displayName == "" && bare.addedAt == nil)
        #expect(bare.role == .unknown("") && !bare.isManaged)
        let odd = try member(
            #", "role": "coach", "household_role": "grandparent", "status": "asleep","#
                + #" "added_at": 12, "is_managed": "yes", "users": null, "new": {"a": [1]}"#)
        #expect(odd.role == .unknown("coach"))
        #expect(odd.householdRole == .unknown("grandparent"))
        #expect(odd.householdRole.rawValue == "grandparent")
        #expect(odd.status.rawValue == "asleep" && odd.addedAt == nil && odd.email == "")
    }

    @Test("models know all roles, statuses and kinds of the server")
    func words() {
        func known<Word: RawRepresentable<String> & CaseIterable>(
            _ words: Word.Type, _ name: (String) -> String
        ) {
            for word in words.allCases {
                #expect(!name(word.rawValue).hasPrefix("unknown"), "\(word.rawValue)")
            }
        }
        known(DomainCore.MemberRole.self) { "\(HearthClient.MemberRole(rawValue: $0))" }
        known(DomainCore.HouseholdRole.self) { "\(HearthClient.HouseholdRole(rawValue: $0))" }
        known(DomainCore.MembershipStatus.self) { "\(HearthClient.MembershipStatus(rawValue: $0))" }
        known(DomainCore.InvitationStatus.self) { "\(HearthClient.InvitationStatus(rawValue: $0))" }
        known(DomainCore.InvitationKind.self) { "\(HearthClient.InvitationKind(rawValue: $0))" }
        known(DomainCore.ConsentMethod.self) { "\(HearthClient.ConsentMethod(rawValue: $0))" }
        known(DomainCore.OwnConsentMethod.self) { "\(HearthClient.ConsentMethod(rawValue: $0))" }
    }

    @Test("a model without its ids fails to decode")
    func ids() {
        #expect(throws: (any Error).self) { try Member(try Fields(["id": "m1"])) }
    }

    @Test("an invitation is expired once its time has passed")
    func expiry() throws {
        let invitation = try Invitation(
            try Fields([
                "id": "i", "family_unit_id": "f", "expires_at": "2026-01-01T00:00:00Z",
            ]))
        let end = try #require(invitation.expiresAt)
        #expect(!invitation.isExpired(at: end.addingTimeInterval(-1)))
        #expect(invitation.isExpired(at: end.addingTimeInterval(1)))
    }

    @Test("ids are encoded as strings, and decoding a model's JSON returns an equal model")
    func coding() throws {
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        let id = FamilyID("f1")
        #expect(String(decoding: try encoder.encode([id]), as: UTF8.self) == #"["f1"]"#)
        #expect(try decoder.decode([FamilyID].self, from: Data(#"["f1"]"#.utf8)) == [id])

        func expectSame<Model: Codable & Equatable>(_ model: Model) throws {
            #expect(try decoder.decode(Model.self, from: encoder.encode(model)) == model)
        }
        let guardian = Guardian(
            userID: UserID("u"), memberID: MemberID("m"), displayName: "Ada", isPrimary: true,
            since: Date(timeIntervalSince1970: 1_000))
        try expectSame(
            Member(
                id: MemberID("m1"), familyID: id, userID: UserID("u1"), role: .player,
                householdRole: .unknown("grandparent"), isManaged: true, guardians: [guardian],
                displayName: "Max"))
        let family = Family(
            id: id, name: "The Terns", code: "FAM-ABCDEF", role: .parent,
            householdRole: .parentAdmin, memberID: MemberID("m"), createdByUserID: UserID("u"),
            home: Home(latitude: 48.25, longitude: 16.5), selectableRoles: [.adult, .kid],
            parentAdmin: .taken)
        try expectSame(family)
        try expectSame(
            Profile(
                id: UserID("u"), email: "a@example.com", fullName: "Ada", displayName: "Ada",
                role: .parent, families: [family]))
        try expectSame(
            Invitation(
                id: InvitationID("i"), familyID: id, invitedBy: UserID("u"),
                email: "b@example.com", role: .parent, householdRole: .adult))
        try expectSame(Page(elements: [id], nextCursor: "c"))
        try expectSame(ProfileChange(fullName: "Ada", avatarKey: .clear, avatarURL: .keep))
        let value: JSONValue = [
            "a": [1, 2.5, true, nil, "x"], "b": ["c": [:]], "large": .integer(.max),
        ]
        try expectSame(value)
    }
}
