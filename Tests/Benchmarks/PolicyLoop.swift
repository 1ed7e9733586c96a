import Policy
import TestSupport
import Basics

/// Measures how long one decision takes, and whether it allocates memory.
///
/// Prints the median and the 99th percentile of the time per decision, in batches of 100 decisions
/// that go through all actions and several sets of facts.
/// - Returns: Whether the median is at most 0.3 microseconds and no memory was allocated.
func benchmarkPolicy(_ arguments: [String]) -> Bool {
    let batches = arguments.first.flatMap(Int.init) ?? 100_000
    var times: [Double] = []
    times.reserveCapacity(batches)
    var allowed = 0
    for batch in 0..<batches {
        let start = MonotonicClock.nanoseconds()
        allowed &+= decideMany(from: batch)
        times.append(Double(MonotonicClock.nanoseconds() - start) / Double(decisionsPerBatch))
    }
    times.sort()
    let isFrugal = !allocatesMemory { if decideMany(from: 0) < 0 { print(0) } }
    func rounded(_ place: Int) -> Double { (times[place] * 10).rounded() / 10 }
    let median = rounded(times.count / 2)
    print(
        "policy: \(batches * decisionsPerBatch) decisions, \(allowed) allowed; "
            + "p50 \(median) ns, p99 \(rounded(times.count * 99 / 100)) ns, "
            + (isFrugal ? "no memory asked for" : "MEMORY ASKED FOR"))
    return isFrugal && median <= 300
}

private let decisionsPerBatch = 100

private let standings: [Facts] = [
    [], .account, [.account, .member, .adult], [.account, .member, .adult, .admin],
    [.account, .member, .adult, .creator, .targetAdult, .claimsSeat],
    [.account, .member, .player, .invitesPlayer], [.account, .member, .visitor],
    [.account, .member, .acting], [.account, .member, .adult, .guardian, .targetManaged],
    [.account, .member, .adult, .admin, .oneself, .targetAdmin],
]

private let actions = Action.allCases

/// Makes 100 decisions, different ones in each batch. Returns the number of allowed ones.
private func decideMany(from batch: Int) -> Int {
    var allowed = 0
    for offset in 0..<decisionsPerBatch {
        let place = batch &+ offset
        let facts = standings[place % standings.count]
        if decide(actions[place % actions.count], facts) == .allowed { allowed += 1 }
    }
    return allowed
}
