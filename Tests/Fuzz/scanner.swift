@testable import Migrations

// Migration files. Tokens don't overlap, and any text can be understood or refused.

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScanner(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Input(start, count).bytes
    var end = 0
    for token in Scanner.scan(bytes).tokens {
        mustHold(token.range.lowerBound >= end && !token.range.isEmpty, "tokens don't overlap")
        end = token.range.upperBound
    }
    mustHold(end <= bytes.count, "tokens lie in the text")
    guard let text = try? SourceText(raw: bytes), let script = try? Script(text) else { return 0 }
    var last = 0
    for statement in script.statements {
        mustHold(statement.range.lowerBound >= last, "statements don't overlap")
        last = statement.range.upperBound
    }
    return 0
}
