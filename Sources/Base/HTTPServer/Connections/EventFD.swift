import CLinux
import Glibc
import Threads

/// An event to wait for among file descriptors (eventfd(2)): readable from its signal until it is
/// reset.
final class EventFD: Sendable {
    /// Becomes readable with the signal.
    let descriptor: Int32

    init() throws(ServerError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .system("making an event descriptor") }
    }

    deinit {
        close(descriptor)
    }

    func signal() {
        // Fails only when the counter is full: then it has been signalled.
        _ = eventfd_write(descriptor, 1)
    }

    func reset() {
        var count: eventfd_t = 0
        // Fails only if there was no signal.
        _ = eventfd_read(descriptor, &count)
    }

    /// Whether it is signalled within that time.
    func isSignalled(withinSeconds seconds: Double) -> Bool {
        let deadline = Deadline.after(seconds: seconds)
        while true {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&item, 1, deadline.pollMilliseconds)
            if count > 0 { return true }
            if deadline.hasPassed { return false }
        }
    }
}
