import Postgres
import TestSupport
import Testing

@Suite("Rows written by consent, for one child and purpose")
struct ConsentEffectsTests {
    private let scene: GuardianScene
    init() throws { scene = try GuardianScene() }

    private func give(
        _ purpose: String? = "photos", _ version: String? = "1", _ method: String? = "signed_in",
        codeGeneration: Int? = nil, for child: UInt128? = nil, by person: Person? = nil
    ) throws {
        try scene.call(
            person ?? scene.mother,
            """
            SELECT app.give_consent(\(child ?? scene.child), \(purpose as String?),
                \(version as String?), \(method as String?), \(codeGeneration as Int?))
            """)
    }

    private func withdraw(_ purpose: String) throws {
        try scene.call(
            scene.mother, "SELECT app.withdraw_consent(\(scene.child), \(purpose))")
    }

    private func giveAllOthers() throws {
        for purpose in ["photos", "training"] {
            try give(purpose, for: scene.sibling)
            try give(purpose, for: scene.stranger, by: scene.neighbour)
        }
        try give("training")
    }

    @Test("a consent adds its row, a change of the child and an audit row")
    func given() throws {
        try giveAllOthers()
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=consent.give, actor_user_id=mother, details={method: signed_in,
                purpose: photos, version: 1}, family_unit_id=family, subject_user_id=child,
                target_id=child
            + consents: family_unit_id=family, given_at=now, given_by=mother, member_id=child,
                method=signed_in, purpose=photos, version=1
            ~ family_members child: updated_at=now
            """
        ) { try give() }
        try effects.expect { try give() }
    }

    @Test("a mailed proof or another version replaces a consent; a weaker proof changes nothing")
    func renewed() throws {
        try giveAllOthers()
        try give()
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=consent.give, actor_user_id=mother, details={method: email_code,
                purpose: photos, version: 1}, family_unit_id=family, subject_user_id=child,
                target_id=child
            + consents: family_unit_id=family, given_at=now, given_by=mother, member_id=child,
                method=email_code, purpose=photos, version=1
            ~ consents child family photos: ended_at=now, ended_by=mother
            ~ family_members child: updated_at=now
            """
        ) { try give("photos", "1", "email_code", codeGeneration: 1) }
        try effects.expect { try give("photos", "1", "email_code", codeGeneration: 1) }
        try effects.expect { try give() }
        try scene.house.superuser().query(
            "UPDATE app.consent_purposes SET version = '2' WHERE purpose = 'photos'")
        try effects.expect(
            """
            + audit_log: action=consent.give, actor_user_id=mother, details={method: signed_in,
                purpose: photos, version: 2}, family_unit_id=family, subject_user_id=child,
                target_id=child
            + consents: family_unit_id=family, given_at=now, given_by=mother, member_id=child,
                method=signed_in, purpose=photos, version=2
            ~ consents child family photos: ended_at=now, ended_by=mother
            ~ family_members child: updated_at=now
            """
        ) { try give("photos", "2") }
        try withdraw("photos")
        try effects.expect(
            """
            + audit_log: action=consent.give, actor_user_id=mother, details={method: signed_in,
                purpose: photos, version: 2}, family_unit_id=family, subject_user_id=child,
                target_id=child
            + consents: family_unit_id=family, given_at=now, given_by=mother, member_id=child,
                method=signed_in, purpose=photos, version=2
            ~ family_members child: updated_at=now
            """
        ) { try give("photos", "2") }
    }

    @Test("withdrawing ends the current consent, once")
    func withdrawn() throws {
        try giveAllOthers()
        try give()
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=consent.withdraw, actor_user_id=mother, details={purpose:
                photos, version: 1}, family_unit_id=family, subject_user_id=child,
                target_id=child
            ~ consents child family photos: ended_at=now, ended_by=mother
            ~ family_members child: updated_at=now
            """
        ) { try withdraw("photos") }
        try effects.expect { try withdraw("photos") }
        try effects.expect { try withdraw("no-such") }
    }

    @Test("an invalid consent is refused with its reason")
    func refused() throws {
        let effects = try scene.effects()
        func attempts() throws {
            #expect(try refusal { try give("no-such") } == "HF404 purpose_not_found")
            #expect(try refusal { try give(nil) } == "HF404 purpose_not_found")
            #expect(try refusal { try give("photos", "2") } == "HF409 consent_outdated")
            #expect(try refusal { try give("photos", nil) } == "HF409 consent_outdated")
            #expect(try fieldRefused { try give("photos", "1", "oral") } == "method")
            #expect(try fieldRefused { try give("photos", "1", nil) } == "method")
            for generation in [1, nil] {
                #expect(
                    try refusal {
                        try give("photos", "1", "email_code", codeGeneration: generation)
                    } == "HF400 code_wrong")
            }
            #expect(try refusal { try give(by: scene.father) } == "HF403 standing_too_low")
            #expect(try refusal { try give(by: scene.neighbour) } == "HF404 member_not_found")
            #expect(
                try refusal { try give(for: scene.member(scene.father)) }
                    == "HF404 member_not_found")
        }
        try effects.expect("", attempts)
    }

    @Test("a mailed code is accepted once, and a withdrawal invalidates it")
    func codeOnce() throws {
        func give(_ generation: Int) throws -> String? {
            try refusal { try self.give("photos", "1", "email_code", codeGeneration: generation) }
        }
        #expect(try give(0) == nil)
        try withdraw("photos")
        // One consent that was given and ended.
        #expect(try [0, 1].map(give) == ["HF400 code_wrong", "HF400 code_wrong"])
        #expect(try give(2) == nil)
    }

    @Test("applying purposes replaces the earlier ones and leaves equal ones untouched")
    func purposes() throws {
        let connection = try Connection(scene.house.test.settings(as: "hearth_api"))
        func apply(_ purposes: [String], _ versions: [String], _ required: [String]) throws {
            try connection.query(
                """
                SELECT app.apply_consent_purposes(\(purposes), \(versions), \(required), '{}',
                    \(purposes.map { _ in "" }))
                """)
        }
        let effects = try scene.effects()
        try effects.expect { try apply(["photos", "training"], ["1", "1"], ["training"]) }
        try effects.expect(
            """
            ~ consent_purposes photos: version=2
            """
        ) { try apply(["photos", "training"], ["2", "1"], ["training"]) }
        try effects.expect(
            """
            ~ consent_purposes training: is_required=false
            """
        ) { try apply(["photos", "training"], ["2", "1"], []) }
        try effects.expect(
            """
            + consent_purposes: is_for_accounts=false, is_required=true, purpose=travel, refuses=[], version=7
            - consent_purposes: is_for_accounts=false, is_required=false, purpose=training, refuses=[], version=1
            """
        ) { try apply(["photos", "travel"], ["2", "7"], ["travel"]) }
        try effects.expect(
            """
            - consent_purposes: is_for_accounts=false, is_required=false, purpose=photos, refuses=[], version=2
            - consent_purposes: is_for_accounts=false, is_required=true, purpose=travel, refuses=[], version=7
            """
        ) { try apply([], [], []) }
    }
}

@Suite("An account's own consent")
struct AccountConsentTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }

    /// Sets up terms to which every change requires consent.
    init() throws {
        scene = try TwoFamilies()
        try scene.house.owner().query(
            """
            INSERT INTO app.consent_purposes (purpose, version, is_required, is_for_accounts, refuses)
            VALUES ('terms', '1', true, true, ARRAY[
                'family.create', 'family.update', 'code.regenerate', 'code.join', 'member.remove',
                'member.set_role', 'admin.transfer', 'invitation.create', 'invitation.revoke',
                'invitation.resend', 'invitation.accept', 'managed.create', 'profile.update',
                'player_details.write', 'attributes.write', 'preferences.write'])
            """)
    }

    private func give(_ person: Person) throws {
        try scene.call(person, "SELECT app.give_own_consent('terms', '1')")
    }

    /// Changes by the admin of the first family, one for each permission.
    private func changes() throws -> [SQL] {
        let (home, adult) = (scene.home.id, scene.homeAdult)
        return [
            "SELECT FROM app.create_family('Other', NULL, true)",
            "SELECT app.update_family(\(home), 'X', NULL, NULL, false, NULL)",
            "SELECT FROM app.regenerate_code(\(home), NULL)",
            "SELECT FROM app.remove_member(\(adult), NULL, false, false)",
            .changeHouseholdRole(of: adult, to: "kid"),
            "SELECT app.transfer_admin(\(home), \(adult))",
            "SELECT FROM app.create_invitation(\(home), NULL, 'parent', NULL, 'link')",
            "SELECT app.revoke_invitation(\(scene.byAdmin.id))",
            "SELECT FROM app.join_by_invitation(\(scene.byAdmin.token), NULL)",
            "SELECT app.add_managed_member(\(home), 'Robin', NULL)",
            "SELECT app.update_profile('Ada', NULL, NULL, NULL)",
            "SELECT app.change_player_details(\(home), '{}')",
            "SELECT FROM app.patch_attributes(\(home), '{}', NULL)",
            """
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
            VALUES (\(home), \(scene.admin.id), '{}')
            """,
        ]
    }

    @Test("every change that requires consent is refused without it, and succeeds afterwards")
    func refuses() throws {
        for change in try changes() {
            #expect(
                try refusal { try scene.call(scene.admin, change) } == "HF403 consent_missing")
        }
        let outcome: String = try scene.call(
            scene.player,
            "SELECT outcome FROM app.join_family_by_code(\(scene.home.code), NULL, NULL)"
        ).scalar()
        #expect(outcome == "consent_missing")
        try give(scene.admin)
        for change in try changes() {
            // Each by itself, rolled back.
            #expect(throws: Undo.self) {
                try house.asAPI(scene.admin) { transaction in
                    let told = try refusal { try transaction.query(change) }
                    #expect(told != "HF403 consent_missing")
                    throw Undo()
                }
            }
        }
    }

    private struct Undo: Error {}

    @Test("a direct client's change without consent is refused, and an operator's is made")
    func everyWriter() throws {
        let direct = try refusal {
            try DirectQueries.insertFamily(
                UInt128.random(in: 0...UInt128.max), code: "FAM-TERMS1", by: scene.admin
            ).send(to: house)
        }
        #expect(direct == "HF403 consent_missing")
        try house.asOperator {
            try $0.query("SELECT app.operator_create_family(\(scene.admin.id), 'X', NULL)")
        }
    }

    @Test("a withdrawal takes effect at the next statement, and another version is another consent")
    func withdrawn() throws {
        let rename: SQL = "SELECT app.update_profile('Ada', NULL, NULL, NULL)"
        func isRefused() throws -> Bool {
            try refusal { try scene.call(scene.adult, rename) } == "HF403 consent_missing"
        }
        try give(scene.adult)
        #expect(try !isRefused())
        try house.owner().query("UPDATE app.consent_purposes SET version = '2'")
        #expect(try isRefused())
        #expect(try refusal { try give(scene.adult) } == "HF409 consent_outdated")
        try scene.call(scene.adult, "SELECT app.give_own_consent('terms', '2')")
        #expect(try !isRefused())
        try scene.call(scene.adult, "SELECT app.withdraw_own_consent('terms')")
        #expect(try isRefused())
        #expect(try refusal { try scene.call(scene.neighbour, rename) } == "HF403 consent_missing")
    }

    @Test("a consent adds one audit row and increments only the person's version")
    func written() throws {
        try scene.effects().expect(
            """
            + account_consents: given_at=now, purpose=terms, user_id=adult, user_kind=account,
                version=1
            + audit_log: action=consent.give, actor_user_id=adult, details={method: self, purpose:
                terms, version: 1}, subject_user_id=adult, target_id=adult
            """
        ) {
            try give(scene.adult)
            try give(scene.adult)
        }
        try scene.effects().expect(
            """
            + audit_log: action=consent.withdraw, actor_user_id=adult, details={purpose: terms,
                version: 1}, subject_user_id=adult, target_id=adult
            ~ account_consents terms: ended_at=now
            """
        ) {
            try scene.call(scene.adult, "SELECT app.withdraw_own_consent('terms')")
            try scene.call(scene.adult, "SELECT app.withdraw_own_consent('terms')")
        }
    }

    @Test("an erased account keeps no consent")
    func erased() throws {
        try give(scene.player)
        _ = try house.asOperator {
            try $0.query("SELECT FROM app.erase_user(\(scene.player.id), '{}')")
        }
        #expect(try house.count("SELECT count(*) FROM app.account_consents") == 0)
    }
}
