@testable import HTTPServer

// Fuzzes input from browsers: cookies and forms.

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(start, count)
    let cookies = Cookies(parsing: input.text)
    if let value = cookies.value("hearth") {
        mustHold(!value.utf8.contains(UInt8(ascii: ";")), "a value ends with its cookie")
        mustHold(
            Cookies(parsing: "hearth=\(value)").value("hearth") == value,
            "a value is read as itself")
        let twice = Cookies(parsing: input.text + "; hearth=other")
        mustHold(twice.value("hearth") == nil, "of two cookies none counts")
    }
    guard let form = FormBody(parsing: input.bytes) else { return 0 }
    for name in ["action", "form_token", ""] {
        guard let value = form.value(name) else { continue }
        mustHold(value.utf8.count <= count, "decoding makes nothing longer")
        mustHold(!value.utf8.contains(0), "no text has a NUL")
        let again = FormBody(parsing: input.bytes + Array("&\(name)=x".utf8))
        mustHold(again?.value(name) == nil, "of two fields none counts")
    }
    return 0
}
