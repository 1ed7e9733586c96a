import CLinux
import Glibc

/// An operating-system thread with a body that ends.
struct Thread: Sendable {
    /// Enough for handlers that recurse a little; only touched pages count.
    private static let stackBytes = 1 << 20

    private let handle: pthread_t

    /// Starts a thread; `name` is cut to 15 bytes, as the kernel wants it.
    init(named name: String, body: @escaping @Sendable () -> Void) throws(ServerError) {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0,
            pthread_attr_setstacksize(&attributes, Self.stackBytes) == 0
        else { throw .system("starting a thread", ENOMEM) }
        defer { pthread_attr_destroy(&attributes) }
        let box = Unmanaged.passRetained(Body(body))
        var handle = pthread_t()
        let result = pthread_create(
            &handle, &attributes,
            { argument in
                if let argument {
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw .system("starting a thread", result)
        }
        self.handle = handle
        // A name that can't be set harms nobody.
        _ = pthread_setname_np(handle, String(name.prefix(15)))
    }

    /// Waits for the body's end; once only, and not from the thread itself.
    func join() {
        let result = pthread_join(handle, nil)
        precondition(result == 0, "a thread is joined once, by another")
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
