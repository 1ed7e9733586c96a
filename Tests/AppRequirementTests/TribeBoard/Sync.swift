import Foundation
import Testing

extension TribeBoardRequirements {
    static let conflicts = Section("Requirements 5 and 6: all devices, conflicts") {
        Needs("5.6 Changes are seen in real time: a waiting device is notified at once") {
            let family = try await FamilyScene.tribe()
            let cursor = try await family.joiner.cursor()
            async let told = family.joiner.get("/api/sync?cursor=\(cursor)&wait=20")
            try await family.creator.patch("/api/family/\(family.id)", ["familyName": "Gulls"])
            let changes = try await told.json.changes.items
            #expect(
                changes.contains {
                    $0.kind.text == "family" && $0["value"].familyName.text == "Gulls"
                })
        }
        Needs("6.4 Of two changes of a role the later one wins, whichever arrives first") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            let path = "/api/family/members/\(member)"
            try await family.creator.send(
                "PATCH", path, json: #"{"householdRole": "kid"}"#,
                headers: ["X-Changed-At": Phone.time(secondsAgo: 10)])
            let late = try await family.joiner.send(
                "PATCH", path, json: #"{"householdRole": "visitor"}"#,
                headers: ["X-Changed-At": Phone.time(secondsAgo: 60)])
            #expect(late.json.household_role.text == "kid")
        }
        Needs("6.6 The device whose change lost is notified, for its banner") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            let path = "/api/family/members/\(member)"
            try await family.creator.send(
                "PATCH", path, json: #"{"householdRole": "kid"}"#,
                headers: ["X-Changed-At": Phone.time(secondsAgo: 10)])
            let late = try await family.joiner.send(
                "PATCH", path, json: #"{"householdRole": "visitor"}"#,
                headers: ["X-Changed-At": Phone.time(secondsAgo: 60)])
            #expect(late.json.conflict.kept.text == "theirs")
            #expect(late.json.conflict.by.text?.isEmpty == false)
        }
        Needs("6.5 Operations that were queued offline are sent in their order") {
            let family = try await FamilyScene.tribe()
            let operations = ["Gulls", "Terns", "Skuas"].map {
                #"""
                {"method": "PATCH", "path": "/api/family/\#(family.id)",
                 "headers": {"Idempotency-Key": "\#(UUID())"}, "body": {"familyName": "\#($0)"}}
                """#
            }
            let body = #"{"operations": [\#(operations.joined(separator: ","))]}"#
            for _ in 1...2 {
                let done = try await family.creator.send("POST", "/api/batch", json: body).json
                #expect(done.results.items.map(\.status.number) == [200, 200, 200])
            }
            let shown = try await family.joiner.get("/api/family").json.families[0]
            #expect(shown.familyName.text == "Skuas")
        }
    }
}

extension Phone {
    /// The cursor from which a device that has read everything continues.
    func cursor() async throws -> String {
        try await Transcript.withoutNotes {
            var answer = try await get("/api/sync").json
            while answer.hasMore.flag == true {
                answer = try await get("/api/sync?cursor=\(answer.cursor.text ?? "")").json
            }
            return try #require(answer.cursor.text)
        }
    }

    /// A time in the format of the header X-Changed-At.
    static func time(secondsAgo: Double) -> String {
        ISO8601DateFormatter().string(from: Date().addingTimeInterval(-secondsAgo))
    }
}
