import Postgres
import TestSupport
import Testing

/// Direct clients of a blocked account, and its e-mails.
@Suite("Blocked accounts: direct clients and e-mail")
struct BlockedAccountAccessTests {
    private let house: House

    init() throws { house = try House() }

    private func state(_ function: String, _ person: Person) throws -> String {
        try house.superuser().query(
            "SELECT state FROM \(unsafe: function)(\(person.id))"
        ).scalar(String.self)
    }

    @Test("a direct client gets 403 while its account is blocked, for reads and for changes")
    func direct() throws {
        let person = try house.person()
        _ = try house.family(of: person)
        func count() throws -> Int {
            try house.asDirect(person) {
                try $0.query("SELECT count(*) FROM api.family_members").scalar(Int.self)
            }
        }
        #expect(try count() == 1)
        try house.asOperator {
            try $0.query("SELECT app.operator_block_user(\(person.id), 'spam')")
        }
        for isReadOnly in [false, true] {
            let error = #expect(throws: PostgresError.self) {
                try house.asDirect(person, readOnly: isReadOnly) { _ in }
            }
            #expect(error?.sqlState?.description == "PT403")
        }
        try house.asOperator { try $0.query("SELECT app.operator_unblock_user(\(person.id))") }
        #expect(try count() == 1)
    }

    @Test("a blocked account gets only the e-mail about the block")
    func mail() throws {
        let person = try house.person()
        #expect(try state("app.mail_of_account", person) == "due")
        #expect(try state("app.mail_of_block", person) == "gone")
        try house.asOperator {
            try $0.query("SELECT app.operator_block_user(\(person.id), 'spam')")
        }
        #expect(try state("app.mail_of_account", person) == "gone")
        #expect(try state("app.mail_of_block", person) == "due")
        let jobs = try house.superuser().query(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.account_blocked'"
        ).scalar(Int.self)
        #expect(jobs == 1)
    }

    @Test("a block requires a reason and an existing account that is not an operator")
    func refusals() throws {
        let (person, other) = (try house.person(), try house.person())
        func block(_ id: UInt128, _ reason: String) throws -> String? {
            try refusal {
                try house.asOperator {
                    try $0.query("SELECT app.operator_block_user(\(id), \(reason))")
                }
            }
        }
        #expect(try block(person.id, "") == "HF400 invalid_field")
        #expect(try block(.random(in: 0 ... .max), "spam") == "HF404 user_not_found")
        try house.asOperator {
            try $0.query("SELECT app.operator_set_role(\(other.id), 'viewer', true)")
        }
        #expect(try block(other.id, "spam") == "HF409 operator_role_stands")
        let blocked = try house.superuser().query(
            "SELECT count(*) FROM app.users WHERE blocked_at IS NOT NULL"
        ).scalar(Int.self)
        #expect(blocked == 0)
    }
}
