import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("E-mails about an erasure")
struct ErasureMailTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    @Test("the mailed code erases the account, and the confirmation is the last e-mail")
    func confirmed() throws {
        var person = RequestContext.person()
        person.tokenIssuedAt = 1
        let address = try PostOffice.address(of: person)
        try AccountService(office.database, office.invitationKeys.deletionCodes).sendDeletionCode(
            by: person, from: .somewhere())
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.done() == 1 }
        let letter = try #require(try office.letters().first)
        #expect(letter.to == address && letter.subject == "The code to delete your account")
        let code = try #require(letter.text.firstMatch(of: /[0-9]{6}/)).output
        let accounts = AccountService(office.database, try office.invitationKeys.deletionCodes)
        try accounts.erase(by: person, code: String(code), now: Int64(Date().timeIntervalSince1970))
        try eventually { try office.done() == 2 }
        let letters = try office.letters()
        #expect(letters.map(\.to) == [address, address])
        #expect(letters.map(\.subject).contains("Your account was deleted"))
        let kept = try office.count("SELECT count(*) FROM app.erasures WHERE email IS NOT NULL")
        #expect(kept == 0)
        let log = try office.log()
        #expect(!log.contains("@") && !log.contains(code), "\(log)")
    }
}
