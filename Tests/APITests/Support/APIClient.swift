import Domain
import TestSupport

/// A person with an account, and the requests they send.
struct APIClient: FamilyActor {
    let site: Site
    let person: Person
    let token: String
    /// The managed member on whose behalf every request is sent.
    var actingAs: String?

    var userID: UInt128? { person.id }
    var id: UserID { UserID(rawValue: person.id) }
    var email: String { person.email }

    func send(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        var headers = headers
        if let actingAs { headers["X-Acting-As-Member"] = actingAs }
        return try site.send(method, path, token: token, body: body, headers: headers)
    }

    func get(_ path: String) throws -> Answer { try send("GET", path) }
    func post(_ path: String, _ body: String = "{}") throws -> Answer {
        try send("POST", path, body)
    }
    func patch(_ path: String, _ body: String) throws -> Answer { try send("PATCH", path, body) }
    func put(_ path: String, _ body: String) throws -> Answer { try send("PUT", path, body) }
    func delete(_ path: String) throws -> Answer { try send("DELETE", path) }

    /// Returns the client acting on behalf of a managed member.
    func acting(for member: String) -> APIClient {
        var client = self
        client.actingAs = member
        return client
    }
}
