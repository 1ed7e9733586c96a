import Domain
import JSON
import UseCases

/// Erasure and export of the caller's own account.
enum AccountEndpoints {
    /// Maximum number of new guardians, and of new Parent Admins. An account creates at most five
    /// families, but can also have children to hand over in families that it joined.
    private static let successorLimit = 20

    private static let guardians = Input<[MemberID]>.queries(
        "reassignManagedTo", .shownID(), atMost: successorLimit,
        "The new guardian of the caller's children; once for each family with such children.")
    private static let admins = Input<[MemberID]>.queries(
        "transferAdminTo", .shownID(), atMost: successorLimit,
        "The new Parent Admin; once for each family whose seat the caller holds.")
    private static let erasesChildren = Input<Bool?>.query(
        "eraseManaged", .flag,
        "Whether children in families without `reassignManagedTo` are erased with the account.")
    private static let code = Input<String?>.header(
        "X-Confirmation-Code", .mailedCode,
        "The mailed code, if the sign-in is older than ten minutes.")

    static let erase = Operation(
        "eraseAccount",
        "Erases the caller's account at once and irrevocably. Requires a sign-in within the last "
            + "ten minutes, or the mailed code.",
        inputs: [guardians, admins, erasesChildren, code], responses: [.success],
        refusals: .byAccount + [
            .freshSignInRequired, .codeMalformed, .codeWrong, .erasureBlocked,
            .operatorRoleStands,
            .memberNotFound, .guardianNotAdult, .adminNotAdult,
        ]
    ) { services, call in
        try services.accounts.erase(
            by: call.context, code: call[code],
            successors: .init(
                guardians: call[guardians], admins: call[admins],
                erasesChildren: call[erasesChildren] ?? false),
            now: Int64(services.clock.now() / 1_000))
        services.dropCachedReads(of: call.context)
        return .of(Shapes.success, ())
    }

    static let sentCode = Shape<Int64>(
        "SentCode",
        [.always("success", true), .count("expiresIn") { Int($0) }])

    static let sendDeletionCode = Operation(
        "sendDeletionCode", "Mails the code that confirms the erasure of the caller's account.",
        responses: [
            .json(202, sentCode, "The code is being mailed to the verified address.")
                .outsideFamilies
        ],
        refusals: .byAccount + [.operatorRoleStands, .noVerifiedAddress]
    ) { services, call in
        try services.accounts.sendDeletionCode(by: call.context, from: call.client)
        return .of(sentCode, DeletionCodes.validSeconds, status: 202)
    }

    static let export = Operation(
        "exportAccount",
        "Exports everything that is stored about the caller and the children whose guardian the "
            + "caller is, as one document; at most three times a day. The document has more fields "
            + "than this description.",
        responses: [.media("application/json", schema: document, example: example, "The copy.")],
        refusals: .byAccount
    ) { services, call in
        Reply(
            status: 200, mediaType: "application/json",
            body: try services.accounts.export(by: call.context),
            headers: [("Content-Disposition", "attachment; filename=\"hearth-account.json\"")])
    }

    private static let document = Schema([
        "type": "object",
        "properties": [
            "format": Schema.constant("hearth-account-export").described("Its name.").value,
            "version": Schema.count.described(
                "The version of the format; it is raised when fields change their meaning."
            ).value,
            "exportedAt": Schema.timestamp.described("The time at which the export was made.")
                .value,
            "account": Schema.object.described(
                "The data about the caller: profile, memberships, audit log."
            ).value,
            "children": Schema.list(of: .object).described("The same data about each child.").value,
        ],
        "required": ["format", "version", "exportedAt", "account", "children"],
    ])

    private static let example: JSONValue = [
        "format": "hearth-account-export", "version": 1, "exportedAt": "2026-02-08T12:00:00Z",
        "account": ["fullName": "Ada Gull", "email": "ada@example.com"], "children": [],
    ]
}
