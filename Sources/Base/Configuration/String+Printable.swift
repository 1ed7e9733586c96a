extension String {
    /// The text without anything that could control a terminal: control characters, line breaks and
    /// direction marks are replaced by their number.
    package var printable: String {
        var safe = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            // Messages of libpq contain tabs.
            case .control where scalar == "\t": safe += " "
            // Joiners are part of emoji and of words in some scripts.
            case .format where scalar.value == 0x200D || scalar.value == 0x200C:
                safe.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator:
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }
}
