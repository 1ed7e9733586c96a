import CPostgres
import Synchronization

/// Settings of a connection to a PostgreSQL server.
///
/// Accepts everything that libpq's connection string does: several hosts (`host=a,b
/// target_session_attrs=read-write`), TLS (`sslmode`, `sslrootcert`...), a service file.
package struct ConnectionSettings: Sendable {
    /// libpq's parameters by keyword.
    package private(set) var parameters: [String: String]
    /// The host that answered last. Copies of these settings share it, so that all of them try it
    /// first.
    let hosts = PreferredHost()

    /// Connect timeout for each host of the list, in seconds; at least 2, because libpq treats 1 as
    /// 2.
    package var connectTimeoutSeconds = 5

    /// Seconds until a statement without a deadline of its own is cancelled; nil for never.
    package var statementTimeoutSeconds: Double? = 30

    /// Timeout of a COMMIT in seconds, apart from the statements before it: for programs whose
    /// statements may take long, and which end when the wait is over. After that the wait for
    /// confirmation by another server is cancelled. If nil, a COMMIT shares the deadline of its
    /// statements.
    package var commitTimeoutSeconds: Double?

    /// Whether statements are prepared on the server. False for PgBouncer in transaction mode,
    /// which assigns each transaction any free server connection.
    package var preparesStatements = true
    /// Advice for operators when a pooler refuses a startup parameter; appended to the error's
    /// message.
    package var poolerAdvice: String?

    /// A way in which PostgreSQL plans prepared statements.
    package enum Plans: String, Sendable {
        /// Plans by the values at first, and then once for all values, if that seems to cost no
        /// more.
        case automatic = "auto"
        /// Plans once for all values. Useful if every statement finds its rows by index: planning
        /// again costs more than running, many times more if views and SQL functions must be
        /// expanded first.
        case generic = "force_generic_plan"
        /// Plans by the values each time. Useful if most parameters are optional: a plan for all
        /// values can't know which conditions apply.
        case custom = "force_custom_plan"
    }

    /// The way in which PostgreSQL plans prepared statements. Has no effect if statements are not
    /// prepared.
    package var plans = Plans.automatic

    /// Whether PostgreSQL may compile statements just in time. It does so for a high estimate of
    /// the cost, and often takes longer than the statement itself. If false, it never does, unless
    /// statements are not prepared: poolers refuse the parameter.
    package var compilesStatements = true

    /// Name of the session in `pg_stat_activity`. The server stores at most 63 bytes of it.
    package var applicationName: String {
        get { parameters["application_name"] ?? "hearth" }
        set { parameters["application_name"] = newValue }
    }

    /// Parses a `postgresql://` URL or a `keyword=value` string.
    ///
    /// - Throws: `PostgresError` with code `settings`, which names the mistake and never a
    ///   password.
    package init(url: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            let reason = message.map { String(cString: $0) } ?? "out of memory"
            throw PostgresError(
                .settings,
                "not a PostgreSQL connection string: \(Self.withoutValues(reason))")
        }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                found[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        parameters = found
        if let mistake = Self.mistake(in: url, found) { throw PostgresError(.settings, mistake) }
        if let seconds = found["connect_timeout"].flatMap({ Int($0) }), seconds > 0 {
            connectTimeoutSeconds = max(2, seconds)
        }
        parameters["connect_timeout"] = nil
    }

    /// Returns the mistakes in a connection string without connecting; empty if there are none.
    package static func problems(_ url: String) -> [String] {
        do throws(PostgresError) {
            _ = try ConnectionSettings(url: url)
            return []
        } catch {
            return [error.message]
        }
    }

    /// Returns a mistake that libpq would report only when connecting, in a message that may show
    /// part of a password as the name of a host.
    private static func mistake(in url: String, _ found: [String: String]) -> String? {
        if let scheme = ["postgresql://", "postgres://"].first(where: { url.hasPrefix($0) }) {
            let location = url.dropFirst(scheme.count).prefix { $0 != "?" }
            let authority = location.prefix { $0 != "/" }
            guard authority.filter({ $0 == "@" }).count <= 1,
                !location.dropFirst(authority.count).contains("@")
            else {
                return "it has one '@' too many: in user, password or database name, write '@' as "
                    + "%40, '/' as %2F and ':' as %3A"
            }
        }
        let arePortsValid = (found["port"] ?? "").split(separator: ",").allSatisfy {
            (1...65_535).contains(Int($0) ?? 0)
        }
        // The port is not quoted: in a mistyped string it may be a part of the password.
        return arePortsValid ? nil : "its port must be a number from 1 to 65535"
    }

    /// Sets or removes a parameter of libpq, e.g. `options` or `dbname`.
    package mutating func set(_ keyword: String, _ value: String?) {
        parameters[keyword] = value
    }

    /// Separate settings for each host of the list, in the order of the list. They accept read-only
    /// servers too.
    package var settingsPerHost: [ConnectionSettings] {
        let lists = PreferredHost.keywords.map { ($0, PreferredHost.values(parameters[$0])) }
        let count = max(1, lists.map(\.1.count).max() ?? 1)
        return (0..<count).map { index in
            var settings = self
            settings.set("target_session_attrs", nil)
            for (keyword, values) in lists where values.count > 1 {
                settings.set(keyword, values.indices.contains(index) ? values[index] : nil)
            }
            return settings
        }
    }

    /// The server in readable form: hosts, port, database and user, never a password.
    package var summary: String {
        let host = parameters["host"] ?? parameters["hostaddr"] ?? "the default socket"
        let port = parameters["port"].map { ":\($0)" } ?? ""
        let database = parameters["dbname"].map { " database \($0)" } ?? ""
        let user = parameters["user"].map { " as \($0)" } ?? ""
        return host + port + database + user
    }

    /// Removes the text that libpq could not parse and quotes, because it may be part of a
    /// password.
    private static func withoutValues(_ reason: String) -> String {
        reason.prefix { $0 != "\"" && $0 != "\n" } + (reason.contains("\"") ? "..." : "")
    }

    /// Appends the advice about poolers to a connection error if a pooler caused it.
    func withPoolerAdvice(_ reason: String) -> String {
        guard let poolerAdvice, reason.contains("unsupported startup parameter") else {
            return reason
        }
        return "\(reason) (\(poolerAdvice))"
    }

    /// The parameters, completed with the defaults of every connection.
    var completed: [(keyword: String, value: String)] {
        let defaults = [
            "application_name": "hearth", "client_encoding": "UTF8", "keepalives_idle": "30",
            "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "30000",
            "connect_timeout": String(max(2, connectTimeoutSeconds)),
        ]
        var parameters = hosts.reordered(parameters)
        var options: [String] = []
        if plans != .automatic { options.append("-c plan_cache_mode=\(plans.rawValue)") }
        if !compilesStatements { options.append("-c jit=off") }
        if !options.isEmpty, preparesStatements {
            // Passed as startup options, so that DISCARD ALL resets to them.
            let existing = parameters["options"].map { [$0] } ?? []
            parameters["options"] = (existing + options).joined(separator: " ")
        }
        return parameters.merging(defaults) { value, _ in value }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// The host that answered last, shared by all copies of one connection's settings.
///
/// A hanging host costs the connect timeout on each attempt. The next session therefore tries the
/// last session's host first. This applies only with `target_session_attrs`, where a server must
/// accept writes; otherwise hosts are tried in the order of the list.
final class PreferredHost: Sendable {
    private let last = Mutex<Int?>(nil)

    /// Returns the parameters with the host that answered last moved to the front.
    func reordered(_ parameters: [String: String]) -> [String: String] {
        guard let last = last.withLock({ $0 }) else { return parameters }
        return parameters.merging(
            Self.keywords.compactMap { keyword in
                var values = Self.values(parameters[keyword])
                // A single port applies to all hosts.
                guard values.indices.contains(last), values.count > 1 else { return nil }
                values.insert(values.remove(at: last), at: 0)
                return (keyword, values.joined(separator: ","))
            }
        ) { $1 }
    }

    /// Index of the host that new sessions try first; nil for the first of the list.
    var current: Int? { last.withLock { $0 } }

    /// Makes new sessions try a host first. Returns whether they tried another one before.
    func prefer(_ index: Int) -> Bool {
        last.withLock { last in
            let isOther = last != index
            last = index
            return isOther
        }
    }

    /// Whether only a server that accepts writes is taken.
    static func requiresPrimary(_ parameters: [String: String]) -> Bool {
        ["read-write", "primary"].contains(parameters["target_session_attrs"])
    }

    /// Records the host of a session.
    ///
    /// - Parameter parameters: The parameters in their original order, not arranged.
    /// - Returns: The host's index; nil if it is not recorded.
    func record(host: String, port: String, of parameters: [String: String]) -> Int? {
        guard Self.requiresPrimary(parameters) else { return nil }
        let hosts = Self.values(parameters["host"] ?? parameters["hostaddr"])
        let ports = Self.values(parameters["port"])
        let index = hosts.indices.first {
            hosts[$0] == host && (ports.count != hosts.count || ports[$0] == port)
        }
        last.withLock { $0 = index }
        return index
    }

    static let keywords = ["host", "hostaddr", "port"]

    static func values(_ list: String?) -> [String] {
        list?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } ?? []
    }
}
