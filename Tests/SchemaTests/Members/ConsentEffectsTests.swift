import Postgres
import TestSupport
import Testing

@Suite("Consent writes what it says, for this child and purpose alone")
struct ConsentEffectsTests {
    private let scene: GuardianScene
    init() throws { scene = try GuardianScene() }

    private func give(
        _ purpose: String? = "photos", _ version: String? = "1", _ method: String? = "signed_in",
        codeIsRight: Bool? = nil, for child: UInt128? = nil, by person: Person? = nil
    ) throws {
        try scene.call(
            person ?? scene.mother,
            """
            SELECT app.give_consent(\(child ?? scene.child), \(purpose as String?),
                \(version as String?), \(method as String?), \(codeIsRight as Bool?))
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

    @Test("a row, the child's change and the trail")
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

    @Test("a proof by code or another version ends the row before; a weaker proof changes nothing")
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
        ) { try give("photos", "1", "email_code", codeIsRight: true) }
        try effects.expect { try give("photos", "1", "email_code", codeIsRight: true) }
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

    @Test("withdrawing ends what stands, once")
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

    @Test("what can't be given is refused by its name")
    func refused() throws {
        let effects = try scene.effects()
        func attempts() throws {
            #expect(try refusal { try give("no-such") } == "HF404 purpose_not_found")
            #expect(try refusal { try give(nil) } == "HF404 purpose_not_found")
            #expect(try refusal { try give("photos", "2") } == "HF409 consent_outdated")
            #expect(try refusal { try give("photos", nil) } == "HF409 consent_outdated")
            #expect(try fieldRefused { try give("photos", "1", "oral") } == "method")
            #expect(try fieldRefused { try give("photos", "1", nil) } == "method")
            for right in [false, nil] {
                #expect(
                    try refusal { try give("photos", "1", "email_code", codeIsRight: right) }
                        == "HF400 code_wrong")
            }
            #expect(try refusal { try give(by: scene.father) } == "HF403 standing_too_low")
            #expect(try refusal { try give(by: scene.neighbour) } == "HF404 member_not_found")
            #expect(
                try refusal { try give(for: scene.member(scene.father)) }
                    == "HF404 member_not_found")
        }
        try effects.expect("", attempts)
    }

    @Test("a file of purposes replaces the one before, and touches what it says alike as little")
    func purposes() throws {
        let connection = try Connection(scene.house.test.settings(as: "hearth_api"))
        func apply(_ purposes: [String], _ versions: [String], _ required: [String]) throws {
            try connection.query(
                "SELECT app.apply_consent_purposes(\(purposes), \(versions), \(required))")
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
            + consent_purposes: is_required=true, purpose=travel, version=7
            - consent_purposes: is_required=false, purpose=training, version=1
            """
        ) { try apply(["photos", "travel"], ["2", "7"], ["travel"]) }
        try effects.expect(
            """
            - consent_purposes: is_required=false, purpose=photos, version=2
            - consent_purposes: is_required=true, purpose=travel, version=7
            """
        ) { try apply([], [], []) }
    }
}
