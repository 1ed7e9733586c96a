import Domain

extension EmailAddress {
    /// The masked address for anybody but its owner: `p***@example.com`.
    var masked: String {
        let at = text.firstIndex(of: "@") ?? text.endIndex
        return String(text.prefix(1)) + "***" + String(text[at...])
    }
}
