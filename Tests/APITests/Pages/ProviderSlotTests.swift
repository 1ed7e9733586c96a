import Testing
import UseCases

@testable import API

@Suite("Slots for waiting for providers")
struct ProviderSlotTests {
    private let slots = ProviderSlots()

    /// Takes a slot for each network in turn, holds all of them until the last one was tried, and
    /// returns whether each was free.
    private func take(_ networks: ArraySlice<String>) -> [Bool] {
        guard let network = networks.first else { return [] }
        let others = networks.dropFirst()
        let client = ClientAddress(address: network, network: network)
        if let later = slots.withSlot(for: client, { take(others) }) { return [true] + later }
        return [false] + take(others)
    }

    @Test("a network's third waiting thread and the fifth of all are refused until one has ended")
    func limits() {
        for _ in 0..<2 {
            #expect(take(["a", "a", "a", "b"]) == [true, true, false, true])
            #expect(
                take(["a", "b", "b", "b", "c", "d", "a"])
                    == [true, true, true, false, true, false, false])
        }
    }

    @Test("a wait that fails frees its slot")
    func failure() {
        struct Failure: Error {}
        let client = ClientAddress(address: "a", network: "a")
        for _ in 0..<5 {
            #expect(throws: Failure.self) {
                _ = try slots.withSlot(for: client) { () throws -> Void in throw Failure() }
            }
        }
        #expect(take(["a", "a"]) == [true, true])
    }
}
