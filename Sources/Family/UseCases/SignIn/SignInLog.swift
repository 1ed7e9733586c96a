import Basics
import Crypto
package import Domain
import JSON
package import Postgres
package import Repositories

/// Records sign-ins and related events for the owners of accounts: a queue, and a thread that
/// writes while there is something to write.
///
/// No response waits for the log. An attempt is recorded in the same way whether or not its address
/// has an account. The database looks up the account and discards attempts without one, so that the
/// time of a response reveals nothing.
package final class SignInLog: Sendable {
    /// The account that an event is about, by what the request knows of it.
    package enum AccountReference: Sendable {
        case account(UserID)
        case session(SessionID)
        case address(EmailAddress)
        /// SHA-256 of the secret that belongs to a mailed code.
        case emailToken([UInt8])
        /// SHA-256 of the token of a mailed link.
        case link([UInt8])
        /// The credential of a passkey.
        case credential([UInt8])
        /// SHA-256 of a sign-in at another issuer.
        case signIn(issuer: String, hash: [UInt8])

        /// Refers to the account of a mailed code, given the secret that the client has.
        package static func emailToken(of text: String) -> AccountReference {
            .emailToken(SHA256Digest(of: PastedToken.text(of: text)).bytes)
        }

        /// Refers to the account of a mailed link, given the link's token.
        package static func link(of text: String) -> AccountReference {
            .link(SHA256Digest(of: PastedToken.text(of: text)).bytes)
        }
    }

    /// The client that caused an event.
    package struct Client: Sendable {
        let network: String
        let browser: String?

        /// - Parameter browser: The browser's name; nil if it is unknown.
        package init(_ address: ClientAddress, browser: Label?) {
            network = address.network
            self.browser = browser?.text
        }
    }

    private struct Event: Sendable {
        let kind: SignInEventKind
        let way: SignInMethod?
        let subject: AccountReference
        let client: Client
        let nanoseconds: Int
    }

    private struct State: Sendable {
        var events: [Event] = []
        var isWriting = false
        /// Whether somebody waits for the events to be written.
        var isUrgent = false
        /// Deadline after which the thread discards events that the database does not accept.
        var stopDeadline = Deadline.never
    }

    /// Maximum number of events that wait for the database; further ones are dropped.
    package static let limit = 2_000
    private static let batchSize = 100
    private static let retrySeconds = 1.0
    /// Seconds for which the thread collects events before it writes them together.
    private static let collectingSeconds = 0.1

    private let pool: Pool
    private let preferred: Pool?
    private let state = Monitor(State())
    private let onDrop: @Sendable (Int) -> Void
    private let onFailure: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - preferred: Connections that are used while one of them is free; nil for none.
    ///   - onDrop: Called with the number of events that are lost.
    ///   - onFailure: Called when events could not be written to the database; they are tried
    ///     again.
    package init(
        _ pool: Pool, preferring preferred: Pool? = nil,
        onDrop: @escaping @Sendable (Int) -> Void,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.pool = pool
        self.preferred = preferred
        self.onDrop = onDrop
        self.onFailure = onFailure
    }

    /// Adds an event, which the thread writes later.
    package func add(
        _ kind: SignInEventKind, by way: SignInMethod?, of subject: AccountReference,
        from client: Client
    ) {
        let event = Event(
            kind: kind, way: way, subject: subject, client: client,
            nanoseconds: MonotonicClock.nanoseconds())
        let (isAdded, starts) = state.change { state in
            guard state.events.count < Self.limit else { return (false, false) }
            state.events.append(event)
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if !isAdded { onDrop(1) }
        if starts, !SystemThread.startDetached({ self.write() }) {
            let lost = state.change { state in
                defer { state.events = [] }
                state.isWriting = false
                return state.events.count
            }
            onDrop(lost)
        }
    }

    /// Waits until all events are written or the deadline passes; then discards the rest.
    package func stop(deadlineSeconds: Double) {
        let deadline = Deadline.after(seconds: deadlineSeconds)
        state.change { $0.stopDeadline = deadline }
        // The thread's last statement has a deadline of its own.
        _ = state.wait { ($0.isWriting ? nil : true, deadline.adding(seconds: 1)) }
    }

    /// Waits until everything that was added before is written, for tests.
    package func flush(timeoutSeconds: Double) -> Bool {
        let deadline = Deadline.after(seconds: timeoutSeconds)
        state.change { $0.isUrgent = $0.isWriting }
        return state.wait { ($0.isWriting ? nil : true, deadline) } ?? false
    }

    private func write() {
        while true {
            collect()
            let events = state.change { state in
                if state.events.isEmpty {
                    state.isWriting = false
                    state.isUrgent = false
                }
                return Array(state.events.prefix(Self.batchSize))
            }
            if events.isEmpty { return }
            do {
                try send(events)
                state.change { $0.events.removeFirst(events.count) }
            } catch {
                onFailure(error)
                if !isRetryable(error) {
                    state.change { $0.events.removeFirst(events.count) }
                    onDrop(events.count)
                } else if pauseBeforeRetry() {
                    let lost = state.change { state in
                        defer { state.events = [] }
                        state.isWriting = false
                        return state.events.count
                    }
                    onDrop(lost)
                    return
                }
            }
        }
    }

    /// Waits a moment for further events: one statement for all of them costs the database much
    /// less than one for each.
    private func collect() {
        let end = Deadline.after(seconds: Self.collectingSeconds)
        _ = state.wait { state -> (Bool?, Deadline) in
            let isDue =
                state.isUrgent || state.stopDeadline != .never || state.events.isEmpty
                || state.events.count >= Self.batchSize
            return (isDue ? true : nil, end)
        }
    }

    /// Whether a retry may succeed: false if the database refused the events.
    private func isRetryable(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError, let state = error.sqlState else { return true }
        return !["22", "23", "42", "HF"].contains(state.conditionClass)
    }

    /// Waits before a retry; returns true if the deadline for stopping has passed.
    private func pauseBeforeRetry() -> Bool {
        let retry = Deadline.after(seconds: Self.retrySeconds)
        _ = state.wait { state in (nil as Bool?, min(retry, state.stopDeadline)) }
        return state.withLock { $0.stopDeadline.hasPassed }
    }

    private func send(_ events: [Event]) throws {
        let now = MonotonicClock.nanoseconds()
        var json = JSONWriter()
        json.object {
            $0.array("events") { list in
                for event in events { list.object { Self.write(event, now, to: &$0) } }
            }
        }
        var batch = Batch()
        batch.add(SignInEvents.record, PostgresJSON(utf8: json.bytes))
        try Database.leasing(preferred, or: pool) { _ = try $0.send(batch, writes: true) }
    }

    private static func write(_ event: Event, _ now: Int, to json: inout JSONWriter) {
        json.member("kind", event.kind.rawValue)
        json.member("way", event.way?.rawValue)
        json.member("browser", event.client.browser)
        json.member("network", event.client.network)
        json.member("ms", (now - event.nanoseconds) / 1_000_000)
        switch event.subject {
        case .account(let id): json.member("account", id.description)
        case .session(let id): json.member("session", id.description)
        case .address(let email): json.member("email", email.text)
        case .emailToken(let hash): json.member("ticket", hash.hex)
        case .link(let hash): json.member("link", hash.hex)
        case .credential(let id): json.member("credential", id.hex)
        case .signIn(let issuer, let hash):
            json.member("issuer", issuer)
            json.member("subject", hash.hex)
        }
    }
}

extension RefusalCode {
    /// Whether the refusal means that somebody tried to sign in and did not know the secret.
    package var isFailedTry: Bool {
        switch self {
        case .invalidCredentials, .codeWrong, .passkeyRefused: true
        default: false
        }
    }
}

extension SessionService {
    /// Returns the latest events in the sign-in log of the caller's account, newest first.
    package static func events(by context: RequestContext) throws -> Read<[SignInEvent]> {
        try context.caller.facts.require(.accountManage)
        return Read(by: context) { batch in
            let events = batch.add(SignInEvents.mine, 20)
            return { results, _ in try results.rows(events) }
        }
    }
}
