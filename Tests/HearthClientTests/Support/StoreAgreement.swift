import HearthClient
import Testing

/// Expects that a store holds exactly what its person can currently read.
func expectEqual(
    _ store: FamilyStore, _ hearth: Hearth, _ comment: Comment? = nil,
    _ location: SourceLocation = #_sourceLocation
) async throws {
    let families = try await hearth.families()
    #expect(try Set(store.families()) == Set(families), comment, sourceLocation: location)
    for family in families {
        let members = try await hearth.members(of: family.id)
        let (held, shown) = (Set(try store.members(of: family.id)), Set(members))
        let difference = "held: \(held.subtracting(shown)), shown: \(shown.subtracting(held))"
        #expect(
            held == shown, "\(comment.map { "\($0): " } ?? "")\(difference)",
            sourceLocation: location)
        let own = members.first { $0.id == family.memberID }
        guard let own, own.householdRole != .visitor else { continue }
        let attributes = try await hearth.attributes(of: family.id)
        #expect(
            try store.attributes(of: family.id) ?? [:] == attributes, comment,
            sourceLocation: location)
        let invitations = try await hearth.invitations(of: family.id).elements
        #expect(
            try Set(store.invitations(of: family.id)) == Set(invitations), comment,
            sourceLocation: location)
        for member in [own] + members.filter({ $0.guardianID == own.userID }) {
            let liked = try await hearth.preferences(in: family.id, of: member.userID)
            #expect(
                try store.preferences(in: family.id, of: member.userID) ?? [:] == liked, comment,
                sourceLocation: location)
        }
        if [.adult, .parentAdmin].contains(own.householdRole) {
            let details = try await hearth.playerDetails(in: family.id)
            #expect(
                try store.playerDetails(in: family.id)?.sport == details.sport, comment,
                sourceLocation: location)
        }
    }
    let (held, shown) = (try store.ownProfile(), try await hearth.profile())
    #expect(
        held?.avatarKey == shown.avatarKey && held?.missingConsents == shown.missingConsents,
        comment, sourceLocation: location)
    let received = try await hearth.receivedInvitations()
    #expect(
        try Set(store.receivedInvitations()) == Set(received), comment, sourceLocation: location)
}
