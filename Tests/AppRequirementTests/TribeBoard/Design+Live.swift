import Foundation
import Testing

extension TribeBoardDesign {
    static let live = Section("Performance Optimizations: CloudKit's") {
        Needs("Batch operations: several changes in one request, each with its own response") {
            let family = try await FamilyScene.tribe()
            let body = #"""
                {"operations": [
                    {"method": "PATCH", "path": "/api/me", "body": {"fullName": "Ada B"}},
                    {"method": "PATCH", "path": "/api/family/\#(family.id)",
                     "body": {"familyName": "Gulls"}},
                    {"method": "DELETE", "path": "/api/family/members/\#(UUID())"}]}
                """#
            let results = try await family.creator.send("POST", "/api/batch", json: body).json
            #expect(results.results.items.map(\.status.number) == [200, 200, 404])
            #expect(try await family.creator.get("/api/me").json.fullName.text == "Ada B")
        }
        Needs("Subscriptions: a listening device is notified of a change at once") {
            let family = try await FamilyScene.tribe()
            let stream = try LiveStream(family.joiner)
            try stream.awaitStart()
            try await family.creator.patch("/api/family/\(family.id)", ["familyName": "Gulls"])
            try stream.await("event: change")
            stream.end()
        }
        Needs("Caching: unchanged data is not sent again") {
            let family = try await FamilyScene.tribe()
            let read = try await family.joiner.get("/api/family/members")
            let tag = try #require(read.headers["etag"])
            try await family.joiner.send(
                "GET", "/api/family/members", headers: ["If-None-Match": tag], expect: 304)
            try await family.creator.patch("/api/me", ["fullName": "Ada B"])
            try await family.joiner.send(
                "GET", "/api/family/members", headers: ["If-None-Match": tag])
        }
    }
}
