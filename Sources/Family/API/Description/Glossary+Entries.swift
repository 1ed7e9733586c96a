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
        "role": Entry("The side of the family: player or parent.", "parent"),
        "householdRole": Entry("The role in the household, which decides about rights.", "adult"),
        "Member.status": Entry("`invited` waits for approval.", "active"),
        "addedAt": Entry("When the membership began.", "2026-02-08T12:00:00Z"),
        "isManaged": Entry("Whether this is a child without an account.", false),
        "parentUserId": Entry(
            "The primary guardian's user id; null for a member with an account.", .null),
        "guardians": Entry(
            "The guardians of a child without an account, the primary one first; else empty."),
        "isPrimary": Entry("Whether this is the child's primary guardian.", true),
        "since": Entry("When the person became a guardian.", "2026-02-08T12:00:00Z"),
        "memberType": Entry("`managed` for a child without an account.", "independent"),
        "displayName": Entry(
            "The name to show: without a name, what a verified address has before its @, or "
                + "`Member`.", "Robin"),
        "fullName": Entry("The person's name.", "Ada Gull"),
        "email": Entry("The e-mail address.", "ada@example.com"),
        "avatarKey": Entry("The name of a picture that the apps know.", "fox"),
        "locale": Entry(
            "The language of e-mails to the account, by its tag (RFC 5646); null if none is known.",
            "es-MX"),
        "roleIsDefault": Entry(
            "Whether nobody has said the caller's role: it is `parent` then, and `PATCH /api/me` "
                + "takes it once, also within a family.", false),
        "avatarUrl": Entry("The https address of a picture.", "https://img.example.com/ada.png"),
        "users": Entry("The person behind the membership."),
        "members": Entry("The members."),
        "profiles": Entry("The caller's own profile, then those of guarded children."),
        "joinRequests": Entry(
            "The caller's requests to join that wait for a family's approval, the oldest first. "
                + "`DELETE /api/me/requests/:id` withdraws one."),
        "consentsMissing": Entry(
            "What the account is asked to consent to and has not: give it by "
                + "`PUT /api/me/consents/:purpose`."),
        "MissingConsent.version": Entry("The version of the present text.", "2026-03"),
        "OwnConsent.purpose": Entry("The name of what is consented to.", "terms"),
        "OwnConsent.method": Entry("How it was proved; null if none stands."),
        "OwnConsent.required": Entry("Whether every account is asked for it.", true),
        "refuses": Entry(
            "The permissions that the account lacks while this consent is missing.",
            ["family.create"]),
        "JoinRequest.role": Entry(
            "The side on which the caller enters the family when it is approved.", "parent"),
        "CodePreview.approvalRequired": Entry(
            "Whether the caller would wait for approval: the family approves who joins by its "
                + "code, or every family does for the moment.", false),
        "requestedAt": Entry("Since when the caller has waited.", "2026-02-08T12:00:00Z"),
        "actor": Entry("The guardian, while acting for a child."),
        "playerDetails": Entry("The notes after the request."),
        "playerName": Entry("The player's name.", "Kim Gull"),
        "playerDob": Entry("The player's day of birth.", "2009-05-31"),
        "graduationYear": Entry("The year in which the player leaves school.", 2027),
        "sport": Entry("The player's sport.", "Soccer"),
        "position": Entry("The player's position.", "Goalkeeper"),
        "gender": Entry("The player's gender, in the words of the app.", "female"),
    ]

    private static let kindOfInvitation = Entry(
        "What the accepting account becomes: `member`, a new member; `graduation`, the member that "
            + "was a child without an account until then.")

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
        "group": Entry("Null: the caller has no family."),
        "GroupMember.role": Entry("`creator` for who created the family.", "member"),
        "joinedAt": Entry("When the membership began.", "2026-02-08T12:00:00Z"),
        "MemberPreferences.userId": Entry(
            "Whose preferences these are.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "preferences": Entry("The object as it is stored.", ["theme": "dark"]),
        "updatedAt": Entry("When it last changed.", "2026-02-08T12:00:00Z"),
        "familyName": Entry("The family's name.", "The Gulls"),
        "leftFamilyId": Entry(
            "The family in which the caller lived alone, and which it has left for this one.",
            family),
        "families": Entry("The caller's families."),
        "familyCode": Entry("The code by which people join.", "FAM-7K2QXD"),
        "code": Entry("The family's code.", "FAM-7K2QXD"),
        "codeGeneratedAt": Entry("When the code was made.", "2026-02-08T12:00:00Z"),
        "codeExpiresAt": Entry("When the code stops working; null if never.", .null),
        "selectableRoles": Entry(
            "The household roles below Parent Admin that the caller may choose for itself.",
            ["adult", "kid", "visitor"]),
        "parentAdmin": Entry(
            "Whether the caller may claim the Parent Admin's seat: `free`; `taken`, perhaps by the "
                + "caller; `reserved`: vacant, but not for the caller.",
            "taken"),
        "memberCount": Entry("How many active members the family has.", 4),
        "memberLimit": Entry("How many active members the family can have.", 8),
        "createdByUserId": Entry(
            "The user who created the family.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "approvalRequired": Entry("Whether people who join by code wait for approval.", false),
        "homeLatitude": Entry("Where the family's home is; null if unknown.", 52.52),
        "homeLongitude": Entry("Where the family's home is; null if unknown.", 13.405),
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
            "Of a graduation: the child whom the accepting account becomes; else null.", .null),
        "purpose": Entry("The name of what is consented to.", "profile"),
        "given": Entry(
            "Whether consent stands; a required one only for the present version.", true),
        "version": Entry("The version of the text.", "2026-03"),
        "givenBy": Entry(
            "The guardian's user id; null if none stands.",
            "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "givenAt": Entry("When it was given; null if none stands.", "2026-02-08T12:00:00Z"),
        "Consent.method": Entry(
            "How it was proved: by being signed in, or by a mailed code besides."),
        "currentVersion": Entry(
            "The version of the present text; null for a purpose that is no longer asked for.",
            "2026-03"),
        "required": Entry(
            "Whether the child's preferences can be written only with this consent.", true),
        "title": Entry("The title, once for each language."),
        "text": Entry("The text to show, once for each language."),
        "language": Entry("The language; `und` for a text without one.", "en"),
        "LocalText.text": Entry("The text in this language.", "What we keep about the child."),
        "consents": Entry("The purposes, and what was consented to."),
        "delivery": Entry("How the invitation reaches the person: by e-mail or by a link."),
        "deliveryStatus": Entry("What became of the e-mail.", .null),
        "Invitation.status": Entry("The state of the invitation.", "pending"),
        "expiresAt": Entry("When the invitation stops working.", "2026-02-15T12:00:00Z"),
        "createdAt": Entry("When it was created.", "2026-02-08T12:00:00Z"),
        "acceptedAt": Entry("When it was accepted.", .null),
        "expiresInDays": Entry("How many days the code works.", 30),
        "reassignManagedTo": Entry(
            "The new guardian of the children.", "5a6e0f27-b1c8-4d93-a274-90e3d8b5c1f2"),
        "transferAdminTo": Entry(
            "The new Parent Admin.", "5a6e0f27-b1c8-4d93-a274-90e3d8b5c1f2"),
        "rotateCode": Entry("Whether the family gets a new code as well.", true),
    ]

    /// Entries about sign-in.
    static let signIn: [String: Entry] = [
        "token": Entry("A token.", token),
        "device": Entry("What the list of sessions calls the device.", "Ada's phone"),
        "accessToken": Entry("Send it as a bearer token.", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"),
        "tokenType": Entry("How the token is sent."),
        "expiresIn": Entry("For how many seconds it is valid.", 600),
        "Delegation.expiresIn": Entry("For how many seconds it is valid.", 300),
        "refreshToken": Entry("Continues the session; replaced whenever it is used.", token),
        "refreshExpiresIn": Entry("For how many seconds it can be used.", 5_184_000),
        "issuedTokenType": Entry("What kind of token it is."),
        "session": Entry("The session."),
        "user": Entry("The person's profile."),
        "isNew": Entry("Whether the account was made by this.", false),
        "sessions": Entry("The sessions, the one used last first."),
        "method": Entry("How the person signed in."),
        "issuer": Entry("The issuer of the other token; null where there was none.", .null),
        "startedAt": Entry("When the person signed in.", "2026-02-08T12:00:00Z"),
        "lastUsedAt": Entry("When the session was last continued.", "2026-02-08T12:00:00Z"),
        "endsAt": Entry("When it ends unless it is continued.", "2026-04-09T12:00:00Z"),
        "openedBy": Entry(
            "The app's session that has opened this one in a browser; null if the person signed "
                + "in.", .null),
        "PageTicket.url": Entry(
            "The address. It works once.",
            "https://family.example.org/continue?ticket=q3Zx8VtN1yKc5RjWm0LhPb7GdEs2UoA9fIwTgXnYkQe"
        ),
        "PageTicket.expiresIn": Entry("For how many seconds it works.", 60),
        "path": Entry("The page to open.", "/family"),
        "return": Entry("Where a button leads back to.", "/account"),
        "isCurrent": Entry("Whether the request came with a token of this session.", true),
        "ticket": Entry("Belongs to the code that was mailed.", token),
        "code": Entry("The six digits of the e-mail.", "492817"),
        "linkToken": Entry("The token from the e-mail's link.", token),
        "password": Entry("The password.", "gull kettle north 88 moss"),
        "newPassword": Entry("The new password.", "gull kettle north 88 moss"),
        "currentPassword": Entry("The present password.", "terns circle the 9 grey piers"),
        "identities": Entry("The ways to sign in."),
        "kind": Entry("What kind of way it is.", "email"),
        "since": Entry("When this way to sign in was added.", "2026-02-08T12:00:00Z"),
        "audience": Entry("The service that the token is for.", "votes"),
        "PasskeyOptions.publicKey": Entry(
            "What `navigator.credentials.create` or `get` takes, as JSON: for "
                + "`PublicKeyCredential.parseCreationOptionsFromJSON` and "
                + "`parseRequestOptionsFromJSON`.",
            ["challenge": token, "rpId": "family.example.org"]),
        "passkeys": Entry("The passkeys, the oldest first."),
        "label": Entry("What the person calls it.", "Ada's phone"),
        "Passkey.lastUsedAt": Entry(
            "When somebody last signed in with it; null if never.", "2026-02-08T12:00:00Z"),
        "isBackedUp": Entry("Whether other devices of the person have it too.", true),
        "Problem.attemptsLeft": Entry("Of a wrong code: how many attempts are left.", 4),
    ]

    /// Entries about fields that many responses have, including problems.
    static let responses: [String: Entry] = [
        "success": Entry("Always true: a failure is a problem document."),
        "message": Entry("A sentence for people."),
        "AwaitedApproval.status": Entry("The person waits for the family's approval."),
        "Status.status": Entry("What was found.", "ok"),
        "count": Entry("How many there are.", 1),
        "entries": Entry("The entries, newest first."),
        "nextCursor": Entry("For `cursor` of the next page; null on the last one.", .null),
        "conflict": Entry("What became of two changes that met: one was late, or undone."),
        "kept": Entry("Whose change was kept."),
        "by": Entry(
            "The member who made the other change.", "7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        "RoleConflict.at": Entry("When the other change was made.", "2026-02-08T12:00:00Z"),
        "OverwrittenChange.at": Entry("When it was made.", "2026-02-08T12:00:00Z"),
        "overwrote": Entry(
            "The other person's change that it undid, and that the client had not seen."),
        "X-Changed-At": Entry("When it was changed.", "2026-02-08T12:00:00Z"),
        "X-Base-Version": Entry("The version that was seen.", 41),
        "operations": Entry(
            "The changes, in their order.",
            [["method": "PATCH", "path": "/api/me", "body": ["fullName": "Ada Gull"]]]),
        "stopOnFailure": Entry("Whether the first operation that fails ends the batch.", false),
        "results": Entry("The answers, in the order of the operations."),
        "BatchResult.status": Entry("Its status; 424 if it was not tried.", 200),
        "headers": Entry("Its headers."),
        "body": Entry("Its body; null if it has none."),
        "current": Entry("Of a failed `If-Match`: what is there now, as GET shows it."),
        "changes": Entry("The changes, in the order in which to take them."),
        "SyncPage.cursor": Entry("Where the next request goes on.", "AT-KUtBsHkt6nSWODs"),
        "hasMore": Entry("Whether there is another page now.", false),
        "reset": Entry("Whether the app must forget what it has first.", false),
        "wait": Entry("Seconds to wait for the next change.", 20),
        "Change.kind": Entry("What the change is about."),
        "Change.id": Entry("What has changed.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "Change.version": Entry(
            "The version of the family, or of the person, that it belongs to.", 42),
        "value": Entry("As its own route shows it."),
        "deleted": Entry("It is gone, or may not be seen any more."),
        "cursor": Entry("Where the page begins.", "kJ2c9VxQ0sT4bN7yLm3RfWpZ1aHgE8du"),
        "limit": Entry("The maximum number of entries.", 50),
        "at": Entry("When it happened.", "2026-02-08T12:00:00Z"),
        "AuditEntry.id": Entry("The entry's id.", "e71d5c08-3b9a-4f26-8c45-d0a2b6f9137e"),
        "actorUserId": Entry(
            "Who did it; null if it was no account.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "actorLabel": Entry("Who did it, if it was no account.", .null),
        "subjectUserId": Entry(
            "Whom it is about.", "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"),
        "action": Entry("What was done; see permissions.md.", "member.approve"),
        "targetId": Entry(
            "What it was done to, such as a member.", "8d0c3a51-2f64-4e19-b7a8-51c9e2d4f706"),
        "details": Entry("More about it, which depends on the action.", [:]),
        "Problem.type": Entry(
            "A URN that ends in the code.", "urn:hearth:problem:family_not_found"),
        "Problem.title": Entry("The name of the status.", "Not Found"),
        "Problem.status": Entry("The HTTP status.", 404),
        "Problem.detail": Entry("What is wrong, for people.", "Family not found."),
        "Problem.code": Entry("What is wrong, for programs: stable.", "family_not_found"),
        "Problem.message": Entry("The same as `detail`.", "Family not found."),
        "Problem.familyId": Entry(
            "Of `player_has_family`: the family that the caller belongs to.", family),
        "Problem.familyName": Entry("The same family's name.", "The Gulls"),
        "errors": Entry("All fields of the body that are wrong."),
        "pointer": Entry("Where the field is: a JSON pointer.", "#/familyName"),
        "WrongField.detail": Entry(
            "What is wrong with it, for people.", "`familyName` must be a string, found a number."),
        "WrongField.code": Entry("What is wrong with it, for programs.", "invalid_field"),
        "blockers": Entry("Of `erasure_blocked`: what stands in the way."),
        "ErasureBlocker.kind": Entry(
            "A child whose only guardian the caller is, or the seat that the caller holds."),
        "ErasureBlocker.memberId": Entry(
            "The child, or the caller's own membership.",
            "managed_c2b7f1e8-94d3-4a60-8f12-7be05a9d3c41"),
        "eraseManaged": Entry("Whether children without a new guardian are erased.", false),
        "X-Confirmation-Code": Entry("The code.", "042817"),
        "expiresIn": Entry("For how many seconds it is valid at least.", 600),
        "requestId": Entry("The request's id in the log.", "4f1e8c0a2b6d9357"),
    ]

    private static let family: JSONValue = "b4d19f6e-7a02-4c58-9e31-6f8c05d2a7b4"
    private static let invitation: JSONValue = "17c6e9a4-d520-4b3f-86e7-2a9f1c0d58b3"
    private static let token: JSONValue = "q3Zx8VtN1yKc5RjWm0LhPb7GdEs2UoA9fIwTgXnYkQe"

    private static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { text } else { "" }
    }
}
