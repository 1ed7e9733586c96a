import Domain
import HTTPServer
import JSON
import Telemetry
import UseCases

/// A request's failure as the client sees it (RFC 9457, Problem Details for HTTP APIs).
struct Problem: Error, Sendable {
    let code: ProblemCode
    /// One or two sentences for people; clients display them unchanged.
    let message: String
    var headers: [(name: String, value: String)] = []
    /// The caller's own family, if the request was refused because the caller belongs to it.
    var family: Family?
    /// Number of attempts left after a wrong code.
    var attemptsLeft: Int?
    /// Reason why a password is too easy to guess.
    var weakness: PasswordWeakness?

    /// The current value as JSON, if a condition failed.
    var current: [UInt8]?

    /// A family that a problem names.
    struct Family: Sendable {
        let id: String
        let name: String
    }
    /// All wrong fields of the body.
    var wrongFields: [WrongField] = []
    /// Reasons why the account can't be erased.
    var blockers: [ErasureBlocker] = []

    init(
        _ code: FaultCode, _ message: String, headers: [(name: String, value: String)] = []
    ) {
        self.init(.fault(code), message, headers)
    }

    init(
        _ code: RefusalCode, _ message: String, headers: [(name: String, value: String)] = []
    ) {
        self.init(.refusal(code), message, headers)
    }

    /// Recreates a problem from a stored code, message and headers.
    init(
        _ code: ProblemCode, _ message: String, _ headers: [(name: String, value: String)] = []
    ) {
        self.code = code
        self.message = message
        self.headers = headers
        // Every temporary failure tells the client when to try again.
        if code.status == 503, !headers.contains(where: { $0.name == "Retry-After" }) {
            self.headers.append(("Retry-After", "1"))
        }
    }

    var status: Int { code.status }
    var title: String { ReasonPhrase.of(status) ?? "Error" }

    static let mediaType = "application/problem+json"

    /// Returns the response body and headers as `application/problem+json`.
    func reply(_ request: RequestID) -> Reply {
        var json = JSONWriter()
        json.object { Self.shape.write((self, request), to: &$0) }
        return Reply(
            status: status, mediaType: Self.mediaType, body: json.bytes, headers: headers,
            code: code)
    }

    static let shape = Shape<(Problem, RequestID)>(
        "Problem",
        [
            .text("type") {
                "urn:hearth:problem:\($0.0.code.rawValue)"
            },
            .text("title") { $0.0.title },
            Property(name: "status", schema: .integer(400...599)) {
                $1.member("status", $0.0.status)
            },
            .text("detail") { $0.0.message },
            .text("code") { $0.0.code.rawValue },
            .text("message") { $0.0.message },
            .text("requestId") { $0.1.description },
            .optionalText("familyId", as: .uuid) { $0.0.family?.id },
            .optionalText("familyName") { $0.0.family?.name },
            .optionalList("errors", WrongField.shape) { $0.0.wrongFields },
            .optionalList("blockers", blocker) { $0.0.blockers },
            Property(name: "attemptsLeft", schema: .count, isAlwaysPresent: false) { value, json in
                if let count = value.0.attemptsLeft { json.member("attemptsLeft", count) }
            },
            Property(name: "current", schema: .object, isAlwaysPresent: false) { value, json in
                if let current = value.0.current { json.member("current", raw: current) }
            },
        ])

    private static let blocker = Shape<ErasureBlocker>(
        "ErasureBlocker",
        [
            .word("kind", \.kind),
            .id("familyId", \.family),
            .shownID("memberId", \.member) { $0.kind == .guardianHasManagedMembers },
        ])
}

/// A wrong field of a body, as a problem document lists it.
struct WrongField: Sendable, Hashable {
    /// Location of the field: a JSON pointer (RFC 6901) as a URI fragment.
    let pointer: String
    /// Explanation of the error, for people.
    let detail: String
    let code: RefusalCode

    init(pointer: String, detail: String, code: RefusalCode) {
        self.pointer = pointer
        self.detail = detail
        self.code = code
    }

    /// - Parameter name: The field; nil for the body as a whole.
    init(_ name: String?, _ detail: String, _ code: RefusalCode) {
        pointer = name.map { "#/" + Self.escaped($0) } ?? "#"
        self.detail = detail
        self.code = code
    }

    /// Escapes a name for a JSON pointer and for a URI.
    private static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): text += "~0"
            case UInt8(ascii: "/"): text += "~1"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return text
    }

    static let shape = Shape<WrongField>(
        "WrongField",
        [
            .text("pointer", \.pointer), .text("detail", \.detail),
            .text("code") { $0.code.rawValue },
        ])
}

extension Problem {
    /// A problem with one field of the body.
    static func field(_ name: String?, _ detail: String, _ code: RefusalCode) -> Problem {
        var problem = Problem(code, detail)
        problem.wrongFields = [WrongField(name, detail, code)]
        return problem
    }

    /// Returns the problem with all other wrong fields added.
    func with(others: [WrongField]) -> Problem {
        var problem = self
        for field in others
        where !problem.wrongFields.contains(where: { $0.pointer == field.pointer }) {
            problem.wrongFields.append(field)
        }
        return problem
    }
}
