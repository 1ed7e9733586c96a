import Foundation

/// An in-process Hearth for previews and an app's tests: no server, no network, no storage.
///
/// ```swift
/// let memory = InMemoryHearth()
/// let ada = Hearth(memory, credentials: memory.signUp("Ada", email: "ada@example.com"))
/// try await ada.createFamily(named: "The Terns")
/// ```
///
/// It responds as a real server does for families, members, codes, invitations, children,
/// preferences, player details, consents, and accounts with their ways to sign in, address and
/// erasure: the tests of this library run against both. Nothing expires, every sign-in counts as
/// recent, and the only limit is that an invitation can be sent again after a minute at the
/// earliest. It has no sessions, passwords, passkeys, pictures or audit log.
public final class InMemoryHearth: Transport {
    private let state = Locked(InMemoryState())

    /// Creates a Hearth without accounts.
    ///
    /// - Parameter purposes: The consents that it asks for.
    public init(asking purposes: [ConsentPurpose] = []) {
        state.withLock { $0.purposes = purposes }
    }

    /// Returns the last code that was mailed to an address; nil if there is none.
    public func mailedCode(to email: String) -> String? {
        state.withLock { $0.mailedCodes[email] }
    }

    /// Returns the token of a new person at an identity provider, for `Hearth.addIdentity(_:)`.
    public func providerToken() -> ProviderToken {
        let token = "provider-" + UUID().uuidString.lowercased()
        state.withLock { _ = $0.providerTokens.insert(token) }
        return ProviderToken(token)
    }

    /// Creates an account with a confirmed address, with which it signs in.
    ///
    /// - Parameter role: Nil for a person who has not chosen a side: a parent by default.
    /// - Returns: The account's token.
    public func signUp(
        _ name: String?, email: String, role: MemberRole? = .parent
    ) -> BearerToken {
        let id = UUID().uuidString.lowercased()
        let isPlayer = role == .player
        state.withLock { state in
            var user = InMemoryUser(
                id: id, email: email, name: name, role: isPlayer ? .player : .parent,
                isRoleDefault: role == nil)
            user.identities = [InMemoryIdentity(since: state.creationTime())]
            state.users[id] = user
        }
        return BearerToken(id)
    }

    /// Responds at once.
    public func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error> {
        let response = state.withLock { $0.respond(to: request) }
        return AsyncThrowingStream { parts in
            var head = response
            head.body = Data()
            parts.yield(.head(head))
            parts.yield(.body(response.body))
            parts.finish()
        }
    }
}

/// All state of an `InMemoryHearth`.
struct InMemoryState {
    var users: [String: InMemoryUser] = [:]
    var families: [InMemoryFamily] = []
    var members: [MembershipRow] = []
    var invitations: [InMemoryInvitation] = []
    /// Preferences by family and user.
    var preferences: [String: JSONValue] = [:]
    /// Consents that the app asks for.
    var purposes: [InMemoryHearth.ConsentPurpose] = []
    /// Consents that are in force.
    var consents: [InMemoryConsent] = []
    /// Tokens of people at identity providers. Each token is also the person's subject.
    var providerTokens: Set<String> = []
    /// Codes that were mailed to new addresses, by ticket.
    var tickets: [String: InMemoryTicket] = [:]
    /// The last mailed code of each address.
    var mailedCodes: [String: String] = [:]
    /// Version of the state, incremented by each change.
    var version = 0
    /// Time of the newest row (``creationTime()``).
    private var lastCreation = Date.distantPast
    /// Stored responses to requests with an idempotency key, by account, child and key.
    private var answered: [String: (request: APIRequest, response: APIResponse)] = [:]

    /// Returns the time for a new row. Rows that are created one after another have different
    /// times, even after truncation to milliseconds, so that sorting by time keeps the order.
    mutating func creationTime() -> Date {
        lastCreation = max(Date(), lastCreation.addingTimeInterval(0.002))
        return lastCreation
    }

    mutating func respond(to request: APIRequest) -> APIResponse {
        do throws(InMemoryRefusal) {
            let call = try InMemoryCall(request, self)
            guard let key = request.headers["Idempotency-Key"] else { return try answer(call) }
            let cacheKey = [call.account ?? "", call.user, request.method, request.target, key]
                .joined(separator: " ")
            if let earlier = answered[cacheKey] {
                if earlier.request.body != request.body {
                    throw InMemoryRefusal(.idempotencyKeyReused)
                }
                return earlier.response
            }
            let response = try answer(call)
            answered[cacheKey] = (request, response)
            return response
        } catch {
            return Self.problem(error)
        }
    }

    private mutating func answer(_ call: InMemoryCall) throws(InMemoryRefusal) -> APIResponse {
        // A refused request changes nothing.
        let before = self
        do throws(InMemoryRefusal) {
            let (status, value) = try route(call)
            let body = value.data
            // Hash the bytes as a string: the hash of Data covers only its beginning.
            let tag = "\"\(String(decoding: body, as: UTF8.self).hashValue)\""
            if call.request.method == "GET" {
                if call.request.headers["If-None-Match"] == tag {
                    return APIResponse(status: 304, headers: ["ETag": tag])
                }
                return APIResponse(status: status, headers: ["ETag": tag], body: body)
            }
            version += 1
            return APIResponse(status: status, body: body)
        } catch {
            self = before
            if let ticket = error.triedTicket { tickets[ticket]?.tries -= 1 }
            throw error
        }
    }

    private static func problem(_ refusal: InMemoryRefusal) -> APIResponse {
        var body: [String: JSONValue] = [
            "type": .string("urn:hearth:problem:\(refusal.code.rawValue)"),
            "status": .integer(refusal.status), "code": .string(refusal.code.rawValue),
            "message": .string(refusal.message), "detail": .string(refusal.message),
            "requestId": "in-memory",
        ]
        if !refusal.blockers.isEmpty { body["blockers"] = .array(refusal.blockers) }
        return APIResponse(
            status: refusal.status, headers: ["Content-Type": "application/problem+json"],
            body: JSONValue.object(body).data)
    }

    // MARK: Lookup

    func member(of user: String, in family: String) -> MembershipRow? {
        members.first { $0.user == user && $0.family == family && $0.isPresent }
    }

    func families(of user: String) -> [InMemoryFamily] {
        families.filter { member(of: user, in: $0.id)?.isActive == true }
    }

    func active(in family: String) -> [MembershipRow] {
        members.filter { $0.family == family && $0.isActive }
    }

    func family(_ id: String) throws(InMemoryRefusal) -> Int {
        guard let index = families.firstIndex(where: { $0.id == id }) else {
            throw InMemoryRefusal(.familyNotFound)
        }
        return index
    }

    /// Index of an active or waiting membership, by its id with or without `managed_`.
    func member(_ id: String) throws(InMemoryRefusal) -> Int {
        let bare = InMemoryCall.bare(id)
        guard let index = members.firstIndex(where: { $0.id == bare && $0.isPresent }) else {
            throw InMemoryRefusal(.memberNotFound)
        }
        return index
    }

    /// Children in one family whose guardian is the given user.
    func children(of guardian: String, in family: String) -> [MembershipRow] {
        active(in: family).filter { users[$0.user]?.guardians?.contains(guardian) ?? false }
    }

    func newCode() -> String {
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        while true {
            let code = "FAM-" + String((0..<6).compactMap { _ in letters.randomElement() })
            if !families.contains(where: { $0.code == code }) { return code }
        }
    }
}
