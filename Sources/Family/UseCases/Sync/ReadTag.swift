import Crypto
package import Domain
import Postgres
import Repositories

/// The entity tag of a list: it changes with each version of what the list shows, and with what time
/// alone changes. One statement reads it, so that it costs little to learn that a copy is still
/// right.
package enum ReadTag {
    /// - Parameters:
    ///   - resource: What tells one resource from another: path and query.
    ///   - family: The one whose version counts, for a resource that shows nothing else; nil for
    ///     those of the caller and of all its families.
    /// - Returns: The quoted tag; nil for who sees none of it.
    package static func reading(
        by caller: Caller, of resource: String, in family: FamilyID?
    ) -> Read<String?> {
        Read(by: caller) { batch in
            let view = family.map { batch.add(Changes.viewOfFamily, $0) } ?? batch.add(Changes.view)
            return { answers, subject in
                guard let versions = try answers.first(view)?.value, let user = subject.user else {
                    return nil
                }
                return text(
                    of: Array("\(resource)\n\(user) \(subject.isActing)\n\(versions)".utf8))
            }
        }
    }

    /// The versions of the caller and its families, as a change can be held to them; nil for an
    /// anonymous caller.
    package static func versions(by caller: Caller) -> Read<String?> {
        Read(by: caller) { batch in
            let view = batch.add(Changes.view)
            return { answers, subject in
                guard let versions = try answers.first(view)?.value, let user = subject.user else {
                    return nil
                }
                return "\(user) \(versions)"
            }
        }
    }

    /// The quoted tag of bytes that tell what is shown, where and to whom.
    package static func text(of bytes: [UInt8]) -> String {
        "\"\(Base64URL.text(Array(SHA256Digest(of: bytes).bytes.prefix(15))))\""
    }
}
