/// A part of a response that has no end of its own: it goes on until the server or the client ends
/// it.
package struct StreamPart: Sendable {
    /// The beginning of the response; its body is not sent. Only in the first part.
    let head: Response?
    let bytes: [UInt8]
    /// What follows once the client has taken this part; nil at the end of the stream.
    let next: ParkedRequest?

    package init(head: Response? = nil, bytes: [UInt8], next: ParkedRequest?) {
        self.head = head
        self.bytes = bytes
        self.next = next
    }
}
