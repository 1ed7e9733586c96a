import Testing

@testable import QRCode

@Suite("The size of a QR code")
struct SizeTests {
    @Test(
        "is the least that holds the text: 21 modules a side, and 4 more for each version",
        arguments: [("FAM-ABC234", 21), (String(repeating: "x", count: 15), 25)])
    func sizes(text: String, size: Int) throws {
        let code = try QRCode(text)
        #expect(code.size == size)
    }

    @Test("has a limit, which is told")
    func limit() throws {
        let largest = try QRCode(String(repeating: "x", count: 2_331))
        #expect(largest.size == 177)
        let error = #expect(throws: QRCodeError.self) {
            try QRCode(String(repeating: "x", count: 2_332))
        }
        #expect(error?.code == .tooLong)
    }

    @Test("includes three finder patterns, and no module outside the square is dark")
    func finders() throws {
        let code = try QRCode("x")
        let last = code.size - 1
        for (row, column) in [(0, 0), (0, last), (last, 0)] {
            #expect(code.isDark(row: row, column: column))
        }
        #expect(!code.isDark(row: -1, column: 0) && !code.isDark(row: 0, column: code.size))
    }
}
