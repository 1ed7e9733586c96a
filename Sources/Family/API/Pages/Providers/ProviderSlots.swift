import Basics
import UseCases

/// Slots for threads that wait for providers, so that a slow provider can't block all threads.
final class ProviderSlots: Sendable {
    /// Maximum number of waiting threads, and maximum per network of clients.
    private static let (limit, limitPerNetwork) = (4, 2)

    private let taken = Lock<[String: Int]>([:])

    /// Runs `body` in a slot; returns nil if no slot is free.
    func withSlot<Value>(
        for client: ClientAddress, _ body: () throws -> Value
    ) rethrows -> Value? {
        guard take(client.network) else { return nil }
        defer { release(client.network) }
        return try body()
    }

    private func take(_ network: String) -> Bool {
        taken.withLock { taken in
            let count = taken[network] ?? 0
            guard count < Self.limitPerNetwork, taken.values.reduce(0, +) < Self.limit else {
                return false
            }
            taken[network] = count + 1
            return true
        }
    }

    private func release(_ network: String) {
        taken.withLock { taken in
            let count = (taken[network] ?? 1) - 1
            taken[network] = count > 0 ? count : nil
        }
    }
}
