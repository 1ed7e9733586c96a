import Glibc
import Policy
import TestSupport
import Testing

@Suite("Memory")
struct AllocationTests {
    private static let standings: [Facts] = [
        [], .account, [.account, .member, .adult, .admin], [.account, .member, .player],
        [.account, .member, .visitor], [.account, .member, .acting],
    ]

    private static let actions = Action.allCases

    private static func decideAll() -> Int {
        var allowed = 0
        // By index, since an array's own iterator asks for memory in a debug build.
        for place in 0..<(actions.count * standings.count) {
            let action = actions[place / standings.count]
            if decide(action, standings[place % standings.count]) == .allowed { allowed += 1 }
        }
        return allowed
    }

    // Each in a process of its own: what is counted is all that the process has.

    @Test("is not asked for by a decision")
    func decision() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let expected = Self.decideAll()
            let asks = allocatesMemory { if Self.decideAll() != expected { print("never") } }
            exit(expected > 0 && !asks ? 7 : 1)
        }
    }

    @Test("that is asked for and given back at once is noticed")
    func allocation() async {
        await #expect(processExitsWith: .exitCode(7)) {
            exit(allocatesMemory { Self.withUnsafeTemporary(bytes: 100_000) } ? 7 : 1)
        }
    }

    /// Takes memory and gives it back.
    private static func withUnsafeTemporary(bytes: Int) {
        UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16).deallocate()
    }
}
