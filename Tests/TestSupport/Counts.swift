import CCounters
import Glibc

/// How often the calling thread asks for memory while it runs `body`, given back again or not.
package func countAllocations<Failure>(
    _ body: () throws(Failure) -> Void
) throws(Failure) -> Int {
    let before = counters_allocations()
    try body()
    return Int(counters_allocations() - before)
}

/// Counts the instructions of the calling thread, as the processor tells them.
package struct InstructionCounter {
    private let descriptor: Int32

    /// Nil where the system does not let a program count.
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

    /// Ends the counting.
    package func close() { Glibc.close(descriptor) }

    /// How many instructions `body` takes.
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
