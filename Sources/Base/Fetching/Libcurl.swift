import CCurl

/// Process-wide state of libcurl.
enum Libcurl {
    /// Whether libcurl is initialised, which must happen once before any other use.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

extension FetchError {
    /// Translates the result of a failed transfer.
    init(_ result: CURLcode, isTooLarge: Bool, host: String) {
        let code: Code =
            switch result {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_FILESIZE_EXCEEDED: .tooLarge
            case CURLE_WRITE_ERROR where isTooLarge: .tooLarge
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR,
                CURLE_SSL_CACERT_BADFILE:
                .notTrusted
            case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNKNOWN_OPTION: .resources
            default: .unreachable
            }
        self.init(code: code, host: host, underlying: String(cString: curl_easy_strerror(result)))
    }
}
