@testable import JSON

// Bodies. What can be read can be written, and reads as the same again.

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(start, count)
    guard let value = try? JSONValue(parsing: input.bytes) else { return 0 }
    let again = try? JSONValue(parsing: Array(value.text().utf8))
    mustHold(again == value, "what was written reads as the same")
    return 0
}
