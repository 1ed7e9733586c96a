import Domain
import HTTPServer
import Basics
import UseCases

/// Changes for clients that keep a local copy.
enum SyncEndpoints {
    private static let cursor = Input<String?>.query(
        "cursor", .anyText,
        "The `cursor` of the previous response. Without it, or if Hearth can't continue from it, "
            + "everything is sent.")
    private static let wait = Input<Double?>.query(
        "wait", .number(0...1_000_000_000),
        "Seconds to wait for the next change, but not beyond the end of the token; more than 30 "
            + "count as 30.")

    /// Maximum time that a request waits.
    private static let longestWaitSeconds = 30.0

    static let sync = Operation.longPoll(
        "sync",
        "Returns the changes since the last response in everything that the caller may see: its "
            + "own data, its families, the children whose guardian it is, and invitations to it.",
        inputs: [cursor, wait], responses: [.ok(Shapes.syncPage)]
    ) { services, call in
        let seconds = min(try call[wait] ?? 0, longestWaitSeconds)
        let use = SyncChanges(
            services.reads, try services.invitationKeys.key(for: "sync"),
            limit: services.changesPerPage)
        return try answer(
            use, services, call.context, cursor: call[cursor],
            until: services.deadline(after: seconds, for: call.caller))
    }

    static let live = Operation.longPoll(
        "live",
        "Notifies the client at once when there is something to sync, by server-sent events: "
            + "`change` with the changed `families` and whether the caller's own data changed "
            + "(`self`), `reset` after an unknown Last-Event-ID, `expired` when the token expires.",
        responses: [
            .media("text/event-stream", "A stream of events; a comment every 25 seconds.")
        ],
        refusals: [.accountRequired]
    ) { services, call in
        let stream = try LiveStream(services, call.context)
        if call.request.method == .head {
            return .reply(Reply(status: 200, mediaType: "text/event-stream", body: []))
        }
        return try stream.open(after: call.request.headers["Last-Event-ID"])
    }

    /// Returns the page, or a wait for its first change.
    private static func answer(
        _ use: SyncChanges, _ services: Services, _ context: RequestContext, cursor: String?,
        until deadline: Deadline
    ) throws -> LongPollReply {
        let page = try use(by: context, cursor: cursor)
        let isEmpty = page.changes.isEmpty && !page.hasMore && !page.isReset
        guard isEmpty, !deadline.hasPassed, !services.isDraining else {
            return .reply(.of(Shapes.syncPage, page))
        }
        return .wait(
            LongPollReply.Wait(watched: page.watched, deadline: deadline) { _ in
                // Continues from the cursor of the empty page, so that changes the caller may not
                // see are not read again.
                try answer(use, services, context, cursor: page.cursor, until: deadline)
            })
    }
}
