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
        _ = try UpdateFamily(office.database)(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
    }

    @Test("tell those who may approve who asks, and those who asked what the answer is")
    func told() throws {
        let (wanted, unwanted) = (Caller.person(name: "Uma"), Caller.person(name: "evil.test"))
        let worker = try office.worker()
        defer { worker.kill() }
        for person in [wanted, unwanted] { try office.join(person, family.code) }
        try eventually { try office.done() == 2 }
        let asked = try office.letters()
        let admin = try PostOffice.address(of: family.admin)
        #expect(asked.allSatisfy { $0.to == admin && $0.defects.isEmpty })
        #expect(asked.contains { $0.subject == "Uma asks to join The Terns" })
        #expect(asked.contains { $0.subject.contains("asks to join The Terns") })
        #expect(asked.allSatisfy { !$0.text.contains("evil.test") }, "what could be a link")

        _ = try ApproveMember(office.database)(
            by: family.admin, member: try family.member(wanted))
        try eventually { try office.done() == 3 }
        try RemoveMember(office.database)(by: family.admin, member: try family.member(unwanted))
        try eventually { try office.done() == 4 }
        let answers = try office.letters().filter { $0.to != admin }
        #expect(answers.count == 2 && answers.allSatisfy { $0.defects.isEmpty })
        func subject(to person: Caller) throws -> String? {
            let address = try PostOffice.address(of: person)
            return answers.first { $0.to == address }?.subject
        }
        #expect(try subject(to: wanted) == "You are now a member of The Terns")
        #expect(try subject(to: unwanted) == "Your request to join The Terns was turned down")
    }

    @Test("are not sent of a request that is withdrawn before, nor without end to one family")
    func bounded() throws {
        let person = Caller.person(name: "Uma")
        let leave = LeaveFamily(office.database)
        for _ in 0..<12 {
            try office.join(person, family.code)
            // Who asks again meanwhile makes no new request.
            try office.join(person, family.code)
            try leave.withdraw(by: person, from: family.id)
        }
        let queued = try office.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.join_requested'")
        #expect(queued == 10)
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.jobsLeft == 0 }
        #expect(try office.done("cancelled") == 10)
        #expect(try office.letters().isEmpty)
    }
}
