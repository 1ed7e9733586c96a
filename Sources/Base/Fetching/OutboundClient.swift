import CCurl
import Glibc

/// Makes HTTP requests to addresses that others provide, one at a time on the caller's thread.
///
/// libcurl asks for each socket right before it connects, and the check applies to the address that
/// the socket is then connected to, so DNS rebinding gains nothing. Follows no redirects, uses no
/// proxy (except where ``Reach`` says so), and keeps neither cookies nor connections.
package struct OutboundClient: Sendable {
    /// The addresses that may be requested.
    package enum Reach: Sendable {
        /// Public addresses, over https.
        case internet
        /// Public addresses over https, and this machine with or without TLS.
        case internetAndLoopback
        /// This machine and private networks, with or without TLS.
        case privateNetworks
        /// Every address over https, and this machine with or without TLS: for servers that the
        /// operator trusts, such as identity providers. Proxies named in the environment are used.
        case trusted
        /// Every address over https, and this machine and private networks with or without TLS: for
        /// collectors of traces. Proxies named in the environment are used for https.
        case collectors

        /// Whether an address of a scope may be requested, over http if `isPlain`.
        package func allows(_ scope: AddressScope, isPlain: Bool) -> Bool {
            switch self {
            case .internet: scope == .public && !isPlain
            case .internetAndLoopback: scope == .loopback || (scope == .public && !isPlain)
            case .privateNetworks: scope != .public
            case .trusted: scope == .loopback || !isPlain
            case .collectors: scope != .public || !isPlain
            }
        }

        /// Whether proxies named in the environment are used for https.
        var usesProxies: Bool {
            switch self {
            case .trusted, .collectors: true
            case .internet, .internetAndLoopback, .privateNetworks: false
            }
        }
    }

    /// The addresses that may be requested.
    package let reach: Reach
    /// Maximum duration of a request, including its response.
    package var timeoutSeconds = 15.0
    /// Maximum duration of resolving the name and connecting, which counts towards
    /// `timeoutSeconds`.
    package var connectTimeoutSeconds = 5.0
    /// Maximum number of response bytes read before the connection is closed.
    package var responseLimitBytes = 64 * 1024
    /// Certificates to trust instead of the system's, in PEM.
    package var certificatesPath: String?

    package init(_ reach: Reach) { self.reach = reach }

    /// Makes a request and returns its response, whatever the status.
    ///
    /// - Parameter headers: All headers sent besides `Host`, `User-Agent` and the body's length.
    /// - Throws: ``FetchError`` if there is no response; never with `status`.
    package func send(
        _ method: String, to address: FetchAddress, headers: [(name: String, value: String)],
        body: [UInt8] = []
    ) throws(FetchError) -> OutboundResponse {
        guard Libcurl.isReady, let handle = curl_easy_init() else {
            throw FetchError(code: .resources, host: address.host, underlying: "no memory")
        }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        let names = Set(headers.map { $0.name.lowercased() })
        // Headers that libcurl would add; with Expect it would wait for permission to send the
        // body.
        let unwanted = ["Expect", "Accept", "Content-Type"].filter {
            !names.contains($0.lowercased())
        }
        for line in headers.map({ "\($0.name): \($0.value)" }) + unwanted.map({ "\($0):" }) {
            list = curl_slist_append(list, line)
        }
        let transfer = OutboundTransfer(
            reach, isPlain: address.isPlain, limitBytes: responseLimitBytes)
        var result = prepare(handle, address, list)
        if result == CURLE_OK { result = transfer.bind(to: handle) }
        if result == CURLE_OK { result = Self.perform(handle, method, body) }
        // The handle's callbacks use the object until here.
        return try withExtendedLifetime(transfer) { () throws(FetchError) in
            try Self.response(result, handle, address, transfer)
        }
    }

    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ address: FetchAddress,
        _ headers: UnsafeMutablePointer<curl_slist>?
    ) -> CURLcode {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_FORBID_REUSE, 1),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(connectTimeoutSeconds * 1000)),
            (CURLOPT_TIMEOUT_MS, Int(timeoutSeconds * 1000)), (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
        ]
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, address.text), (CURLOPT_USERAGENT, "hearth"),
            (CURLOPT_PROTOCOLS_STR, address.isPlain ? "http" : "https"),
            // Proxies named in the environment are not used, except for trusted servers elsewhere.
            (CURLOPT_PROXY, reach.usesProxies && !address.isPlain ? nil : ""),
            (CURLOPT_CAINFO, certificatesPath),
        ]
        for (option, value) in numbers {
            let result = hearth_curl_set_long(handle, option, value)
            guard result == CURLE_OK else { return result }
        }
        for (option, value) in texts {
            guard let value else { continue }
            let result = hearth_curl_set_text(handle, option, value)
            guard result == CURLE_OK else { return result }
        }
        return hearth_curl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    }

    private static func perform(
        _ handle: UnsafeMutableRawPointer, _ method: String, _ body: [UInt8]
    ) -> CURLcode {
        if method == "GET" { return curl_easy_perform(handle) }
        if method == "HEAD" {
            let result = hearth_curl_set_long(handle, CURLOPT_NOBODY, 1)
            return result == CURLE_OK ? curl_easy_perform(handle) : result
        }
        // An empty array has no address, which would make libcurl request the body from a callback.
        var bytes = body + [0]
        return bytes.withUnsafeMutableBytes { bytes in
            var result = hearth_curl_set_size(
                handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            if result == CURLE_OK {
                result = hearth_curl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes.baseAddress)
            }
            if result == CURLE_OK {
                result = hearth_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
            }
            return result == CURLE_OK ? curl_easy_perform(handle) : result
        }
    }

    private static func response(
        _ result: CURLcode, _ handle: UnsafeMutableRawPointer, _ address: FetchAddress,
        _ transfer: OutboundTransfer
    ) throws(FetchError) -> OutboundResponse {
        var status = 0
        _ = hearth_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        if result == CURLE_OK || (transfer.isTruncated && status > 0) {
            return OutboundResponse(
                status: status, headers: transfer.headers, body: transfer.body,
                isTruncated: transfer.isTruncated)
        }
        if transfer.isForbidden, result == CURLE_COULDNT_CONNECT {
            throw FetchError(code: .forbidden, host: address.host, underlying: "")
        }
        var sentBytes = 0
        _ = hearth_curl_get_long(handle, CURLINFO_REQUEST_SIZE, &sentBytes)
        var error = FetchError(result, isTooLarge: transfer.isTruncated, host: address.host)
        error.wasSent = sentBytes > 0
        throw error
    }
}

/// The response of a server.
package struct OutboundResponse: Sendable {
    /// The status; redirects and errors are returned too.
    package let status: Int
    /// Header names and values as they were sent.
    package let headers: [(name: String, value: String)]
    /// The body, at most ``OutboundClient/responseLimitBytes``.
    package let body: [UInt8]
    /// Whether the body is longer than the part that was read.
    package let isTruncated: Bool
}
