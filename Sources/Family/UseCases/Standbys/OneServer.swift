import Postgres
import Repositories

/// A server that answers the reads of one request, one after the other.
///
/// What a later read shows is never older than what an earlier one has shown. Of reads that go to
/// standbys one by one this is not true: each is as new as was promised, but one standby may be
/// ahead of the other.
protocol ReadServer {
    /// Runs a read in a round trip and a transaction of its own.
    func run<Value>(_ read: Read<Value>) throws -> Value
}

extension Database: ReadServer {}

/// A standby that answers the reads of one request, as long as it is the same server and not too
/// old.
///
/// Not thread-safe: it belongs to the thread that handles the request.
final class StandbyVisit: ReadServer {
    /// The standby can't answer all of the request's reads, so the primary has to.
    struct Ended: Error {}

    private let standbys: StandbyReads
    private let standby: Standby
    private var last: StandbyState?

    init(_ standbys: StandbyReads, _ standby: Standby) {
        self.standbys = standbys
        self.standby = standby
    }

    /// - Throws: ``Ended`` where the primary has to answer this and everything before it; refusals
    ///   as ``Database/run(_:)``.
    func run<Value>(_ read: Read<Value>) throws -> Value {
        guard let (results, state) = standbys.attempt([read], at: standby),
            last.map({ state.follows($0) }) ?? true, let result = results[0]
        else { throw Ended() }
        last = state
        return try result.get()
    }
}

extension StandbyState {
    /// Whether this was shown by the same server, and no earlier. A server that was restarted may
    /// show older data than before.
    fileprivate func follows(_ earlier: StandbyState) -> Bool {
        guard started == earlier.started, let number, let before = earlier.number else {
            return false
        }
        return number >= before
    }
}

extension StandbyReads {
    /// How old what a client has got may be when it comes: what a lease allows when a page's reads
    /// begin, and the time of its three reads and of making the answer.
    package static let longestLagSeconds = 5.0

    /// Runs a request's reads that build on each other, all of them on one standby or, where that
    /// can't be, all of them on the primary.
    ///
    /// - Parameter body: Runs again from the beginning, on the primary, where the standby could not
    ///   answer all of its reads, or where it throws ``StandbyVisit/Ended``.
    func onOneServer<Value>(_ body: (any ReadServer) throws -> Value) throws -> Value {
        if let standby = choose() {
            do {
                return try body(StandbyVisit(self, standby))
            } catch is StandbyVisit.Ended {}
        } else {
            counts.note(.noneServes, 1)
        }
        counts.note(primary: 1)
        return try body(database)
    }
}
