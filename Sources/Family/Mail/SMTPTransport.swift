import CCurl
import Glibc
import Synchronization

/// A mail server that takes messages on (RFC 5321), spoken to by libcurl.
///
/// Each thread that sends uses a connection of its own, kept for the next message.
package final class SMTPTransport: MailTransport {
    /// Where and how.
    package struct Settings: Sendable {
        /// `smtp://host:port` or `smtps://host:port`.
        package var url: String
        /// Whether messages go over TLS or not at all. Without it, they go unencrypted.
        package var requiresTLS = true
        /// Nil: the server takes messages without a login.
        package var user: String?
        package var password: String?
        /// Certificates to trust instead of the system's.
        package var certificatesPath: String?
        /// The name by which the server is greeted.
        package var greetingName = "localhost"
        /// Seconds for connecting.
        package var connectTimeoutSeconds = 10
        /// Seconds for each reply but the last.
        package var replyTimeoutSeconds = 60
        /// Seconds for the reply to the final dot: a server may think long, and giving up early
        /// sends the message twice (RFC 5321, section 4.5.3.2.6).
        package var handoverTimeoutSeconds = 600

        package init(url: String) { self.url = url }
    }

    private let settings: Settings
    private let idle = Mutex<[SMTPConnection]>([])

    /// Connects to nothing yet: the first message does.
    package init(_ settings: Settings) {
        self.settings = settings
        _ = Self.libcurl
    }

    package func send(_ message: MailMessage, mayGo: () -> Bool) -> Delivery {
        let connection = idle.withLock { $0.popLast() } ?? SMTPConnection(settings)
        guard let connection else { return .tryLater("out of memory") }
        let result = connection.send(message.withASCIIDomains, mayGo: mayGo)
        idle.withLock { $0.append(connection) }
        return result
    }

    /// Sets the library up, once in the process.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
