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

    /// Settings of the operators' console.
    package static let console: [any DeclaredSetting] = [
        consoleListen, consolePublicURL, consoleSessionHours, viewerDatabaseURL,
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
        let isNumber = host.allSatisfy { $0.isNumber || $0 == "." }
        return rest.contains("/") || rest.hasPrefix("[") || isNumber ? nil : url
    }
}
