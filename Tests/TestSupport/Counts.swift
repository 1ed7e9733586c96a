import CCounters
import Glibc

/// The number of heap allocations of the calling thread while it runs `body`, including those that
/// it frees.
package func countAllocations<Failure>(
    _ body: () throws(Failure) -> Void
) throws(Failure) -> Int {
    let before = counters_allocations()
    try body()
    return Int(counters_allocations() - before)
}

/// Counts the instructions of the calling thread with the processor's counter.
package struct InstructionCounter {
    private let descriptor: Int32

    /// Returns nil if the system does not allow programs to count instructions.
    package init?() {
        descriptor = counters_open_instructions()
        if descriptor < 0 { return nil }
    }

    /// Whether the system lets a program count.
    package static var isPermitted: Bool {
        guard let counter = InstructionCounter() else { return false }
        counter.close()
        return true
    }

    /// Stops counting.
    package func close() { Glibc.close(descriptor) }

    /// The number of instructions that `body` takes.
    package func count<Failure>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int {
        let before = current
        try body()
        return Int(current - before)
    }

    private var current: UInt64 {
        var value: UInt64 = 0
        let count = read(descriptor, &value, MemoryLayout<UInt64>.size)
        precondition(count == MemoryLayout<UInt64>.size, "an open counter can be read")
        return value
    }
}
