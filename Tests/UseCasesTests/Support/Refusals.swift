import Domain
import Testing
import UseCases

/// The code of the refusal that `body` throws; nil if it throws none.
///
/// Records an issue if the database refused what the policy should have refused. Policy and
/// database have the same rules, and each must enforce them by itself.
func refusal<Value>(_ body: () throws -> Value) throws -> RefusalCode? { try refused(body)?.code }

/// The refusal that `body` throws, with its parameters; nil if it throws none.
func refused<Value>(_ body: () throws -> Value) throws -> Refusal? {
    let refusal = try ending(body)
    if let refusal, refusal.underlying != nil, RefusalCode.ofPolicy.contains(refusal.code) {
        Issue.record("only the database refused: \(refusal)")
    }
    return refusal
}

extension Refusal {
    /// Seconds until a limit ends; nil for other refusals.
    var seconds: Int? {
        guard case .limit(_, _, let seconds)? = parameter else { return nil }
        return seconds
    }
}

/// The refusal that `body` throws, from the policy or the database; nil if it throws none.
func ending<Value>(_ body: () throws -> Value) throws -> Refusal? {
    do {
        _ = try body()
        return nil
    } catch let error as Refusal {
        return error
    }
}
