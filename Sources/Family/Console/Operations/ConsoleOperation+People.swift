import Basics
import Domain
import Policy
import Postgres
import Repositories
import UseCases

extension ConsoleOperation {
    /// Operations on people.
    static let ofPeople: [ConsoleOperation] = [
        ConsoleOperation(
            name: "block", label: "Block", action: .block,
            explanation: "All sessions end at once, and nobody can sign in to this account. The "
                + "person gets an e-mail that says so. Memberships stay, and other members are "
                + "not told.",
            done: "The account is blocked.", isDangerous: true,
            isOffered: { $0.account.map { $0.blockedAt == nil } ?? false },
            fields: { _ in
                [
                    Field(
                        name: "reason", label: "Reason", kind: .text(longest: 200),
                        hint: "For operators, and for the export of the person's own data.")
                ]
            },
            run: { work in
                _ = try work.session.block(
                    try work.user().id, reason: try work.text("reason", "Reason"))
                return nil
            }),
        ConsoleOperation(
            name: "unblock", label: "Unblock", action: .unblock,
            explanation: "The person can sign in again.", done: "The account is unblocked.",
            isOffered: { $0.account?.blockedAt != nil },
            run: { work in
                _ = try work.session.unblock(try work.user().id)
                return nil
            }),
        ConsoleOperation(
            name: "end-sessions", label: "End all sessions", action: .endSessions,
            explanation: "The person is signed out on all devices, from the next request on.",
            done: "All sessions have ended.",
            counted: { "\(ConsoleParts.count($0, "session")) ended." },
            isOffered: { $0.account != nil },
            run: { work in try work.session.endSessions(of: try work.user().id, only: nil) }),
        ConsoleOperation(
            name: "clear-limits", label: "Clear limits", action: .clearLimits,
            explanation: "The person can try again at once: attempts at passwords, codes and "
                + "invitations are counted from zero.",
            done: "The limits are cleared.",
            counted: { "\(ConsoleParts.count($0, "limit")) cleared." },
            isOffered: { $0.account != nil },
            run: { work in try work.session.clearLimits(of: try work.user().id) }),
        ConsoleOperation(
            name: "send-reset", label: "Send a reset link", action: .sendReset,
            explanation: "Mails a link to reset the password to the account's own verified "
                + "address. It works for 30 minutes, once. The password and all sessions stay "
                + "until it is used. An account without a password gets its first one.",
            done: "The link is on its way.",
            isOffered: { $0.account.map { $0.blockedAt == nil } ?? false },
            run: { work in
                _ = try work.session.sendReset(
                    of: try work.user().id, work.visit.services.signInKeys,
                    work.visit.services.invitationKeys)
                return nil
            }),
        ConsoleOperation(
            name: "create-family", label: "Create a family", action: .createFamily,
            explanation: "Creates a family for this person, who may have one already. A parent "
                + "becomes its Parent Admin.",
            done: "The family is created.", isOffered: { $0.account != nil },
            fields: { _ in
                [
                    Field(
                        name: "name", label: "Name",
                        kind: .text(longest: FamilyName.allowedLengths.upperBound),
                        hint: "Empty: My Family.", isRequired: false),
                    .role(none: "The account's own role"),
                ]
            },
            run: { work in
                _ = try work.session.createFamily(
                    owner: try work.user().id,
                    name: try work.value("name", "Name", "a name on one line") { FamilyName($0) },
                    role: try work.value("role", "Role", "player or parent") {
                        MemberRole(rawValue: $0)
                    })
                return nil
            }),
        ConsoleOperation(
            name: "set-address", label: "Change the address", action: .setAddress,
            explanation: "For a person who no longer reads e-mail at the current address. A link "
                + "goes to the new address and works for 30 minutes, once: it changes the address, "
                + "ends all sessions and signs the person in. The current address gets a notice "
                + "now, and remains the account's address until the person uses the link.",
            done: "The link is on its way to the new address.",
            isOffered: { $0.account != nil },
            fields: { _ in [Field(name: "email", label: "New address", kind: .email)] },
            run: { work in
                let email = try work.requiredAddress("email", "New address")
                try work.session.requestAddressChange(
                    of: try work.user().id, to: email, work.visit.services.signInKeys,
                    work.visit.services.invitationKeys)
                return nil
            }),
        ConsoleOperation(
            name: "export", label: "Export", action: .exportUser,
            explanation: "All that is stored about the account and the children whose guardian it "
                + "is, as a JSON file. It is for the person only, and contains data that operators "
                + "can't read otherwise: the audit log records the export before anything is "
                + "read, and the person's later exports show it.",
            done: "The data is exported.", isOffered: { $0.account != nil },
            run: { _ in nil },
            download: { work in
                let id = try work.user().id
                let seconds = work.visit.services.exportSeconds
                do {
                    return Download(
                        name: "\(id).json",
                        json: try work.session.exportAccount(id, seconds: seconds))
                } catch let error as PostgresError where error.code == .deadlineExceeded {
                    throw ConsoleDelay(
                        sentence: "The export took longer than \(Int(seconds)) seconds and was "
                            + "cancelled. Nothing was exported; the audit log has the attempt. Try "
                            + "again later, or run 'hearth-admin user export \(id)', which has "
                            + "five minutes.")
                }
            }),
        ConsoleOperation(
            name: "erase", label: "Erase", action: .eraseUser,
            explanation: "Erases name, address, pictures, sign-ins, preferences and invitations "
                + "to the address, and ends all memberships. The audit log keeps only the id. "
                + "This can't be undone. A guardian's children first need another guardian.",
            done: "The person is erased.", isDangerous: true,
            // The id ends with the account.
            next: "/people", isOffered: { $0.account != nil },
            fields: { _ in
                [
                    Field(
                        name: "id", label: "Id of the person", kind: .text(longest: 36),
                        hint: "Type or paste the id above to confirm.")
                ]
            },
            guardianSentence: "This person is the only guardian of a child. On the family's page, "
                + "first give the child another guardian, or remove it.",
            hindrance: { subject, reader in
                guard case .person(let person) = subject else { return nil }
                if person.isOperator { return Self.operatorHindrance }
                return try Self.guardianHindrance(person.user, reader)
            },
            run: { work in
                let user = try work.user()
                guard try work.text("id", "Id of the person") == user.id.description else {
                    throw ConsoleMistake(sentence: "This is not the id of this person.")
                }
                _ = try work.session.erase(user.id, successors: [])
                return nil
            }),
    ]
}

extension ConsoleOperation {
    /// The hindrance to erasing an operator: the operator's role.
    private static var operatorHindrance: Hindrance {
        let refusal = OperatorRefusal(
            .operatorRoleStands, "This account is an operator of the service.")
        return Hindrance(refusal: refusal, sentence: "\(refusal.advisedSentence())")
    }

    /// Maximum number of children whom the hindrance to erasing their guardian names.
    private static let namedChildren = 20

    /// Returns the hindrance to erasing a guardian: the children without another one. A blocked
    /// guardian does not count.
    private static func guardianHindrance(
        _ account: AdminUser, _ reader: borrowing ConsoleReader
    ) throws -> Hindrance? {
        let children = try reader.soleGuardianships(of: account.id, limit: namedChildren + 1)
        guard !children.isEmpty else { return nil }
        let named = children.prefix(namedChildren)
        let names = named.enumerated().reduce(into: HTML("")) { html, child in
            let link = ConsoleParts.link(
                "/families/\(child.element.family)", child.element.childName ?? "a child")
            let comma: HTML = child.offset == 0 ? "" : ", "
            html = "\(html)\(comma)\(link)"
        }
        let others: HTML = children.count > namedChildren ? " and further children" : ""
        let person = account.fullName ?? account.email ?? "This person"
        let advice =
            children.count == 1
            ? "First give the child another guardian, or remove it."
            : "First give each child another guardian, or remove it."
        return Hindrance(
            refusal: OperatorRefusal(.guardianHasManagedMembers, advice),
            sentence: "\(person) is the only guardian of \(names)\(others). \(advice)")
    }

    /// Operations on a passkey of a person.
    static let ofPasskeys: [ConsoleOperation] = [
        ConsoleOperation(
            name: "remove-passkey", label: "Remove", action: .removePasskey,
            explanation: "The passkey no longer signs in, such as that of a stolen device. The "
                + "person gets an e-mail. Sessions stay: end them as well. The last way to sign in "
                + "can't be removed.",
            done: "The passkey is removed.", isDangerous: true,
            run: { work in
                if case .passkey(let person, let passkey) = work.subject {
                    try work.session.remove(passkey.id, of: person.user.id)
                }
                return nil
            })
    ]

    /// Operations on a session of a person.
    static let ofSessions: [ConsoleOperation] = [
        ConsoleOperation(
            name: "end-session", label: "End", action: .endSessions,
            explanation: "The device is signed out, from the next request on.",
            done: "The session has ended.", isDirect: true,
            run: { work in
                if case .session(let person, let session) = work.subject {
                    let ended = try work.session.endSessions(
                        of: person.user.id, only: session.id)
                    guard ended > 0 else {
                        throw ConsoleConflict(sentence: "This session had already ended.")
                    }
                }
                return nil
            })
    ]
}

extension ConsoleSubject {
    /// The person; nil for a child without an account, an erased person or another object.
    fileprivate var account: AdminUser? {
        guard case .person(let person) = self, person.user.kind == .account,
            person.user.erasedAt == nil
        else { return nil }
        return person.user
    }
}

extension ConsoleOperation.Work {
    fileprivate func user() throws -> AdminUser {
        guard case .person(let person) = subject else {
            throw ConsoleAbsence(sentence: "There is no such person.")
        }
        return person.user
    }
}
