/// What the fuzzer made up.
struct Input {
    let bytes: [UInt8]

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// As text, with what is not UTF-8 replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Ends the process unless something holds that must: that is what the fuzzer looks for.
func mustHold(_ condition: Bool, _ what: StaticString) {
    precondition(condition, "\(what)")
}
