import Glibc

/// A value that threads change and wait for.
final class Monitor<Value: Sendable>: @unchecked Sendable {
    // Sendable: `value` is touched with the lock held only. Lock and condition need a fixed
    // address: hence the heap. The condition counts by the clock that never jumps.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    /// Runs `body` with the value, alone, and lets those who wait look again.
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(lock)
        }
        return body(&value)
    }

    /// Waits until `body` has a result: it is asked now, after each change, and when the moment
    /// that it names itself has come. Nil once `end` has come.
    func wait<Result: Sendable>(
        until end: Moment, _ body: (inout Value) -> Waiting<Result>
    ) -> Result? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            switch body(&value) {
            case .done(let result): return result
            case .until(let moment):
                guard Moment.now < end else { return nil }
                var time = min(moment, end).timeSpecification
                _ = pthread_cond_timedwait(condition, lock, &time)
            }
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

    var timeSpecification: timespec {
        timespec(
            tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    }

    static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }
}
