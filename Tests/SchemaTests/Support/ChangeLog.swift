import Postgres
import TestSupport
import Testing

/// Expected entries that a transaction adds to the change logs: raised versions, and the changes
/// logged under them.
///
/// `home: 1` means that the version of a family or person rises by one. `home: member adult for
/// members` is an entry in a family's log, `adult: profile adult` in a person's log. Brackets
/// contain the family of a person's change, and `managed` marks a child's id.
struct ChangeLog {
    private let connection: Connection
    private let names: [UInt128: String]

    init(_ house: House, naming names: [String: UInt128]) throws {
        connection = try house.superuser()
        self.names = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
    }

    /// Expects `body` to log exactly these changes, one line each.
    func expect(
        _ text: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws {
        let expected = text.split(separator: "\n").map(String.init)
        let (versions, lines) = (try self.versions(), try self.lines())
        try body()
        let risen = try self.versions().compactMap { id, version in
            let rise = version - versions[id, default: 0]
            return rise == 0 ? nil : "\(name(id)): \(rise)"
        }
        let found = (try self.lines().subtracting(lines).map(\.text) + risen).sorted()
        expectLines(found, toBe: expected, sourceLocation: sourceLocation)
    }

    private func name(_ id: UInt128?) -> String {
        guard let id else { return "" }
        return names[id] ?? (id == 0 ? "nobody" : "somebody")
    }

    private func versions() throws -> [UInt128: Int] {
        let rows = try connection.query(
            """
            SELECT family_unit_id, version FROM app.family_versions
            UNION ALL SELECT user_id, version FROM app.user_versions
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(UInt128.self), try row.read(Int.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private struct Line: Hashable {
        let version: Int
        let text: String
    }

    private func lines() throws -> Set<Line> {
        let families = try connection.query(
            """
            SELECT version, family_unit_id, id, kind, audience, is_managed FROM app.family_changes
            """
        ).map { (row) throws(PostgresError) in
            let version = try row.read(Int.self)
            let (family, id) = (try row.read(UInt128.self), try row.read(UInt128.self))
            let (kind, audience) = (try row.read(String.self), try row.read(String.self))
            let managed = try row.read(Bool.self) ? ", managed" : ""
            return Line(
                version: version,
                text: "\(name(family)): \(kind) \(name(id)) for \(audience)\(managed)")
        }
        let people = try connection.query(
            "SELECT version, user_id, id, kind, family_unit_id, is_managed FROM app.user_changes"
        ).map { (row) throws(PostgresError) in
            let version = try row.read(Int.self)
            let (user, id) = (try row.read(UInt128.self), try row.read(UInt128.self))
            let kind = try row.read(String.self)
            let family = name(try row.read(UInt128?.self))
            let managed = try row.read(Bool.self) ? ", managed" : ""
            return Line(
                version: version,
                text: "\(name(user)): \(kind) \(name(id))"
                    + (family.isEmpty ? "" : " [\(family)]") + managed)
        }
        return Set(families + people)
    }
}
