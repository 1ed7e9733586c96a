import Crypto
import Postgres
import Repositories

/// The entity tag of what a caller's own routes show: it changes with each version of the caller
/// and its families, and with what time alone changes.
///
/// It is coarse: a change elsewhere in the caller's families changes it too. So it is right for
/// every route that shows nothing else, and one statement reads it.
package enum ReadTag {
    /// - Parameter resource: What tells one resource from another: path and query.
    /// - Returns: The quoted tag; nil for an anonymous caller.
    package static func reading(by caller: Caller, of resource: String) -> Read<String?> {
        Read(by: caller) { batch in
            let view = batch.add(Changes.view)
            return { answers, subject in
                guard let view = try answers.first(view)?.value, let user = subject.user else {
                    return nil
                }
                let digest = SHA256Digest(of: "\(resource)\n\(user) \(subject.isActing)\n\(view)")
                return "\"\(Base64URL.text(Array(digest.bytes.prefix(15))))\""
            }
        }
    }
}
