/// A response.
///
/// The server adds `Date`, `Content-Length` and `Connection`. A header that can't be sent (an empty
/// name, line breaks or NUL in name or value) is a bug of the handler: the client gets 500 instead.
package struct Response: Sendable, Equatable {
    /// 200 to 599.
    package var status: Int
    package var headers: Headers
    package var body: [UInt8]

    /// A response of these parts.
    package init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
