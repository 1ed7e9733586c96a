import Domain
import HTTPServer
import Synchronization
import Telemetry
import UseCases

/// A stream of server-sent events that notifies a client when there are changes to sync.
///
/// It blocks no thread: each event is a step on a thread of the server, after which the request is
/// parked again. `ChangeWatch` reads the changes once for all streams of the account. The next step
/// runs only after the last event has been sent to the client, so later changes are merged into one
/// event, and a client that does not read costs no memory. The server disconnects such a client
/// after a while; when it reconnects, it is asked to sync, whatever event it received last.
final class LiveStream: Sendable {
    /// The kind of client that reads a stream.
    enum Audience {
        /// An app, which syncs what the events name.
        case app
        /// A page in a browser. Its events report only that something has changed. Each event,
        /// including the first, has the digest of the current versions
        /// (``FollowVersions/Versions/digest``).
        case page
    }

    /// Seconds between comments, which keep proxies from closing the connection.
    private static let commentSeconds = 25.0

    private let services: Services
    private let context: RequestContext
    private let audience: Audience
    /// The registry of open streams in which this stream is counted.
    private let registry: LiveRegistry
    private let versions: FollowVersions
    private let follower: Follower
    /// The caller's account; known once the stream is open.
    private let account = Mutex<UserID?>(nil)
    private let isDisplaced = Atomic(false)
    /// Resumes the parked request.
    private let resume = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Throws: ``Refusal``: `accountRequired` for an anonymous caller, who has nothing to follow.
    init(
        _ services: Services, _ context: RequestContext, for audience: Audience = .app
    ) throws {
        if context.caller.isAnonymous { throw Refusal(.accountRequired) }
        self.services = services
        self.context = context
        self.audience = audience
        registry =
            switch audience {
            case .app: services.liveStreams
            case .page: services.pageStreams
            }
        versions = FollowVersions(
            services.database, try services.invitationKeys.key(for: "live"))
        follower = Follower(context, versions)
    }

    deinit {
        if let account = account.withLock({ $0 }) { registry.sweep(account) }
    }

    /// Ends the stream, because its account has opened too many others.
    func displace() {
        isDisplaced.store(true, ordering: .sequentiallyConsistent)
        resume.withLock { $0 }?()
    }

    /// Stores the function that resumes the parked request. A stream that was displaced before it
    /// was parked is resumed at once: ``displace()`` had nothing to resume.
    private func park(_ resume: @escaping @Sendable () -> Void) {
        self.resume.withLock { $0 = resume }
        if isDisplaced.load(ordering: .sequentiallyConsistent) { resume() }
    }

    /// Returns the first part of the stream.
    ///
    /// - Parameter lastEventID: Id of the last event that the client has seen.
    func open(after lastEventID: String?) throws -> LongPollReply {
        let now = try follower.read()
        // The read above has looked up the account.
        guard let account = context.caller.session?.account ?? context.trace?.user else {
            throw Refusal(.accountRequired)
        }
        self.account.withLock { $0 = account }
        registry.add(self, of: account)
        let text = try "retry: 2000\n" + beginning(now, after: lastEventID, of: account)
        let head = Reply(
            status: 200, mediaType: "text/event-stream", body: [],
            headers: [("X-Accel-Buffering", "no")])
        // A page that reconnects gets its version anyway, so only an app's stream is recorded.
        let onStalled: (@Sendable () -> Void)? =
            audience == .page
            ? nil : { @Sendable [registry] in registry.recordDisconnected(account) }
        return .part(
            LongPollReply.Part(
                head: head, text: text, next: wait(after: now), onStalled: onStalled))
    }

    /// Returns the first event, or the id with which the stream begins.
    private func beginning(
        _ now: FollowVersions.Versions, after lastEventID: String?, of account: UserID
    ) throws -> String {
        if audience == .page { return Self.event(now) }
        let wasCutOff = registry.removeDisconnected(account)
        guard let lastEventID else { return "id: \(now.eventID)\n\n" }
        guard !wasCutOff, let difference = try versions.difference(of: now, from: lastEventID)
        else { return "event: reset\nid: \(now.eventID)\ndata: {}\n\n" }
        return difference.isEmpty ? "id: \(now.eventID)\n\n" : event(difference, now)
    }

    private func wait(after known: FollowVersions.Versions) -> LongPollReply.Wait {
        return LongPollReply.Wait(
            watched: known.watched,
            deadline: services.deadline(after: Self.commentSeconds, for: context.caller),
            follower: follower,
            onParked: { [self] resume in park(resume) }
        ) { [self] ending in try step(after: known, ending) }
    }

    /// Returns the next part of the stream.
    private func step(
        after known: FollowVersions.Versions, _ ending: ChangeWatch.WakeReason
    ) throws -> LongPollReply {
        resume.withLock { $0 = nil }
        let wasDisplaced = isDisplaced.load(ordering: .sequentiallyConsistent)
        if wasDisplaced || services.isDraining {
            // After this event a page does not reconnect immediately, which would displace another
            // stream.
            let text =
                wasDisplaced && audience == .page
                ? "event: displaced\ndata: {}\n\n" : ": closed\n\n"
            return .part(LongPollReply.Part(text: text, next: nil))
        }
        if let expiry = context.caller.tokenExpiresAt, expiry <= services.clock.now() / 1_000 {
            return .part(LongPollReply.Part(text: "event: expired\ndata: {}\n\n", next: nil))
        }
        guard case .change(let read) = ending else {
            return .part(LongPollReply.Part(text: ":\n\n", next: wait(after: known)))
        }
        let now: FollowVersions.Versions
        do {
            now = try read?.get() ?? follower.read()
        } catch is Refusal {
            // The account was erased, or the caller is no longer a guardian of the child.
            return .part(LongPollReply.Part(text: "event: expired\ndata: {}\n\n", next: nil))
        }
        let difference = versions.difference(of: now, from: known)
        let text =
            switch (difference.isEmpty, audience) {
            case (true, _): ""
            case (false, .app): event(difference, now)
            case (false, .page): Self.event(now)
            }
        return .part(LongPollReply.Part(text: text, next: wait(after: now)))
    }

    /// Returns the event for a page.
    private static func event(_ now: FollowVersions.Versions) -> String {
        "event: change\ndata: \(now.digest)\n\n"
    }

    private func event(
        _ difference: FollowVersions.Difference, _ now: FollowVersions.Versions
    ) -> String {
        let families = difference.families.map { "\"\($0)\"" }.joined(separator: ",")
        return "event: change\nid: \(now.eventID)\n"
            + "data: {\"families\":[\(families)],\"self\":\(difference.isOwn)}\n\n"
    }
}

/// The open streams of each account. A stream beyond the limit closes the oldest one.
final class LiveRegistry: Sendable {
    /// Maximum number of open streams of an account.
    static let streamsPerAccount = 10

    private struct Entry: Sendable {
        weak var stream: LiveStream?
    }

    private let streams = Mutex<[UserID: [Entry]]>([:])

    /// Maximum number of accounts for which disconnected streams are remembered.
    private static let disconnectedLimit = 10_000

    /// Number of each account's streams that were disconnected because their clients did not read,
    /// and that have not been reopened.
    private let disconnected = Mutex<[UserID: Int]>([:])

    /// Records that a stream of the account was disconnected. At the limit, all records are
    /// dropped; a client whose record is dropped still gets exactly the changes that it missed.
    func recordDisconnected(_ account: UserID) {
        disconnected.withLock { disconnected in
            if disconnected.count >= Self.disconnectedLimit, disconnected[account] == nil {
                disconnected = [:]
            }
            disconnected[account] = min((disconnected[account] ?? 0) + 1, Self.streamsPerAccount)
        }
    }

    /// Consumes a record of a disconnected stream. Returns true if there was one, so the account's
    /// next stream may be that client's.
    func removeDisconnected(_ account: UserID) -> Bool {
        disconnected.withLock { disconnected in
            guard let count = disconnected[account] else { return false }
            disconnected[account] = count > 1 ? count - 1 : nil
            return true
        }
    }

    /// Adds a stream of an account, whatever its sign-in method.
    func add(_ stream: LiveStream, of account: UserID) {
        let oldest = streams.withLock { streams in
            var open = (streams[account] ?? []).filter { $0.stream != nil }
            let displaced = open.count >= Self.streamsPerAccount ? open.removeFirst().stream : nil
            open.append(Entry(stream: stream))
            streams[account] = open
            return displaced
        }
        oldest?.displace()
    }

    /// Removes the account's streams that have ended.
    func sweep(_ account: UserID) {
        streams.withLock { streams in
            let open = (streams[account] ?? []).filter { $0.stream != nil }
            streams[account] = open.isEmpty ? nil : open
        }
    }
}
