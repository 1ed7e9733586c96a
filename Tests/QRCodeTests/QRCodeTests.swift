import CZlib
import QRCode
import Testing

@Suite("QR codes")
struct QRCodeTests {
    private let link = "https://family.example.org/join?code=FAM-K7Q2XM"

    @Test("a code is as small as its text allows and has three finder patterns")
    func structure() throws {
        // ISO/IEC 18004, table 7: version 1-M holds 14 bytes, version 2-M 26, version 4-M 62.
        #expect(try QRCode(String(repeating: "a", count: 14)).size == 21)
        #expect(try QRCode(String(repeating: "a", count: 15)).size == 25)
        let code = try QRCode(link)
        #expect(code.size == 33)
        for (row, column) in [(0, 0), (0, 26), (26, 0)] {
            for offset in 0..<7 {
                #expect(code.isDark(row: row, column: column + offset))
                #expect(code.isDark(row: row + offset, column: column))
            }
            #expect(code.isDark(row: row + 3, column: column + 3))
            #expect(!code.isDark(row: row + 1, column: column + 1))
        }
        #expect(!code.isDark(row: -1, column: 0) && !code.isDark(row: 0, column: 33))
    }

    @Test("a text too long for any code is refused, and an empty text gets the smallest code")
    func limits() throws {
        #expect(try QRCode(String(repeating: "a", count: 2_331)).size == 177)
        let error = #expect(throws: QRCodeError.self) {
            try QRCode(String(repeating: "a", count: 2_332))
        }
        #expect(error?.code == .tooLong)
        #expect(try QRCode("").size == 21)
    }

    @Test("the SVG draws exactly the dark modules")
    func svg() throws {
        let code = try QRCode(link)
        var drawn = Set<[Int]>()
        let path = try #require(
            code.svg.split(separator: " d=\"").last?.split(separator: "\"").first)
        for run in path.split(separator: "z") {
            // An example: M4 4h7v1h-7.
            let numbers = run.split { !"0123456789".contains($0) }.compactMap { Int($0) }
            for offset in 0..<numbers[2] {
                drawn.insert([
                    numbers[1] - QRCode.quietZone, numbers[0] + offset - QRCode.quietZone,
                ])
            }
        }
        let dark = Set(
            (0..<code.size).flatMap { row in
                (0..<code.size).filter { code.isDark(row: row, column: $0) }.map { [row, $0] }
            })
        #expect(drawn == dark)
        #expect(code.svg.contains(#"viewBox="0 0 41 41""#))
    }

    @Test("the PNG has valid chunks and contains the modules with their quiet zone")
    func png() throws {
        let code = try QRCode(link)
        let scale = 3
        var rest = try code.png(scale: scale)[...]
        #expect(rest.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        rest = rest.dropFirst(8)
        var chunks: [String: [UInt8]] = [:]
        while rest.count >= 12 {
            let length = number(rest.prefix(4))
            let content = Array(rest.dropFirst(4).prefix(4 + length))
            let checksum = number(rest.dropFirst(8 + length).prefix(4))
            #expect(checksum == Int(crc32(0, content, UInt32(content.count))))
            chunks[String(decoding: content.prefix(4), as: UTF8.self)] = Array(content.dropFirst(4))
            rest = rest.dropFirst(12 + length)
        }
        #expect(rest.isEmpty && chunks["IEND"] == [])
        let side = (code.size + 2 * QRCode.quietZone) * scale
        let header = try #require(chunks["IHDR"])
        #expect(number(header[0..<4]) == side && number(header[4..<8]) == side)
        #expect(header[8...] == [1, 0, 0, 0, 0])
        let bytesPerRow = 1 + (side + 7) / 8
        var pixels = [UInt8](repeating: 0, count: side * bytesPerRow)
        var count = uLong(pixels.count)
        let data = try #require(chunks["IDAT"])
        #expect(uncompress(&pixels, &count, data, uLong(data.count)) == Z_OK)
        #expect(Int(count) == pixels.count)
        for row in 0..<side {
            for column in 0..<side {
                let isLight =
                    pixels[row * bytesPerRow + 1 + column / 8] >> UInt8(7 - column % 8) & 1
                let isDark = code.isDark(
                    row: row / scale - QRCode.quietZone, column: column / scale - QRCode.quietZone)
                if (isLight == 0) != isDark { Issue.record("pixel \(row), \(column)") }
            }
        }
    }

    private func number(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
