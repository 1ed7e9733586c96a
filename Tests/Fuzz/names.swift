@testable import Domain

// Fuzzes values that people type and apps send: codes, addresses, ids, timestamps. The stored form
// must parse to itself.

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Input(start, count).text
    if let code = FamilyCode(text) {
        mustHold(FamilyCode(code.text) == code, "a code is read as itself")
        mustHold((10...12).contains(code.text.utf8.count), "codes have six to eight characters")
    }
    if let address = EmailAddress(text) {
        mustHold(EmailAddress(address.text) == address, "an address is read as itself")
        mustHold(address.text.utf8.count <= EmailAddress.maximumBytes, "addresses are bounded")
        mustHold(!address.text.utf8.contains { $0 <= 0x20 }, "addresses have no line breaks")
    }
    if let moment = Timestamp(iso8601: text) {
        let whole = Timestamp(iso8601: moment.description)
        mustHold(whole?.seconds == moment.seconds, "a moment's description is read as itself")
    }
    if let id = UserID(text) { mustHold(UserID(id.description) == id, "an id is read as itself") }
    return 0
}
