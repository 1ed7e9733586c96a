import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Addresses that mail servers reject messages to")
struct HeldOffAddressTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    private var signInKeys: SignInKeys {
        get throws { try SignInKeys([Array(PostOffice.secret.utf8)]) }
    }

    /// Requests a sign-in code.
    private func askForCode(_ address: String) throws {
        _ = try SignInService(office.database, signInKeys).sendCode(
            try #require(EmailAddress(address)), from: .somewhere())
    }

    /// Invites the address to a new family, and returns the final delivery status in the inviter's
    /// list.
    private func invited(_ address: String) throws -> String? {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let invitation = try office.invite(address, by: inviter)
        try eventually {
            try ["sent", "failed"].contains(office.delivery(invitation.id, by: inviter) ?? "")
        }
        return try office.delivery(invitation.id, by: inviter)
    }

    private func dead(_ kind: String) throws -> Int {
        try office.count("SELECT count(*) FROM jobs.dead WHERE kind = \(kind)")
    }

    private func held() throws -> Int {
        try office.count("SELECT count(*) FROM app.mail_verdicts WHERE held_since IS NOT NULL")
    }

    @Test(
        "an address gets no invitations for a day, and one code a minute, after three rejections",
        arguments: ["dot=554=5.7.1", "rcpt=552=5.2.2", "dot=550=5.7.26"])
    func heldOff(fault: String) throws {
        let server = try MailServer()
        let worker = try office.worker(server)
        defer { worker.kill() }
        let address = fault + "@example.org"
        for number in 1...3 {
            #expect(try held() == 0)
            #expect(try invited(address) == "failed")
            try eventually { try dead("mail.invitation") == number }
        }
        #expect(try held() == 1)
        // The fourth invitation is not even tried.
        #expect(try invited(address) == "failed")
        try eventually { try office.done("cancelled") == 1 }
        #expect(try dead("mail.invitation") == 3)
        // Other addresses are unaffected.
        #expect(try invited("someone@example.org") == "sent")
        // A code that the owner requests is tried, and then no other for a minute.
        try askForCode(address)
        try eventually { try dead("mail.ticket") == 1 }
        try askForCode(address)
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM jobs.live
                WHERE kind = 'mail.ticket' AND state = 'ready' AND attempt = 0
                    AND run_at - clock_timestamp() BETWEEN interval '30 s' AND interval '61 s'
                """) == 1
        }
        #expect(try dead("mail.ticket") == 1)
        try office.execute(
            "UPDATE app.mail_verdicts SET tried_at = tried_at - interval '1 minute'")
        try office.execute("UPDATE jobs.live SET run_at = now() WHERE kind = 'mail.ticket'")
        try office.execute("SELECT pg_notify('hearth_jobs', 'mail')")
        try eventually { try dead("mail.ticket") == 2 }
        // A day later, invitations are tried again.
        try office.execute(
            """
            UPDATE app.mail_verdicts SET held_since = held_since - interval '1 day',
                verdicts = ARRAY[verdicts[1] - interval '1 day']
            """)
        #expect(try invited(address) == "failed")
        try eventually { try dead("mail.invitation") == 4 }
        let suppressed = try office.count("SELECT count(*) FROM app.suppressed_addresses")
        #expect(suppressed == 0)
    }

    @Test("an address is not held off after two rejections in a day, or three over a longer time")
    func fewer() throws {
        let server = try MailServer()
        let worker = try office.worker(server)
        defer { worker.kill() }
        let address = "dot=554=5.7.1@example.org"
        for number in 1...3 {
            #expect(try invited(address) == "failed")
            try eventually { try dead("mail.invitation") == number }
            try office.execute(
                """
                UPDATE app.mail_verdicts
                SET verdicts = ARRAY(SELECT v - interval '13 hours' FROM unnest(verdicts) AS v)
                """)
        }
        #expect(try held() == 0)
    }

    @Test("a dead address gets no mail, codes included, until an operator lifts the suppression")
    func dead() throws {
        let server = try MailServer()
        let worker = try office.worker(server)
        defer { worker.kill() }
        let address = "rcpt=550=5.1.1@example.org"
        try askForCode(address)
        try eventually { try dead("mail.ticket") == 1 }
        try askForCode(address)
        try eventually { try office.done("cancelled") == 1 }
        #expect(try invited(address) == "failed")
        #expect(try dead("mail.invitation") == 0)
        try office.execute("SELECT app.unsuppress_address(\(address))")
        try askForCode(address)
        try eventually { try dead("mail.ticket") == 2 }
    }
}
