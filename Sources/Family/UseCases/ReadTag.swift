import Crypto
package import Domain
import Postgres
import Repositories

/// The entity tag of a list. It changes with each version of the list's data, and with changes that
/// need only the passage of time, such as the expiry of a code. One statement reads it, so that it
/// costs little to learn that a copy is current.
package enum ReadTag {
    /// Returns a read that passes only the tag to `match`; its value is nil if the caller sees none
    /// of the data. For a caller who acts for nobody, one statement identifies the caller and reads
    /// the versions. The value is then also nil if the caller must be stored or refused; the full
    /// read does that.
    package static func comparing<Value>(
        by context: RequestContext, of resource: String, in family: FamilyID?,
        _ match: @escaping @Sendable (String) -> Value?
    ) -> Read<Value?> {
        let afterBeginning = { @Sendable (batch: inout Batch) in
            let read = add(resource, family, to: &batch)
            return { (results: BatchResults, subject: Subject) throws -> Value? in
                guard let tag = try read(results, subject) else { return nil }
                return match(tag)
            }
        }
        guard context.isBatchable else { return Read(by: context, afterBeginning) }
        return Read(
            by: context,
            finding: { batch, isShared in
                let find =
                    isShared
                    ? findBatched(context, resource, family, in: &batch)
                    : find(context, resource, family, in: &batch)
                return { results in
                    guard let tag = try find(results) else { return nil }
                    return match(tag)
                }
            }, afterBeginning)
    }

    /// Adds the statement of the tag to other reads.
    ///
    /// - Parameters:
    ///   - resource: Path and query, which identify the resource.
    ///   - family: The family whose version the tag contains, for a resource that shows nothing
    ///     else; nil for the versions of the caller and of all its families.
    /// - Returns: A closure that reads the quoted tag; nil if the caller sees none of the data.
    static func add(
        _ resource: String, _ family: FamilyID?, to batch: inout Batch
    ) -> (BatchResults, Subject) throws -> String? {
        if let family {
            let versions = batch.add(DatedVersion.ofFamily, family)
            return { results, subject in
                tag(of: resource, for: subject, family, try results.first(versions))
            }
        }
        let versions = batch.add(SeenVersions.mine)
        return { results, subject in
            try subject.user.flatMap { user in
                tag(of: resource, for: user, subject.isActing, try results.rows(versions))
            }
        }
    }

    /// Returns the quoted tag of one family's data at this version; nil if the caller can't see the
    /// family.
    static func tag(
        of resource: String, for subject: Subject, _ family: FamilyID, _ version: DatedVersion?
    ) -> String? {
        guard let user = subject.user, let version else { return nil }
        return tag(of: resource, for: user, subject.isActing, family, version)
    }

    private static func find(
        _ context: RequestContext, _ resource: String, _ family: FamilyID?, in batch: inout Batch
    ) -> (BatchResults) throws -> String? {
        let caller = context.caller
        guard let family else {
            let versions =
                if let session = caller.session {
                    batch.add(CallerVersions.bySession, session.id, session.account)
                } else {
                    batch.add(
                        CallerVersions.bySignIn, caller.issuer,
                        caller.subject, caller.email?.text,
                        caller.isEmailVerified, caller.fullName != nil)
                }
            return { results in
                let rows = try results.rows(versions)
                guard let user = rows.first?.user else { return nil }
                context.trace?.record(user: user)
                return tag(of: resource, for: user, false, rows.map(\.seen))
            }
        }
        let versions =
            if let session = caller.session {
                batch.add(CallerFamilyVersion.bySession, session.id, session.account, family)
            } else {
                batch.add(
                    CallerFamilyVersion.bySignIn, caller.issuer, caller.subject,
                    caller.email?.text, caller.isEmailVerified, caller.fullName != nil, family)
            }
        return { results in
            guard let row = try results.first(versions), let user = row.user,
                let version = row.version
            else { return nil }
            context.trace?.record(user: user)
            return tag(of: resource, for: user, false, family, version)
        }
    }

    /// Adds a statement like `find` that several callers share.
    private static func findBatched(
        _ context: RequestContext, _ resource: String, _ family: FamilyID?, in batch: inout Batch
    ) -> (BatchResults) throws -> String? {
        let caller = context.caller
        let versions =
            if let session = caller.session {
                batch.addShared(
                    CallerVersions.batched, nil, nil, nil, nil, nil, session.id, session.account,
                    family)
            } else {
                batch.addShared(
                    CallerVersions.batched, caller.issuer, caller.subject, caller.email?.text,
                    caller.isEmailVerified, caller.fullName != nil, nil, nil, family)
            }
        return { results in
            let rows = try results.rows(versions)
            guard let first = rows.first, let user = first.user else { return nil }
            guard let family else {
                context.trace?.record(user: user)
                return tag(of: resource, for: user, false, rows.map(\.seen))
            }
            guard let version = first.seen.family?.version else { return nil }
            context.trace?.record(user: user)
            return tag(of: resource, for: user, false, family, version)
        }
    }

    /// Reads the versions of the caller and its families, in the form in which a conditional change
    /// names them; nil for an anonymous caller.
    package static func versions(by context: RequestContext) -> Read<String?> {
        Read(by: context) { batch in
            let versions = batch.add(SeenVersions.mine)
            return { results, subject in
                let rows = try results.rows(versions)
                guard let user = subject.user, let own = rows.first?.own else { return nil }
                let families = rows.compactMap(\.family).compactMap { family in
                    family.version.map { " \(family.id) \($0.number)" }
                }
                return "\(user) \(own.number)" + families.joined()
            }
        }
    }

    private static func tag(
        of resource: String, for user: UserID, _ isActing: Bool, _ family: FamilyID,
        _ version: DatedVersion
    ) -> String {
        text(
            of: TagBytes.make(capacity: 64 + resource.utf8.count) { bytes in
                bytes.write(isActing ? 1 : 0 as UInt8)
                bytes.write(user.rawValue)
                bytes.write(family.rawValue)
                bytes.write(version)
                bytes.write(resource)
            })
    }

    private static func tag(
        of resource: String, for user: UserID, _ isActing: Bool, _ rows: [SeenVersions]
    ) -> String? {
        guard let own = rows.first?.own else { return nil }
        return text(
            of: TagBytes.make(capacity: 64 + 33 * rows.count + resource.utf8.count) { bytes in
                bytes.write(isActing ? 3 : 2 as UInt8)
                bytes.write(user.rawValue)
                bytes.write(own)
                bytes.write(Int32(rows.count))
                for row in rows.count > 1 ? inOrder(rows) : rows {
                    guard let family = row.family, let version = family.version else { continue }
                    bytes.write(family.id.rawValue)
                    bytes.write(version)
                    bytes.write(family.isCodeOver ? 1 : 0 as UInt8)
                }
                bytes.write(resource)
            })
    }

    private static func inOrder(_ rows: [SeenVersions]) -> [SeenVersions] {
        rows.sorted { ($0.family?.id.rawValue ?? 0) < ($1.family?.id.rawValue ?? 0) }
    }

    /// Returns the quoted tag for bytes that identify the data, the resource and the caller.
    package static func text(of bytes: [UInt8]) -> String {
        SHA256Digest(of: bytes).withBytes {
            Base64URL.quoted(UnsafeRawBufferPointer(rebasing: $0.prefix(15)))
        }
    }
}

/// The bytes that a tag is computed from. Parts have fixed lengths, or their length precedes them,
/// so that the bytes of different tags never coincide.
private struct TagBytes {
    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    /// - Parameter capacity: At least as many bytes as `body` writes.
    static func make(capacity: Int, _ body: (inout TagBytes) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var bytes = TagBytes(buffer: UnsafeMutableRawBufferPointer(buffer))
            body(&bytes)
            count = bytes.count
        }
    }

    private init(buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    mutating func write(_ version: DatedVersion) {
        write(version.number)
        write(version.raisedAt?.microseconds ?? .min)
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            buffer[count...].copyBytes(from: utf8)
            count += utf8.count
        }
    }

    mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        buffer.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }
}
