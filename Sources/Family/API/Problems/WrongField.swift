import Domain
import JSON

/// A field of a body that is wrong, as a problem document tells it beside the first one's detail.
struct WrongField: Sendable, Hashable {
    /// Where it is: a JSON pointer (RFC 6901) as a URI fragment.
    let pointer: String
    /// What is wrong, for people.
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

    /// As a part of a pointer, and of a URI.
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

    /// The same with all other fields that are wrong.
    func with(others: [WrongField]) -> Problem {
        var problem = self
        for field in others
        where !problem.wrongFields.contains(where: { $0.pointer == field.pointer }) {
            problem.wrongFields.append(field)
        }
        return problem
    }
}
