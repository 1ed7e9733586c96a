import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("An invitation's e-mail")
struct InvitationMailTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    /// Dates the invitations back by the minute in which they can't be sent again.
    private func passResendMinute() throws {
        try office.execute(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'")
    }

    @Test("an invitation's e-mail arrives with a link that shows it and admits the addressee")
    func arrives() throws {
        let server = try MailServer(.aiosmtpd)
        let inviter = RequestContext.person(.parent, name: "Zoë \"Zo\" Łąka 👩‍👧")
        let invited = RequestContext.person()
        let family = try office.create(inviter, name: "Die Müllers & <Söhne> 🏡")
        let worker = try office.worker(server)
        let invitation = try office.invite(PostOffice.address(of: invited), by: inviter)
        try eventually { try server.messages().count == 1 && office.done() == 1 }
        let read = try ReadMessage(server.messages()[0])
        #expect(read.defects.isEmpty && read.type == "multipart/alternative")
        #expect(
            read.subject
                == "Zoë \"Zo\" Łąka 👩‍👧 invites you to join Die Müllers & <Söhne> 🏡")
        #expect(try read.to == PostOffice.address(of: invited))
        let token = try #require(read.token)
        let preview = try ReceivedInvitationService(office.database).preview(
            by: nil, token: token, from: .somewhere())
        #expect(preview.id == invitation.id && preview.familyName == "Die Müllers & <Söhne> 🏡")
        let accepted = try ReceivedInvitationService(office.database).accept(
            by: invited, .token(token), from: .somewhere())
        #expect(accepted.family == family.id)
        worker.signal(SIGTERM)
        try worker.awaitEnd()
        #expect(worker.exitCode == 0)
        let log = try office.log()
        #expect(!log.contains("@") && !log.contains(token) && !log.contains("Müller"), "\(log)")
    }

    @Test("an invitation's mail waits for a worker that has the key of its link")
    func otherKey() throws {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let other = ["HEARTH_SECRET_KEY": String(repeating: "x", count: 40)]
        let without = try office.worker(nil, log: "without", other)
        defer { without.kill() }
        try office.invite("invited@example.org", by: inviter)
        try eventually {
            try office.log("without").contains("no key of HEARTH_SECRET_KEY fits the link")
        }
        try eventually {
            try office.count("SELECT count(*) FROM jobs.live WHERE state = 'ready'") == 1
        }
        let with = try office.worker()
        defer { with.kill() }
        try eventually { try office.done() == 1 }
        #expect(try office.letters().count == 1)
        #expect(try office.done("dead") == 0)
    }

    @Test("the mail of an invitation that was revoked or renewed is not sent")
    func outdated() throws {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let revoked = try office.invite("revoked@example.org", by: inviter)
        try InvitationService(office.database, office.invitationKeys).revoke(
            by: inviter, invitation: revoked.id)
        let renewed = try office.invite("renewed@example.org", by: inviter)
        try passResendMinute()
        let again = try office.invite("renewed@example.org", by: inviter)
        #expect(again.id == renewed.id && again.isRenewed)
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.jobsLeft == 0 }
        let letters = try office.letters()
        #expect(letters.map(\.to) == ["renewed@example.org"])
        let (done, cancelled) = (try office.done(), try office.done("cancelled"))
        #expect(done == 1 && cancelled == 2)
        let token = try #require(letters.first?.token)
        _ = try ReceivedInvitationService(office.database).preview(
            by: nil, token: token, from: .somewhere())
        let status = try office.delivery(again.id, by: inviter)
        #expect(status == "sent")
    }

    @Test("a permanent refusal suppresses the address until an operator lifts the suppression")
    func suppressed() throws {
        let server = try MailServer()
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(server)
        defer { worker.kill() }
        let address = "rcpt=550@example.org"
        let invitation = try office.invite(address, by: inviter)
        try eventually { try office.delivery(invitation.id, by: inviter) == "failed" }
        try eventually { try office.count("SELECT count(*) FROM jobs.dead") == 1 }
        try passResendMinute()
        let again = try office.invite(address, by: inviter)
        try eventually { try office.jobsLeft == 0 }
        let status = try office.delivery(again.id, by: inviter)
        let cancelled = try office.done("cancelled")
        #expect(status == "failed" && cancelled == 1)
        try office.execute("SELECT app.unsuppress_address(\(address.uppercased()))")
        let left = try office.count("SELECT count(*) FROM app.suppressed_addresses")
        #expect(left == 0)
        let reason = try office.count(
            "SELECT count(*) FROM jobs.dead WHERE last_error LIKE '%550 5.1.1%'")
        #expect(reason == 1)
    }

    @Test(
        "without SMTPUTF8, mail to an international domain is sent, mail to a non-ASCII name fails")
    func international() throws {
        let server = try MailServer()
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(server, ["HEARTH_MAIL_FROM": "Hearth <h@bücher.example>"])
        defer { worker.kill() }
        let domain = try office.invite("a@é.org", by: inviter)
        let person = try office.invite("é@example.org", by: inviter)
        try eventually { try office.delivery(domain.id, by: inviter) == "sent" }
        try eventually { try office.count("SELECT count(*) FROM jobs.dead") == 1 }
        let arrived = try server.messages().map { String(decoding: $0, as: UTF8.self) }
        #expect(arrived.count == 1 && arrived[0].contains("\r\n<a@xn--9ca.org> connection"))
        #expect(arrived.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
        #expect(arrived[0].contains("@xn--bcher-kva.example>\r\nAuto-Submitted"))
        let status = try office.delivery(person.id, by: inviter)
        let suppressed = try office.count("SELECT count(*) FROM app.suppressed_addresses")
        #expect(status == "failed" && suppressed == 0)
    }

    @Test(
        "mail waits, without counting attempts, while the server accepts nothing from this sender")
    func paused() throws {
        let server = try MailServer(.scripted(["--at", "mail=550 5.7.1 no"]))
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(server)
        try office.invite("a@example.org", by: inviter)
        try office.invite("b@example.org", by: inviter)
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM jobs.paused_queues AS q, jobs.live AS j
                WHERE j.state = 'ready' AND j.attempt = 0
                """) == 2
        }
        worker.kill()
        let better = try MailServer()
        let other = try office.worker(better)
        defer { other.kill() }
        try eventually { try office.log().contains("lease acquired") }
        try office.probe()
        try eventually { try better.messages().count == 2 }
        try eventually { try office.done() == 2 }
        let paused = try office.count("SELECT count(*) FROM jobs.paused_queues")
        #expect(paused == 0)
    }

    @Test("mail scheduled by a clock that was far ahead is sent at once")
    func clockAhead() throws {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        try office.invite("a@example.org", by: inviter)
        try office.execute(
            "UPDATE jobs.live SET run_at = run_at + interval '40 days' WHERE queue = 'mail'")
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.letters().map(\.to) == ["a@example.org"] }
    }

    @Test("a server that always answers 530 is reported in metrics, log and queue")
    func unusable() throws {
        let server = try MailServer(.scripted(["--at", "rcpt=530 5.7.0 sign in first"]))
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let port = try FreePort.find()
        let worker = try office.worker(
            server, ["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        try FreePort.awaitListener(on: port, by: worker)
        func metrics() throws -> String {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
            return try String(contentsOf: url, encoding: .utf8)
        }
        for line in [
            #"hearth_mails_total{outcome="relay_unusable"} 0"#,
            #"hearth_jobs_ended_total{kind="mail.invitation",outcome="paused"} 0"#,
        ] {
            #expect(try metrics().contains("\n\(line)\n"), "\(line)")
        }
        try eventually {
            try metrics().contains("\n" + #"hearth_queue_paused{queue="mail"} 0"# + "\n")
        }
        try office.invite("a@example.org", by: inviter)
        try eventually {
            try office.count("SELECT count(*) FROM jobs.paused_queues") == 1
        }
        try office.execute(
            "UPDATE jobs.live SET enqueued_at = now() - interval '14 minutes' WHERE queue = 'mail'")
        // The second attempt moves the job's run_at.
        try office.probe()
        try eventually {
            try metrics().contains(
                "\n" + #"hearth_mails_total{outcome="relay_unusable"} 2"# + "\n")
        }
        try eventually {
            let text = try metrics()
            guard
                let oldest = text.firstMatch(
                    of: /hearth_jobs_oldest_ready_seconds\{queue="mail"\} ([0-9]+)/)
            else { return false }
            return (Int(oldest.output.1) ?? 0) >= 840
                && text.contains("\n" + #"hearth_queue_paused{queue="mail"} 1"# + "\n")
                && text.contains("\n" + #"hearth_queue_paused{queue="webhooks"} 0"# + "\n")
        }
        let log = try office.log()
        #expect(log.contains(#""queue":"mail","since":""#))
        #expect(log.contains(#"affects the whole queue","queue":"mail","error":"#))
        #expect(log.contains("at RCPT: 530 5.7.0") && !log.contains("sign in first"))
    }

    @Test("a worker that is shutting down finishes sending to a slow server")
    func drained() throws {
        let server = try MailServer()
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(server)
        for number in 1...5 { try office.invite("a\(number)@example.org", by: inviter) }
        try eventually { try !server.messages().isEmpty }
        worker.signal(SIGTERM)
        try worker.awaitEnd()
        #expect(worker.exitCode == 0)
        let (left, sent, done) = (
            try office.jobsLeft, try server.messages().count, try office.done()
        )
        #expect(sent == done && left + done == 5)
        let held = try office.count("SELECT count(*) FROM jobs.live WHERE state = 'running'")
        #expect(held == 0)
    }
}

@Suite("E-mails about a family")
struct ChangeMailTests {
    @Test("the people concerned are mailed about a new Parent Admin, a removal or a new guardian")
    func told() throws {
        let office = try PostOffice()
        let family = try FamilyFixture(by: office)
        let (admin, adult, player) = (family.admin, family.adult, family.player)
        _ = try family.child(of: adult)
        let (adminMember, adultMember) = (try family.member(admin), try family.member(adult))
        _ = try MemberService(office.database).transferAdmin(
            by: admin, family: family.id, to: adultMember)
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.done() == 2 }
        var letters = try office.letters()
        #expect(
            try letters.map(\.to).sorted()
                == [PostOffice.address(of: admin), PostOffice.address(of: adult)].sorted())
        for letter in letters {
            let isToAdult = try letter.to == PostOffice.address(of: adult)
            let subject = isToAdult ? "You're now" : "Pat is now"
            #expect(letter.subject == subject + " the Parent Admin of The Terns")
        }

        _ = try MemberService(office.database).transferAdmin(
            by: adult, family: family.id, to: adminMember)
        try eventually { try office.done() == 4 }
        try MemberService(office.database).remove(
            by: admin, member: adultMember, reassigningTo: adminMember)
        try eventually { try office.done() == 6 }
        letters = try office.letters()
        let toAdult = try letters.filter { try $0.to == PostOffice.address(of: adult) }
            .map(\.subject)
        #expect(toAdult.contains("You're no longer a member of The Terns"))
        #expect(toAdult.contains("Ada is now a guardian in The Terns"))
        try tellGuardians(office, family)
        try eventually { try office.done() == 8 }
        letters = try office.letters()
        let guardianship = letters.map(\.subject).filter { $0.contains("a guardian in The Terns") }
        #expect(guardianship.contains("You're now a guardian in The Terns"))
        #expect(guardianship.contains("You're no longer a guardian in The Terns"))
        let toPlayer = try letters.filter { try $0.to == PostOffice.address(of: player) }
        #expect(toPlayer.isEmpty)
        #expect(letters.allSatisfy { !$0.text.contains("Robin") && $0.defects.isEmpty })
    }

    /// Lets the admin, by now the child's guardian, add another guardian and remove it again.
    private func tellGuardians(_ office: PostOffice, _ family: FamilyFixture<PostOffice>) throws {
        let (_, named) = try family.joiner()
        let members = try office.database.run(
            MemberService.list(by: family.admin, family: family.id)
        ).members
        let child = try #require(members.first { $0.isManaged }).id
        _ = try GuardianService(office.database).add(
            by: family.admin, member: child, guardian: named)
        try eventually { try office.done() == 7 }
        _ = try GuardianService(office.database).remove(
            by: family.admin, member: child, guardian: named)
    }

    @Test("guardians are mailed when a child is invited to have an account, and when it graduates")
    func graduation() throws {
        let office = try PostOffice()
        let family = try FamilyFixture(by: office)
        let (_, second) = try family.joiner()
        let child = try family.child(of: family.adult)
        _ = try GuardianService(office.database).add(
            by: family.adult, member: child, guardian: second)
        let person = RequestContext.person(.player)
        let address = try #require(EmailAddress(PostOffice.address(of: person)))
        let sent = try InvitationService(office.database, try office.invitationKeys)
            .startGraduation(
                by: family.adult, member: child, to: .email(address), role: .player,
                householdRole: .kid)
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.done() == 3 }
        var letters = try office.letters()
        let invitation = try #require(letters.first { $0.to == address.text })
        #expect(
            invitation.subject == "Pat invites you to have your own account in The Terns")
        #expect(
            letters.map(\.subject).contains(
                "A child in The Terns is invited to have their own account"))
        let token = try office.invitationKeys.token(of: sent.id, generation: 1).text
        #expect(invitation.text.contains("/join?token=\(token)"))
        _ = try ReceivedInvitationService(office.database).accept(
            by: person, .token(token), from: .somewhere())
        try eventually { try office.done() == 5 }
        letters = try office.letters()
        #expect(
            letters.count { $0.subject == "A child in The Terns has their own account now" } == 2)
        #expect(letters.allSatisfy { !$0.text.contains("Robin") && $0.defects.isEmpty })
    }

    @Test("people with a pending request are mailed when the family's player joins another family")
    func waitingEnded() throws {
        let office = try PostOffice()
        let (player, waiting) = (RequestContext.person(.player), RequestContext.person())
        let own = try office.create(player, name: "Solo")
        _ = try FamilyService(office.database).update(
            by: player, family: own.id, .init(isApprovalRequired: true))
        try office.join(waiting, own.code)
        let worker = try office.worker()
        defer { worker.kill() }
        // The player is told that a person asks to join.
        try eventually { try office.done() == 1 }
        try office.join(player, FamilyFixture(by: office).code)
        try eventually { try office.done() == 2 }
        let address = try PostOffice.address(of: waiting)
        let letters = try office.letters().filter { $0.to == address }
        #expect(letters.map(\.subject) == ["Your request to join Solo has ended"])
        #expect(letters.allSatisfy { !$0.text.contains("Terns") && $0.defects.isEmpty })
    }
}
