import Foundation

/// A request as the one in memory sees it.
struct InMemoryCall {
    var request: APIRequest
    /// Who is signed in; nil for nobody.
    let account: String?
    /// As whom: the account, or the child for whom it acts; empty for nobody.
    let user: String
    /// The parts of the path.
    let path: [String]
    let body: [String: JSONValue]

    var isActing: Bool { account != nil && account != user }

    init(_ request: APIRequest, _ state: InMemoryState) throws(InMemoryRefusal) {
        self.request = request
        path = request.path.split(separator: "/").map { $0.removingPercentEncoding ?? "" }
        let data = request.body ?? Data()
        if data.isEmpty {
            body = [:]
        } else if case .object(let members)? = try? JSONValue(parsing: data) {
            body = members
        } else {
            throw InMemoryRefusal(.invalidBody)
        }
        if let header = request.headers["Authorization"] {
            let token = String(header.dropFirst("Bearer ".count))
            guard state.users[token] != nil else { throw InMemoryRefusal(.invalidToken) }
            account = token
        } else {
            account = nil
        }
        if let child = request.headers["X-Acting-As-Member"].map(Self.bare) {
            let isThere = state.members.contains { $0.user == child && $0.status == "active" }
            let isGuardian = account.map {
                isThere && state.users[child]?.guardians?.contains($0) == true
            }
            if isGuardian == true {
                user = child
            } else if let account, Self.toOneself.contains(request.path) {
                user = account
            } else {
                throw InMemoryRefusal(.actingRefused)
            }
        } else {
            user = account ?? ""
        }
    }

    /// What is answered to the account itself if it may not act for the member that it names.
    private static let toOneself: Set = ["/api/me/profiles", "/groups/me"]

    /// An id without `managed_`.
    static func bare(_ id: String) -> String {
        let id = id.lowercased()
        return id.hasPrefix("managed_") ? String(id.dropFirst(8)) : id
    }

    func text(_ name: String) -> String? {
        guard let text = body[name]?.stringValue, !text.isEmpty else { return nil }
        return text
    }

    func needsAccount() throws(InMemoryRefusal) {
        if account == nil { throw InMemoryRefusal(.notSignedIn) }
    }

    func notWhileActing() throws(InMemoryRefusal) {
        if isActing { throw InMemoryRefusal(.notWhileActing) }
    }
}
