import CLinux
import Synchronization

/// Counters that many threads increase and few threads read.
///
/// Each processor has its own cells, so that threads on different processors don't take the same
/// cache line from each other with every request. Readers sum the cells. A thread may move to
/// another processor before it has written: the cells are atomic, so nothing is lost.
package final class StripedCounts: Sendable {
    /// Number of stripes: a power of two, at least the number of processors up to 64.
    private static let stripeCount: Int = {
        var count = 1
        while count < min(Processors.usable, 64) { count *= 2 }
        return count
    }()
    private static let lineBytes = 64

    /// Number of stripes less one: the bits of a processor's number that select its stripe.
    private let mask: Int
    /// Number of cells of a stripe, which fill whole cache lines.
    private let stride: Int
    /// Address of the cells; 0 until a counter is first increased, so that unused counters take no
    /// memory.
    private let address = Atomic<UInt>(0)

    /// - Parameter count: Number of counters; each begins with 0.
    package init(_ count: Int) {
        precondition(count > 0, "the number of counters must be positive")
        mask = Self.stripeCount - 1
        let perLine = Self.lineBytes / MemoryLayout<Atomic<Int>>.stride
        stride = (count + perLine - 1) / perLine * perLine
    }

    deinit {
        // Atomics need no deinitialisation.
        UnsafeMutableRawPointer(bitPattern: address.load(ordering: .relaxed))?.deallocate()
    }

    /// Increases a counter by an amount.
    package func add(_ amount: Int, to index: Int = 0) {
        cells()[stripe * stride + index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// Increases a counter by 1, and returns a value that no other call for this counter returns.
    package func unique(_ index: Int = 0) -> UInt64 {
        let stripe = stripe
        let value = cells()[stripe * stride + index].wrappingAdd(1, ordering: .relaxed).newValue
        return UInt64(bitPattern: Int64(value)) &* UInt64(mask + 1) &+ UInt64(stripe)
    }

    /// Returns the value of a counter.
    package func sum(_ index: Int = 0) -> Int {
        guard
            let cells = UnsafeMutablePointer<Atomic<Int>>(
                bitPattern: address.load(ordering: .acquiring))
        else { return 0 }
        var sum = 0
        for stripe in 0...mask {
            sum &+= cells[stripe * stride + index].load(ordering: .relaxed)
        }
        return sum
    }

    /// The stripe of the processor on which the thread runs.
    private var stripe: Int {
        // If the system does not report the processor, -1 selects the last stripe.
        mask == 0 ? 0 : Int(sched_getcpu()) & mask
    }

    private func cells() -> UnsafeMutablePointer<Atomic<Int>> {
        UnsafeMutablePointer(bitPattern: address.load(ordering: .acquiring)) ?? allocate()
    }

    private func allocate() -> UnsafeMutablePointer<Atomic<Int>> {
        let total = (mask + 1) * stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: total * MemoryLayout<Atomic<Int>>.stride, alignment: Self.lineBytes)
        let cells = memory.assumingMemoryBound(to: Atomic<Int>.self)
        for index in 0..<total { (cells + index).initialize(to: Atomic(0)) }
        let (isFirst, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: memory), ordering: .acquiringAndReleasing)
        if isFirst { return cells }
        memory.deallocate()
        guard let others = UnsafeMutablePointer<Atomic<Int>>(bitPattern: present) else {
            preconditionFailure("the address that another thread has set is null")
        }
        return others
    }
}
