@testable import HTTPServer

// Fuzzes requests as they arrive on a connection. The parsed requests must be the same wherever the
// bytes are split.

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHead(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Input(start, count).bytes
    guard let first = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    let whole = read(rest, inPiecesOf: max(1, rest.count))
    let pieces = read(rest, inPiecesOf: Int(first % 31) + 1)
    mustHold(whole == pieces, "pieces are read like the whole")
    return 0
}

private func read(_ bytes: [UInt8], inPiecesOf size: Int) -> [String] {
    var limits = ServerSettings()
    limits.headerLimitBytes = 1000
    limits.bodyLimitBytes = 100
    var reader = RequestReader(limits)
    var found: [String] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.append($0) }
        var isOpen = true
        while isOpen {
            switch reader.advance() {
            case .unfinished: isOpen = false
            case .continueAwaited: break
            case .complete:
                let finished = reader.finish(from: .loopback)
                let request = finished.request
                found.append(
                    "\(request.method.name) \(request.path) \(request.headers.fields.count) "
                        + "\(request.body) \(finished.fault?.status ?? 0)")
                mustHold(request.body.count <= limits.bodyLimitBytes, "bodies are bounded")
                if !finished.keepsAlive { return found }
            }
        }
    }
    return found
}
