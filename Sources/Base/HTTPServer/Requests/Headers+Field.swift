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
