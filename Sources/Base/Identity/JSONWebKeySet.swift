import JSON

/// A set of public keys (RFC 7517 section 5): the usable keys, and why the others are not usable.
///
/// An unusable key does not affect the others, because issuers also publish keys for other uses and
/// of newer kinds. A document that is not a set, or has no usable key, is an error.
package struct JSONWebKeySet: Sendable {
    /// Why there are no keys, one sentence for each reason.
    package struct Mistakes: Error, Sendable, Equatable, CustomStringConvertible {
        package let sentences: [String]

        package var description: String { sentences.joined(separator: "\n") }
    }

    /// More keys than any issuer has.
    private static let keyLimit = 100

    /// At least one.
    package let keys: [NamedKey]
    /// In the order of the set.
    package let ignored: [IgnoredKey]

    package init(parsing bytes: [UInt8]) throws(Mistakes) {
        let elements = try Self.elements(bytes)
        var found = FoundKeys()
        for element in elements { found.add(element) }
        guard !found.keys.isEmpty else {
            throw Mistakes(
                sentences: ["`keys` has no key that can be used for RS256, ES256 or EdDSA"]
                    + found.ignored.map(\.description))
        }
        keys = found.keys
        ignored = found.ignored
    }

    /// A repeated name makes a key malformed (RFC 7517 section 4), not the document.
    private static func elements(_ bytes: [UInt8]) throws(Mistakes) -> [JSONField] {
        let elements: [JSONField]
        do {
            let document = try JSONValue(parsing: bytes, keepsRepeatedMembers: true)
            if case .object(let object) = document, object.hasRepeatedName {
                throw Mistakes(sentences: ["The document has two members of the same name"])
            }
            elements = try JSONField(document)["keys"].elements()
        } catch let mistakes as Mistakes {
            throw mistakes
        } catch {
            throw Mistakes(sentences: ["\(error)"])
        }
        guard elements.count <= keyLimit else {
            throw Mistakes(sentences: ["`keys` has more than \(keyLimit) elements"])
        }
        return elements
    }
}

/// A key of a set that is not used.
package struct IgnoredKey: Error, Sendable, Equatable {
    /// Why it isn't, for metrics and logs.
    package enum Reason: String, Sendable, CaseIterable {
        /// For something that isn't done here: another type, curve, algorithm or use.
        case unsuitable
        /// A member is missing, twice there, or of the wrong type or form.
        case malformed
        /// Its numbers make no key, or a weak one.
        case unsound
        /// It holds its private part, so whoever reads the set could sign.
        case isPrivate = "private"
        /// It is in the set already, or the set already has as many keys of its name as tokens are
        /// tried with.
        case duplicate
    }

    package let reason: Reason
    /// Which key it is and what is wrong with it, without a full stop.
    package let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

extension IgnoredKey: CustomStringConvertible, CustomDebugStringConvertible {
    package var debugDescription: String { description }
}
