import CLinux
import Synchronization

/// Numbers that all threads increase and few read.
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

    /// Number of stripes less one, to take a processor's number modulo.
    private let mask: Int
    /// Number of cells of a stripe, which fill whole cache lines.
    private let stride: Int
    /// Address of the cells; 0 until the first number is increased, so that counters that nobody
    /// uses take no memory.
    private let address = Atomic<UInt>(0)

    /// - Parameter count: How many numbers there are; each begins with 0.
    package init(_ count: Int) {
        precondition(count > 0, "there must be a number to count")
        mask = Self.stripeCount - 1
        let perLine = Self.lineBytes / MemoryLayout<Atomic<Int>>.stride
        stride = (count + perLine - 1) / perLine * perLine
    }

    deinit {
        // Atomics need no deinitialisation.
        UnsafeMutableRawPointer(bitPattern: address.load(ordering: .relaxed))?.deallocate()
    }

    /// Increases a number by an amount.
    package func add(_ amount: Int, to index: Int = 0) {
        cells()[stripe * stride + index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// Increases a number by 1, and returns a value that no other call of this object returns.
    package func unique(_ index: Int = 0) -> UInt64 {
        let stripe = stripe
        let value = cells()[stripe * stride + index].wrappingAdd(1, ordering: .relaxed).newValue
        return UInt64(bitPattern: Int64(value)) &* UInt64(mask + 1) &+ UInt64(stripe)
    }

    /// Returns a number.
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
        // -1, and so the last stripe, where the system can't tell.
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
            preconditionFailure("another thread has set the address")
        }
        return others
    }
}
