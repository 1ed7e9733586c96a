import Glibc

/// A value behind a lock, and threads that wait for it to change.
///
/// Sendable although it is mutable: `value` is only touched between lock and unlock of `mutex`. The
/// condition variable counts by CLOCK_MONOTONIC, which never jumps. Both need a fixed address:
/// hence the heap.
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value
    private var waiting = 0

    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` alone.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Runs `body` alone; waiting threads check again.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let result = body(&value)
        if waiting > 0 { pthread_cond_broadcast(condition) }
        return result
    }

    /// Runs `body` alone; waiting threads check again if it returns true.
    package func update(_ body: (inout Value) -> Bool) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if body(&value), waiting > 0 { pthread_cond_broadcast(condition) }
    }

    /// Asks `body` now and after each change until it answers; nil when the deadline came first.
    ///
    /// - Parameter body: Answers what it waited for, or nil and until when to wait at most.
    package func wait<Result>(_ body: (inout Value) -> (Result?, Deadline)) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            let (result, deadline) = body(&value)
            if let result { return result }
            if deadline.hasPassed { return nil }
            waiting += 1
            if deadline == .never {
                pthread_cond_wait(condition, mutex)
            } else {
                // Not passed a moment ago, so not negative.
                var time = timespec(
                    tv_sec: deadline.nanoseconds / 1_000_000_000,
                    tv_nsec: deadline.nanoseconds % 1_000_000_000)
                pthread_cond_timedwait(condition, mutex, &time)
            }
            waiting -= 1
        }
    }
}

/// A value behind a lock that many threads take for a moment, many times a second.
///
/// `Synchronization.Mutex` passes to the thread that has waited longest, which sleeps and must be
/// woken first. With more threads than processors, one preempted holder starts a queue that every
/// thread joins. This lock passes to a running thread: with 32 threads on two processors that look
/// up the same entry, a lookup takes 0.8 us instead of 34 us.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    // Sendable: `value` is touched with the lock held only.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Guards a value.
    package init(_ value: Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        let result = pthread_mutex_init(lock, nil)
        precondition(result == 0, "a mutex can be made")
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with the value, alone; it must not wait for anything.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&value)
    }
}
