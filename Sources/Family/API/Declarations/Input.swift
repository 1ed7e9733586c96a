import Domain
import HTTPServer
import JSON

/// A value that a request carries. Its declaration is used to parse, check and describe it, and is
/// the key to the value in a `Call`.
struct Input<Value: Sendable>: DeclaredInput {
    let declaration: InputDeclaration
    let read: @Sendable (InputSource) throws(Problem) -> Value
}

/// An input of any type, for a route's list.
protocol DeclaredInput: Sendable {
    var declaration: InputDeclaration { get }
    /// Returns the errors of the input in a request's body.
    func wrongFields(in source: InputSource) -> [WrongField]
}

extension Input {
    func wrongFields(in source: InputSource) -> [WrongField] {
        do throws(Problem) {
            _ = try read(source)
            return []
        } catch {
            return error.wrongFields
        }
    }
}

/// An input in the description of a route.
struct InputDeclaration: Sendable {
    enum Location: String, Sendable { case path, query, header, body }

    /// The published name.
    let name: String
    /// Other accepted names: for a field of the body, the name in the other spelling, and an alias
    /// that clients use, in both spellings.
    let otherNames: [String]
    let location: Location
    let isRequired: Bool
    let schema: Schema
    let help: String
    /// If true, the input represents all fields of the body that no other input names.
    private(set) var isForOthers = false

    /// Declares all fields of a body that no other input names.
    static func others(_ schema: Schema, _ help: String) -> InputDeclaration {
        var others = InputDeclaration("*", in: .body, isRequired: false, schema, help)
        others.isForOthers = true
        return others
    }

    init(
        _ name: String, alias: String? = nil, in location: Location, isRequired: Bool,
        _ schema: Schema,
        _ help: String
    ) {
        self.name = name
        self.location = location
        self.isRequired = isRequired
        self.schema = schema
        self.help = help
        let known = [name] + (alias.map { [$0] } ?? [])
        let spelled = known.compactMap(Spelling.alternative)
        otherNames = location == .body ? known.dropFirst() + spelled : []
    }

    /// Meaning of the input: its own help, or the glossary's entry.
    var explanation: String { help.isEmpty ? Glossary.entry(name)?.help ?? "" : help }

    /// All names, the published one first.
    var names: [String] { [name] + otherNames }
}

/// The parts of a request that inputs are read from.
struct InputSource {
    let parameters: PathParameters
    let query: Query
    let headers: Headers
    /// The body: an object.
    let body: JSONField
}

// MARK: - Path and query

extension Input {
    /// A segment of the path. A malformed value fails with `absent`, like an id that never existed.
    static func path(
        _ name: String, _ format: Format<Value>, absent: Problem, _ help: String = ""
    ) -> Input {
        Input(
            declaration: InputDeclaration(
                name, in: .path, isRequired: true, format.schema, help)
        ) { source throws(Problem) in
            guard let value = source.parameters[name].flatMap(format.fromText) else { throw absent }
            return value
        }
    }

    /// A query parameter; nil if it is left out.
    static func query<Wrapped>(
        _ name: String, _ format: Format<Wrapped>, _ help: String = ""
    ) -> Input where Value == Wrapped? {
        Input(
            declaration: InputDeclaration(
                name, in: .query, isRequired: false, format.schema, help)
        ) { source throws(Problem) in
            switch source.query.single(name) {
            case .absent: return nil
            case .repeated:
                throw Problem(.invalidField, "`\(name)` is given more than once.")
            case .once(let text):
                guard let value = format.fromText(text) else {
                    throw .invalidParameter(name, format.expected)
                }
                return value
            }
        }
    }
}

extension Input {
    /// A query parameter that may be repeated.
    static func queries<Element>(
        _ name: String, _ format: Format<Element>, atMost limit: Int, _ help: String = ""
    ) -> Input where Value == [Element] {
        Input(
            declaration: InputDeclaration(
                name, in: .query, isRequired: false,
                .list(of: format.schema, atMost: limit), help)
        ) { source throws(Problem) in
            var values: [Element] = []
            for text in source.query.values(name) {
                guard let value = format.fromText(text) else {
                    throw .invalidParameter(name, format.expected)
                }
                values.append(value)
            }
            if values.count > limit {
                throw .invalidParameter(name, "given at most \(limit) times")
            }
            return values
        }
    }

    /// A header; nil if it is left out.
    static func header<Wrapped>(
        _ name: String, _ format: Format<Wrapped>, _ help: String
    ) -> Input where Value == Wrapped? {
        Input(
            declaration: InputDeclaration(
                name, in: .header, isRequired: false, format.schema, help)
        ) { source throws(Problem) in
            switch source.headers.single(name) {
            case .absent: return nil
            case .repeated: throw Problem(.malformedRequest, "More than one \(name) was sent.")
            case .once(let text):
                guard let value = format.fromText(text) else {
                    throw .invalidParameter(name, format.expected)
                }
                return value
            }
        }
    }
}

// MARK: - Fields of the body

extension Input {
    /// A required field.
    static func required(
        _ name: String, alias: String? = nil, _ format: Format<Value>, _ help: String = ""
    ) -> Input {
        let declaration = InputDeclaration(
            name, alias: alias, in: .body, isRequired: true, format.schema, help)
        return Input(declaration: declaration) { source throws(Problem) in
            guard let field = try source.field(declaration).ifPresent else {
                throw .field(
                    name, "`\(name)` is missing: expected \(format.expected).", .missingField)
            }
            return try format.read(field)
        }
    }

    /// An optional field; nil if it is left out or null.
    static func optional<Wrapped>(
        _ name: String, alias: String? = nil, _ format: Format<Wrapped>, _ help: String = ""
    ) -> Input where Value == Wrapped? {
        let declaration = InputDeclaration(
            name, alias: alias, in: .body, isRequired: false, format.schema.orNull, help)
        return Input(declaration: declaration) { source throws(Problem) in
            let field = try source.field(declaration)
            return field.holdsNone(of: format) ? nil : try format.read(field)
        }
    }

    /// A field for which null and leaving it out have different meanings.
    static func clearable<Wrapped>(
        _ name: String, alias: String? = nil, _ format: Format<Wrapped>, _ help: String = ""
    ) -> Input where Value == PatchValue<Wrapped> {
        let declaration = InputDeclaration(
            name, alias: alias, in: .body, isRequired: false, format.schema.orNull, help)
        return Input(declaration: declaration) { source throws(Problem) in
            let field = try source.field(declaration)
            if field.value == nil { return .absent }
            return field.holdsNone(of: format) ? .null : .value(try format.read(field))
        }
    }

    /// All fields that none of the `named` inputs reads, keyed by their names, which the client
    /// chooses.
    static func others<Name: BoundedText, Wrapped>(
        besides named: [any DeclaredInput], _ name: Format<Name>, _ format: Format<Wrapped>,
        _ help: String
    ) -> Input where Value == [Name: PatchValue<Wrapped>] {
        let known = Set(named.map(\.declaration).filter { $0.location == .body }.flatMap(\.names))
        return Input(declaration: .others(format.schema.orNull, help)) { source throws(Problem) in
            var others: [Name: PatchValue<Wrapped>] = [:]
            var wrong: Problem?
            for member in try source.object().members where !known.contains(member.name) {
                do throws(Problem) {
                    let (name, value) = try Self.other(member, name, format)
                    others[name] = value
                } catch {
                    wrong = wrong?.with(others: error.wrongFields) ?? error
                }
            }
            if let wrong { throw wrong }
            return others
        }
    }

    private static func other<Name: BoundedText, Wrapped>(
        _ member: JSONObject.Member, _ name: Format<Name>, _ format: Format<Wrapped>
    ) throws(Problem) -> (Name, PatchValue<Wrapped>) {
        guard let name = name.fromText(member.name) else {
            throw .field(
                member.name, "The name `\(member.name)` must be \(name.expected).",
                .invalidField)
        }
        let field = JSONField(member.value, path: member.name)
        return (name, field.holdsNone(of: format) ? .null : .value(try format.read(field)))
    }
}

extension InputSource {
    fileprivate func object() throws(Problem) -> JSONObject {
        do {
            return try body.object()
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
    }

    /// Returns the field of an input, under any of its names.
    fileprivate func field(_ input: InputDeclaration) throws(Problem) -> JSONField {
        let object = try object()
        let given = input.names.filter { object[$0] != nil }
        let name = given.first ?? input.name
        for other in given.dropFirst() where object[other] != object[name] {
            throw .field(
                name, "`\(name)` and `\(other)` are the same field and differ: send one of them.",
                .invalidField)
        }
        return JSONField(object[name], path: name)
    }
}

extension JSONField {
    /// Returns true if the field is missing or null, or is an empty text and the format treats that
    /// as missing.
    fileprivate func holdsNone<Value>(of format: Format<Value>) -> Bool {
        guard let present = ifPresent?.value else { return true }
        guard format.isNoneWhenEmpty, case .string(let text) = present else { return false }
        return text.asShortText.isEmpty
    }
}

/// A request's body: a JSON object.
///
/// Unknown fields are ignored, except fields that only the server decides. A client that sends one
/// expects it to have an effect, so it gets an error.
enum RequestBody {
    /// Fields that only the server decides, in both spellings.
    static let privileged: [String] = [
        "userId", "familyUnitId", "status", "createdByUserId", "slot", "parentUserId",
        "householdRole", "joinedVia", "addedAt", "removedAt", "removedBy", "familyCode", "token",
        "kind", "email", "emailVerified", "isManaged", "memberLimit", "actorUserId", "invitedBy",
    ].flatMap { name in [name] + (Spelling.alternative(of: name).map { [$0] } ?? []) }

    /// Stands for the body of a request that has none: an object without fields.
    static let none = JSONField(.object(JSONObject()))

    /// Parses a body; an empty one is an object without fields.
    ///
    /// Call ``check(_:allowing:)`` next.
    static func read(_ bytes: [UInt8]) throws(Problem) -> JSONField {
        bytes.isEmpty ? none : try readDocument(bytes)
    }

    /// Refuses fields that only the server decides.
    ///
    /// - Parameter allowing: Privileged names that the route accepts.
    static func check(_ body: JSONField, allowing: Set<String>) throws(Problem) {
        guard case .object(let object)? = body.value else { return }
        let given = privileged.filter { !allowing.contains($0) && object[$0] != nil }
        guard let first = given.first else { return }
        throw refusal(of: first).with(others: given.flatMap { refusal(of: $0).wrongFields })
    }

    private static func refusal(of name: String) -> Problem {
        .field(name, "`\(name)` can't be set; leave it out.", .privilegedField)
    }
}

extension RequestBody {
    /// Parses a body whose fields the client defines.
    static func readDocument(_ bytes: [UInt8]) throws(Problem) -> JSONField {
        do {
            let document = JSONField(try JSONValue(parsing: bytes))
            _ = try document.object()
            return document
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
    }
}

/// Inputs that several routes share.
enum Inputs {
    /// The family in the path.
    static let family = Input<FamilyID>.path(
        "id", .id(), absent: Problem(.familyNotFound), "The family's id.")
    /// The member in the path.
    static let member = Input<MemberID>.path(
        "memberId", .shownID(), absent: Problem(.memberNotFound), "A member's id.")
    /// The managed member in the path.
    static let managedMember = Input<MemberID>.path(
        "id", .shownID(), absent: Problem(.memberNotFound), "A managed member's id.")

    /// The family in the query; optional for a caller with exactly one family.
    static let familyInQuery = Input<FamilyID?>.query(
        "familyId", .id(), "Optional for a member of exactly one family.")
    /// The family in the body; optional for a caller with exactly one family.
    static let familyInBody = Input<FamilyID?>.optional(
        "familyId", .id(), "Optional for a member of exactly one family.")

    /// Cursor at which the page begins.
    static let cursor = Input<String?>.query(
        "cursor", .cursor, "`nextCursor` of the previous page.")

    /// The new guardian of children who would otherwise be left without one.
    static let newGuardian = Input<MemberID?>.query(
        "reassignManagedTo", .shownID(),
        "The new guardian of the leaving member's children.")

    static let changedAt = Input<Timestamp?>.header(
        "X-Changed-At", .moment,
        "The time at which the change was made; default: now. The later of two changes prevails, "
            + "whichever arrives first; a time in the future is treated as the present.")
    static let baseVersion = Input<Int?>.header(
        "X-Base-Version", .integer(0...Int(Int64.max)),
        "The family's version that the client has seen. The response reports a change that this "
            + "one overwrote and that the client had not seen.")

    /// Checks the headers in which a client's offline queue states when a change was made and what
    /// its author had seen. Any change may carry them. They must be valid even for a change that
    /// ignores them.
    static func checkOfflineEditHeaders(_ request: Request) throws(Problem) {
        let source = InputSource(
            parameters: PathParameters(), query: request.query, headers: request.headers,
            body: JSONField(.object(JSONObject())))
        _ = try changedAt.read(source)
        _ = try baseVersion.read(source)
    }

    static let avatarKey = Input<PatchValue<AvatarKey>>.clearable(
        "avatarKey", .text, "Null or empty clears it.")
}

extension PatchValue<AvatarKey> {
    /// The change for a use case: an empty value clears the avatar, nil keeps it.
    var change: AvatarKey? {
        switch self {
        case .absent: nil
        case .null: AvatarKey("")
        case .value(let key): key
        }
    }
}

/// The two spellings of a field's name: the routes' own (`householdRole`) and that of the
/// database's columns (`household_role`), which some responses use.
enum Spelling {
    /// Returns the name in the other spelling; nil if both are equal, as for a single word.
    static func alternative(of name: String) -> String? {
        let other = name.contains("_") ? camelCase(name) : snakeCase(name)
        return other == name ? nil : other
    }

    private static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { result, character in
            if character.isUppercase { result.append("_") }
            result += character.lowercased()
        }
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) { result, word in
            result + word.prefix(1).uppercased() + word.dropFirst()
        }
    }
}
