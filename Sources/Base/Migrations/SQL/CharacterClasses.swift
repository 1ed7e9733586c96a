/// The classes of bytes in PostgreSQL's lexical rules (`src/backend/parser/scan.l`). Every byte of
/// a non-ASCII character may be part of an identifier.
extension UInt8 {
    var isSQLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    var isLineEnd: Bool { self == 0x0A || self == 0x0D }
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    var startsIdentifier: Bool { isASCIILetter || self == UInt8(ascii: "_") || self >= 0x80 }
    var continuesIdentifier: Bool { startsIdentifier || isDigit || self == UInt8(ascii: "$") }
    var startsDollarTag: Bool { startsIdentifier }
    var continuesDollarTag: Bool { startsIdentifier || isDigit }

    /// Whether the byte is a character of operators.
    var isOperatorCharacter: Bool {
        switch self {
        case UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "@"), UInt8(ascii: "#"),
            UInt8(ascii: "^"), UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "`"),
            UInt8(ascii: "?"), UInt8(ascii: "%"):
            true
        default: isArithmeticOperatorCharacter
        }
    }

    /// Whether the byte is an operator character that doesn't allow a longer operator to end in +
    /// or -.
    var isArithmeticOperatorCharacter: Bool {
        switch self {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// The byte with ASCII letters in lower case, as PostgreSQL folds identifiers in a UTF-8
    /// database.
    var folded: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
