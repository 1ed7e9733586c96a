import Migrations
import Service

private let check = Parameter<Bool>.flag(
    "check", "Compare instead of writing; ends with 4 where the file is stale.")
private let output = Parameter<String?>.option(
    "output", short: "o", "FILE", .file, "The file; schema.sql beside the folder without it.")
private let pgDump = Parameter<String?>.option(
    "pg-dump", "PATH", .file, "The pg_dump to use, of the server's version or newer.")

let schemaCommand = Command(
    "schema", "Write what all migrations together make to schema.sql, or check it.",
    discussion: [
        "The order is stable and nothing in it depends on versions or the time, so the file can be "
            + "committed, and CI can check it. The database must have the whole folder.",
        "Take a fresh database that nothing but the migrations has been at: what programs make in "
            + "one at work, such as partitions, is a difference.",
    ],
    parameters: [check, output, pgDump]
) { values in
    let folder = try values.folder()
    let path = values[output] ?? parent(of: folder.path) + "schema.sql"
    let schema = try SchemaFile.read(values.database(), folder, pgDump: values[pgDump])
    if values[check] {
        try schema.check(against: path)
        Terminal.standardOutput.write("\(path) is up to date\n")
    } else {
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
