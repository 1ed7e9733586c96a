import COpenSSL

/// Why a cryptographic operation could not be done.
///
/// `description` is safe for clients; `debugDescription` adds what OpenSSL said, which names no
/// secret but belongs in logs.
package struct CryptoError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The system gave no randomness.
        case randomness
        /// The bytes are no key of the kind asked for, or one too weak to be used.
        case invalidKey
        /// OpenSSL failed at something that has no business failing.
        case library
    }

    package let code: Code
    /// The attempted operation, or the fault of the key.
    package let context: String
    /// OpenSSL's message; empty if there is none.
    package let underlying: String

    /// An error of our own, with nothing from OpenSSL.
    init(_ code: Code, _ context: String, underlying: String = "") {
        self.code = code
        self.context = context
        self.underlying = underlying
    }

    /// An error with OpenSSL's queued messages for this thread, which it clears.
    static func fromOpenSSL(_ code: Code, _ context: String) -> CryptoError {
        var words: [String] = []
        while case let number = ERR_get_error(), number != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(number, &text, text.count)
            words.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
        }
        return CryptoError(code, context, underlying: words.joined(separator: "; "))
    }

    /// Forgets what OpenSSL has to say about this thread's last operations, after one that went
    /// through another library.
    package static func forgetMessages() { ERR_clear_error() }
}

extension CryptoError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch code {
        case .randomness: "No randomness to be had"
        case .invalidKey: "Invalid key: \(context)"
        case .library: "Cryptography failed"
        }
    }

    package var debugDescription: String {
        "\(code.rawValue): \(context)" + (underlying.isEmpty ? "" : " (\(underlying))")
    }
}
