@testable import JSON

// Fuzzes bodies. A document that can be read must survive being written and read back, and each
// part must parse where it was located.

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(start, count)
    guard let value = try? JSONValue(parsing: input.bytes) else { return 0 }
    let again = try? JSONValue(parsing: Array(value.text().utf8))
    mustHold(again == value, "what was written reads as the same")
    guard case .object(let object) = value else { return 0 }
    for member in object.members {
        guard let range = JSONLocator.value(of: member.name, in: input.bytes) else {
            mustHold(false, "a member that is read has a place")
            continue
        }
        let part = try? JSONValue(parsing: Array(input.bytes[range]))
        mustHold(part == member.value, "what stands there is the member's value")
        let ranges = JSONLocator.elements(of: member.name, in: input.bytes)
        let parts = ranges.map { try? JSONValue(parsing: Array(input.bytes[$0])) }
        if case .array(let elements) = member.value {
            mustHold(parts == elements, "what stands there are the array's elements")
        } else {
            mustHold(parts.isEmpty, "what is no array has no elements")
        }
    }
    return 0
}
