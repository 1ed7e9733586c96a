public import Foundation

/// Hearth's pages, opened in a web view or a browser as the person who is signed in to the app.
extension Hearth {
    /// Returns an address that opens one of Hearth's pages as the person who is signed in. It works
    /// once and expires after a minute: open it immediately, and request a new one each time.
    ///
    /// The page asks "Continue as ...?" first. Its session ends with that of the app.
    ///
    /// - Parameters:
    ///   - path: The page and its parameters, such as `/family?id=...`.
    ///   - back: An address with the app's scheme (`HEARTH_APP_SCHEME`), or another page. A button
    ///     of the pages leads back to it.
    public func pageAddress(_ path: String = "/family", returningTo back: String? = nil)
        async throws -> URL
    {
        var call = Call.post(
            "/api/auth/page-ticket",
            .body(["path": .string(path), "return": back.map { .string($0) }]))
        call.isOwn = true
        let answer = try await json(call)
        guard let text = answer["url"]?.stringValue, let url = URL(string: text) else {
            throw HearthError.unexpectedAnswer(status: 200, detail: "no url")
        }
        return url
    }
}
