import Crypto
import Domain
package import HTTPServer
import Repositories
import Synchronization
package import Telemetry
import UseCases

/// The proxy before the console that signs operators in, such as one with an organisation's single
/// sign-on. It sends the operator's address in a header.
///
/// The header counts only if the connection comes from an allowed address and the request has the
/// proxy's secret; otherwise it is ignored, because anybody can send it.
package final class ConsoleProxy: Sendable {
    /// The operator whom the headers of a request name.
    enum Claim: Equatable {
        /// The proxy names nobody, or the request is not the proxy's.
        case nobody
        /// The proxy names an operator.
        case named(ProxiedOperator)
        /// The proxy's headers contradict themselves or are malformed.
        case refused(String)
    }

    /// Name of the header with the secret.
    package static let secretHeader = "X-Hearth-Proxy-Secret"
    /// Name of the header with the time at which the operator signed in at the proxy, in seconds
    /// since 1970.
    package static let timeHeader = "X-Hearth-Proxy-Auth-Time"

    /// Seconds between two warnings about ignored headers.
    private static let warningSeconds: Int64 = 60

    private struct Warnings: Sendable {
        /// Time of the last warning; nil before the first.
        var warnedAt: Int64?
        /// Number of ignored headers that no warning counts yet.
        var count = 0
    }

    private let header: String
    private let secret: [UInt8]
    private let addresses: [AddressRange]
    private let log: Log
    private let warnings = Mutex(Warnings())

    /// - Parameters:
    ///   - header: Name of the header with the operator's address.
    ///   - addresses: Those from which the proxy connects.
    package init(header: String, secret: [UInt8], addresses: [AddressRange], log: Log) {
        self.header = header
        self.secret = secret
        self.addresses = addresses
        self.log = log
    }

    /// Returns the operator whom the headers of a request name.
    ///
    /// - Parameter now: Seconds since 1970.
    func claim(in request: Request, now: Int64) -> Claim {
        let names = request.headers.values(header)
        guard names.contains(where: { !$0.isEmpty }) else { return .nobody }
        guard addresses.contains(where: { $0.contains(request.peer) }) else {
            warn("not from the proxy's address", now)
            return .nobody
        }
        guard case .once(let sent) = request.headers.single(Self.secretHeader),
            constantTimeEqual(Array(sent.utf8), secret)
        else {
            warn("without the proxy's secret", now)
            return .nobody
        }
        guard names.count == 1, let name = names.first else {
            return .refused("The proxy has sent the header \(header) more than once.")
        }
        guard let email = EmailAddress(name) else {
            return .refused("The proxy's header \(header) contains no e-mail address.")
        }
        switch request.headers.single(Self.timeHeader) {
        case .absent: return .named(ProxiedOperator(email: email, signedInAt: nil))
        case .once(let text):
            guard let time = Self.seconds(text) else {
                return .refused(
                    "The proxy's header \(Self.timeHeader) contains no seconds since 1970.")
            }
            return .named(ProxiedOperator(email: email, signedInAt: time))
        case .repeated:
            return .refused("The proxy has sent the header \(Self.timeHeader) more than once.")
        }
    }

    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }

    /// Logs a warning about an ignored header, at most one a minute; it counts those since the last
    /// one.
    private func warn(_ reason: StaticString, _ now: Int64) {
        let count: Int? = warnings.withLock { warnings in
            warnings.count += 1
            if let last = warnings.warnedAt, (last..<last + Self.warningSeconds).contains(now) {
                return nil
            }
            defer { warnings = Warnings(warnedAt: now) }
            return warnings.count
        }
        guard let count else { return }
        log.warning(
            "an operator's name in the header that HEARTH_CONSOLE_PROXY_HEADER names was ignored",
            [.reason(reason), .count(count)])
    }
}

extension ConsoleVisit {
    /// Returns the operator of a session; nil if it has ended. A session that the proxy opened
    /// counts only in requests in which the proxy names its operator.
    static func session(
        _ token: ConsoleToken, _ services: ConsoleServices, _ claim: ConsoleProxy.Claim
    ) throws -> ConsoleOperator? {
        var isNamed = false
        if case .named(let proxied) = claim {
            try services.signIn.follow(proxied, token)
            isNamed = true
        }
        return try services.signIn.session(token).flatMap { current in
            current.isProxied && !isNamed ? nil : current
        }
    }
}
