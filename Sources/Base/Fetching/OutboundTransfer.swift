import CCurl
import Glibc

/// State shared by libcurl's callbacks of one request, on one thread.
final class OutboundTransfer {
    private let reach: OutboundClient.Reach
    private let isPlain: Bool
    private let limitBytes: Int
    private(set) var headers: [(name: String, value: String)] = []
    /// Bytes of header lines so far, of all responses.
    private var headerBytes = 0
    private static let headerLimitBytes = 64 * 1024
    private(set) var body: [UInt8] = []
    private(set) var isTruncated = false
    private(set) var isForbidden = false

    init(_ reach: OutboundClient.Reach, isPlain: Bool, limitBytes: Int) {
        self.reach = reach
        self.isPlain = isPlain
        self.limitBytes = limitBytes
    }

    /// Registers this object for the handle's callbacks; it must outlive the request.
    func bind(to handle: UnsafeMutableRawPointer) -> CURLcode {
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA] {
            let result = hearth_curl_set_pointer(handle, option, context)
            guard result == CURLE_OK else { return result }
        }
        var result = hearth_curl_set_writer(handle) { data, size, count, context in
            OutboundTransfer.of(context)?.receiveBody(data, size * count) ?? 0
        }
        guard result == CURLE_OK else { return result }
        result = hearth_curl_set_header_taker(handle) { data, size, count, context in
            OutboundTransfer.of(context)?.receiveHeader(data, size * count) ?? 0
        }
        guard result == CURLE_OK else { return result }
        return hearth_curl_set_opener(handle) { context, purpose, address in
            OutboundTransfer.of(context)?.open(purpose, address) ?? -1
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> OutboundTransfer? {
        context.map { Unmanaged<OutboundTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Stores the bytes that fit, and returns their number. A number smaller than `count` ends the
    /// transfer.
    private func receiveBody(_ data: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let data else { return 0 }
        let room = limitBytes - body.count
        body.append(contentsOf: UnsafeRawBufferPointer(start: data, count: min(count, room)))
        isTruncated = count > room
        return isTruncated ? 0 : count
    }

    private func receiveHeader(_ data: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let data else { return 0 }
        headerBytes += count
        // Ends the transfer: a server may send headers without end.
        if headerBytes > Self.headerLimitBytes { return 0 }
        let line = String(
            decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
        // Each response, even an interim one, begins with its status line.
        if line.hasPrefix("HTTP/") { headers = [] }
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].utf8
                .drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
            headers.append(
                (String(line[..<colon]), String(decoding: Array(value), as: UTF8.self)))
        }
        return count
    }

    /// Creates the socket for an address that libcurl is about to connect to, unless it is
    /// forbidden.
    private func open(
        _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
    ) -> curl_socket_t {
        guard let address, let addressOffset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
            return -1
        }
        let scope = AddressScope(
            family: address.pointee.family, address: UnsafeRawPointer(address) + addressOffset)
        guard purpose == CURLSOCKTYPE_IPCXN, reach.allows(scope, isPlain: isPlain) else {
            isForbidden = true
            return -1
        }
        return socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
    }
}
