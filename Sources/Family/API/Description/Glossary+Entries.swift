import JSON

extension Glossary {
    /// Entries about people, members and their data.
    static let people: [String: Entry] = [
        "id": Entry("The id.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "userId": Entry("The user's id.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "memberId": Entry("The member's id.", "8d0c3a51-2f64-4e19-b7a8-51c9e2d4f706"),
        "Member.id": Entry("The member's id.", "8d0c3a51-2f64-4e19-b7a8-51c9e2d4f706"),
        "SwitchableProfile.memberId": Entry(
            "The user's id, for `X-Acting-As-Member`.",
            "managed_c2b7f1e8-94d3-4a60-8f12-7be05a9d3c41"),
        "role": Entry("The side of the family that the person is on: player or parent.", "parent"),
        "householdRole": Entry(
            "The role in the household, which determines the member's rights.", "adult"),
        "Member.status": Entry(
            "The state of the membership. A person with `invited` waits for approval.", "active"),
        "addedAt": Entry("The time at which the membership began.", "2026-02-08T12:00:00Z"),
        "isManaged": Entry("Whether this is a child without an account.", false),
        "parentUserId": Entry(
            "The primary guardian's user id; null for a member with an account.", .null),
        "guardians": Entry(
            "The guardians of a child without an account, the primary one first; empty for other "
                + "members."),
        "isPrimary": Entry("Whether this is the child's primary guardian.", true),
        "since": Entry("The time at which the person became a guardian.", "2026-02-08T12:00:00Z"),
        "memberType": Entry(
            "The type of the profile: `managed` for a child without an account.", "independent"),
        "displayName": Entry(
            "The name to show. For a person without a name: the part of a verified address before "
                + "the @, or `Member`.", "Robin"),
        "fullName": Entry("The person's name.", "Ada Gull"),
        "email": Entry("The e-mail address.", "ada@example.com"),
        "avatarKey": Entry("The key of a picture; the app defines the keys.", "fox"),
        "locale": Entry(
            "The language of e-mails to the account, by its tag (RFC 5646); null if none is known.",
            "es-MX"),
        "roleIsDefault": Entry(
            "Whether the caller's role is a default, `parent`, because nobody has stated it. "
                + "`PATCH /api/me` can then set it once, even while the caller is in a family.",
            false),
        "avatarUrl": Entry("The https address of a picture.", "https://img.example.com/ada.png"),
        "users": Entry("The person behind the membership."),
        "members": Entry("The members."),
        "profiles": Entry(
            "The caller's own profile, followed by those of the children whose guardian the caller "
                + "is."),
        "joinRequests": Entry(
            "The caller's requests to join that wait for a family's approval, the oldest first. "
                + "`DELETE /api/me/requests/:id` withdraws one."),
        "consentsMissing": Entry(
            "The consents that the account is asked for and has not given. `PUT "
                + "/api/me/consents/:purpose` gives one."),
        "MissingConsent.version": Entry("The version of the current text.", "2026-03"),
        "OwnConsent.purpose": Entry("The name of the purpose.", "terms"),
        "OwnConsent.method": Entry(
            "The method by which the consent was proved; null if no consent is in force."),
        "OwnConsent.required": Entry("Whether every account is asked for this consent.", true),
        "refuses": Entry(
            "The permissions that the account lacks while this consent is missing.",
            ["family.create"]),
        "JoinRequest.role": Entry(
            "The side on which the caller enters the family if the request is approved.", "parent"),
        "CodePreview.approvalRequired": Entry(
            "Whether the caller would wait for approval: this family requires it for people who "
                + "join by its code, or at present every family does.", false),
        "requestedAt": Entry("The time at which the caller asked to join.", "2026-02-08T12:00:00Z"),
        "actor": Entry("The guardian, while acting for a child."),
        "playerDetails": Entry("The stored notes after the request."),
        "playerName": Entry("The player's name.", "Kim Gull"),
        "playerDob": Entry("The player's date of birth.", "2009-05-31"),
        "graduationYear": Entry("The year in which the player leaves school.", 2027),
        "sport": Entry("The player's sport.", "Soccer"),
        "position": Entry("The player's position in the team.", "Goalkeeper"),
        "gender": Entry("The player's gender, in the app's own words.", "female"),
    ]

    private static let kindOfInvitation = Entry(
        "The effect of accepting: `member` makes the account a new member; with `graduation` it "
            + "takes over the membership of a child without an account.")

    /// Entries about families, codes and invitations.
    static let families: [String: Entry] = [
        "familyId": Entry("The family's id.", family),
        "familyUnitId": Entry("The family's id.", family),
        "groupId": Entry("The family's id.", family),
        "name": Entry("The family's name.", "The Gulls"),
        "createdBy": Entry(
            "The user who created the family.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "streamingServices": Entry(
            "The texts of the family's attribute `streaming_services`.", ["netflix"]),
        "group": Entry("Null if the caller has no family."),
        "GroupMember.role": Entry("`creator` for the person who created the family.", "member"),
        "joinedAt": Entry("The time at which the membership began.", "2026-02-08T12:00:00Z"),
        "MemberPreferences.userId": Entry(
            "The user id of the owner of the preferences.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "preferences": Entry("The stored object.", ["theme": "dark"]),
        "updatedAt": Entry("The time of the last change.", "2026-02-08T12:00:00Z"),
        "familyName": Entry("The family's name.", "The Gulls"),
        "leftFamilyId": Entry(
            "The family that the caller, its only member, has left for this one.",
            family),
        "families": Entry("The caller's families."),
        "familyCode": Entry("The code by which people join.", "FAM-7K2QXD"),
        "code": Entry("The family's code.", "FAM-7K2QXD"),
        "codeGeneratedAt": Entry(
            "The time at which the code was generated.", "2026-02-08T12:00:00Z"),
        "codeExpiresAt": Entry(
            "The time at which the code expires; null if it does not expire.", .null),
        "selectableRoles": Entry(
            "The household roles below Parent Admin that the caller may choose for itself.",
            ["adult", "kid", "visitor"]),
        "parentAdmin": Entry(
            "Whether the caller may claim the Parent Admin's seat. `free`: yes; `taken`: somebody "
                + "has it, perhaps the caller; `reserved`: it is vacant, but the caller may not "
                + "claim it.",
            "taken"),
        "memberCount": Entry("The number of active members.", 4),
        "memberLimit": Entry("The maximum number of active members.", 8),
        "createdByUserId": Entry(
            "The user who created the family.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "approvalRequired": Entry("Whether people who join by code wait for approval.", false),
        "homeLatitude": Entry(
            "The position of the family's home, in degrees; null if unknown.", 52.52),
        "homeLongitude": Entry(
            "The position of the family's home, in degrees; null if unknown.", 13.405),
        "invitationId": Entry("The invitation's id.", invitation),
        "Invitation.id": Entry("The invitation's id.", invitation),
        "ReceivedInvitation.id": Entry("The invitation's id.", invitation),
        "invitations": Entry("The pending invitations."),
        "invitedBy": Entry("The inviter's user id.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "inviterName": Entry("The inviter's name; may be empty.", "Ada Gull"),
        "invitedEmail": Entry("The invited address; empty for a link.", "aunt@example.com"),
        "token": Entry("The token of the link; never shown in lists.", token),
        "inviteUrl": Entry(
            "The link to share.", .string("https://family.example.org/join?token=" + text(token))),
        "Invitation.kind": kindOfInvitation,
        "InvitationPreview.kind": kindOfInvitation,
        "ReceivedInvitation.kind": kindOfInvitation,
        "Invitation.memberId": Entry(
            "For a graduation, the child whose membership the accepting account takes over; null "
                + "for other invitations.", .null),
        "purpose": Entry("The name of the purpose.", "profile"),
        "given": Entry(
            "Whether the consent is in force. A required consent is in force only for the current "
                + "version of the text.", true),
        "version": Entry("The version of the text.", "2026-03"),
        "givenBy": Entry(
            "The user id of the guardian who gave the consent; null if none is in force.",
            "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "givenAt": Entry(
            "The time at which the consent was given; null if none is in force.",
            "2026-02-08T12:00:00Z"),
        "Consent.method": Entry(
            "The method by which the guardian proved the consent: by being signed in, or also by a "
                + "mailed code."),
        "currentVersion": Entry(
            "The version of the current text; null for a purpose that no longer exists.",
            "2026-03"),
        "required": Entry(
            "Whether the child's preferences can be written only with this consent.", true),
        "title": Entry("The title, once for each language."),
        "text": Entry("The text to show, once for each language."),
        "language": Entry("The language; `und` for a text without one.", "en"),
        "LocalText.text": Entry("The text in this language.", "What we keep about the child."),
        "consents": Entry("The purposes, each with the consent that was given."),
        "delivery": Entry("How the invitation reaches the person: by e-mail or by a link."),
        "deliveryStatus": Entry("The status of the e-mail.", .null),
        "Invitation.status": Entry("The state of the invitation.", "pending"),
        "expiresAt": Entry("The time at which the invitation expires.", "2026-02-15T12:00:00Z"),
        "createdAt": Entry("The time at which it was created.", "2026-02-08T12:00:00Z"),
        "acceptedAt": Entry("The time at which it was accepted.", .null),
        "expiresInDays": Entry("The number of days for which the code is valid.", 30),
        "reassignManagedTo": Entry(
            "The new guardian of the children.", "5a6e0f27-b1c8-4d93-a274-90e3d8b5c1f2"),
        "transferAdminTo": Entry(
            "The new Parent Admin.", "5a6e0f27-b1c8-4d93-a274-90e3d8b5c1f2"),
        "rotateCode": Entry("Whether the family gets a new code as well.", true),
    ]

    /// Entries about sign-in.
    static let signIn: [String: Entry] = [
        "token": Entry("A token.", token),
        "device": Entry("The name of the device in the list of sessions.", "Ada's phone"),
        "accessToken": Entry("Send it as a bearer token.", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"),
        "tokenType": Entry("The type of the token, which says how to send it."),
        "expiresIn": Entry("The number of seconds for which it is valid.", 600),
        "Delegation.expiresIn": Entry("The number of seconds for which the token is valid.", 300),
        "refreshToken": Entry(
            "The token that continues the session. Each use replaces it with a new one.", token),
        "refreshExpiresIn": Entry(
            "The number of seconds for which the refresh token can be used.", 5_184_000),
        "issuedTokenType": Entry("The type of the token."),
        "session": Entry("The session."),
        "user": Entry("The person's profile."),
        "isNew": Entry("Whether this sign-in created the account.", false),
        "sessions": Entry("The sessions, the most recently used first."),
        "method": Entry("The method by which the person signed in."),
        "issuer": Entry(
            "The issuer of the exchanged token; null if the session began without one.",
            "https://issuer.example.com"),
        "startedAt": Entry("The time at which the person signed in.", "2026-02-08T12:00:00Z"),
        "lastUsedAt": Entry(
            "The time at which the session was last used to get a new token.",
            "2026-02-08T12:00:00Z"),
        "endsAt": Entry(
            "The time at which the session ends unless it is continued.", "2026-04-09T12:00:00Z"),
        "openedBy": Entry(
            "The app's session that opened this one in a browser; null if the person signed in.",
            .null),
        "PageTicket.url": Entry(
            "The address. It works once.",
            "https://family.example.org/continue?ticket=q3Zx8VtN1yKc5RjWm0LhPb7GdEs2UoA9fIwTgXnYkQe"
        ),
        "PageTicket.expiresIn": Entry("The number of seconds for which the address works.", 60),
        "path": Entry("The page to open.", "/family"),
        "return": Entry("The address to which a button leads back.", "/account"),
        "isCurrent": Entry("Whether this is the session of the request's token.", true),
        "ticket": Entry("The secret that belongs to the mailed code.", token),
        "code": Entry("The six-digit code from the e-mail.", "492817"),
        "linkToken": Entry("The token from the e-mail's link.", token),
        "password": Entry("The password.", "gull kettle north 88 moss"),
        "newPassword": Entry("The new password.", "gull kettle north 88 moss"),
        "currentPassword": Entry("The current password.", "terns circle the 9 grey piers"),
        "identities": Entry("The sign-in methods."),
        "kind": Entry("The kind of the sign-in method.", "email"),
        "since": Entry("The time at which this sign-in method was added.", "2026-02-08T12:00:00Z"),
        "audience": Entry("The service that the token is for.", "votes"),
        "PasskeyOptions.publicKey": Entry(
            "The options for `navigator.credentials.create` or `get`, as JSON for "
                + "`PublicKeyCredential.parseCreationOptionsFromJSON` or "
                + "`parseRequestOptionsFromJSON`.",
            ["challenge": token, "rpId": "family.example.org"]),
        "passkeys": Entry("The passkeys, the oldest first."),
        "label": Entry("The name that the person gave the passkey.", "Ada's phone"),
        "Passkey.lastUsedAt": Entry(
            "The time of the last sign-in with the passkey; null if there was none.",
            "2026-02-08T12:00:00Z"),
        "isBackedUp": Entry("Whether the passkey is synced to other devices of the person.", true),
        "Problem.attemptsLeft": Entry(
            "The number of attempts that are left after a wrong code.", 4),
    ]

    /// Entries about fields that many responses have, including problems.
    static let responses: [String: Entry] = [
        "success": Entry("Always true: a failure is a problem document."),
        "message": Entry("A message to show to people."),
        "AwaitedApproval.status": Entry("Whether the person waits for the family's approval."),
        "Status.status": Entry("The list of results.", "ok"),
        "count": Entry("The number of elements in the list.", 1),
        "entries": Entry("The entries, newest first."),
        "nextCursor": Entry(
            "The value for `cursor` to request the next page; null on the last page.", .null),
        "conflict": Entry(
            "The conflict between two changes of a household role: one came too late, or was "
                + "undone."),
        "kept": Entry("The author of the change that was kept."),
        "by": Entry(
            "The member who made the other change.", "7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        "RoleConflict.at": Entry("The time of the other change.", "2026-02-08T12:00:00Z"),
        "OverwrittenChange.at": Entry(
            "The time at which the change was made.", "2026-02-08T12:00:00Z"),
        "overwrote": Entry(
            "The other person's change that this change undid, and that the client had not seen."),
        "X-Changed-At": Entry("The time at which the change was made.", "2026-02-08T12:00:00Z"),
        "X-Base-Version": Entry("The version that the client had seen.", 41),
        "operations": Entry(
            "The changes, in the order in which they are made.",
            [["method": "PATCH", "path": "/api/me", "body": ["fullName": "Ada Gull"]]]),
        "stopOnFailure": Entry("Whether the batch stops at the first operation that fails.", false),
        "results": Entry("The responses, in the order of the operations."),
        "BatchResult.status": Entry(
            "The status of the response; 424 if the operation was not tried.", 200),
        "headers": Entry("Its headers."),
        "body": Entry("The body of the response; null if it has none."),
        "current": Entry("The current resource, as GET returns it, if `If-Match` failed."),
        "changes": Entry("The changes, in the order in which to apply them."),
        "SyncPage.cursor": Entry("The cursor for the next request.", "AT-KUtBsHkt6nSWODs"),
        "hasMore": Entry("Whether another page can be requested at once.", false),
        "reset": Entry("Whether the app must first discard the data that it has.", false),
        "wait": Entry("Seconds to wait for the next change.", 20),
        "Change.kind": Entry("The kind of the changed data."),
        "Change.id": Entry("The id of the changed entity.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "Change.version": Entry(
            "The version of the family, or of the person, that the entity belongs to.", 42),
        "value": Entry("The entity, in the form that its own route returns."),
        "deleted": Entry("True if the entity is deleted, or no longer visible to the caller."),
        "cursor": Entry(
            "The position at which the page begins.", "kJ2c9VxQ0sT4bN7yLm3RfWpZ1aHgE8du"),
        "limit": Entry("The maximum number of entries.", 50),
        "at": Entry("The time of the action.", "2026-02-08T12:00:00Z"),
        "AuditEntry.id": Entry("The entry's id.", "e71d5c08-3b9a-4f26-8c45-d0a2b6f9137e"),
        "actorUserId": Entry(
            "The user id of the account that acted; null if the actor is not an account.",
            "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "actorLabel": Entry(
            "The name of an actor that is not an account; null for an account.", .null),
        "subjectUserId": Entry(
            "The user id of the person whom the action concerned.",
            "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "action": Entry("The name of the action; see permissions.md.", "member.approve"),
        "targetId": Entry(
            "The id of the object of the action, such as a member.",
            "8d0c3a51-2f64-4e19-b7a8-51c9e2d4f706"),
        "details": Entry("Details, which depend on the action.", [:]),
        "Problem.type": Entry(
            "The type of the problem: a URN that ends in the code.",
            "urn:hearth:problem:family_not_found"),
        "Problem.title": Entry("The name of the status.", "Not Found"),
        "Problem.status": Entry("The HTTP status.", 404),
        "Problem.detail": Entry("The explanation, for people.", "Family not found."),
        "Problem.code": Entry(
            "The code, for programs; it never changes its meaning.", "family_not_found"),
        "Problem.message": Entry("The same as `detail`.", "Family not found."),
        "Problem.familyId": Entry(
            "For `player_has_family`, the family that the caller belongs to.", family),
        "Problem.familyName": Entry("The name of that family.", "The Gulls"),
        "errors": Entry("All invalid fields of the body."),
        "pointer": Entry("The position of the field: a JSON pointer.", "#/familyName"),
        "WrongField.detail": Entry(
            "The explanation of the error, for people.",
            "`familyName` must be a string, found a number."),
        "WrongField.code": Entry("The code of the error, for programs.", "invalid_field"),
        "blockers": Entry("For `erasure_blocked`, the obstacles to the erasure."),
        "ErasureBlocker.kind": Entry(
            "The kind of obstacle: the caller is a child's only guardian, or holds the Parent "
                + "Admin's seat."),
        "ErasureBlocker.memberId": Entry(
            "The child, or the caller's own membership.",
            "managed_c2b7f1e8-94d3-4a60-8f12-7be05a9d3c41"),
        "eraseManaged": Entry("Whether children without a new guardian are erased.", false),
        "X-Confirmation-Code": Entry("The code.", "042817"),
        "expiresIn": Entry("The minimum number of seconds for which it is valid.", 600),
        "requestId": Entry("The id of the request in the server's log.", "4f1e8c0a2b6d9357"),
    ]

    /// Entries about the routes for servers.
    static let servers: [String: Entry] = [
        "ServerFamilies.families": Entry("The families, in the order of their ids."),
        "ServerMember.id": Entry("The member's id.", "8d0c3a51-2f64-4e19-b7a8-51c9e2d4f706"),
        "emailVerified": Entry("Whether the address was proved or verified.", true),
        "people": Entry("The people that were found."),
        "memberships": Entry(
            "The person's active memberships; empty without the scope `members:read`."),
        "events": Entry("The events, the oldest first."),
        "ServerEvents.nextCursor": Entry(
            "The value for `cursor` to read on; null if there has been no event yet.",
            "kJ2c9VxQ0sT4bN7yLm3RfWpZ1aHgE8du"),
        "ServerEvent.id": Entry(
            "The event's id: `webhook-id` in the request of a webhook.",
            "evt_0b9c4a56-3f44-4b7e-9d57-0a4c2d5d8a52"),
        "ServerEvent.type": Entry("The type of the event.", "member.joined"),
        "timestamp": Entry("The time of the event.", "2026-02-08T12:00:00Z"),
        "sequence": Entry("A number that grows within a family.", 42),
        "ServerEvent.data": Entry(
            "Ids and words of fixed sets, which depend on the type; see webhooks.md.",
            ["familyId": family]),
    ]

    private static let family: JSONValue = "b4d19f6e-7a02-4c58-9e31-6f8c05d2a7b4"
    private static let invitation: JSONValue = "17c6e9a4-d520-4b3f-86e7-2a9f1c0d58b3"
    private static let token: JSONValue = "q3Zx8VtN1yKc5RjWm0LhPb7GdEs2UoA9fIwTgXnYkQe"

    private static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { text } else { "" }
    }
}
