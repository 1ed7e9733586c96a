import CLinux
import Glibc

/// A thread of the operating system that runs a closure.
package struct SystemThread: Sendable {
    /// The system can't create a thread.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The system's error number (errno).
        package let code: Int32
        package var description: String { "no thread could be started" }
    }

    private let handle: pthread_t

    /// Starts a thread, which must be joined or detached.
    ///
    /// - Parameters:
    ///   - name: Name for tools, cut to the kernel's limit of 15 bytes.
    ///   - stackBytes: Stack size; nil for the system's default. Only pages that are used take
    ///     memory.
    package init(
        named name: String? = nil, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { throw Failure(code: ENOMEM) }
        defer { pthread_attr_destroy(&attributes) }
        if let stackBytes {
            let code = pthread_attr_setstacksize(&attributes, stackBytes)
            guard code == 0 else { throw Failure(code: code) }
        }
        let box = Unmanaged.passRetained(Body(body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, &attributes,
            { argument in
                if let argument {
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw Failure(code: code)
        }
        self.handle = handle
        // A name that can't be set does no harm.
        if let name { _ = pthread_setname_np(handle, String(name.prefix(15))) }
    }

    /// Starts a thread that nobody waits for; returns false if the system can't create one.
    package static func startDetached(_ body: @escaping @Sendable () -> Void) -> Bool {
        do throws(Failure) {
            try SystemThread(body).detach()
            return true
        } catch {
            return false
        }
    }

    /// Waits until the body ends. May be called only once, and not from the thread itself.
    package func join() {
        let code = pthread_join(handle, nil)
        precondition(code == 0, "a thread is joined once, by another thread")
    }

    /// Lets the thread end by itself. May be called only once.
    package func detach() { pthread_detach(handle) }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
