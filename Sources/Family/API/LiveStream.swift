import Domain
import HTTPServer
import Synchronization
import Telemetry
import UseCases

/// A stream of server-sent events that tells a client when there is something to sync.
///
/// It holds no thread: each event is a step on a thread of the server, after which the request is
/// parked again. What has changed by then `ChangeWatch` has read, for all streams of the account.
/// The next step comes only when the last event is on its way to the client, so changes meanwhile
/// become one event, and a client that does not read costs no memory. The server cuts it off after
/// a while, and when it returns it is told to sync whatever it has seen.
final class LiveStream: Sendable {
    /// Seconds between comments that keep proxies from closing the connection.
    private static let commentSeconds = 25.0

    private let services: Services
    private let context: RequestContext
    private let versions: FollowVersions
    private let follower: Follower
    /// Known once the stream is open.
    private let account = Mutex<UserID?>(nil)
    private let isDisplaced = Atomic(false)
    /// Resumes the parked request.
    private let resume = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Throws: ``Refusal``: `accountRequired` for an anonymous caller, who has nothing to follow.
    init(_ services: Services, _ context: RequestContext) throws {
        if context.caller.isAnonymous { throw Refusal(.accountRequired) }
        self.services = services
        self.context = context
        versions = FollowVersions(
            services.database, try services.invitationKeys.key(for: "live"))
        follower = Follower(context, versions)
    }

    deinit {
        if let account = account.withLock({ $0 }) { services.liveStreams.sweep(account) }
    }

    /// Ends the stream, because its account has opened another.
    func displace() {
        isDisplaced.store(true, ordering: .sequentiallyConsistent)
        resume.withLock { $0 }?()
    }

    /// The first part of the stream.
    ///
    /// - Parameter lastEventID: What the client has seen last.
    func open(after lastEventID: String?) throws -> PatientReply {
        let now = try follower.read()
        // The read has found it.
        guard let account = context.trace?.user else { throw Refusal(.accountRequired) }
        self.account.withLock { $0 = account }
        services.liveStreams.add(self, of: account)
        let wasCutOff = services.liveStreams.takeCutOff(account)
        var text = "retry: 2000\n"
        if let lastEventID {
            if !wasCutOff, let difference = try versions.difference(of: now, from: lastEventID) {
                text += difference.isEmpty ? "id: \(now.eventID)\n\n" : event(difference, now)
            } else {
                text += "event: reset\nid: \(now.eventID)\ndata: {}\n\n"
            }
        } else {
            text += "id: \(now.eventID)\n\n"
        }
        let head = Reply(
            status: 200, mediaType: "text/event-stream", body: [],
            headers: [("X-Accel-Buffering", "no")])
        return .part(
            PatientReply.Part(
                head: head, text: text, next: wait(after: now),
                onStalled: { [streams = services.liveStreams] in streams.noteCutOff(account) }))
    }

    private func wait(after known: FollowVersions.Versions) -> PatientReply.Wait {
        return PatientReply.Wait(
            watched: known.watched,
            deadline: services.deadline(after: Self.commentSeconds, for: context.caller),
            follower: follower,
            onParked: { [self] resume in self.resume.withLock { $0 = resume } }
        ) { [self] ending in try step(after: known, ending) }
    }

    /// The next part.
    private func step(
        after known: FollowVersions.Versions, _ ending: ChangeWatch.Ending
    ) throws -> PatientReply {
        resume.withLock { $0 = nil }
        if isDisplaced.load(ordering: .sequentiallyConsistent) || services.isDraining {
            return .part(PatientReply.Part(text: ": closed\n\n", next: nil))
        }
        if let expiry = context.caller.tokenExpiresAt, expiry <= services.clock.now() / 1_000 {
            return .part(PatientReply.Part(text: "event: expired\ndata: {}\n\n", next: nil))
        }
        guard case .change(let read) = ending else {
            return .part(PatientReply.Part(text: ":\n\n", next: wait(after: known)))
        }
        let now: FollowVersions.Versions
        do {
            now = try read?.get() ?? follower.read()
        } catch is Refusal {
            // The account was erased, or a child is not the caller's any more.
            return .part(PatientReply.Part(text: "event: expired\ndata: {}\n\n", next: nil))
        }
        let difference = versions.difference(of: now, from: known)
        let text = difference.isEmpty ? "" : event(difference, now)
        return .part(PatientReply.Part(text: text, next: wait(after: now)))
    }

    private func event(
        _ difference: FollowVersions.Difference, _ now: FollowVersions.Versions
    ) -> String {
        let families = difference.families.map { "\"\($0)\"" }.joined(separator: ",")
        return "event: change\nid: \(now.eventID)\n"
            + "data: {\"families\":[\(families)],\"self\":\(difference.isOwn)}\n\n"
    }
}
