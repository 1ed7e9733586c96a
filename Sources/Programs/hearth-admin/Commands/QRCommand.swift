import Domain
import QRCode
import CommandLine
import Configuration
import FamilySettings
import UseCases

/// `hearth-admin family qr`: a family's code as a QR code.
enum QRCommand {
    private static let output = Parameter<String?>.option(
        "output", short: "o", "FILE", .file,
        "Write an image to this file instead, as .svg or .png. The file must not exist yet.")

    static let command = Command(
        "qr", "Draws the QR code with a family's join link.",
        discussion: [
            "The QR code contains a link that begins with HEARTH_PUBLIC_URL and contains the "
                + "family's code. Anybody who scans it can join while the code is valid."
        ],
        parameters: [Options.family, output]
    ) { values in
        let base = try values.settings([HearthSettings.publicURL])[HearthSettings.publicURL]
        let family = try values.session().family(values[Options.family])
        guard let code = family.code else {
            throw OperatorRefusal.codeExpired
        }
        let link = "\(base)/join?code=\(code)"
        let picture = try QRCode(link)
        if let path = values[output] {
            try write(picture, to: path)
        } else if !values[Options.json] {
            let terminal = Terminal.standardOutput
            for line in picture.lines(coloured: terminal.isTerminal) { terminal.write(line + "\n") }
        }
        values.output.done(link) {
            $0.member("familyId", family.id.description)
            $0.member("code", code)
            $0.member("link", link)
        }
        return ExitCode.success
    }

    private static func write(_ picture: QRCode, to path: String) throws {
        let bytes: [UInt8]
        if path.hasSuffix(".svg") {
            bytes = Array(picture.svg.utf8)
        } else if path.hasSuffix(".png") {
            bytes = try picture.png(scale: 8)
        } else {
            throw UsageError("--output: expected a file that ends in .svg or .png")
        }
        let file = try NewFile(path)
        do {
            try file.write(bytes)
            try file.commit()
        } catch {
            file.discard()
            throw error
        }
    }
}

extension QRCode {
    /// Returns the QR code as text, with two rows of modules on each line.
    ///
    /// If coloured, the code is black on white whatever the terminal's colours are. Otherwise block
    /// characters are the dark modules.
    func lines(coloured: Bool) -> [String] {
        let edge = Self.quietZone
        return stride(from: -edge, to: size + edge, by: 2).map { row in
            let line = (-edge..<size + edge).map { column in
                switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
            // Black and white of the 256-colour palette, which themes do not change.
            return coloured ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
        }
    }
}
