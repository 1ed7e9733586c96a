import Testing

@testable import CommandLine

@Suite("Tables for terminals")
struct TerminalTableTests {
    private let columns: [TerminalTable.Column] = [
        .fixed("ID"), .text("NAME"), .number("COUNT"), .text("NOTE"),
    ]

    private func lines(_ rows: [[String]], width: Int?) -> [String] {
        TerminalTable(columns, rows).lines(width: width)
    }

    @Test("columns line up, numbers are right-aligned, and an empty column is omitted")
    func alignment() {
        #expect(
            lines([["a1", "Ann", "7", ""], ["b22", "B", "12", ""]], width: nil)
                == ["ID   NAME  COUNT", "a1   Ann       7", "b22  B        12"])
        #expect(lines([], width: nil) == ["ID  NAME  COUNT  NOTE"])
    }

    @Test("the widest column that may be cut is cut first, and ids never are")
    func cutting() {
        let rows = [["0123456789", "A very long name indeed", "1", "A note"]]
        for width in 36...48 {
            let lines = lines(rows, width: width)
            #expect(lines.allSatisfy { $0.terminalColumns <= width }, "\(width)")
            #expect(lines.count == 2 && lines[1].hasPrefix("0123456789  A very"), "\(width)")
        }
        #expect(lines(rows, width: 40)[1].contains("…"))
    }

    @Test("a table that can't be cut to fit shows each row as a block")
    func blocks() {
        let rows = [["0123456789", "Ann Ann Ann", "1", ""], ["1", "Bo", "2", ""]]
        #expect(
            lines(rows, width: 20) == [
                "ID     0123456789", "NAME   Ann Ann Ann", "COUNT  1", "", "ID     1",
                "NAME   Bo", "COUNT  2",
            ])
    }

    @Test(
        "a text's width is the number of columns that a terminal uses",
        arguments: [
            ("Ann", 3), ("", 0), ("e\u{301}", 1), ("家族", 4), ("한", 2), ("👩‍👧", 2), ("é", 1),
        ])
    func widths(_ text: String, _ columns: Int) {
        #expect(text.terminalColumns == columns)
    }

    @Test("cutting never leaves half of a wide character")
    func wide() {
        #expect("家族家族".cut(toColumns: 6) == "家族…")
        #expect("家族".cut(toColumns: 4) == "家族")
    }

    @Test("control characters and direction marks are shown as their code points")
    func printable() {
        #expect("a\u{1B}[31m\n\u{202E}b".printable == "a\\u{1b}[31m\\u{a}\\u{202e}b")
        #expect("👩\u{200D}👧".printable == "👩\u{200D}👧")
    }
}
