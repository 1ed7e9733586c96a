import Domain
import Foundation
import JSON
import TestSupport
import Testing

@Suite("Batches")
struct BatchRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func batch(
        _ operations: [String], by person: APIClient, stops: Bool = false
    ) throws -> Answer {
        try person.post(
            "/api/batch",
            #"{"operations": [\#(operations.joined(separator: ","))], "stopOnFailure": \#(stops)}"#)
    }

    private func statuses(_ answer: Answer) throws -> [Int] {
        try #require(answer.status == 200, "\(answer)")
        return try answer.json["results"].elements().map { Int(try $0["status"].integer()) }
    }

    private func rename(_ home: FamilyFixture<Site>, _ name: String, key: String = "") -> String {
        #"""
        {"method": "PATCH", "path": "/api/family/\#(home.id)", "body": {"familyName": "\#(name)"},
         "headers": \#(key.isEmpty ? "{}" : #"{"Idempotency-Key": "\#(key)"}"#)}
        """#
    }

    @Test("a batch makes its changes in order, each with its own response, and can be repeated")
    func order() throws {
        let home = try site.home()
        let operations = ["One", "Two", "Three"].map { rename(home, $0, key: "k-\($0)-\(home.id)") }
        #expect(try statuses(batch(operations, by: home.admin)) == [200, 200, 200])
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "Later"}"#)
        let again = try batch(operations, by: home.admin)
        #expect(try statuses(again) == [200, 200, 200])
        for result in try again.json["results"].elements() {
            #expect(try result["headers"]["Idempotency-Replayed"].string() == "true")
        }
        let shown = try home.player.get("/api/family/\(home.id)")
        #expect(shown.text("familyName") == "Later")
    }

    @Test("a batch continues after a failure unless stopOnFailure is set")
    func failures() throws {
        let home = try site.home()
        let operations = [
            rename(home, "First"),
            #"{"method": "DELETE", "path": "/api/family/members/\#(UUID())"}"#,
            rename(home, "Last"),
        ]
        let whole = try batch(operations, by: home.admin)
        #expect(try statuses(whole) == [200, 404, 200])
        let failure = try whole.json["results"].elements()[1]
        #expect(try failure["body"]["code"].string() == "member_not_found")
        let stopped = try batch(operations, by: home.admin, stops: true)
        #expect(try statuses(stopped) == [200, 404, 424])
        #expect(try home.player.get("/api/family/\(home.id)").text("familyName") == "First")
    }

    @Test(
        "a batched operation and a single request with the same key count as one request",
        arguments: [
            #"{"familyName":"A\/B"}"#, #"{"familyName":  "A B"}"#, #"{"familyName":"\u00fc"}"#,
            #"{"familyName":"A","x":48.10}"#, #"{"familyName":"A","note":"a\u000ab"}"#,
        ])
    func spelling(_ body: String) throws {
        let home = try site.home()
        let path = "/api/family/\(home.id)"
        func operation(_ key: String) -> String {
            #"""
            {"method": "PATCH", "path": "\#(path)", "headers": {"Idempotency-Key": "\#(key)"},
             "body": \#(body)}
            """#
        }
        let key = ["Idempotency-Key": "single"]
        #expect(try home.admin.send("PATCH", path, body, headers: key).status == 200)
        let again = try batch([operation("single"), operation("first")], by: home.admin)
        #expect(try statuses(again) == [200, 200])
        let replayed = try again.json["results"].elements()[0]
        #expect(try replayed["headers"]["Idempotency-Replayed"].string() == "true")
        let alone = try home.admin.send(
            "PATCH", path, body, headers: ["Idempotency-Key": "first"])
        #expect(alone.status == 200 && alone.headers["idempotency-replayed"] == "true")
    }

    @Test("a batch stores values as sent, like single requests")
    func asSent() throws {
        let home = try site.home()
        let body = #"{"big":12345678901234567890,"t":0.10000000000000000555,"f":1.10,"e":1E5}"#
        let path = "/groups/\(home.id)/preferences"
        #expect(try home.adult.put(path, body).status == 200)
        let single = try home.adult.get(path).text("preferences")
        let operation = #"{"method": "PUT", "path": "\#(path)", "body": \#(body)}"#
        #expect(try statuses(batch([operation], by: home.player)) == [200])
        #expect(try home.player.get(path).text("preferences") == single)
    }

    @Test("an unreadable operation is refused, and the other operations of the batch are executed")
    func unreadable() throws {
        let home = try site.home()
        func change(_ body: String) -> String {
            #"{"method": "PUT", "path": "/groups/\#(home.id)/preferences", "body": \#(body)}"#
        }
        func nested(_ depth: Int) -> String {
            #"{"a": "# + String(repeating: "[", count: depth - 1)
                + String(repeating: "]", count: depth - 1) + "}"
        }
        let operations = [
            change(#"{"a": 1, "a": 2}"#), change(#"{"a": "\ud800"}"#), change(nested(33)),
            change(nested(10_000)), change(#"{"a": }"#), change(nested(32)),
            #"{"method": "PUT", "method": "PUT", "path": "/api/me", "body": {}}"#,
            rename(home, "Done"),
        ]
        let answer = try batch(operations, by: home.admin)
        #expect(try statuses(answer) == [400, 400, 400, 400, 400, 200, 400, 200])
        for result in try answer.json["results"].elements().prefix(5) {
            #expect(try result["body"]["code"].string() == "invalid_body")
        }
        // An unreadable body is refused even on a route that reads none.
        let passkey = "/api/me/passkeys/11111111-1111-4111-8111-111111111111"
        let removal = #"{"method": "DELETE", "path": "\#(passkey)", "body": nul}"#
        #expect(try statuses(batch([removal], by: home.admin)) == [400])
        // A mistake in the batch itself refuses the whole of it.
        let whole = try home.admin.post(
            "/api/batch", #"{"operations": [\#(rename(home, "Not done")) 1]}"#)
        #expect(whole.says(400, "invalid_body"))
        #expect(try home.player.get("/api/family/\(home.id)").text("familyName") == "Done")
    }

    @Test("a batch starts no further operation after its time limit, or once the server shuts down")
    func time() throws {
        for isDraining in [false, true] {
            let site = try Site(batchSeconds: isDraining ? 60 : 0)
            let home = try site.home()
            if isDraining { site.services.beginDraining() }
            let operations = ["One", "Two", "Three"].map { rename(home, $0) }
            #expect(try statuses(batch(operations, by: home.admin)) == [200, 424, 424])
            #expect(try home.admin.get("/api/family/\(home.id)").text("familyName") == "One")
            // Sending the rest again continues the changes.
            let rest = Array(operations.dropFirst())
            #expect(try statuses(batch(rest, by: home.admin)) == [200, 424])
        }
    }

    @Test("an unreadable operation is logged under the request id that its response has")
    func logged() throws {
        let site = try Site()
        let home = try site.home()
        let answer = try batch([#"{"path": "/api/me"}"#, rename(home, "Done")], by: home.admin)
        #expect(try statuses(answer) == [400, 200])
        let refused = try answer.json["results"].elements()[0]
        let id = try refused["body"]["requestId"].string()
        #expect(try refused["headers"]["X-Request-Id"].string() == id)
        try eventually {
            site.lines.text.split(separator: "\n").contains {
                $0.contains(id) && $0.contains(#""status":400,"code":"invalid_field""#)
            }
        }
    }

    @Test("operations in a batch use the language of the batch request")
    func language() throws {
        let person = try site.person(.parent)
        let operation = #"{"method": "PATCH", "path": "/api/me", "body": {"fullName": "Ana"}}"#
        let answer = try person.send(
            "POST", "/api/batch", #"{"operations": [\#(operation)]}"#,
            headers: ["Accept-Language": "es"])
        #expect(try statuses(answer) == [200])
        #expect(try person.get("/api/me").text("locale") == "es")
    }

    @Test("an operation in a batch has the rights of a single request, and may act for a child")
    func policy() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        #expect(try statuses(batch([rename(home, "Not mine")], by: home.player)) == [403])
        let stranger = try site.person(.parent)
        #expect(try statuses(batch([rename(home, "Not mine")], by: stranger)) == [404])
        let named = #"""
            {"method": "PATCH", "path": "/api/me", "body": {"fullName": "Kid"},
             "headers": {"x-acting-as-member": "\#(child)"}}
            """#
        let own = #"{"method": "PATCH", "path": "/api/me", "body": {"fullName": "Grown"}}"#
        #expect(try statuses(batch([named, own], by: home.adult)) == [200, 200])
        #expect(try home.adult.get("/api/me").text("fullName") == "Grown")
        let acting = home.adult.acting(for: child)
        #expect(try acting.get("/api/me").text("fullName") == "Kid")
        // The batch's own delegation applies to its operations.
        #expect(try statuses(batch([rename(home, "Not a child's")], by: acting)) == [403])
        let foreign = #"""
            {"method": "PATCH", "path": "/api/me", "body": {"fullName": "X"},
             "headers": {"X-Acting-As-Member": "\#(child)"}}
            """#
        #expect(try statuses(batch([foreign], by: home.player)) == [403])
        let unknown = try site.send(
            "POST", "/api/batch", token: "x.y.z", body: #"{"operations": [\#(own)]}"#)
        #expect(unknown.status == 401)
    }

    @Test("a batch accepts only mutations, with a limited set of headers")
    func limits() throws {
        let home = try site.home()
        let wrong = [
            #"{"method": "GET", "path": "/api/me"}"#, #"{"path": "/api/me"}"#, "1",
            #"{"method": "PATCH", "path": "/rest/v1/users", "body": {}}"#,
            #"{"method": "PATCH", "path": "api/me", "body": {}}"#,
            #"{"method": "PATCH", "path": "//api/me", "body": {}}"#,
            #"{"method": "POST", "path": "/api/batch", "body": {"operations": []}}"#,
            #"{"method": "POST", "path": "/api/%62atch", "body": {"operations": []}}"#,
            #"{"method": "POST", "path": "/api/auth/sign-in", "body": {}}"#,
            #"{"method": "PATCH", "path": "/api/me", "headers": {"Authorization": "Bearer x"}}"#,
            #"{"method": "PATCH", "path": "/api/me", "headers": {"Idempotency-Key": 1}}"#,
            #"{"method": "PATCH", "path": "/api/me", "headers": {"Idempotency-Key": "a\nb"}}"#,
        ]
        let answer = try batch(wrong, by: home.admin)
        #expect(try statuses(answer) == wrong.map { _ in 400 }, "\(answer)")
        let many = Array(repeating: rename(home, "Again"), count: 51)
        let tooMany = try batch(many, by: home.admin)
        #expect(tooMany.says(400, "invalid_field"))
        #expect(
            tooMany.text("detail")
                == "`operations` must be a list of 1 to 50 operations, found an array of 51.")
        #expect(try batch([], by: home.admin).says(400, "invalid_field"))
        let keyed = try home.admin.send(
            "POST", "/api/batch", #"{"operations": [\#(rename(home, "X"))]}"#,
            headers: ["Idempotency-Key": "whole"])
        #expect(keyed.says(400, "malformed_request"))
        #expect(try statuses(batch(Array(many.prefix(50)), by: home.admin)).count == 50)
        let long = rename(home, String(repeating: "x", count: 70_000))
        #expect(try batch([long], by: home.admin).status == 413)
    }
}
