import CMicroHTTPD
import Synchronization

/// What all connections of a server share: the handler, and what is said when it has no say.
final class Responder: Sendable {
    let settings: ServerSettings
    private let handler: @Sendable (Request) -> Response
    private let onFault: @Sendable (ServerFault, Request) -> Response
    private let draining = Atomic(false)

    init(
        _ settings: ServerSettings, handler: @escaping @Sendable (Request) -> Response,
        onFault: @escaping @Sendable (ServerFault, Request) -> Response
    ) {
        self.settings = settings
        self.handler = handler
        self.onFault = onFault
    }

    /// Makes every connection end with its next response.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// Answers a request that has arrived; false if nothing could be sent at all.
    func respond(to exchange: Exchange, from peer: PeerAddress, on client: OpaquePointer) -> Bool {
        let request = exchange.request(from: peer)
        let response = exchange.fault.map { onFault($0, request) } ?? handler(request)
        if send(response, on: client) { return true }
        return send(onFault(.invalidResponse, request), on: client)
            || send(Response(status: ServerFault.invalidResponse.status), on: client)
    }

    private func send(_ response: Response, on client: OpaquePointer) -> Bool {
        guard (200...599).contains(response.status) else { return false }
        let made = response.body.withUnsafeBytes {
            // The cast is libmicrohttpd's wish: a body to be copied is not written to.
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let made else { return false }
        defer { MHD_destroy_response(made) }
        for field in response.headers.fields {
            guard !field.value.utf8.contains(0), !field.name.utf8.contains(0),
                MHD_add_response_header(made, field.name, field.value) == .YES
            else { return false }
        }
        if isDraining, response.headers["Connection"] == nil,
            MHD_add_response_header(made, "Connection", "close") != .YES
        {
            return false
        }
        return MHD_queue_response(client, UInt32(response.status), made) == .YES
    }
}

extension Headers {
    /// The header fields that a client has sent.
    init(of client: OpaquePointer) {
        var fields: [Field] = []
        fields.reserveCapacity(16)
        _ = withUnsafeMutablePointer(to: &fields) { context in
            MHD_get_connection_values_n(
                client, .HEADER_KIND,
                { context, _, name, nameCount, value, valueCount in
                    guard let context, let name else { return .NO }
                    let field = Field(
                        name: String(bytes: name, count: nameCount),
                        value: value.map { String(bytes: $0, trimming: valueCount) } ?? "")
                    context.assumingMemoryBound(to: [Field].self).pointee.append(field)
                    return .YES
                }, context)
        }
        self.init(fields)
    }
}

extension String {
    fileprivate init(bytes: UnsafePointer<CChar>, count: Int) {
        let raw = UnsafeRawBufferPointer(start: bytes, count: count)
        self.init(decoding: raw, as: UTF8.self)
    }

    /// Leaves out the white space behind a field's value, which is not part of it (RFC 9112
    /// section 5.1); libmicrohttpd drops only that before it.
    fileprivate init(bytes: UnsafePointer<CChar>, trimming count: Int) {
        var count = count
        while count > 0, bytes[count - 1] == 0x20 || bytes[count - 1] == 0x09 { count -= 1 }
        self.init(bytes: bytes, count: count)
    }
}
