import Synchronization

/// Where reads were answered, since the process began.
package final class StandbyReadCounts: Sendable {
    private let standby = Atomic(0)
    private let primary = Atomic(0)
    private let refused = Mutex<[StandbyRefusal: Int]>([:])

    /// Reads that a standby has answered.
    package var byStandby: Int { standby.load(ordering: .relaxed) }
    /// Reads that went to the primary.
    package var byPrimary: Int { primary.load(ordering: .relaxed) }
    /// Why reads went to the primary.
    package var refusals: [StandbyRefusal: Int] { refused.withLock { $0 } }

    func note(standby reads: Int) { standby.wrappingAdd(reads, ordering: .relaxed) }
    func note(primary reads: Int) { primary.wrappingAdd(reads, ordering: .relaxed) }
    func note(_ refusal: StandbyRefusal, _ reads: Int) {
        refused.withLock { $0[refusal, default: 0] += reads }
    }
}
