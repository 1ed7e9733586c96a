/// State of the repeatable files in a database, and the files to apply.
package struct RepeatableState: Sendable {
    /// Reason for applying a file.
    package enum Reason: Sendable, Equatable {
        /// The file was never applied.
        case new
        /// The file's text changed.
        case edited
        /// Numbered files changed or dropped objects of the file.
        case outdated
        /// The file's definitions were recorded by another version of the server.
        case otherServer

        /// The reason in words for people.
        package var words: String {
            switch self {
            case .new: "new"
            case .edited: "edited"
            case .outdated: "changed by a numbered file"
            case .otherServer: "to be recorded again by this version of the server"
            }
        }
    }

    /// A file to apply, and the reason.
    package struct PendingFile: Sendable {
        /// The file.
        package let file: RepeatableFile
        /// The reason for applying the file.
        package let reason: Reason
    }

    /// The files, in the order in which they are applied.
    package let files: [RepeatableFile]
    /// The files to apply, in that order.
    package let due: [PendingFile]
    /// Objects that were changed or dropped by hand.
    package let altered: [RepeatableObject]
    /// Objects in the database that are no longer in a file, except those that a file still to be
    /// applied creates or drops.
    package let abandoned: [RepeatableObject]
    /// Files that created objects and have been deleted from the folder.
    let removedFiles: [String]
    let entries: [String: RepeatableLedger.Entry]
    let objects: [RepeatableObject]

    /// Whether `up` has to apply or record anything.
    package var isPending: Bool { !due.isEmpty || !removedFiles.isEmpty }

    /// Reads the state without changing anything.
    static func read(
        _ session: Session, _ folder: MigrationFolder
    ) throws(MigrationError) -> RepeatableState {
        let ledger = RepeatableLedger(session)
        let isThere = try ledger.exists()
        return RepeatableState(
            folder.repeatable?.files ?? [], isThere ? try ledger.entries() : [],
            isThere ? try ledger.objects() : [], serverVersion: session.connection.serverVersion)
    }

    init(
        _ files: [RepeatableFile], _ entries: [RepeatableLedger.Entry],
        _ objects: [RepeatableObject], serverVersion: Int
    ) {
        self.files = files
        self.objects = objects
        let byName = Dictionary(entries.map { ($0.name, $0) }) { first, _ in first }
        self.entries = byName
        let names = Set(files.map(\.name))
        let present = objects.filter { $0.file.map(names.contains) ?? false }
        removedFiles = Set(objects.compactMap(\.file)).subtracting(names).sorted()
        let differing = present.filter { $0.recorded != nil && !$0.isAsRecorded }
        altered = differing.filter { $0.serverVersion == serverVersion || $0.found == nil }
        due = files.compactMap { file in
            let made = present.filter { $0.file == file.name }
            guard let entry = byName[file.name] else {
                return PendingFile(file: file, reason: .new)
            }
            if entry.checksum != file.checksum.hex {
                return PendingFile(file: file, reason: .edited)
            }
            if made.contains(where: { $0.recorded == nil }) {
                return PendingFile(file: file, reason: .outdated)
            }
            let isReworded = differing.contains {
                $0.file == file.name && $0.serverVersion != serverVersion
            }
            return isReworded ? PendingFile(file: file, reason: .otherServer) : nil
        }
        let drops = due.flatMap { RepeatableDrop.all(in: $0.file.script).map(\.drop) }
        let moved = due.flatMap { RepeatableRules.created(by: $0.file.script).map(\.object) }
        abandoned = objects.filter { object in
            !(object.file.map(names.contains) ?? false) && object.found != nil
                && !moved.contains { $0.matches(object) }
                && !drops.contains { $0.mayDrop(object) }
        }
    }

    /// The changes that `up` would make, one per line.
    package var pendingLines: [String] {
        due.map { "\($0.file.path) (\($0.reason.words))" }
            + removedFiles.map { "\($0) (file deleted; its objects are reported)" }
    }

    /// Throws a list of everything in the files that is not allowed.
    func check(serverMajorVersion: Int?) throws(MigrationError) {
        let refusals = files.flatMap { $0.refusals(serverMajorVersion: serverMajorVersion) }
        if !refusals.isEmpty { throw .refused(refusals) }
    }

    /// The files whose objects were changed by hand.
    var alteredFiles: [RepeatableFile] {
        files.filter { file in altered.contains { $0.file == file.name } }
    }

    /// Returns differences that remain after applying a file again: privileges, an owner or a
    /// comment set by hand, which the file does not set.
    func remaining(of before: RepeatableState, in applied: [RepeatableFile]) -> [String] {
        before.altered.compactMap { old in
            let file = applied.first { $0.name == old.file }
            let now = objects.first { $0.kind == old.kind && $0.identity == old.identity }
            let isSameText = before.entries[old.file ?? ""]?.checksum == file?.checksum.hex
            guard let file, let now, isSameText, now.recorded != old.recorded else { return nil }
            return
                "\(file.path): \(old.identity) still differs in owner, rights or comment, which "
                + "the file does not set"
        }
    }

    /// Returns changes made by hand, with a diff; nil if there are none.
    ///
    /// - Parameter countsAbandoned: Whether objects that are no longer in a file also count as
    ///   drift.
    package func drift(countsAbandoned: Bool) -> MigrationError? {
        let paths = Dictionary(files.map { ($0.name, $0.path) }) { first, _ in first }
        var lines = altered.flatMap { object in
            let path = object.file.flatMap { paths[$0] } ?? ""
            guard let found = object.found, let recorded = object.recorded else {
                return ["\(path): \(object.identity) was dropped in the database, not by a file"]
            }
            return ["\(path): \(object.identity) was changed in the database, not by a file"]
                + RepeatableState.difference(from: recorded, to: found, path: path)
        }
        if !altered.isEmpty {
            lines.append(
                "Copy the change into the file, or run `hearth-migrate up --reapply` to restore "
                    + "the file's definition.")
        }
        var count = altered.count
        if countsAbandoned {
            count += abandoned.count
            lines += abandonedLines
        }
        guard count > 0 else { return nil }
        let headline = count == 1 ? "1 object differs" : "\(count) objects differ"
        return MigrationError(.drift, "\(headline) from the repeatable files", details: lines)
    }

    /// Objects that are no longer in a file, with advice.
    package var abandonedLines: [String] {
        abandoned.map { object in
            "\(object.identity) is in the database, but no longer in a repeatable file: once "
                + "no program uses it, drop it in one, `\(object.drop)`"
        }
    }

    private static func difference(from old: String, to new: String, path: String) -> [String] {
        guard let old = try? SourceText(old), let new = try? SourceText(new) else { return [] }
        return LineDiff(from: old, to: new)
            .unified(oldName: "\(path) as applied", newName: "the database now")
    }

    /// Objects that edited files no longer create, judging by their text: all files together create
    /// fewer objects of a name than before. Objects that moved to another file or that a file drops
    /// do not count.
    package var endingLines: [String] {
        let made = files.flatMap { RepeatableRules.created(by: $0.script).map(\.object) }
        let drops = due.flatMap { RepeatableDrop.all(in: $0.file.script).map(\.drop) }
        let known = objects.filter { object in
            object.found != nil && !drops.contains { $0.mayDrop(object) }
        }
        return due.filter { $0.reason == .edited }.flatMap { due -> [String] in
            let before = known.filter { $0.file == due.file.name }
            let names = Set(before.map(\.name))
            return names.sorted().flatMap { name -> [String] in
                let old = before.filter { $0.name == name }
                let count = made.count { made in old.first.map { made.matches($0) } ?? false }
                let oldCount = known.count { $0.name == name && $0.kind == old.first?.kind }
                if count >= oldCount { return [] }
                return old.map { object in
                    count == 0
                        ? "\(object.identity) is no longer in \(due.file.path), but stays in the "
                            + "database: once no program uses it, drop it in a repeatable file, "
                            + "`\(object.drop)`"
                        : "\(object.identity): of \(oldCount) with that name, \(count) are in the "
                            + "repeatable files now; the others stay in the database"
                }
            }
        }
    }
}

extension CreatedObject {
    /// Whether the created object may be this object of the ledger, judging by kind and name only.
    fileprivate func matches(_ object: RepeatableObject) -> Bool {
        kind == object.kind && object.mayHave(name)
    }
}
