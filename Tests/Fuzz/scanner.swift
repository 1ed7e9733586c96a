@testable import Migrations

// Fuzzes migration files. Tokens must not overlap, and any text must be parsed or refused.

/// Entry point that libFuzzer calls with each input.
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
    mustHold(text.bytes.starts(with: script.text.bytes), "what runs is how it begins")
    let cut = script.sections.down?.offset ?? text.bytes.count
    mustHold(script.text.bytes.count == cut, "nothing below a Down marker runs")
    for problem in script.sections.problems + script.sections.problems(with: script.statements) {
        mustHold(problem.line >= 1, "what is refused has a line")
    }
    var last = 0
    for statement in script.statements {
        mustHold(statement.range.lowerBound >= last, "statements don't overlap")
        last = statement.range.upperBound
    }
    return 0
}
