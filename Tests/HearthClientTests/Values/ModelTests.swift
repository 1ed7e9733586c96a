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

    @Test("models accept missing fields, and fields and values of a later Hearth")
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
}
