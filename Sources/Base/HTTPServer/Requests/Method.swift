/// A request method (RFC 9110 section 9), as written: methods are case-sensitive.
package struct Method: Sendable, Hashable {
    package let name: String

    /// Any method, known or not.
    package init(_ name: String) { self.name = name }

    package static let get = Method("GET")
    package static let head = Method("HEAD")
    package static let post = Method("POST")
    package static let put = Method("PUT")
    package static let patch = Method("PATCH")
    package static let delete = Method("DELETE")
    package static let options = Method("OPTIONS")
}
