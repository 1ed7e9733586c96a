import Migrations
import Postgres
import CommandLine

private let check = Parameter<Bool>.flag(
    "check", "Compare instead of writing; exits with 4 if the file is stale.")
private let output = Parameter<String?>.option(
    "output", short: "o", "FILE", .file, "The file; default: schema.sql beside the folder.")
private let pgDump = Parameter<String?>.option(
    "pg-dump", "PATH", .file, "The pg_dump to use, of the server's version or newer.")
private let adminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL,
    "A user of the same server who may create databases, and objects owned by other roles. "
        + "Used only by --check, if the texts differ. Default: the user of --database-url.")

let schemaCommand = Command(
    "schema", "Write the schema that all migrations produce to schema.sql, or check that file.",
    discussion: [
        "The order is stable and nothing depends on the time, so the file can be committed and "
            + "checked in CI. The whole folder must be applied to the database.",
        "Versions of PostgreSQL print views and functions differently. If the texts differ, "
            + "--check therefore loads both into throw-away databases and compares their dumps.",
        "Use a fresh database, changed only by the migrations. In a database in use, objects that "
            + "programs create, such as partitions, are differences.",
    ],
    parameters: [check, output, pgDump, adminURL]
) { values in
    let folder = try values.folder()
    let path = values[output] ?? parent(of: folder.path) + "schema.sql"
    if values[check] {
        let administrator = try values[adminURL].map { try ConnectionSettings(url: $0) }
        try SchemaCheck.run(
            path: path, values.database(), folder, administrator: administrator,
            pgDump: values[pgDump])
        Terminal.standardOutput.write("\(path) is up to date\n")
    } else {
        let schema = try SchemaFile.read(values.database(), folder, pgDump: values[pgDump])
        try schema.write(to: path)
        Terminal.standardOutput.write("\(path) written\n")
    }
    return 0
}

/// The parent folder's path, with a trailing slash; ends in `../` if the path does not show it.
private func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
    let last = trimmed.split(separator: "/").last
    if last == nil || last == "." || last == ".." { return path + "/../" }
    guard let slash = trimmed.lastIndex(of: "/") else { return "" }
    return String(trimmed[...slash])
}
