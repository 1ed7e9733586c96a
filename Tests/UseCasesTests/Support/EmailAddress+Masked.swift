import Domain

extension EmailAddress {
    /// The address as someone is shown it who does not own it: `p***@example.com`.
    var masked: String {
        let at = text.firstIndex(of: "@") ?? text.endIndex
        return String(text.prefix(1)) + "***" + String(text[at...])
    }
}
