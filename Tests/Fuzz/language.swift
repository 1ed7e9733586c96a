@testable import Domain

// Fuzzes `Accept-Language` headers.

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLanguage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Input(start, count).text
    let language = Language(accepted: text)
    if !text.contains(","), text.utf8.count < 1_000 {
        mustHold(
            Language(accepted: text + ",es;q=0") == language, "what is not wanted changes nothing")
    }
    return 0
}
