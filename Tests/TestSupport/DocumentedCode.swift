import Foundation

/// The Swift code of a document, which a source file of the tests has to contain so that it is
/// compiled.
package struct DocumentedCode {
    private let blocks: [[String]]

    /// Reads the code of a document.
    ///
    /// - Parameter path: The path below the checkout of a Markdown file, whose Swift blocks are
    ///   read, or of a Swift file of a tutorial, which is read whole except its imports.
    package init(of path: String) throws {
        let lines = try Self.lines(path)
        guard !path.hasSuffix(".swift") else {
            blocks = [lines.filter { !$0.hasPrefix("import ") }]
            return
        }
        var blocks: [[String]] = []
        var block: [String]?
        for line in lines {
            if line == "```swift" {
                block = []
            } else if line == "```", let code = block {
                blocks.append(code)
                block = nil
            } else {
                block?.append(line)
            }
        }
        self.blocks = blocks
    }

    /// Number of blocks.
    package var count: Int { blocks.count }

    /// Returns the blocks that the source file does not contain line by line, ignoring indentation
    /// and empty lines.
    package func missing(from path: String) throws -> [String] {
        let source = try Self.lines(path)
        return blocks.filter { source.firstRange(of: $0) == nil }
            .map { $0.joined(separator: "\n") }
    }

    private static func lines(_ path: String) throws -> [String] {
        try String(
            contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8
        ).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
