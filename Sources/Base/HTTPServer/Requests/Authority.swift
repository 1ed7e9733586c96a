import Glibc

/// Whether a text is a valid authority, as in a `Host` header or an absolute target: a name or an
/// address, and optionally a port (RFC 9110 section 7.2, RFC 3986 section 3.2).
enum Authority {
    /// Names are no longer than DNS has them.
    private static let nameLimit = 255
    private static let portLimit = 65_535

    /// No user information, because it can be used to disguise the host.
    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        guard let end = endOfHost(bytes) else { return false }
        if end == bytes.count { return true }
        return bytes[end] == UInt8(ascii: ":") && isPort(bytes[(end + 1)...])
    }

    /// The end of the host, which has at least one character; nil if there is none.
    private static func endOfHost(_ bytes: [UInt8]) -> Int? {
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
                isLiteral(bytes[1..<end])
            else { return nil }
            return end + 1
        }
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
        return (1...nameLimit).contains(end) && isName(bytes[..<end]) ? end : nil
    }

    /// reg-name, which IPv4 addresses are as well.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex,
                    PercentEncoding.hexDigit(bytes[index + 1]) != nil,
                    PercentEncoding.hexDigit(bytes[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                guard bytes[index].isUnreserved || bytes[index].isSubDelimiter else {
                    return false
                }
                index += 1
            }
        }
        return true
    }

    /// The content of brackets: an IPv6 address without a zone, or an address of a later version.
    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.first == UInt8(ascii: "v") || bytes.first == UInt8(ascii: "V") {
            let parts = bytes.dropFirst().split(
                separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
                && parts[0].allSatisfy { PercentEncoding.hexDigit($0) != nil }
                && parts[1].allSatisfy {
                    $0.isUnreserved || $0.isSubDelimiter || $0 == UInt8(ascii: ":")
                }
        }
        // A NUL would end what is looked at.
        guard bytes.allSatisfy({ $0 != 0 }) else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.isEmpty { return true }
        guard bytes.count <= 5,
            bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(String(decoding: bytes, as: UTF8.self))
        else { return false }
        return port <= portLimit
    }
}

extension UInt8 {
    /// RFC 3986 section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// RFC 3986 section 2.2.
    fileprivate var isSubDelimiter: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
