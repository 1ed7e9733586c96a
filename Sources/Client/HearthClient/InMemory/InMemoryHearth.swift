import Foundation

/// A Hearth in this process, for previews and for the tests of an app: no server, no network,
/// nothing kept.
///
/// ```swift
/// let memory = InMemoryHearth()
/// let ada = Hearth(memory, credentials: memory.signUp("Ada", email: "ada@example.com"))
/// try await ada.createFamily(named: "The Terns")
/// ```
///
/// It answers as a real one does where families, members, codes, invitations, children, preferences
/// and player details are concerned: the tests of this library ask both the same questions. Nothing
/// expires in it and nothing is limited, but that an invitation is sent again after a minute at the
/// earliest. Nobody is asked for consent in it. Pictures and the audit trail it does not have.
public final class InMemoryHearth: Transport {
    private let state = Locked(InMemoryState())

    /// A Hearth that knows nobody.
    public init() {}

    /// Makes up an account with a confirmed address.
    ///
    /// - Parameter role: Nil for a person who has not said it: a parent by default.
    /// - Returns: The account's token.
    public func signUp(
        _ name: String?, email: String, role: MemberRole? = .parent
    ) -> BearerToken {
        let id = UUID().uuidString.lowercased()
        state.withLock { state in
            state.users[id] = InMemoryUser(
                id: id, email: email, name: name, role: (role ?? .parent).rawValue,
                isRoleDefault: role == nil)
        }
        return BearerToken(id)
    }

    /// Answers at once.
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
