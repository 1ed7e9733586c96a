import Glibc

/// A thread that waits for the pool to give it something, once.
final class Waiter: @unchecked Sendable {
    enum Gift: Sendable {
        case connection(PooledConnection)
        /// The right to open a connection.
        case place
        case closed
    }

    // `gift` is only touched between lock and unlock of `mutex`. The condition variable counts by
    // CLOCK_MONOTONIC, as deadlines do. Both need a fixed address: hence the heap.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var gift: Gift?

    init() {
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

    /// Hands the gift over and wakes the thread.
    func give(_ gift: Gift) {
        pthread_mutex_lock(mutex)
        self.gift = gift
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for the gift; nil when the deadline came first.
    func take(by deadline: Deadline) -> Gift? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var moment = deadline.timeSpecification
        while gift == nil {
            let status =
                deadline == .never
                ? pthread_cond_wait(condition, mutex)
                : pthread_cond_timedwait(condition, mutex, &moment)
            if status == ETIMEDOUT { break }
        }
        defer { gift = nil }
        return gift
    }
}
