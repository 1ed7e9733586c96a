import Domain
import Testing
import UseCases

/// The code of the refusal that `body` ends with; nil when it does not.
///
/// Records an issue where the policy should have refused and left it to the database, which has the
/// same rules: each of the two has to hold by itself.
func refusal<Value>(_ body: () throws -> Value) throws -> RefusalCode? { try refused(body)?.code }

/// The same with what is told besides the code.
func refused<Value>(_ body: () throws -> Value) throws -> Refusal? {
    let refusal = try ending(body)
    if let refusal, refusal.underlying != nil, RefusalCode.ofPolicy.contains(refusal.code) {
        Issue.record("only the database refused: \(refusal)")
    }
    return refusal
}

extension Refusal {
    /// For how long a limit lasts; nil for all others.
    var seconds: Int? {
        guard case .limit(_, _, let seconds)? = parameter else { return nil }
        return seconds
    }
}

/// The refusal that `body` ends with, whoever refused; nil when it does not.
func ending<Value>(_ body: () throws -> Value) throws -> Refusal? {
    do {
        _ = try body()
        return nil
    } catch let error as Refusal {
        return error
    }
}
