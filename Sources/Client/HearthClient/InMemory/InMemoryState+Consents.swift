import DomainCore
import Foundation
import Policy

extension InMemoryHearth {
    /// A purpose of consent, as an operator of a real server describes it in
    /// `HEARTH_CONSENTS_FILE`.
    public struct ConsentPurpose: Sendable, Hashable, Codable {
        /// Name of the purpose.
        public let name: String
        /// Version of the text. Consent is given to one version.
        public let version: String
        /// Whether a child's preferences can be written only with this consent; for a purpose of
        /// accounts, whether accounts are asked for this consent.
        public let isRequired: Bool
        /// Whether accounts give it for themselves, rather than guardians for children.
        public let isForAccounts: Bool
        /// Title to show.
        public let title: String
        /// Text to show.
        public let text: String

        /// Creates a purpose.
        public init(
            _ name: String, version: String = "1", isRequired: Bool = false,
            isForAccounts: Bool = false, title: String, text: String
        ) {
            self.name = name
            self.version = version
            self.isRequired = isRequired
            self.isForAccounts = isForAccounts
            self.title = title
            self.text = text
        }
    }
}

/// A consent that is in force in memory.
struct InMemoryConsent {
    let purpose: String
    let version: String
    /// The child or the account that it is for.
    let subject: String
    let giver: String
    let givenAt: Date
}

extension InMemoryState {
    private typealias Purpose = InMemoryHearth.ConsentPurpose

    /// Serves the routes of a child's consents.
    mutating func consents(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Response {
        let isRead = call.request.method == "GET"
        let child = members[try child(call, path[0], for: isRead ? .consentRead : .consentGive)]
        let asked = purposes.filter { !$0.isForAccounts }
        guard path.count == 3 else {
            if !isRead { throw InMemoryRefusal(.notFound) }
            return (200, ["consents": .array(asked.map { shown($0, child.user) })])
        }
        let purpose = try purpose(path[2], of: asked)
        switch call.request.method {
        case "PUT":
            guard call.text("method") == "signed_in" else { throw InMemoryRefusal(.invalidField) }
            try give(purpose, call, for: child.user)
        case "DELETE": withdraw(purpose, for: child.user)
        default: break
        }
        return (200, shown(purpose, child.user))
    }

    /// Serves the routes of an account's consents for itself.
    mutating func ownConsents(
        _ call: InMemoryCall, _ name: String?
    ) throws(InMemoryRefusal) -> Response {
        try facts(call).require(.accountManage)
        let asked = purposes.filter(\.isForAccounts)
        guard let name else {
            return (200, ["consents": .array(asked.map { shown($0, call.user) })])
        }
        let purpose = try purpose(name, of: asked)
        switch call.request.method {
        case "PUT": try give(purpose, call, for: call.user)
        case "DELETE": withdraw(purpose, for: call.user)
        default: throw InMemoryRefusal(.notFound)
        }
        return (200, shown(purpose, call.user))
    }

    /// Consents that an account is asked for and has not given, as part of its profile.
    func missingConsents(of user: InMemoryUser) -> [JSONValue] {
        if user.isManaged { return [] }
        return purposes.filter { $0.isForAccounts && $0.isRequired && !isGiven($0, user.id) }
            .map { ["purpose": .string($0.name), "version": .string($0.version)] }
    }

    /// Refuses to write a child's data as long as a required consent is missing.
    func requireConsents(for child: String) throws(InMemoryRefusal) {
        guard users[child]?.isManaged == true else { return }
        for purpose in purposes where purpose.isRequired && !purpose.isForAccounts {
            if !isGiven(purpose, child) { throw InMemoryRefusal(.consentRequired) }
        }
    }

    private func purpose(
        _ name: String, of asked: [Purpose]
    ) throws(InMemoryRefusal) -> Purpose {
        guard let purpose = asked.first(where: { $0.name == name }) else {
            throw InMemoryRefusal(.purposeNotFound)
        }
        return purpose
    }

    private mutating func give(
        _ purpose: Purpose, _ call: InMemoryCall, for subject: String
    ) throws(InMemoryRefusal) {
        guard let version = call.text("version") else { throw InMemoryRefusal(.missingField) }
        if version != purpose.version { throw InMemoryRefusal(.consentOutdated) }
        if isGiven(purpose, subject) { return }
        withdraw(purpose, for: subject)
        consents.append(
            InMemoryConsent(
                purpose: purpose.name, version: version, subject: subject, giver: call.user,
                givenAt: Date()))
    }

    private mutating func withdraw(_ purpose: Purpose, for subject: String) {
        consents.removeAll { $0.subject == subject && $0.purpose == purpose.name }
    }

    private func consent(_ purpose: Purpose, _ subject: String) -> InMemoryConsent? {
        consents.first { $0.subject == subject && $0.purpose == purpose.name }
    }

    private func isGiven(_ purpose: Purpose, _ subject: String) -> Bool {
        consent(purpose, subject)?.version == purpose.version
    }

    private func shown(_ purpose: Purpose, _ subject: String) -> JSONValue {
        let consent = consent(purpose, subject)
        let method: JSONValue = purpose.isForAccounts ? "self" : "signed_in"
        var value: [String: JSONValue] = [
            "purpose": .string(purpose.name), "given": .bool(isGiven(purpose, subject)),
            "version": consent.map { .string($0.version) } ?? .null,
            "givenAt": consent.map { .string(Timestamp.text($0.givenAt)) } ?? .null,
            "method": consent == nil ? .null : method,
            "currentVersion": .string(purpose.version), "required": .bool(purpose.isRequired),
            "title": [["language": "und", "text": .string(purpose.title)]],
            "text": [["language": "und", "text": .string(purpose.text)]],
        ]
        if purpose.isForAccounts {
            value["refuses"] = []
        } else {
            value["givenBy"] = consent.map { .string($0.giver) } ?? .null
        }
        return .object(value)
    }
}
