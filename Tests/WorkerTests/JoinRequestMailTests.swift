import Domain
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("E-mails about requests to join")
struct JoinRequestMailTests {
    private let office: PostOffice
    private let family: FamilyFixture<PostOffice>

    init() throws {
        office = try PostOffice()
        family = try FamilyFixture(by: office)
        _ = try FamilyService(office.database).update(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
    }

    @Test("approvers are mailed about a request to join, and requesters about the decision")
    func told() throws {
        let (wanted, unwanted) = (
            RequestContext.person(name: "Uma"), RequestContext.person(name: "evil.test")
        )
        let worker = try office.worker()
        defer { worker.kill() }
        for person in [wanted, unwanted] { try office.join(person, family.code) }
        try eventually { try office.done() == 2 }
        let asked = try office.letters()
        let admin = try PostOffice.address(of: family.admin)
        #expect(asked.count == 2 && asked.allSatisfy { $0.to == admin && $0.defects.isEmpty })
        let subjects = Set(asked.map(\.subject))
        #expect(subjects.contains("Uma wants to join The Terns"))
        #expect(subjects.contains { $0.hasPrefix("evil.") && $0.hasSuffix("The Terns") })
        #expect(asked.allSatisfy { !$0.text.contains("evil.test") }, "what could be a link")
        let site = "https://family.example.org"
        let page = "\(site)/family?id=\(family.id)"
        #expect(asked.allSatisfy { isLink(to: page, in: $0, after: "See the request:") })
        #expect(asked.allSatisfy { $0.html.contains("href=\"\(page)\"") })

        _ = try MemberService(office.database).approve(
            by: family.admin, member: try family.member(wanted))
        try eventually { try office.done() == 3 }
        try MemberService(office.database).remove(
            by: family.admin, member: try family.member(unwanted))
        try eventually { try office.done() == 4 }
        let answers = try office.letters().filter { $0.to != admin }
        #expect(answers.count == 2 && answers.allSatisfy { $0.defects.isEmpty })
        func answer(to person: RequestContext) throws -> ReadMessage {
            let address = try PostOffice.address(of: person)
            return try #require(answers.first { $0.to == address })
        }
        let approval = try answer(to: wanted)
        #expect(approval.subject == "You're now a member of The Terns")
        #expect(isLink(to: page, in: approval, after: "See your family:"))
        let rejection = try answer(to: unwanted)
        #expect(rejection.subject == "Your request to join The Terns was turned down")
        // The family's own page is closed to this person.
        #expect(isLink(to: "\(site)/family", in: rejection, after: "See what you can do:"))
        #expect(!rejection.text.contains("\(family.id)"))
    }

    /// Whether a line of the text, directly after its label, is a link's address.
    private func isLink(to address: String, in letter: ReadMessage, after label: String) -> Bool {
        let lines = letter.text.split(whereSeparator: \.isNewline)
        return zip(lines, lines.dropFirst()).contains { $0 == label && $1 == address }
    }

    @Test("a withdrawn request is not mailed, and many of them suppress no other account's mail")
    func bounded() throws {
        let (restless, other) = (
            RequestContext.person(name: "Max"), RequestContext.person(name: "Uma")
        )
        let members = MemberService(office.database)
        for _ in 0..<12 {
            try office.join(restless, family.code)
            try members.withdraw(by: restless, from: family.id)
        }
        #expect(try office.jobsLeft == 2)
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.done("cancelled") == 2 }
        try office.join(restless, family.code)
        try office.join(other, family.code)
        try eventually { try office.done() == 1 }
        #expect(try office.letters().map(\.subject) == ["Uma wants to join The Terns"])
    }

    @Test("a waiting person is mailed when the last member who could approve leaves")
    func emptied() throws {
        let waiting = RequestContext.person(name: "Uma")
        try office.join(waiting, family.code)
        let members = MemberService(office.database)
        for person in [family.player, family.adult, family.admin] {
            try members.leave(by: person, family: family.id)
        }
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.jobsLeft == 0 }
        let letters = try office.letters()
        #expect(letters.map(\.subject) == ["Your request to join The Terns has ended"])
        #expect(letters.map(\.to) == [try PostOffice.address(of: waiting)])
        #expect(
            isLink(
                to: "https://family.example.org/family", in: letters[0],
                after: "Enter a family's code:"))
        // The member who left last can't wait for approval either.
        let refused = #expect(throws: Refusal.self) {
            try office.join(family.admin, family.code)
        }
        #expect(refused?.code == .codeUnknown)
    }
}
