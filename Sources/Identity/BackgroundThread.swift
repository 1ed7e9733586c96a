import Glibc

/// A thread that nobody waits for.
enum BackgroundThread {
    /// The system has no room for a thread.
    struct Failure: Error, CustomStringConvertible {
        var description: String { "no thread could be started" }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a thread of its own; false if the system refuses one.
    static func start(body: @escaping @Sendable () -> Void) -> Bool {
        var handle = pthread_t()
        let box = Unmanaged.passRetained(Body(body))
        let result = pthread_create(
            &handle, nil,
            { argument in
                if let argument {
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            return false
        }
        pthread_detach(handle)
        return true
    }
}
