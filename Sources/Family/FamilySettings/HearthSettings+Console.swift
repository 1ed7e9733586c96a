package import Configuration

extension HearthSettings {
    /// Address at which the console listens.
    package static let consoleListen = Setting<ListenAddress>.defaulted(
        "HEARTH_CONSOLE_LISTEN", .listenAddress, default: "127.0.0.1:8090",
        "The address that the operators' console listens on.")
    /// Address at which operators reach the console.
    package static let consolePublicURL = Setting<String>.defaulted(
        "HEARTH_CONSOLE_PUBLIC_URL", .consoleURL, default: "http://localhost:8090",
        "The address at which operators open the console. Its host is the one that their passkeys "
            + "are bound to, so it must be a name.")
    /// Hours that a session in the console lasts.
    package static let consoleSessionHours = Setting<Int>.defaulted(
        "HEARTH_CONSOLE_SESSION_HOURS", .integer(1...168), default: "12",
        "The hours after which operators sign in again.")
    /// Connection string of the database for operators who only read.
    package static let viewerDatabaseURL = Setting<String>.required(
        "HEARTH_VIEWER_DATABASE_URL", .databaseURL, isSecret: true,
        "The connection string of the database, as the role hearth_viewer.")
    /// Whether operators may sign in with a mailed code.
    package static let consoleMailedCodes = Setting<Bool>.defaulted(
        "HEARTH_CONSOLE_MAILED_CODES", .toggle, default: "off",
        "Whether operators may sign in to the console with a mailed code. Such a session can't do "
            + "what needs a passkey.")
    /// Header in which a trusted proxy names the operator.
    package static let consoleProxyHeader = Setting<String?>.optional(
        "HEARTH_CONSOLE_PROXY_HEADER", .consoleHeader,
        "The header in which a trusted proxy sends the operator's e-mail address. Default: none; "
            + "nobody signs in through a proxy.")
    /// Secret by which the console recognises the trusted proxy.
    package static let consoleProxySecret = Setting<Secret?>.optional(
        "HEARTH_CONSOLE_PROXY_SECRET", .secret(minimumBytes: 32),
        neededWith: "HEARTH_CONSOLE_PROXY_HEADER", isSecret: true,
        "The secret that the trusted proxy sends in the header X-Hearth-Proxy-Secret.")
    /// Addresses from which the trusted proxy connects.
    package static let consoleProxyAddresses = Setting<[String]?>.optional(
        "HEARTH_CONSOLE_PROXY_ADDRESSES", .addresses, neededWith: "HEARTH_CONSOLE_PROXY_HEADER",
        "The addresses from which the trusted proxy connects to the console.")

    /// Settings of the operators' console.
    package static let console: [any DeclaredSetting] = [
        consoleListen, consolePublicURL, consoleSessionHours, viewerDatabaseURL,
        consoleMailedCodes, consoleProxyHeader, consoleProxySecret, consoleProxyAddresses,
    ]
}

extension Expectation where Value == String {
    /// The origin of a site whose host is a name, because no passkey can be bound to an address.
    fileprivate static let consoleURL = Expectation(
        "an address without a path, whose host is a name, such as https://console.example.org"
    ) { word in
        guard let url = Expectation<String>.baseURL.value(of: word) else { return nil }
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        let host = rest.prefix { $0 != ":" }
        // Browsers read a host as an address in numbers if its last part is a number, which may be
        // hexadecimal.
        let last = host.split(separator: ".").last?.lowercased() ?? ""
        let isNumber = last.allSatisfy(\.isNumber) || last.hasPrefix("0x")
        return rest.contains("/") || rest.hasPrefix("[") || isNumber ? nil : url
    }

    /// Headers that browsers send or that have another meaning to the console.
    private static let takenHeaders: Set = [
        "accept", "connection", "content-length", "content-type", "cookie", "forwarded", "host",
        "origin", "referer", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site",
        "transfer-encoding", "user-agent", "x-forwarded-for", "x-hearth-proxy-auth-time",
        "x-hearth-proxy-secret",
    ]

    /// Name of a header that only a proxy sends.
    fileprivate static let consoleHeader = Expectation(
        "the name of a header that only the proxy sends, such as X-Auth-Request-Email"
    ) { word in
        let isPlain = word.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard isPlain, (1...64).contains(word.utf8.count),
            !takenHeaders.contains(word.lowercased())
        else { return nil }
        return word
    }
}
