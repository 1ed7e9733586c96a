import Glibc
import Threads

extension Monitor {
    /// Waits until `body` has a result: it is asked now, after each change, and when the moment
    /// that it names itself has come. Nil once `end` has come.
    func wait<Result: Sendable>(
        until end: Moment, _ body: (inout Value) -> Waiting<Result>
    ) -> Result? {
        while true {
            let found: Result? = waitUntil { value in
                switch body(&value) {
                case .done(let result): (result, until: 0)
                case .until(let moment): (nil, until: min(moment, end).nanoseconds)
                }
            }
            if let found { return found }
            if Moment.now >= end { return nil }
        }
    }
}

/// What somebody who waits finds when it looks.
enum Waiting<Result: Sendable>: Sendable {
    case done(Result)
    /// Nothing yet: it looks again at that moment, or before if something changes.
    case until(Moment)
}

/// A moment by the clock that never jumps.
struct Moment: Sendable, Comparable {
    private let milliseconds: Int64

    private init(milliseconds: Int64) { self.milliseconds = milliseconds }

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Farther away than any process lives.
    static let never = Moment(milliseconds: 1 << 48)

    func adding(seconds: Double) -> Moment {
        Moment(milliseconds: milliseconds + Int64(seconds * 1000))
    }

    /// The same by the clock's own count.
    var nanoseconds: UInt64 { self < .never ? UInt64(milliseconds) * 1_000_000 : .max }

    static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }
}
