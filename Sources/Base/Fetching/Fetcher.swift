import CCurl

/// Fetches small documents over HTTP, one at a time on the caller's thread.
///
/// Follows no redirects, keeps no cookies, checks certificates against the system's authorities,
/// and limits time and size.
package struct Fetcher: Sendable {
    /// Maximum duration of a fetch.
    package var timeoutSeconds = 5.0
    /// Maximum duration of connecting, which counts towards `timeoutSeconds`.
    package var connectTimeoutSeconds = 3.0
    /// Maximum size of a document.
    package var limitBytes = 1 << 20

    /// Creates a fetcher with default limits.
    package init() {}

    /// Fetches the document at a URL.
    package func get(_ address: FetchAddress) throws(FetchError) -> [UInt8] {
        guard Libcurl.isReady, let handle = curl_easy_init() else {
            throw FetchError(code: .resources, host: address.host, underlying: "no memory")
        }
        defer { curl_easy_cleanup(handle) }
        let received = Received(limitBytes: limitBytes)
        var result = prepare(handle, address, received)
        if result == CURLE_OK { result = curl_easy_perform(handle) }
        // The handle's callback uses the object until here.
        return try withExtendedLifetime(received) { () throws(FetchError) in
            try outcome(result, handle, address, received)
        }
    }

    /// The received bytes, used by one fetch on one thread.
    private final class Received {
        let limitBytes: Int
        var bytes: [UInt8] = []
        var isTooLarge = false

        init(limitBytes: Int) { self.limitBytes = limitBytes }
    }

    private static let receive: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: data, count: size * count)
        guard received.bytes.count + piece.count <= received.limitBytes else {
            received.isTooLarge = true
            return 0
        }
        received.bytes.append(contentsOf: piece)
        return piece.count
    }

    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ address: FetchAddress, _ received: Received
    ) -> CURLcode {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(connectTimeoutSeconds * 1000)),
            (CURLOPT_TIMEOUT_MS, Int(timeoutSeconds * 1000)), (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_MAXFILESIZE, limitBytes),
        ]
        var texts: [(CURLoption, String)] = [
            (CURLOPT_URL, address.text), (CURLOPT_USERAGENT, "hearth"),
            (CURLOPT_PROTOCOLS_STR, address.isPlain ? "http" : "https"),
        ]
        // Servers on this machine are not contacted through a proxy.
        if address.isPlain { texts.append((CURLOPT_NOPROXY, "*")) }
        for (option, value) in numbers {
            let result = hearth_curl_set_long(handle, option, value)
            guard result == CURLE_OK else { return result }
        }
        for (option, value) in texts {
            let result = hearth_curl_set_text(handle, option, value)
            guard result == CURLE_OK else { return result }
        }
        let result = hearth_curl_set_writer(handle, Self.receive)
        guard result == CURLE_OK else { return result }
        return hearth_curl_set_pointer(
            handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque())
    }

    private func outcome(
        _ result: CURLcode, _ handle: UnsafeMutableRawPointer, _ address: FetchAddress,
        _ received: Received
    ) throws(FetchError) -> [UInt8] {
        var status = 0
        _ = hearth_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        switch result {
        case CURLE_OK where status == 200: return received.bytes
        case CURLE_OK:
            throw FetchError(code: .status(status), host: address.host, underlying: "")
        default:
            throw FetchError(result, isTooLarge: received.isTooLarge, host: address.host)
        }
    }
}
