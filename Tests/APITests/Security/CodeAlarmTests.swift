import Domain
import JSON
import Testing
import UseCases

@testable import API

@Suite("The alarm for wrong codes")
struct CodeAlarmTests {
    @Test("metrics count wrong codes, but not malformed or right ones")
    func counted() throws {
        let site = try Site()
        let home = try site.home()
        let person = try site.person(.parent)
        for code in ["FAM-222222", "FAM-333333", "no.code", home.code] {
            _ = try person.get("/api/family/code/\(code)")
        }
        let metrics = site.services.metrics.text()
        #expect(metrics.contains("\nhearth_code_failures_total 2\n"))
        #expect(metrics.contains("\nhearth_code_alarms_total 0\n"))
        #expect(!site.lines.text.contains("this process received more wrong family codes"))
    }

    @Test("looking up an expired code counts as wrong; its image and an unknown mailed link do not")
    func others() throws {
        let site = try Site()
        let home = try site.home()
        let mailed = try site.send(
            "POST", "/api/auth/email/verify",
            body: #"{"linkToken": "\#(String(repeating: "x", count: 43))"}"#)
        #expect(mailed.says(410, "code_expired"), "\(mailed)")
        try site.expireCode(of: home.id)
        let image = try home.admin.get("/api/family/\(home.id)/qr.svg")
        #expect(image.says(410, "code_expired"), "\(image)")
        #expect(site.services.metrics.text().contains("\nhearth_code_failures_total 0\n"))
        let known = try site.person(.parent).get("/api/family/code/\(home.code)")
        #expect(known.says(410, "code_expired"), "\(known)")
        #expect(site.services.metrics.text().contains("\nhearth_code_failures_total 1\n"))
    }

    @Test("refusals because of a limit are counted under the limit's name")
    func limited() throws {
        let site = try Site()
        let person = try site.person(.parent)
        for code in ["222222", "333333", "444444", "555555", "666666", "777777", "888888"] {
            _ = try person.get("/api/family/code/FAM-\(code)")
        }
        #expect(
            site.services.metrics.text().contains(
                "\nhearth_rate_limit_refusals_total{limit=\"code-account\"} 2\n"))
    }

    @Test("wrong codes beyond the limit log one warning per window")
    func alarm() throws {
        let site = try Site()
        site.noteWrongCodes(300, atSeconds: 0)
        #expect(!site.lines.text.contains("this process received more wrong family codes"))
        site.noteWrongCodes(5, atSeconds: 299.999)
        site.noteWrongCodes(300, atSeconds: 300)
        let lines = site.lines.text.split(separator: "\n")
        #expect(lines.count { $0.contains("this process received more wrong family codes") } == 1)
        #expect(site.services.metrics.text().contains("\nhearth_code_alarms_total 1\n"))
        site.noteWrongCodes(1, atSeconds: 300.001)
        #expect(site.services.metrics.text().contains("\nhearth_code_alarms_total 2\n"))
    }
}

extension Site {
    fileprivate func noteWrongCodes(_ count: Int, atSeconds now: Double) {
        for _ in 0..<count { services.codeAlarm.count(Refusal(.codeUnknown), now: Int(now * 1e9)) }
    }
}
