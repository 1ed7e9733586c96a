import JSON

extension RepeatableState {
    /// Rows for the table of `status`: file, state, time, duration, remark.
    var rows: [[String]] {
        let paths = Dictionary(due.map { ($0.file.name, $0.reason.words) }) { first, _ in first }
        let changed = Set(altered.compactMap(\.file))
        return files.map { file in
            let entry = entries[file.name]
            let remark = [paths[file.name], changed.contains(file.name) ? "changed by hand" : nil]
            return [
                file.path, paths[file.name] == nil ? "applied" : "to be applied",
                entry?.appliedAt ?? "",
                (entry?.durationMilliseconds).map { ($0 / 1000).shortSeconds } ?? "",
                remark.compactMap { $0 }.joined(separator: ", "),
            ]
        } + removedFiles.map { [$0, "gone", entries[$0]?.appliedAt ?? "", "", ""] }
    }

    /// The state as JSON for programs.
    var json: JSONValue {
        let reasons = Dictionary(due.map { ($0.file.name, $0.reason) }) { first, _ in first }
        return [
            "files": .array(
                files.map { file in
                    let entry = entries[file.name]
                    let reason = reasons[file.name]
                    return [
                        "name": .string(file.name), "file": .string(file.path),
                        "checksum": .string(file.checksum.hex),
                        "state": .string(reason == nil ? "applied" : "pending"),
                        "reason": reason.map { .string("\($0)") } ?? .null,
                        "appliedChecksum": entry.map { .string($0.checksum) } ?? .null,
                        "appliedAt": entry.map { .string($0.appliedAt) } ?? .null,
                        "appliedBy": entry.map { .string($0.appliedBy) } ?? .null,
                        "durationMs": entry.map { .number($0.durationMilliseconds) } ?? .null,
                    ]
                }),
            "gone": .array(removedFiles.map { .string($0) }),
            "altered": .array(
                altered.map { object in
                    [
                        "object": .string(object.identity),
                        "file": object.file.map { .string($0) } ?? .null,
                        "found": .bool(object.found != nil),
                    ]
                }),
            "abandoned": .array(abandoned.map { .string($0.identity) }),
        ]
    }
}
