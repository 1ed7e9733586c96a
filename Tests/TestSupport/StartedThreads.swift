import Glibc

/// System threads that are joined before a test ends.
package struct StartedThreads {
    private let handles: [pthread_t]

    /// Starts the given number of threads, each with its index.
    @discardableResult
    package static func start(_ count: Int, _ body: @escaping @Sendable (Int) -> Void)
        -> StartedThreads
    {
        final class Start {
            let number: Int
            let body: @Sendable (Int) -> Void
            init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
                self.number = number
                self.body = body
            }
        }
        return StartedThreads(
            handles: (0..<count).map { number in
                var handle = pthread_t()
                let start = Unmanaged.passRetained(Start(number, body)).toOpaque()
                let code = pthread_create(
                    &handle, nil,
                    { argument in
                        if let argument {
                            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                            start.body(start.number)
                        }
                        return nil
                    }, start)
                precondition(code == 0, "no thread could be started")
                return handle
            })
    }

    /// Waits until all threads have ended.
    package func join() {
        for handle in handles { pthread_join(handle, nil) }
    }
}
