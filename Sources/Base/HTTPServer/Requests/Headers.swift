/// Header fields in the order in which they stood in the message; names are looked up in any
/// letter case (RFC 9110 section 5.1).
///
/// Bytes of a value that are not UTF-8 appear as U+FFFD.
package struct Headers: Sendable, Equatable {
    /// A name and a value, both as they were sent.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How often a field occurs that may occur once only.
    package enum Occurrence: Sendable, Equatable {
        case absent
        case once(String)
        /// More than once: which one would count depends on who reads it, so none should.
        case repeated
    }

    /// All fields, in order.
    package private(set) var fields: [Field]

    /// Takes fields as they are.
    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The value of the first field of that name, or nil.
    package subscript(name: String) -> String? {
        fields.first { $0.name.isSameToken(as: name) }?.value
    }

    /// The values of all fields of that name, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.isSameToken(as: name) }.map(\.value)
    }

    /// Whether the field of that name is absent, there once, or repeated.
    package func single(_ name: String) -> Occurrence {
        var found: String?
        for field in fields where field.name.isSameToken(as: name) {
            guard found == nil else { return .repeated }
            found = field.value
        }
        return found.map(Occurrence.once) ?? .absent
    }

    /// Adds a field behind the others.
    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension String {
    /// Whether two tokens are the same but for the case of ASCII letters.
    func isSameToken(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.lowered == $1.lowered }
    }
}

extension UInt8 {
    fileprivate var lowered: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}

extension Headers.Field {
    /// Reads a line without its end (RFC 9112 section 5); nil if it is no field.
    ///
    /// Folded lines (which begin with a blank) and blanks before the colon are refused along with
    /// everything else that is no token (RFC 9112 sections 5.1 and 5.2).
    init?(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.position(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let name = line.part(0..<colon)
        let value = line.part(colon + 1..<line.count).trimmed
        guard name.allSatisfy({ $0.isTokenCharacter }), value.allSatisfy({ $0.isFieldCharacter })
        else { return nil }
        self.init(name: name.text, value: value.text)
    }
}
