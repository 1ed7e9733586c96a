/// Reads settings from the environment and from a configuration file; the environment wins.
///
/// An empty value counts as absent, so that a wrapper can pass on a variable that is not set.
package struct SettingsReader: Sendable {
    private let environment: [String: String]
    private let knownSettings: [SettingDeclaration]
    private let configPath: String?
    private let checks: [SettingCheck]

    /// Creates a reader that accepts the names of `knownSettings` from the environment and from the
    /// file at `configPath`; any other name in the file is an error.
    package init(
        environment: [String: String], knownSettings: [any DeclaredSetting], configPath: String?,
        checks: [SettingCheck] = []
    ) {
        self.checks = checks
        self.environment = environment
        self.knownSettings = knownSettings.map(\.declaration)
        self.configPath = configPath
    }

    /// Returns the values of the requested settings, or throws all problems with them.
    package func read(_ requested: [any DeclaredSetting]) throws(SettingsError) -> Settings {
        var problems: [String] = []
        let lines = configLines(&problems)
        let file = lines ?? [:]
        var decoded: [String: any Sendable] = [:]
        var shown: [String] = []
        var shownWithoutPaths: [String] = []
        var hidden: Set<String> = []
        // Problems per setting.
        var forms: [[String]] = []
        for setting in requested {
            var form: [String] = []
            defer { forms.append(form) }
            let declaration = setting.declaration
            let found = find(declaration, in: file, &form)
            if found == .unreadable { continue }
            if !declaration.isSecret, let word = found.word, mayHoldSecret(word) {
                hidden.insert(declaration.name)
            }
            if let box = setting.box(found.word) {
                decoded[declaration.name] = box
                shown.append(show(declaration, found))
                shownWithoutPaths.append(showWithoutPaths(declaration, found))
                form += missingCompanion(of: declaration, found, in: file)
            } else if let word = found.word {
                form.append(
                    unexpected(word, for: declaration) + location(found.origin)
                        + ": expected \(declaration.expected)")
            } else if lines != nil {
                // The settings in an unreadable file are unknown.
                form.append("\(declaration.name) is missing: expected \(declaration.expected)")
            }
        }
        for (setting, form) in zip(requested, forms) {
            problems += form
            let declaration = setting.declaration
            let found = checks.filter { $0.name == declaration.name }
                .flatMap { $0.problems(among: decoded) }
            // A check may repeat the value, or a part of it.
            problems +=
                found.isEmpty || !hidden.contains(declaration.name)
                ? found
                : ["\(declaration.name) is invalid: expected \(declaration.expected)"]
        }
        guard problems.isEmpty else { throw SettingsError(problems) }
        return Settings(decoded: decoded, shown: shown, shownWithoutPaths: shownWithoutPaths)
    }

    /// Returns a warning for each environment variable with this prefix that is not a setting.
    package func unknownVariables(prefix: String) -> [String] {
        let names = knownNames
        return environment.keys.filter { $0.hasPrefix(prefix) && !names.contains($0) }.sorted()
            .map { "\($0) is not a setting" + suggestion(for: $0, among: names) }
    }

    // MARK: - Looking up a setting

    /// The source of a setting's value.
    private enum FoundValue: Equatable {
        case none
        case word(String, Settings.Origin)
        /// A value was given but can't be read; the reason is already among the problems.
        case unreadable

        var word: String? {
            if case .word(let word, _) = self { word } else { nil }
        }

        var origin: Settings.Origin {
            if case .word(_, let origin) = self { origin } else { .standard }
        }
    }

    private func find(
        _ declaration: SettingDeclaration, in file: [String: ConfigLine],
        _ problems: inout [String]
    ) -> FoundValue {
        let fromEnvironment = pick(
            declaration, value: environment[declaration.name],
            path: declaration.fileName.flatMap { environment[$0] }, .environment, &problems)
        if fromEnvironment != .none { return fromEnvironment }
        let line = file[declaration.name]
        let fileLine = declaration.fileName.flatMap { file[$0] }
        return pick(
            declaration, value: line?.value, path: fileLine.map { relocate($0.value) },
            .file(line: (line ?? fileLine)?.number ?? 0), &problems)
    }

    private func pick(
        _ declaration: SettingDeclaration, value: String?, path: String?,
        _ origin: Settings.Origin, _ problems: inout [String]
    ) -> FoundValue {
        let value = value.flatMap { $0.isEmpty ? nil : $0 }
        guard let path, !path.isEmpty, let fileName = declaration.fileName else {
            return value.map { .word($0, origin) } ?? .none
        }
        guard value == nil else {
            problems.append(
                "\(declaration.name) and \(fileName) are both set\(location(origin)): "
                    + "expected one of them")
            return .unreadable
        }
        do {
            let text = try TextFile.read(path, limitBytes: 64 * 1024)
            let word = TextFile.withoutLastLineBreak(text)
            if !word.isEmpty { return .word(word, origin) }
            problems.append(
                "\(fileName) names the file \(quoted(path)), which is empty: "
                    + "expected \(declaration.expected)")
        } catch {
            // A text that names no file may be the secret itself.
            let file = error.isThere ? "the file \(quoted(path))" : "a file that does not exist"
            problems.append("\(fileName) names \(file)\(location(origin)): \(error)")
        }
        return .unreadable
    }

    private func missingCompanion(
        of declaration: SettingDeclaration, _ found: FoundValue, in file: [String: ConfigLine]
    ) -> [String] {
        guard case .neededWith(let other) = declaration.presence, found == .none else { return [] }
        let isGiven = [other, other + "_FILE"].contains {
            !(environment[$0] ?? "").isEmpty || !(file[$0]?.value ?? "").isEmpty
        }
        guard isGiven else { return [] }
        return [
            "\(declaration.name) is missing, but \(other) needs it: "
                + "expected \(declaration.expected)"
        ]
    }

    // MARK: - The file

    private func configLines(_ problems: inout [String]) -> [String: ConfigLine]? {
        guard let configPath else { return [:] }
        let config: ConfigFile
        do {
            config = ConfigFile(text: try TextFile.read(configPath, limitBytes: 1024 * 1024))
        } catch {
            problems.append("the configuration file \(quoted(configPath)): \(error)")
            return nil
        }
        problems += config.problems.map { "\(quoted(configPath)), \($0)" }
        let names = knownNames
        for (name, line) in config.lines.sorted(by: { $0.value.number < $1.value.number })
        where !names.contains(name) {
            problems.append(
                "\(quoted(configPath)), line \(line.number): \(quotedName(name)) is not a setting"
                    + suggestion(for: name, among: names))
        }
        return config.lines
    }

    private var knownNames: [String] {
        knownSettings.flatMap { [$0.name] + ($0.fileName.map { [$0] } ?? []) }
    }

    /// Resolves a path in the configuration file, which is relative to that file's folder.
    private func relocate(_ path: String) -> String {
        guard !path.hasPrefix("/"), !path.isEmpty, let configPath,
            let slash = configPath.lastIndex(of: "/")
        else { return path }
        return configPath[...slash] + path
    }

    private func show(_ declaration: SettingDeclaration, _ found: FoundValue) -> String {
        switch found {
        case .word(let word, let origin):
            let isHidden = declaration.isSecret || mayHoldSecret(word)
            let value = isHidden ? "(secret)" : word
            let location = origin == .environment ? " (environment)" : location(origin)
            return "\(declaration.name)=\(value)\(location)"
        case .none, .unreadable:
            if case .defaulted(let value) = declaration.presence {
                return "\(declaration.name)=\(value) (default)"
            }
            return "\(declaration.name) (not set)"
        }
    }

    private func showWithoutPaths(
        _ declaration: SettingDeclaration, _ found: FoundValue
    ) -> String {
        switch found {
        case .word where declaration.isPath: "\(declaration.name) (set)"
        case .word(let word, _): show(declaration, .word(word, .standard))
        case .none, .unreadable: show(declaration, found)
        }
    }

    private func unexpected(_ word: String, for declaration: SettingDeclaration) -> String {
        declaration.isSecret || declaration.mayHoldSecret || mayHoldSecret(word)
            ? "\(declaration.name) is invalid"
            : "\(declaration.name) can't be \(quoted(word))"
    }

    private func location(_ origin: Settings.Origin) -> String {
        guard case .file(let line) = origin, let configPath else { return "" }
        return " (\(quoted(configPath)), line \(line))"
    }
}
