import Migrations
import Postgres
import CommandLine

private let check = Parameter<Bool>.flag(
    "check", "Compare instead of writing; ends with 4 where the file is stale.")
private let output = Parameter<String?>.option(
    "output", short: "o", "FILE", .file, "The file; schema.sql beside the folder without it.")
private let pgDump = Parameter<String?>.option(
    "pg-dump", "PATH", .file, "The pg_dump to use, of the server's version or newer.")
private let adminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL,
    "A superuser of the same server, for --check where the file is worded otherwise.")

let schemaCommand = Command(
    "schema", "Write what all migrations together make to schema.sql, or check it.",
    discussion: [
        "The order is stable and nothing in it depends on the time, so the file can be committed, "
            + "and CI can check it. The database must have the whole folder.",
        "Versions of PostgreSQL word views and functions differently. So --check doesn't stop at a "
            + "text that differs: it has the server load both into throw-away databases, and "
            + "compares what it understood.",
        "Take a fresh database that nothing but the migrations has been at: what programs make in "
            + "one at work, such as partitions, is a difference.",
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

/// The folder that a folder stands in, with the slash; `../` from a path that doesn't tell.
private func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
    let last = trimmed.split(separator: "/").last
    if last == nil || last == "." || last == ".." { return path + "/../" }
    guard let slash = trimmed.lastIndex(of: "/") else { return "" }
    return String(trimmed[...slash])
}
