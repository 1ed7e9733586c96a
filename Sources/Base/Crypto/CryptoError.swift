import COpenSSL

/// The reason why a cryptographic operation failed.
///
/// `description` is safe for clients; `debugDescription` adds OpenSSL's message, which contains no
/// secret but belongs in logs.
package struct CryptoError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The system returned no random bytes.
        case randomness
        /// The bytes are not a key of the requested kind, or the key is too weak.
        case invalidKey
        /// OpenSSL failed unexpectedly.
        case library
    }

    package let code: Code
    /// The attempted operation, or the key's problem.
    package let context: String
    /// OpenSSL's message; empty if there is none.
    package let underlying: String

    /// Creates an error of Hearth's own, without OpenSSL's message.
    init(_ code: Code, _ context: String, underlying: String = "") {
        self.code = code
        self.context = context
        self.underlying = underlying
    }

    /// Creates an error with OpenSSL's queued messages for this thread, and clears them.
    static func fromOpenSSL(_ code: Code, _ context: String) -> CryptoError {
        var words: [String] = []
        while case let number = ERR_get_error(), number != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(number, &text, text.count)
            words.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
        }
        return CryptoError(code, context, underlying: words.joined(separator: "; "))
    }

    /// Clears OpenSSL's messages for this thread, after an operation through another library.
    package static func clearQueuedErrors() { ERR_clear_error() }
}

extension CryptoError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch code {
        case .randomness: "No random bytes are available"
        case .invalidKey: "Invalid key: \(context)"
        case .library: "Cryptography failed"
        }
    }

    package var debugDescription: String {
        "\(code.rawValue): \(context)" + (underlying.isEmpty ? "" : " (\(underlying))")
    }
}
