/// Why bytes are not JSON, or why a JSON document is not what was asked for.
///
/// `description` is safe to show to whoever sent the document: it contains byte offsets, field
/// paths and the expected forms, never a value.
package struct JSONError: Error, Sendable, Equatable {
    /// The kind of mistake.
    package enum Code: String, Sendable {
        /// The grammar of RFC 8259 is not met.
        case syntax
        /// A string is not UTF-8.
        case encoding
        /// An escape names half of a surrogate pair.
        case loneSurrogate
        /// Arrays and objects are nested deeper than allowed.
        case tooDeep
        /// An object has two members of one name.
        case duplicateMember
        /// A number that no finite Double can hold.
        case numberOutOfRange
        /// Something other than white space follows the document.
        case trailingBytes
        /// A member that must be there is not.
        case missing
        /// A value has another type than was asked for.
        case wrongType
    }

    package let code: Code
    /// Where the mistake is in the document, counted in bytes from 0; nil for what is found only
    /// after parsing (`missing`, `wrongType`).
    package let offset: Int?
    /// The field at fault, as in `members[2].role`; empty for the document, nil for errors of
    /// parsing.
    package let path: String?
    /// What was expected.
    package let expected: String
    /// What was found instead, in words; nil if that says nothing.
    package let found: String?

    init(_ code: Code, at offset: Int, expected: String, found: String? = nil) {
        self.code = code
        self.offset = offset
        self.path = nil
        self.expected = expected
        self.found = found
    }

    init(_ code: Code, path: String, expected: String, found: String? = nil) {
        self.code = code
        self.offset = nil
        self.path = path
        self.expected = expected
        self.found = found
    }
}

extension JSONError: CustomStringConvertible {
    /// One sentence without a full stop.
    package var description: String {
        let instead = found.map { ", found \($0)" } ?? ""
        if let offset {
            return "Not valid JSON at byte \(offset): expected \(expected)\(instead)"
        }
        let subject = path.flatMap { $0.isEmpty ? nil : "`\($0)`" } ?? "The document"
        return code == .missing
            ? "\(subject) is missing: expected \(expected)"
            : "\(subject) must be \(expected)\(instead)"
    }
}
