import Foundation
import TestSupport
import Testing

extension SymmetricFamilies {
    static let invitationModel = Section("Task 3: FamilyInvitation, InviteDetails") {
        Needs("FamilyInvitation decodes from the list of invitations") {
            let family = try await FamilyScene.recruiting()
            try await family.invite("one@example.com")
            let listed = try await family.creator.get("/api/family/invitations")
                .decoded(Compass.InvitationsResponse.self).invitations
            #expect(listed.map(\.invitedBy) == [family.creator.userID])
            #expect(listed[0].familyUnitId == family.id && listed[0].role == "parent")
        }
        Needs("A pending invitation has the status \"pending\" and no `acceptedAt`") {
            let family = try await FamilyScene.recruiting()
            try await family.invite("one@example.com")
            let listed = try await family.creator.get("/api/family/invitations")
                .decoded(Compass.InvitationsResponse.self).invitations
            #expect(listed[0].status == "pending" && listed[0].acceptedAt == nil)
        }
        Needs("`expiresAt` is read by ISO8601DateFormatter, and lies in the future") {
            let family = try await FamilyScene.recruiting()
            try await family.invite("one@example.com")
            let listed = try await family.creator.get("/api/family/invitations")
            let end = try #require(listed.json.invitations[0].expires_at.date)
            #expect(end > Date() && end < Date().addingTimeInterval(8 * 86_400))
        }
        Needs("`token` is a string; it is empty, because only the invited person may have it") {
            let family = try await FamilyScene.recruiting()
            try await family.invite("one@example.com")
            let listed = try await family.creator.get("/api/family/invitations")
                .decoded(Compass.InvitationsResponse.self).invitations
            #expect(listed[0].token.isEmpty)
        }
        Needs("InviteDetails decodes from the public route") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            let details = try await parent.signedOut.get("/api/family/invite/\(token)")
                .decoded(Compass.InviteDetails.self)
            #expect(details.familyName == "The Terns" && details.inviterName == "Kim")
            #expect(details.email.hasSuffix("***@example.com"))
        }
    }

    static let inviteErrors = Section("Task 3: InviteError") {
        Needs("expired: \"This invite link has expired. Ask the sender to resend.\"") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try family.expireInvitations()
            try await parent.signedOut.get(
                "/api/family/invite/\(token)", expect: 410,
                saying: "This invite link has expired. Ask the sender to resend.")
        }
        Needs("alreadyAccepted: \"You're already connected to this family.\"") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try await parent.post("/api/family/invite/\(token)/accept")
            try await parent.get(
                "/api/family/invite/\(token)", expect: 409,
                saying: "You're already connected to this family.")
        }
        Needs("notFound: \"This invite link is invalid or has already been used.\"") {
            let token = String(repeating: "a", count: 43)
            try await Phone.parent().signedOut.get(
                "/api/family/invite/\(token)", expect: 404,
                saying: "This invite link is invalid or has already been used.")
        }
        Needs("serverError shows the message of any other refusal") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            let refused = try await Phone.parent().post(
                "/api/family/invite/\(token)/accept", expect: 403)
            #expect(refused.json.message.text?.hasPrefix("This invite was sent to") == true)
        }
    }

    static let sending = Section("Task 4: sendEmailInvite") {
        Needs("email, role and familyUnitId are accepted, and the status is exactly 200") {
            let family = try await FamilyScene.recruiting()
            let sent = try await family.creator.post(
                "/api/family/invite",
                ["email": "aunt@example.com", "role": "parent", "familyUnitId": family.id])
            #expect(sent.status == 200 && sent.json.success.flag == true)
        }
        Needs("An e-mail with the names of inviter and family and with the link is sent") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            try await family.creator.post(
                "/api/family/invite",
                ["email": parent.email, "role": "parent", "familyUnitId": family.id])
            let letter = try parent.backend.letter(to: parent.email)
            #expect(letter.subject == "Kim invites you to join The Terns")
            #expect(letter.link != nil && letter.defects.isEmpty)
        }
        Needs("A player invites a parent") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            try await family.creator.post(
                "/api/family/invite",
                ["email": parent.email, "role": "parent", "familyUnitId": family.id])
            let received = try await parent.get("/api/me/invitations").json.invitations
            #expect(received[0].role.text == "parent")
        }
        Needs("A parent invites a player") {
            let (family, player) = (try await FamilyScene.recruiting(), try Phone.player("Robin"))
            try await family.joiner.post(
                "/api/family/invite",
                ["email": player.email, "role": "player", "familyUnitId": family.id])
            let received = try await player.get("/api/me/invitations").json.invitations
            #expect(received[0].role.text == "player")
        }
        Needs("Blanks around the address don't matter") {
            let family = try await FamilyScene.recruiting()
            try await family.creator.post(
                "/api/family/invite",
                ["email": "  Aunt@Example.com ", "role": "parent", "familyUnitId": family.id])
            let listed = try await family.creator.get("/api/family/invitations").json.invitations
            #expect(listed[0].invited_email.text == "aunt@example.com")
        }
        Needs("A malformed address is refused") {
            let family = try await FamilyScene.recruiting()
            for email in ["aunt", "aunt@", ""] {
                try await family.creator.post(
                    "/api/family/invite",
                    ["email": email, "role": "parent", "familyUnitId": family.id], expect: 400)
            }
        }
        Needs("A failure has a message that the app can show") {
            let family = try await FamilyScene.recruiting()
            try await family.creator.post(
                "/api/family/invite",
                ["email": family.joiner.email, "role": "parent", "familyUnitId": family.id],
                expect: 409, saying: "This person is already a member of your family")
        }
    }

    static let pendingInvitations = Section("Task 4: fetchPendingInvitations, revokeInvitation") {
        Needs("Pending invitations of a family are read directly, newest first") {
            let family = try await FamilyScene.recruiting()
            try await family.invite("one@example.com")
            try family.creator.backend.rewrite(
                """
                UPDATE app.family_invitations SET created_at = created_at - interval '1 minute'
                WHERE family_unit_id = '\(family.id)'
                """)
            try await family.invite("two@example.com")
            let rows = try family.pending(seenBy: family.creator)
            #expect(rows.map(\.invitedEmail) == ["two@example.com", "one@example.com"])
        }
        Needs("Row-level security lets members read their family's invitations, nobody else") {
            let (family, other) = (
                try await FamilyScene.recruiting(), try await FamilyScene.recruiting()
            )
            try await family.invite("one@example.com")
            #expect(try family.pending(seenBy: family.joiner).count == 1)
            #expect(try family.pending(seenBy: other.creator).isEmpty)
        }
        Needs("After sending, the list contains the new invitation") {
            let family = try await FamilyScene.recruiting()
            try await family.creator.post(
                "/api/family/invite",
                ["email": "new@example.com", "role": "parent", "familyUnitId": family.id])
            #expect(try family.pending(seenBy: family.creator).map(\.status) == ["pending"])
        }
        Needs("The inviter deletes the invitation directly") {
            let family = try await FamilyScene.recruiting()
            let id = try await family.invite("one@example.com")
            #expect(try family.creator.deleteInvitation(id) == "1")
            #expect(try family.pending(seenBy: family.creator).isEmpty)
        }
        Needs("Row-level security lets no other member delete it") {
            let family = try await FamilyScene.recruiting()
            let id = try await family.invite("one@example.com")
            #expect(try family.joiner.deleteInvitation(id) == "0")
        }
        Needs("A revoked invitation is no longer listed, and its link no longer works") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let id = try await family.invite(parent.email)
            let token = try #require(parent.backend.letter(to: parent.email).token)
            try await family.creator.delete("/api/family/invitations/\(id)")
            let listed = try await family.creator.get("/api/family/invitations").json.invitations
            #expect(listed.items.isEmpty)
            try await parent.get("/api/family/invite/\(token)", expect: 404)
        }
    }

    static let lookingUp = Section("Task 4: lookupInviteByToken; Task 7: loadInvite") {
        Needs("Looking up needs no Authorization header") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try await parent.signedOut.get("/api/family/invite/\(token)")
        }
        Needs("404 for an unknown link (notFound)") {
            let token = String(repeating: "b", count: 43)
            try await Phone.parent().signedOut.get("/api/family/invite/\(token)", expect: 404)
        }
        Needs("409 for an accepted invitation (alreadyAccepted)") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try await parent.post("/api/family/invite/\(token)/accept")
            try await parent.signedOut.get("/api/family/invite/\(token)", expect: 409)
        }
        Needs("409 for a declined invitation, with a different text") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try await parent.post("/api/family/invite/\(token)/decline")
            try await parent.signedOut.get(
                "/api/family/invite/\(token)", expect: 409,
                saying: "This invitation was declined.")
        }
        Needs("410 for an expired invitation (expired)") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try family.expireInvitations()
            try await parent.signedOut.get("/api/family/invite/\(token)", expect: 410)
        }
        Needs("The details can be loaded repeatedly and stay the same") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            for _ in 1...3 { try await parent.signedOut.get("/api/family/invite/\(token)") }
            try await parent.post("/api/family/invite/\(token)/accept")
        }
    }
}

extension FamilyScene {
    /// Makes the family's invitations expire.
    func expireInvitations() throws {
        try creator.backend.rewrite(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 second'
            WHERE family_unit_id = '\(id)'
            """)
    }

    /// The pending invitations as a direct client reads them.
    func pending(seenBy phone: Phone) throws -> [Compass.FamilyInvitation] {
        try phone.backend.rows(
            .get(.person(phone.person), DirectQueries.pendingInvitations(of: number)),
            as: Compass.FamilyInvitation.self,
            request: "GET /rest/v1/family_invitations?status=eq.pending")
    }
}

extension Phone {
    /// Deletes an invitation as a direct client and returns the number of deleted rows.
    func deleteInvitation(_ id: String) throws -> String {
        let number = UInt128(id.filter { $0 != "-" }, radix: 16) ?? 0
        let gone = try DirectRequest.delete(.person(person), "family_invitations", id: number)
            .send(to: backend.database)
        Transcript.current?.add("DELETE /rest/v1/family_invitations?id=eq.:id", "\(gone) deleted")
        return gone
    }
}
