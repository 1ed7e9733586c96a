import JSON
import CommandLine
import UseCases

/// The output of a command, as a table for people or JSON for scripts.
struct Output {
    let isJSON: Bool

    /// Prints a page of a list: `{"families": [...], "nextCursor": null}`.
    func list<Item>(
        _ name: String, _ page: OperatorPage<Item>, _ columns: [TerminalTable.Column],
        row: (Item) -> [String], json: (Item, inout JSONWriter) -> Void
    ) {
        rows(name, page.items, columns, row: row, json: json) {
            $0.member("nextCursor", page.nextCursor)
        }
        if let cursor = page.nextCursor, !isJSON {
            Terminal.standardError.write("There are more: --cursor \(cursor)\n")
        }
    }

    /// Prints a whole list: `{"members": [...]}`.
    func rows<Item>(
        _ name: String, _ items: [Item], _ columns: [TerminalTable.Column],
        row: (Item) -> [String], json: (Item, inout JSONWriter) -> Void,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        if isJSON {
            write { writer in
                writer.array(name) { for item in items { $0.object { json(item, &$0) } } }
                more(&writer)
            }
        } else if items.isEmpty {
            Terminal.standardError.write("none\n")
        } else {
            table(columns, items.map(row))
        }
    }

    /// Prints a single object: one line per field, or a JSON object.
    func record(_ fields: [(name: String, value: String?)], json: (inout JSONWriter) -> Void) {
        if isJSON { return write(json) }
        let width = fields.filter { $0.value != nil }.map(\.name.count).max() ?? 0
        for (name, value) in fields {
            guard let value else { continue }
            let space = String(repeating: " ", count: width - name.count + 2)
            Terminal.standardOutput.write(name + space + value.printable + "\n")
        }
    }

    /// Reports what the command has done: a sentence, or a JSON object.
    func done(_ sentence: String, json: (inout JSONWriter) -> Void) {
        if isJSON { return write(json) }
        Terminal.standardOutput.write(sentence.printable + "\n")
    }

    /// Prints lines that belong together; nothing as JSON.
    func paragraph(_ lines: [String]) {
        guard !isJSON else { return }
        for line in lines { Terminal.standardOutput.write(line.printable + "\n") }
    }

    /// Prints a table of texts; nothing as JSON.
    func table(_ columns: [TerminalTable.Column], _ rows: [[String]]) {
        guard !isJSON else { return }
        let output = Terminal.standardOutput
        let width = output.isTerminal ? output.columns ?? 80 : nil
        for line in TerminalTable(columns, rows).lines(width: width) {
            output.write(line + "\n")
        }
    }

    private func write(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(.pretty)
        writer.object { body(&$0) }
        Terminal.standardOutput.write(writer.bytes + [UInt8(ascii: "\n")])
    }
}
