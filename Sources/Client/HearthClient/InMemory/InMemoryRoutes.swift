import Foundation
import Policy

/// A request, parsed for the in-memory Hearth.
struct InMemoryCall {
    var request: APIRequest
    /// Account that is signed in; nil if none is.
    let account: String?
    /// The account, or the child for whom it acts; empty if nobody is signed in.
    private(set) var user: String
    /// Components of the path.
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
        user = account ?? ""
        guard let child = request.headers["X-Acting-As-Member"].map(Self.bare) else { return }
        let row = state.members.first { $0.user == child && $0.isActive }
        if let row, decide(.actAs, state.facts(self, about: row)) == .allowed {
            user = child
        } else if account == nil || !Self.toOneself.contains(request.path) {
            throw InMemoryRefusal(.actingRefused)
        }
    }

    /// Paths of requests that are made as the account itself if it may not act for the member that
    /// they name.
    private static let toOneself: Set = ["/api/me/profiles", "/groups/me"]

    /// Returns an id without its prefix `managed_`.
    static func bare(_ id: String) -> String {
        let id = id.lowercased()
        return id.hasPrefix("managed_") ? String(id.dropFirst(8)) : id
    }

    /// Returns a string from the body; nil if it is missing or empty.
    func text(_ name: String) -> String? {
        guard let text = body[name]?.stringValue, !text.isEmpty else { return nil }
        return text
    }

    /// Returns an enumerated value from the body, such as a role; nil if it is left out.
    func word<Word: RawRepresentable<String>>(_ name: String) throws(InMemoryRefusal) -> Word? {
        guard let text = text(name) else { return nil }
        guard let word = Word(rawValue: text) else { throw InMemoryRefusal(.invalidField) }
        return word
    }

    func needsAccount() throws(InMemoryRefusal) {
        if account == nil { throw InMemoryRefusal(.notSignedIn) }
    }
}

extension InMemoryState {
    typealias Response = (status: Int, value: JSONValue)

    static let success: Response = (200, ["success": true])

    /// Dispatches a call to its route. The routes are those of a real server.
    mutating func route(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let path = call.path
        if path.count == 4, path.starts(with: ["api", "family", "invite"]),
            call.request.method == "GET"
        {
            return try previewInvitation(path[3])
        }
        try call.needsAccount()
        switch (call.request.method, path.first, path.dropFirst().first) {
        case (_, "api", "me"): return try routeMe(call, Array(path.dropFirst(2)))
        case ("GET", "api", "sync"): return try sync(call)
        case ("POST", "api", "batch"): return try batch(call)
        case ("POST", "api", "families"): return try createFamily(call, isAnother: true)
        case (_, "api", "family"): return try routeFamily(call, Array(path.dropFirst(2)))
        case ("GET", "groups", "me") where path.count == 2:
            guard let family = families(of: call.user).first else { return (200, ["group": nil]) }
            return try group(call, family.id)
        case (_, "groups", let family?):
            return try routeGroup(call, family, path.dropFirst(2).first)
        default: throw InMemoryRefusal(.notFound)
        }
    }

    private mutating func routeMe(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Response {
        switch (call.request.method, path.count, path.first) {
        case ("GET", 0, _): return (200, profile(call))
        case ("PATCH", 0, _): return try updateProfile(call)
        case ("GET", 1, "profiles"): return try profiles(call)
        case ("GET", 1, "invitations"): return try receivedInvitations(call)
        case (_, 1...2, "consents"):
            return try ownConsents(call, path.count == 2 ? path[1] : nil)
        case ("DELETE", 0, _): return try erase(call)
        case ("POST", 1, "deletion-code"): return try sendDeletionCode(call)
        case ("GET", 1, "export"): return try export(call)
        case ("GET", 1, "identities"): return try identities(call)
        case ("POST", 1, "identities"): return try addIdentity(call)
        case ("DELETE", 2, "identities"): return try removeIdentity(call, path[1])
        case ("POST", 1, "email"): return try requestAddress(call)
        case ("POST", 2, "email") where path[1] == "verify": return try changeAddress(call)
        case ("DELETE", 2, "requests"): return try withdraw(call, path[1])
        case ("POST", 3, "invitations"):
            return try answerInvitation(call, received(call, path[1]), path[2] == "accept")
        default: throw InMemoryRefusal(.notFound)
        }
    }

    private mutating func routeFamily(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Response {
        switch (call.request.method, path.count, path.first) {
        case ("POST", 1, "create"): return try createFamily(call, isAnother: false)
        case ("GET", 0, _):
            return (200, ["families": .array(families(of: call.user).map { listed($0, call) })])
        case (_, _, "members"): return try routeMembers(call, Array(path.dropFirst()))
        case ("POST", 2, "admin"): return try transferAdmin(call)
        case ("GET", 2, "code"): return try previewCode(call, path[1])
        case ("POST", 2, "code") where path[1] == "join": return try joinByCode(call)
        case ("POST", 2, "code"): return try regenerateCode(call)
        case ("POST", 1, "invite"): return try invite(call)
        case ("POST", 3, "invite"):
            return try answerInvitation(call, linked(path[1]), path[2] == "accept")
        case ("GET", 1, "invitations"): return try listInvitations(call)
        case ("POST", 3, "invitations"): return try resendInvitation(call, path[1])
        case ("DELETE", 2, "invitations"): return try revokeInvitation(call, path[1])
        case (_, _, "managed"): return try routeManaged(call, Array(path.dropFirst()))
        case ("GET", 1, "player-details"), ("POST", 1, "player-details"):
            return try playerDetails(call)
        case ("GET", 2, let id?) where path[1] == "attributes":
            return (200, families[try read(call, id, for: .attributesRead)].attributes)
        case ("PATCH", 2, let id?) where path[1] == "attributes":
            return try patchAttributes(call, id)
        case ("GET", 1, let id?): return (200, listed(families[try read(call, id)], call))
        case ("PATCH", 1, let id?): return try updateFamily(call, id)
        default: throw InMemoryRefusal(.notFound)
        }
    }

    private mutating func routeMembers(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Response {
        switch (call.request.method, path.count) {
        case ("GET", 0): return try listMembers(call)
        case ("GET", 1): return (200, shown(members[try target(call, path[0])], to: call))
        case ("DELETE", 1) where path[0] == "me": return try leave(call)
        case ("PATCH", 1): return try setRole(call, path[0])
        case ("DELETE", 1): return try remove(call, path[0])
        case ("POST", 2) where path[1] == "reject":
            return try remove(call, path[0], onlyIfWaiting: true)
        case ("POST", 2): return try approve(call, path[0])
        default: throw InMemoryRefusal(.notFound)
        }
    }

    private mutating func routeManaged(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Response {
        switch (call.request.method, path.count) {
        case ("POST", 0): return try addManaged(call)
        case ("GET", 1):
            let row = members[try target(call, path[0])]
            guard users[row.user]?.isManaged == true else { throw InMemoryRefusal(.memberNotFound) }
            return (200, shown(row, to: call))
        case ("PATCH", 1): return try updateManaged(call, path[0])
        case ("DELETE", 1): return try removeManaged(call, path[0])
        case ("POST", 2) where path[1] == "guardian": return try reassignManaged(call, path[0])
        case ("POST", 2) where path[1] == "graduation": return try startGraduation(call, path[0])
        case (_, 2...3) where path[1] == "guardians": return try routeGuardians(call, path)
        case (_, 2...3) where path[1] == "consents": return try consents(call, path)
        default: throw InMemoryRefusal(.notFound)
        }
    }

    private mutating func routeGroup(
        _ call: InMemoryCall, _ family: String, _ part: String?
    ) throws(InMemoryRefusal) -> Response {
        switch (call.request.method, part) {
        case ("GET", nil): return try group(call, family)
        case ("GET", "preferences"), ("PUT", "preferences"):
            return try preferences(call, family)
        default: throw InMemoryRefusal(.notFound)
        }
    }
}
