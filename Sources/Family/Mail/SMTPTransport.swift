import CCurl
import Glibc
import Synchronization

/// A transport to a mail server (RFC 5321) through libcurl.
///
/// Each sending thread uses a connection of its own, which is reused for the next message.
package final class SMTPTransport: MailTransport {
    /// Address of the mail server, login, encryption and timeouts.
    package struct Settings: Sendable {
        /// URL of the server: `smtp://host:port` or `smtps://host:port`.
        package var url: String
        /// If true, messages are sent over TLS or not at all; if false, unencrypted.
        package var requiresTLS = true
        /// Login name; nil if the server accepts messages without a login.
        package var user: String?
        package var password: String?
        /// File of certificates to trust instead of the system's.
        package var certificatesPath: String?
        /// Host name in the EHLO greeting.
        package var greetingName = "localhost"
        /// Connect timeout in seconds.
        package var connectTimeoutSeconds = 10
        /// Timeout in seconds for each reply but the last.
        package var replyTimeoutSeconds = 60
        /// Timeout in seconds for the reply to the final dot: a server may take long, and a client
        /// that gives up early sends the message twice (RFC 5321, section 4.5.3.2.6).
        package var handoverTimeoutSeconds = 600

        package init(url: String) { self.url = url }
    }

    private let settings: Settings
    private let idle = Mutex<[SMTPConnection]>([])

    /// Creates the transport, which connects for its first message.
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

    /// Initialises the library once per process.
    private static let libcurl = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
