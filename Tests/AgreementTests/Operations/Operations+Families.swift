import Domain

/// Calls of API functions about whole families.
enum FamilyOperations {
    static let all: [Operation] = anywhere + SampleFamily.targets.flatMap(inFamily)

    private static let anywhere: [Operation] =
        [
            Operation(
                name: "create a family as parent",
                sql: "SELECT family_name FROM app.create_family('New', 'parent', true)",
                kind: .call, questions: [Question(.familyCreate)],
                reason: { $0.world.hasOtherRole(than: .parent) ? .roleMismatch : nil }),
            Operation(
                name: "create a family as player",
                sql: "SELECT family_name FROM app.create_family('New', 'player', true)",
                kind: .call, questions: [Question(.familyCreate)],
                reason: {
                    $0.world.isActivePlayer(.me, besides: nil)
                        ? .playerHasFamily
                        : $0.world.hasOtherRole(than: .player) ? .roleMismatch : nil
                }),
            Operation(
                name: "update own profile",
                sql: "SELECT app.update_profile('New Name', 'key', NULL, NULL)",
                kind: .call, questions: [Question(.profileUpdate)]),
            Operation(
                name: "set own avatar address",
                sql: "SELECT app.update_profile(NULL, NULL, 'https://example.com/a', NULL)",
                kind: .call, questions: [Question(.profileUpdate)],
                obstacle: { $0.subject?.isManaged ?? false }),
            changingRole(to: .player), changingRole(to: .parent),
            Operation(
                name: "consent for itself", sql: "SELECT app.give_own_consent('terms', '1')",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "withdraw own consent", sql: "SELECT app.withdraw_own_consent('letters')",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "choose own language", sql: "SELECT app.choose_locale('es-MX')",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "erase own account",
                sql: "SELECT outcome FROM app.erase_my_account("
                    + "extract(epoch FROM now())::int8, false, '{}', '{}', false)",
                kind: .answer(["erased"]), questions: [Question(.userErase)],
                obstacle: { $0.hasDuties }),
            Operation(
                name: "erase own account without a fresh proof",
                sql: "SELECT outcome FROM app.erase_my_account(1, false, '{}', '{}', true)",
                kind: .call, questions: []),
            Operation(
                name: "have a code mailed",
                sql: "SELECT count(*) FROM app.reserve_mailed_code('::')",
                kind: .call, questions: [Question(.userErase)]),
            Operation(
                name: "have the code for an erasure mailed",
                sql: "SELECT count(*) FROM app.reserve_deletion_code('::')",
                kind: .call, questions: [Question(.userErase)]),
            Operation(
                name: "try a mailed code",
                sql: "SELECT count(*) FROM app.reserve_deletion_attempt()",
                kind: .call, questions: [Question(.userErase)]),
            Operation(
                name: "reserve an export", sql: "SELECT count(*) FROM app.reserve_export()",
                kind: .call, questions: [Question(.userExport)]),
            Operation(
                name: "export own data", sql: "SELECT app.export_my_data()",
                kind: .call, questions: [Question(.userExport)]),
            Operation(
                name: "end own sessions",
                sql: "SELECT app.end_my_sessions(NULL)",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "add a sign-in",
                sql: "SELECT app.add_sign_in("
                    + "'https://other.test', sha256('x'), NULL, false, "
                    + "extract(epoch FROM now())::bigint, extract(epoch FROM now())::bigint, '{}')",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "add a passkey",
                sql: "SELECT app.add_my_passkey(extract(epoch FROM now())::bigint, sha256('x'), "
                    + "'key', 0, NULL, gen_random_uuid(), '{}', false, false, sha256('y'), "
                    + "now() + interval '1 day', '{}')",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "exchange own token for a session",
                sql: "SELECT lasts_seconds FROM app.exchange_for_session("
                    + "gen_random_uuid(), 'https://issuer.test', NULL, sha256('x'), NULL)",
                kind: .call, questions: [Question(.accountManage)]),
            Operation(
                name: "claim an idempotency key",
                sql: "SELECT outcome FROM app.claim_idempotency_key("
                    + "'POST /x', 'key', sha256('x'), 1::int2)",
                kind: .call, questions: [Question(.profileUpdate)]),
            Operation(
                name: "keep an answer under an idempotency key",
                sql: "SELECT app.store_idempotent_response("
                    + "'POST /x', 'key', sha256('x'), 200::int2, 1::int2, '{}')",
                kind: .call, questions: [Question(.profileUpdate)]),
            Operation(
                name: "reserve an attempt at a code",
                sql: "SELECT count(*) FROM app.reserve_code_attempt('FAM-XXXXXX', '::1', '::')",
                kind: .call, questions: [Question(.codeJoin)]),
        ] + codes + erased

    private static func changingRole(to role: MemberRole) -> Operation {
        Operation(
            name: "become a \(role)",
            sql: "SELECT app.update_profile(NULL, NULL, NULL, '\(role.rawValue)')",
            kind: .call, questions: [Question(.profileUpdate), Question(.familyCreate)],
            reason: {
                $0.world.roleOfMe != role && $0.world.keepsRole() ? .roleFixedInFamily : nil
            })
    }

    /// Requests of an account that was erased after its token was first seen; all are refused.
    private static let erased: [Operation] = [
        ("read own profile", "PERFORM FROM app.my_profile"),
        ("rename itself", "PERFORM app.update_profile('New Name', NULL, NULL, NULL)"),
        ("create a family", "PERFORM app.create_family('New', 'parent', true)"),
        ("join a family", "PERFORM app.join_family_by_code('\(SampleFamily.a.code)', '::1', '::')"),
    ].map { name, sql in
        Operation(
            name: "\(name), once erased", sql: "PERFORM proof.erase_subject(); \(sql)",
            questions: [])
    }

    private static let joined: Set<String> = ["joined", "waiting"]

    /// Codes that are refused: one that never existed, and two former ones, regenerated and
    /// expired.
    private static let dead: [(code: String, refusal: RefusalCode)] = [
        ("FAM-XXXXXX", .codeUnknown), ("FAM-RRRRRR", .codeUnknown), ("FAM-EEEEEE", .codeExpired),
    ]

    private static let codes: [Operation] = dead.flatMap { code, refusal in
        [
            Operation(
                name: "join by \(code)",
                sql: "SELECT outcome FROM app.join_family_by_code('\(code)', '::1', '::')",
                kind: .answer(joined), questions: [Question(.codeJoin)],
                reason: { _ in refusal }),
            Operation(
                name: "preview \(code)",
                sql: "SELECT outcome FROM app.preview_code('\(code)', '::1', '::')",
                kind: .answer(["found"]), questions: [Question(.codePreview)],
                reason: { _ in refusal }),
        ]
    }

    private static func inFamily(_ family: SampleFamily) -> [Operation] {
        let id = "'\(family.id)'"
        func call(
            _ name: String, _ sql: String, _ question: Question,
            unless obstacle: @escaping @Sendable (Asker) -> Bool = { _ in false }
        ) -> Operation {
            Operation(
                name: "\(name) in \(family)", sql: "SELECT \(sql)", kind: .call,
                questions: [question], obstacle: obstacle)
        }
        var handingOver = call(
            "leave, handing over",
            "app.leave_family(\(id), '\(SamplePerson.aunt.memberID(in: .a))')",
            Question(.memberLeave, family),
            unless: { $0.cannotLeave(family, handingOver: true) })
        handingOver.alsoAsked = {
            $0.world.isBlocked(.aunt) && $0.world.isLastGuardian(.me, in: family)
                ? [.impossible] : []
        }
        handingOver.toldFirst = ["transfer_admin_first"]
        return [
            handingOver,
            call(
                "rename", "app.update_family(\(id), 'New', NULL, NULL, false, NULL)",
                Question(.familyUpdate, family)),
            call(
                "place home", "app.update_family(\(id), NULL, 1, 1, false, true)",
                Question(.familyUpdate, family)),
            call(
                "place home beyond the pole",
                "app.update_family(\(id), NULL, 91, 1, false, NULL)",
                Question(.familyUpdate, family), unless: { _ in true }),
            call(
                "regenerate the code", "family_code FROM app.regenerate_code(\(id), 7)",
                Question(.codeRegenerate, family)),
            call(
                "regenerate the code for ever so long",
                "family_code FROM app.regenerate_code(\(id), 366)",
                Question(.codeRegenerate, family), unless: { _ in true }),
            call(
                "change player details",
                "app.change_player_details(\(id), '{\"a\": 1, \"b\": null}')",
                Question(.playerDetailsWrite, family)),
            call(
                "change player details by a list", "app.change_player_details(\(id), '[]')",
                Question(.playerDetailsWrite, family), unless: { _ in true }),
            call(
                "patch attributes",
                "is_expected FROM app.patch_attributes(\(id), '{\"a\": 1, \"b\": null}', NULL)",
                Question(.attributesWrite, family)),
            call(
                "patch attributes by a list",
                "is_expected FROM app.patch_attributes(\(id), '[]', NULL)",
                Question(.attributesWrite, family), unless: { _ in true }),
            call(
                "add a child", "app.add_managed_member(\(id), 'Child', 'key')",
                Question(.managedCreate, family),
                unless: { _ in family == .packed }),
            call(
                "leave", "app.leave_family(\(id), NULL)", Question(.memberLeave, family),
                unless: { $0.cannotLeave(family, handingOver: false) }),
            call(
                "withdraw the request to join", "app.withdraw_request(\(id))",
                Question(.memberLeave, family),
                unless: { $0.world.row(.me, in: family)?.isActive == true }),
        ] + joining(family)
    }

    private static func joining(_ family: SampleFamily) -> [Operation] {
        guard family != .absent else { return [] }
        return [
            Operation(
                name: "join \(family)",
                sql: "SELECT outcome FROM app.join_family_by_code('\(family.code)', '::1', '::')",
                kind: .answer(joined), questions: [Question(.codeJoin)],
                reason: { $0.reasonNotToJoin(family) }),
            Operation(
                name: "preview \(family)",
                sql: "SELECT outcome FROM app.preview_code('\(family.code)', '::1', '::')",
                kind: .answer(["found"]), questions: [Question(.codePreview)],
                reason: { _ in family == .b ? .codeExpired : nil }),
            Operation(
                name: "ask in at \(family)",
                sql: """
                    SELECT outcome FROM app.request_to_join_by_code('\(family.code)', '::1', '::')
                    """,
                kind: .answer(["waiting"]), questions: [Question(.codeJoin)],
                reason: { $0.reasonNotToWait(family) }),
            Operation(
                name: "ask for the terms of \(family)",
                sql: "SELECT count(*) FROM app.approval_terms_of_code('\(family.code)')",
                kind: .call, questions: [Question(.codeJoin)]),
        ] + EntryTerms.allCases.map { entering(family, $0) }
    }

    /// Joining at once, which is refused if the person must wait for approval.
    private static func entering(_ family: SampleFamily, _ terms: EntryTerms) -> Operation {
        let inviting = terms == .automaticInvited ? "'\(family.id)'" : "NULL"
        return Operation(
            name: "enter \(family) at once (\(terms))",
            sql: "SELECT proof.enter('\(family.code)', \(terms != .usual), \(inviting))",
            kind: .entry, questions: [Question(.codeJoin)],
            alsoAsked: { asker in
                // State that prevents joining in any case is reported first; a full family last.
                let reason = asker.reasonNotToEnter(family, terms)
                return reason == nil || reason == .familyFull ? [.entry(family, terms)] : []
            }, reason: { $0.reasonNotToEnter(family, terms) })
    }
}

extension SampleFamily {
    /// Families on which operations are tried.
    static let targets: [SampleFamily] = [.a, .b, .packed, .gated, .hollow, .absent]
}

extension Asker {
    /// Whether the account is a guardian, or holds a seat that another adult could take.
    fileprivate var hasDuties: Bool {
        SampleFamily.targets.contains { cannotLeave($0, handingOver: false) }
    }

    fileprivate func cannotLeave(_ family: SampleFamily, handingOver: Bool) -> Bool {
        guard let row = world.row(.me, in: family), row.status != .removed else { return false }
        if row.isActive, row.householdRole == .parentAdmin, row.role == .parent,
            world.rows.contains(where: {
                $0.family == family && world.isEligible($0) && $0.person != .me
            })
        {
            return true
        }
        return world.isLastGuardian(.me, in: family) && !handingOver
    }

    /// The first reason not to join, in the order in which reasons are reported. The code of `b`
    /// has expired. A player in a family with other members can't enter another one.
    fileprivate func reasonNotToJoin(_ family: SampleFamily) -> RefusalCode? {
        if family == .b { return .codeExpired }
        let row = world.row(.me, in: family)
        if row?.isActive ?? false { return .alreadyMember }
        if world.roleOfMe == .player, world.isPlayerInCompany { return .playerHasFamily }
        return family == .packed ? .familyFull : nil
    }

    /// The first reason not to wait for approval. A full family still accepts requests; a family
    /// without members, or with blocked ones only, has nobody to approve them.
    fileprivate func reasonNotToWait(_ family: SampleFamily) -> RefusalCode? {
        let reason = reasonNotToJoin(family)
        guard reason == nil || reason == .familyFull else { return reason }
        let hasMembers = world.rows.contains {
            $0.family == family && $0.isActive && !world.isBlocked($0.person)
        }
        return hasMembers ? nil : .codeUnknown
    }

    /// The first reason not to join, or not to wait where the policy requires approval.
    fileprivate func reasonNotToEnter(
        _ family: SampleFamily, _ terms: EntryTerms
    ) -> RefusalCode? {
        let isAllowed = Question.entry(family, terms).consultation(self)?.written == .allowed
        return isAllowed || reasonNotToWait(family) == nil
            ? reasonNotToJoin(family) : reasonNotToWait(family)
    }
}
