import Domain
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("Limits that are advertised to callers")
struct LimitsTests {
    /// Each allowance, with the database functions that return its quota and window.
    private static let allowances: [(told: Allowance, quota: String, window: String)] = [
        (
            AttemptLimit.codesByAccount.allowance, "app.max_code_attempts_of_account()",
            "app.code_attempts_window()"
        ),
        (
            AttemptLimit.codesByAddress.allowance, "app.max_code_attempts_of_address()",
            "app.code_attempts_window()"
        ),
        (
            AttemptLimit.codesByNetwork.allowance, "app.max_code_attempts_of_network()",
            "app.code_attempts_window()"
        ),
        (
            AttemptLimit.distinctCodes.allowance, "app.max_distinct_codes()",
            "app.distinct_codes_window()"
        ),
        (
            AttemptLimit.invitationsByAddress.allowance, "app.max_invitation_looks()",
            "app.invitation_looks_window()"
        ),
        (
            AttemptLimit.mailedCodesByAddressAndNetwork.allowance,
            "app.max_mailed_codes_of_address_by_network()",
            "app.mailed_codes_window()"
        ),
        (
            AttemptLimit.mailedCodesByAddress.allowance, "app.max_mailed_codes_of_address()",
            "app.mailed_codes_window()"
        ),
        (
            AttemptLimit.mailedCodesByNetwork.allowance, "app.max_mailed_codes_of_network()",
            "app.mailed_codes_window()"
        ),
        (
            AttemptLimit.deletions.allowance, "app.max_deletion_attempts()",
            "app.fresh_proof_time()"
        ),
        (AttemptLimit.codeGuesses.allowance, "app.max_code_guesses()", "app.code_guesses_window()"),
        (AttemptLimit.exports.allowance, "app.max_exports()", "app.exports_window()"),
        (
            AttemptLimit.pageTickets.allowance, "app.max_page_tickets()",
            "app.page_tickets_window()"
        ),
        (
            AttemptLimit.passwordsByAccount.allowance, "app.max_password_attempts_of_account()",
            "app.password_attempts_window()"
        ),
        (
            AttemptLimit.passwordsByAddress.allowance, "app.max_password_attempts_of_address()",
            "app.password_attempts_window()"
        ),
        (
            AttemptLimit.passwordsByNetwork.allowance, "app.max_password_attempts_of_network()",
            "app.password_attempts_window()"
        ),
        (
            AttemptLimit.passkeysByAddress.allowance, "app.max_passkey_attempts_of_address()",
            "app.password_attempts_window()"
        ),
        (
            AttemptLimit.passkeysByNetwork.allowance, "app.max_passkey_attempts_of_network()",
            "app.password_attempts_window()"
        ),
        (
            Allowance.invitations, "app.max_invitations_made()",
            "app.invitations_made_window()"
        ),
        (Allowance.resends, "1", "app.resend_pause()"),
        (
            Allowance.idempotencyKeys, "app.max_idempotency_keys()",
            "app.idempotency_key_retention()"
        ),
    ]

    @Test("the advertised limits equal those that the database enforces")
    func told() throws {
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings())
            func ask(_ expression: String) throws -> Int {
                try connection.query(SQL(unsafe: "SELECT (\(expression))::int8")).scalar(Int.self)
            }
            for allowance in Self.allowances {
                let held = Allowance(
                    quota: try ask(allowance.quota),
                    windowSeconds: try ask("extract(epoch FROM \(allowance.window))"))
                #expect(allowance.told == held, "\(allowance.quota)")
            }
            #expect(try ask("app.max_other_details()") == PlayerDetails.mostFurther)
            let proof = try ask("extract(epoch FROM app.fresh_proof_time())")
            #expect(proof == Int(DeletionCodes.validSeconds))
            let ticket = try ask("extract(epoch FROM app.page_ticket_time())")
            #expect(ticket == PageTicketService.lifetimeSeconds)
            #expect(try ask("app.max_code_days()") == CodeService.allowedDays.upperBound)
        }
    }
}
