import CLinux
import Glibc

/// Something to wait for among file descriptors: readable from being rung until it is reset.
final class Bell: Sendable {
    /// Becomes readable when the bell rings.
    let descriptor: Int32

    init() throws(ServerError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .system("making an event descriptor") }
    }

    deinit {
        close(descriptor)
    }

    func ring() {
        // Fails only when the counter is full: then it has been rung.
        _ = eventfd_write(descriptor, 1)
    }

    func reset() {
        var count: eventfd_t = 0
        // Fails only when nobody rang.
        _ = eventfd_read(descriptor, &count)
    }

    /// Whether it rings within that time.
    func isRung(withinSeconds seconds: Double) -> Bool {
        let deadline = Clock.milliseconds + Int64(seconds * 1000)
        while true {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let rest = max(0, deadline - Clock.milliseconds)
            let count = poll(&item, 1, Int32(clamping: rest))
            if count > 0 { return true }
            if rest == 0 { return false }
        }
    }
}

/// Time that only goes forward.
enum Clock {
    /// Milliseconds since some moment, precise to a few: for timeouts.
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds since the same moment, precise to one: for measuring.
    static var nanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
