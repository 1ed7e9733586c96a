import Glibc
import Postgres
import Basics

/// A program that comes with PostgreSQL, such as `pg_dump`, in a version that fits the server.
struct PostgresProgram {
    let path: String
    let majorVersion: Int

    /// Finds a program with the server's version, or else the next newer one.
    ///
    /// Uses only the given path, if there is one; otherwise it searches the folders of PATH and the
    /// usual folders of PostgreSQL packages. Skips programs older than the server, because they
    /// refuse to work with it.
    static func find(
        _ name: String, serverMajorVersion: Int, explicitPath: String?
    ) throws(MigrationError) -> PostgresProgram {
        let candidates = explicitPath.map { [$0] } ?? paths(of: name)
        let found = candidates.compactMap { path in
            version(of: path).map { PostgresProgram(path: path, majorVersion: $0) }
        }
        let fitting = found.filter { $0.majorVersion >= serverMajorVersion }
        // The first of equal versions, so that PATH wins over the folders of packages.
        if let best = fitting.enumerated().min(by: {
            ($0.element.majorVersion, $0.offset) < ($1.element.majorVersion, $1.offset)
        }) {
            return best.element
        }
        let seen = found.map { "\($0.path) has version \($0.majorVersion)" }
        throw MigrationError(
            .system, "\(name) of version \(serverMajorVersion) or newer was not found",
            details: seen
                + (explicitPath.map { ["looked at \($0)"] }
                    ?? [
                        "looked in PATH and in the usual folders of PostgreSQL; install the "
                            + "package "
                            + "postgresql-client-\(serverMajorVersion), or pass --pg-dump PATH"
                    ]))
    }

    private static func paths(of name: String) -> [String] {
        let path = Environment.variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init)
        let roots = [
            ("/usr/lib/postgresql", "/bin"), ("/usr/pgsql-", ""), ("/opt/homebrew/opt", "/bin"),
            ("/usr/local/opt", "/bin"),
        ]
        let packaged = roots.flatMap { root, suffix -> [String] in
            if root.hasSuffix("-") { return (10...40).map { "\(root)\($0)/bin" } }
            return ((try? FileSystem.names(in: root)) ?? []).map { "\(root)/\($0)\(suffix)" }
        }
        var seen: Set<String> = []
        return (folders + packaged).map { "\($0)/\(name)" }.filter { candidate in
            seen.insert(candidate).inserted && access(candidate, X_OK) == 0
        }
    }

    /// Returns the major version from the output of `--version`, such as
    /// `pg_dump (PostgreSQL) 15.4 (Debian ...)`.
    private static func version(of path: String) -> Int? {
        guard let result = try? ChildProcess.run(path, ["--version"]), result.status == 0 else {
            return nil
        }
        return majorVersion(in: String(decoding: result.output, as: UTF8.self))
    }

    static func majorVersion(in text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let marker = words.firstIndex(of: "(PostgreSQL)"), marker + 1 < words.count else {
            return nil
        }
        return Int(words[marker + 1].prefix { $0.isNumber })
    }

    /// Runs the program against a database; throws with its error output if it fails.
    func run(
        _ arguments: [String], on settings: ConnectionSettings
    ) throws(MigrationError) -> [UInt8] {
        var environment = ["PGAPPNAME": "hearth-migrate"]
        if let password = settings.parameters["password"] { environment["PGPASSWORD"] = password }
        let result = try ChildProcess.run(
            path, ["--dbname=\(settings.withoutPassword)"] + arguments, environment: environment)
        guard result.status == 0 else {
            throw MigrationError(
                .system, "\(path) ended with \(result.status)",
                details: result.errorOutput.split(separator: "\n").suffix(10).map(String.init))
        }
        return result.output
    }
}

extension ConnectionSettings {
    /// Connection string without a password, for another program's command line, which other users
    /// can read.
    fileprivate var withoutPassword: String {
        parameters.filter { $0.key != "password" && $0.key != "application_name" }
            .sorted { $0.key < $1.key }
            .map { keyword, value in
                let quoted = value.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined()
                return "\(keyword)='\(quoted)'"
            }.joined(separator: " ")
    }
}
