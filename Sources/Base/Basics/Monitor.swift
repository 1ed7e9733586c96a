import Glibc

/// A value behind a lock, with threads that can wait for it to change.
///
/// It is Sendable although it is mutable, because `value` is only accessed between lock and unlock
/// of `mutex`. The condition variable uses CLOCK_MONOTONIC, which never jumps. Both need a fixed
/// address and are therefore on the heap.
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

    /// Runs `body` with exclusive access.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Runs `body` with exclusive access; then waiting threads check again.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let result = body(&value)
        if waiting > 0 { pthread_cond_broadcast(condition) }
        return result
    }

    /// Runs `body` with exclusive access; if it returns true, waiting threads check again.
    package func update(_ body: (inout Value) -> Bool) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if body(&value), waiting > 0 { pthread_cond_broadcast(condition) }
    }

    /// Calls `body` now and after each change until it returns a result; nil if the deadline comes
    /// first.
    ///
    /// - Parameter body: Returns the result, or nil and the deadline until which to wait.
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
                // The deadline had not passed a moment ago, so it is not negative.
                var time = timespec(
                    tv_sec: deadline.nanoseconds / 1_000_000_000,
                    tv_nsec: deadline.nanoseconds % 1_000_000_000)
                pthread_cond_timedwait(condition, mutex, &time)
            }
            waiting -= 1
        }
    }
}

/// A value behind a lock that many threads hold for a moment, many times a second.
///
/// `Synchronization.Mutex` passes to the thread that has waited longest, which sleeps and must be
/// woken first. With more threads than processors, one preempted holder starts a queue that every
/// thread joins. This lock passes to a running thread: with 32 threads on two processors that look
/// up the same entry, a lookup takes 0.8 us instead of 34 us.
package final class Lock<Value: Sendable>: @unchecked Sendable {
    // Sendable, because `value` is only accessed while the lock is held.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Creates a lock around a value.
    package init(_ value: Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        let result = pthread_mutex_init(lock, nil)
        precondition(result == 0, "the mutex could not be created")
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with exclusive access to the value; `body` must not wait for anything.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&value)
    }
}
