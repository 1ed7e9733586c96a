/// The fuzzer's input.
struct Input {
    let bytes: [UInt8]

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The input as text; bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Crashes unless the condition holds, which the fuzzer reports as a finding.
func mustHold(_ condition: Bool, _ what: StaticString) {
    precondition(condition, "\(what)")
}
