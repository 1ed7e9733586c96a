import HTTPServer

/// Conditional requests (RFC 9110 section 13).
///
/// Changes of what is read at the same address compare entity tags (``ConditionalChange``). Elsewhere
/// `If-Match` with a tag fails. It must not be ignored, because its sender wants to avoid overwriting
/// others' changes. `If-None-Match` of reads is compared for all of them by `RequestHandler`.
/// Conditions on dates are to be ignored where there is no date (sections 13.1.3 and 13.1.4), and
/// ranges may be (section 14.2).
enum Conditions {
    /// Refuses a request with a condition that does not hold.
    ///
    /// - Parameter comparesTag: The operation itself compares `If-Match`.
    static func check(_ request: Request, comparesTag: Bool) throws(Problem) {
        let wanted = request.headers.values("If-Match")
        // `*` accepts any existing resource; the operation itself refuses a missing one.
        if !comparesTag, !wanted.isEmpty,
            wanted.joined(separator: ",").filter({ !$0.isBlank }) != "*"
        {
            throw failed(
                "If-Match names a version, and what this changes has none: "
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
