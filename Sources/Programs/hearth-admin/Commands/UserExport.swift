import CommandLine
import Configuration
import UseCases

/// `hearth-admin user export`: the copy of a person's data, for that person.
enum UserExport {
    private static let output = Parameter<String?>.option(
        "output", short: "o", "FILE", .file,
        "The file to write; default: standard output. It must not exist yet. Only you can read it, "
            + "and it appears when it is complete.")

    static let command = Command(
        "export", "Writes all data about an account as one JSON document, for its owner.",
        discussion: [
            "For a person who can't sign in, such as the owner of a blocked account. The document "
                + "is that of GET /api/me/export. It contains children's data and preferences, "
                + "which operators can't read otherwise, so the audit log records user.export "
                + "before anything is read, and the person's later exports show it."
        ],
        parameters: [Options.user, output]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let file = try values[output].map { try NewFile($0) }
        do {
            let document = try session.exportAccount(user.id) + [UInt8(ascii: "\n")]
            if let file {
                try file.write(document)
                try file.commit()
            } else if !Terminal.standardOutput.write(document) {
                throw WriteError("standard output", reason: Terminal.lostOutput)
            }
        } catch {
            // An incomplete document is useless.
            file?.discard()
            throw error
        }
        return ExitCode.success
    }
}
