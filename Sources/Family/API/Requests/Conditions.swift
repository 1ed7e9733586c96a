import HTTPServer

/// Conditional requests (RFC 9110 section 13).
///
/// Most responses have no `ETag` and no `Last-Modified` yet. A condition that names a version
/// therefore fails. It must not be ignored, because its sender wants to avoid overwriting others'
/// changes. Where there is a version, the operation compares it (``EntityTag``).
/// Conditions on dates are to be ignored where there is no date (sections 13.1.3 and 13.1.4), and
/// ranges may be (section 14.2).
enum Conditions {
    /// Refuses a request with a condition that does not hold.
    ///
    /// - Parameter isVersioned: The operation itself compares `If-Match` with a version.
    static func check(_ request: Request, isVersioned: Bool) throws(Problem) {
        let wanted = request.headers.values("If-Match")
        // `*` accepts any existing resource; the operation itself refuses a missing one.
        if !isVersioned, !wanted.isEmpty,
            wanted.joined(separator: ",").filter({ !$0.isBlank }) != "*"
        {
            throw failed(
                "If-Match names a version, and nothing at this address has one yet: "
                    + "leave the header out, or send `*`.")
        }
        let replaces = [.put, .patch, .delete].contains(request.method)
        if replaces, request.headers.values("If-None-Match").contains(where: { $0 == "*" }) {
            throw failed(
                "If-None-Match asks that there be nothing at this address, "
                    + "but this method changes what is there.")
        }
    }

    private static func failed(_ message: String) -> Problem {
        Problem(.preconditionFailed, message)
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
