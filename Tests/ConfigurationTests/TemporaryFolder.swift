import Glibc

/// A folder that is deleted with this object, at the end of its test.
final class TemporaryFolder {
    let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        // mkdtemp replaces the X by letters. The blank is deliberate: the tested code must handle
        // it.
        var template = Array("\(parent)/hearth service.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    struct Failure: Error {
        let code: Int32
    }

    /// Writes a file and returns its path.
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = path + "/" + name
        guard let stream = fopen(file, "w") else { throw Failure(code: errno) }
        defer { fclose(stream) }
        let all = Array(bytes)
        guard fwrite(all, 1, all.count, stream) == all.count else { throw Failure(code: errno) }
        return file
    }

    func write(_ name: String, _ text: String) throws -> String {
        try write(name, text.utf8)
    }

    deinit {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(path + "/" + name)
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
