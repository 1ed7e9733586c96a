import Testing

/// A statement of an app's document that concerns a server, with the check that the API meets it.
struct Requirement: Sendable {
    /// The section of the app's document.
    let section: String
    let statement: String
    let check: @Sendable () async throws -> Void
}

/// One statement of a section.
struct Needs: Sendable {
    let statement: String
    let check: @Sendable () async throws -> Void

    init(_ statement: String, check: @escaping @Sendable () async throws -> Void) {
        self.statement = statement
        self.check = check
    }
}

/// The statements of a section of an app's document.
struct Section: Sendable {
    let requirements: [Requirement]

    init(_ name: String, @StatementBuilder _ needs: () -> [Needs]) {
        requirements = needs().map {
            Requirement(section: name, statement: $0.statement, check: $0.check)
        }
    }
}

@resultBuilder
enum StatementBuilder {
    static func buildBlock(_ needs: Needs...) -> [Needs] { needs }
}

/// A demand of a document that no server can meet.
struct DeviceMatter: Sendable {
    let section, matter, reason: String

    init(_ section: String, _ matter: String, _ reason: String) {
        self.section = section
        self.matter = matter
        self.reason = reason
    }
}

/// A document that states an app's requirements.
struct AppDocument: Sendable {
    /// The app and its document.
    let name: String
    let requirements: [Requirement]
    let onTheDevice: [DeviceMatter]

    init(_ name: String, _ sections: [Section], onTheDevice: [DeviceMatter]) {
        self.name = name
        requirements = sections.flatMap(\.requirements)
        self.onTheDevice = onTheDevice
    }
}

/// A requirement together with its app.
struct AppRequirement: Sendable, CustomTestStringConvertible {
    let app: String
    let requirement: Requirement

    var testDescription: String {
        "\(app), \(requirement.section): \(requirement.statement)"
    }

    /// Whether the API does not meet the requirement yet.
    var isAwaited: Bool { AwaitedRequirements.names.contains(testDescription) }

    /// Makes the requests, checks the responses, and returns both as the table in docs shows them.
    func transcript() async throws -> [Transcript.Line] {
        let transcript = Transcript()
        try await Transcript.$current.withValue(transcript, operation: requirement.check)
        return transcript.lines
    }
}

extension AppDocument {
    var all: [AppRequirement] {
        requirements.map { AppRequirement(app: name, requirement: $0) }
    }
}
