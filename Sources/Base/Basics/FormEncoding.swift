/// Encoding of forms and of the parameters of addresses (`application/x-www-form-urlencoded`).
package enum FormEncoding {
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF")

    /// Percent-encodes a value.
    package static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if plain.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    /// Returns the fields in their order.
    package static func text(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\($0.name)=\(encoded($0.value))" }.joined(separator: "&")
    }
}
