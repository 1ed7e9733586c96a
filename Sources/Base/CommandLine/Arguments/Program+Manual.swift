import Configuration

extension Program {
    /// The manual page in the language of `man` (section 1, or 8 for a program without commands),
    /// derived from the same declarations as help.
    package var manual: String {
        let section = root.subcommands.isEmpty ? 8 : 1
        var page = ManualPage()
        page.request("TH", [root.name.uppercased(), "\(section)", "", "\(root.name) \(version)"])
        page.section("NAME")
        page.text("\(root.name) - \(lowerCased(root.summary))")
        page.section("SYNOPSIS")
        page.synopsis(root.name, root)
        page.section("DESCRIPTION")
        for paragraph in [root.summary] + root.discussion { page.paragraph(paragraph) }
        if !root.subcommands.isEmpty { page.section("COMMANDS") }
        for command in root.subcommands { describe(command, path: [root.name], &page) }
        page.section("OPTIONS")
        page.terms(root.options + generalDeclarations)
        if !settings.isEmpty {
            page.section("ENVIRONMENT")
            page.paragraph("The file passed with --config may set the same names.")
            for setting in settings.map(\.declaration) {
                page.term(setting.name, setting.explanation)
            }
        }
        page.section("EXIT STATUS")
        for code in exitCodes { page.term(String(code.code), code.meaning + ".") }
        return page.lines.joined(separator: "\n") + "\n"
    }

    private func describe(_ command: Command, path: [String], _ page: inout ManualPage) {
        let path = path + [command.name]
        let name = path.joined(separator: " ")
        guard command.subcommands.isEmpty else {
            for sub in command.subcommands { describe(sub, path: path, &page) }
            return
        }
        page.request("SS", [path.dropFirst().joined(separator: " ")])
        page.synopsis(name, command)
        for paragraph in [command.summary] + command.discussion { page.paragraph(paragraph) }
        page.terms(command.positionals + command.options)
        for example in command.examples {
            page.paragraph("Example: \(example.explanation)")
            page.code(example.line)
        }
    }

    private func lowerCased(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// A manual page (man(7)).
struct ManualPage {
    private(set) var lines: [String] = []

    mutating func request(_ name: String, _ arguments: [String]) {
        let quoted = arguments.map { "\"\(escaped($0).replacing("\"", with: "\\(dq"))\"" }
        lines.append(([".\(name)"] + quoted).joined(separator: " "))
    }

    mutating func section(_ title: String) { lines.append(".SH \(title)") }

    mutating func text(_ text: String) {
        let safe = escaped(text)
        // A line that begins with one of these would be a roff request.
        lines.append(safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe)
    }

    mutating func paragraph(_ text: String) {
        lines.append(".PP")
        self.text(text)
    }

    mutating func term(_ term: String, _ meaning: String) {
        lines.append(".TP")
        lines.append(".B " + escaped(term))
        text(meaning)
    }

    mutating func terms(_ declarations: [Declaration]) {
        for declaration in declarations { term(declaration.term, declaration.explanation) }
    }

    mutating func code(_ line: String) {
        lines += [".RS", ".nf"]
        text(line)
        lines += [".fi", ".RE"]
    }

    mutating func synopsis(_ name: String, _ command: Command) {
        let rest =
            command.subcommands.isEmpty
            ? command.positionals.map(\.usage) : ["COMMAND", "..."]
        lines.append(".PP")
        lines.append(".B " + escaped(name))
        text((command.options.map(\.usage) + rest).joined(separator: " "))
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }
}
