import Crypto
import Postgres
import Repositories

/// The entity tag of what a caller's own routes show: it changes with each version of the caller
/// and its families, and with what time alone changes.
///
/// It is coarse: a change elsewhere in the caller's families changes it too. So it is right for
/// every route that shows nothing else, and one statement reads it.
package enum ReadTag {
    /// What a tag is made of, and what a change can be held to.
    package struct View: Sendable {
        /// Who sees what, in which versions.
        package let text: String
        /// The versions behind their ids.
        package let versions: String
    }

    /// - Returns: Nil for an anonymous caller.
    package static func viewing(by caller: Caller) -> Read<View?> {
        Read(by: caller) { batch in
            let view = batch.add(Changes.view)
            return { answers, subject in try Self.view(answers.first(view), subject) }
        }
    }

    /// - Parameter resource: What tells one resource from another: path and query.
    /// - Returns: The quoted tag; nil for an anonymous caller.
    package static func reading(by caller: Caller, of resource: String) -> Read<String?> {
        viewing(by: caller).map { $0.map { tag(of: resource, $0.text) } }
    }

    /// The quoted tag of a resource for who sees this.
    package static func tag(of resource: String, _ view: String) -> String {
        let digest = SHA256Digest(of: "\(resource)\n\(view)")
        return "\"\(Base64URL.text(Array(digest.bytes.prefix(15))))\""
    }

    fileprivate static func view(_ row: Scalar<String>?, _ subject: Subject) -> View? {
        guard let versions = row?.value, let user = subject.user else { return nil }
        return View(
            text: "\(user) \(subject.isActing)\n\(versions)", versions: "\(user) \(versions)")
    }
}

extension Batch {
    /// Gives what was changed its versions, and notes what the caller sees from then on, for the tag
    /// of the answer. What is read behind it is what the tag is of: until the commit nobody else
    /// changes it.
    mutating func settle(for caller: Caller) -> (Answers, Subject) throws -> Void {
        add(Changes.settle)
        let view = add(Changes.view)
        return { answers, subject in
            if let view = ReadTag.view(try answers.first(view), subject) {
                caller.trace?.note(view: view.text)
            }
        }
    }
}
