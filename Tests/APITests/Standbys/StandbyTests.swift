import Postgres
import TestSupport
import Testing
import Basics
import UseCases

/// Serialized, because each test starts two servers.
@Suite("Reads from standbys", .serialized)
struct StandbyTests {
    @Test("standbys serve reads, which show every confirmed change through every process")
    func shown() throws {
        let stage = try StandbyStage()
        let home = try stage.sites[0].home()
        try stage.awaitServing()
        let before = stage.sites.map { $0.reads.counts.byStandby }
        for number in 1...50 {
            let name = "Name \(number)"
            let renamed = try home.admin.patch("/api/me", #"{"fullName": "\#(name)"}"#)
            try #require(renamed.status == 200)
            for site in stage.sites {
                #expect(try site.same(home.admin).get("/api/me").text("fullName") == name)
            }
        }
        for (site, before) in zip(stage.sites, before) {
            // Some reads go to the primary if the machine stalls.
            #expect(site.reads.counts.byStandby > before)
        }
        // The standby does not know the account yet, so the primary answers.
        let person = try stage.sites[0].person(.parent)
        for site in stage.sites { #expect(try site.same(person).get("/api/me").status == 200) }
        for _ in 1...10 { try tryASession(stage, person) }
    }

    private func tryASession(_ stage: StandbyStage, _ person: APIClient) throws {
        let opened = try stage.sites[0].send(
            "POST", "/api/auth/exchange", body: #"{"token": "\#(person.token)"}"#)
        let token = try #require(opened.text("access_token"))
        let refreshToken = try #require(opened.text("refresh_token"))
        for site in stage.sites {
            #expect(try site.send("GET", "/api/me", token: token).status == 200)
        }
        let ended = try stage.sites[1].send(
            "POST", "/api/auth/sign-out", body: #"{"refresh_token": "\#(refreshToken)"}"#)
        #expect(ended.status == 200)
        for site in stage.sites {
            #expect(try site.send("GET", "/api/me", token: token).status == 401)
        }
    }

    @Test("a removal is never undone by a standby that is behind, cut off or hanging")
    func takenAway() throws {
        let stage = try StandbyStage()
        let home = try stage.sites[0].home()
        try stage.awaitServing()
        for disturbance in Disturbance.allCases {
            // The last process reads from no standby, but it also waits for standbys.
            for remover in [stage.sites[0], stage.sites[1], stage.other] {
                let guest = try stage.sites[0].person(.parent)
                try stage.sites[0].join(guest, code: home.code)
                try stage.awaitServing()
                try disturbance.begin(stage)
                try remove(guest, from: home, at: remover, stage, "\(disturbance)")
                try disturbance.end(stage)
            }
        }
    }

    private func remove(
        _ guest: APIClient, from home: FamilyFixture<Site>, at remover: Site,
        _ stage: StandbyStage, _ disturbance: String
    ) throws {
        let admin = remover.same(home.admin)
        let members = "/api/family/members?familyId=\(home.id)"
        let ids = try remover.memberIDs(of: home.id, seenBy: admin)
        let id = try #require(ids[guest.person.id])
        let removed = try admin.delete("/api/family/members/\(id)")
        #expect(removed.status == 200, "\(disturbance)")
        for each in stage.sites + [stage.other] {
            #expect(try each.same(guest).get(members).status == 404, "\(disturbance)")
            let shown = try each.memberIDs(of: home.id, seenBy: each.same(home.admin))
            #expect(shown[guest.person.id] == nil, "\(disturbance)")
        }
        // Repeating the request reveals the removal, so it waits as well.
        #expect(try admin.delete("/api/family/members/\(id)").status == 404)
    }

    @Test("a promoted standby or a primary is not used as a standby for reads")
    func promoted() throws {
        let stage = try StandbyStage()
        let home = try stage.sites[0].home()
        try stage.awaitServing()
        let leads = try Site(
            on: stage.test,
            reads: { try StandbyStage.reads($0, from: stage.primary, stage.test) })
        _ = leads.reads.start()
        try stage.standby.promote()
        for site in stage.sites + [leads] {
            let name = "After \(site.port)"
            let renamed = try site.same(home.admin).patch(
                "/api/family/\(home.id)", #"{"familyName": "\#(name)"}"#)
            #expect(renamed.status == 200)
            for each in stage.sites + [leads] {
                let shown = try each.same(home.admin).get("/api/family/\(home.id)")
                #expect(shown.text("familyName") == name)
            }
        }
        #expect(leads.reads.counts.byStandby == 0)
        try eventually { stage.sites.allSatisfy { $0.reads.standbyCounts.serving == 0 } }
    }
}

/// Fault of a standby.
enum Disturbance: CaseIterable {
    case none
    /// The standby receives changes but replays none.
    case behind
    /// The standby has lost its connection to the primary.
    case cutOff
    case hung

    func begin(_ stage: StandbyStage) throws {
        switch self {
        case .none: break
        case .behind: try stage.replay(false)
        case .cutOff: try stage.follow(false)
        case .hung: stage.standby.hang(true)
        }
    }

    func end(_ stage: StandbyStage) throws {
        switch self {
        case .none: break
        case .behind: try stage.replay(true)
        case .cutOff: try stage.follow(true)
        case .hung: stage.standby.hang(false)
        }
    }
}
