import CLinux
import Glibc

/// A thread of the operating system, with a body that ends.
package struct SystemThread: Sendable {
    /// The system has no thread to give.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The number that the system gives the reason.
        package let code: Int32
        package var description: String { "no thread could be started" }
    }

    private let handle: pthread_t

    /// Starts a thread, which is to be joined or detached.
    ///
    /// - Parameters:
    ///   - name: Shown by tools; cut to 15 bytes, as the kernel wants it.
    ///   - stackBytes: nil: as much as the system gives. Only touched pages count.
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

    /// Starts a thread that nobody waits for; false if the system can't create one.
    package static func startDetached(_ body: @escaping @Sendable () -> Void) -> Bool {
        do throws(Failure) {
            try SystemThread(body).detach()
            return true
        } catch {
            return false
        }
    }

    /// Waits for the body's end; once only, and not from the thread itself.
    package func join() {
        let code = pthread_join(handle, nil)
        precondition(code == 0, "a thread is joined once, by another")
    }

    /// Lets it end by itself; once only.
    package func detach() { pthread_detach(handle) }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
