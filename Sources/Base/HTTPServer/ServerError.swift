import Glibc

/// Why a server could not be started.
///
/// There is no client yet to hide anything from: `description` says all, for operators.
package struct ServerError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The host is no address and no name that resolves.
        case unknownHost
        /// Something else listens there.
        case addressInUse
        /// The system doesn't let us listen there.
        case notPermitted
        /// The machine does not have this address.
        case addressNotAvailable
        /// The system refused a thread, a descriptor or memory.
        case resources
    }

    package let code: Code
    /// The attempted operation.
    package let context: String
    /// The system's message.
    package let underlying: String

    init(_ code: Code, _ context: String, underlying: String) {
        self.code = code
        self.context = context
        self.underlying = underlying
    }

    /// An error from `errno`, which must not have been touched since.
    static func system(_ context: String, _ number: Int32 = errno) -> ServerError {
        let code: Code =
            switch number {
            case EADDRINUSE: .addressInUse
            case EACCES, EPERM: .notPermitted
            case EADDRNOTAVAIL: .addressNotAvailable
            default: .resources
            }
        return ServerError(code, context, underlying: String(cString: strerror(number)))
    }
}

extension ServerError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "\(context): \(underlying)" }
    package var debugDescription: String { "\(code.rawValue): \(description)" }
}
