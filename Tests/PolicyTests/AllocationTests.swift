import Glibc
import Policy
import TestSupport
import Testing

@Suite("Memory allocation of decisions")
struct AllocationTests {
    private static let standings: [Facts] = [
        [], .account, [.account, .member, .adult, .admin], [.account, .member, .player],
        [.account, .member, .visitor], [.account, .member, .acting],
    ]

    private static let actions = Action.allCases

    private static func decideAll() -> Int {
        var allowed = 0
        // By index, because an array's own iterator allocates memory in a debug build.
        for place in 0..<(actions.count * standings.count) {
            let action = actions[place / standings.count]
            if decide(action, standings[place % standings.count]) == .allowed { allowed += 1 }
        }
        return allowed
    }

    // Each test runs in a separate process, because the counter covers the whole process.

    @Test("a decision allocates no memory")
    func decision() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let expected = Self.decideAll()
            let asks = allocatesMemory { if Self.decideAll() != expected { print("never") } }
            exit(expected > 0 && !asks ? 7 : 1)
        }
    }

    @Test("the measurement detects an allocation that is freed at once")
    func allocation() async {
        await #expect(processExitsWith: .exitCode(7)) {
            exit(allocatesMemory { Self.withUnsafeTemporary(bytes: 100_000) } ? 7 : 1)
        }
    }

    /// Allocates memory and frees it.
    private static func withUnsafeTemporary(bytes: Int) {
        UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16).deallocate()
    }
}
