import CommandLine
import Configuration
import Domain
import Glibc
import Mail
import UseCases

/// `hearth-admin mail texts`: writes Hearth's own texts of e-mails to files.
enum MailTextsCommand {
    static let command = Command(
        "texts", "Writes the texts of all e-mails to a folder, for HEARTH_MAIL_TEMPLATES.",
        discussion: [
            "The new folder has a folder for each language (en, es), with three files for each "
                + "e-mail: NAME.subject.txt, NAME.txt and NAME.html. Change the files that you "
                + "want, and remove the others: for a removed file, Hearth uses the text of its "
                + "own release.",
            "Placeholders such as {{family}} are filled in for each e-mail. The programs check the "
                + "folder when they start.",
        ],
        parameters: [folder]
    ) { values in
        let path = values[folder]
        try makeFolder(path)
        var count = 0
        for language in Language.allCases {
            try makeFolder("\(path)/\(language.rawValue)")
            for name in MailKind.allCases {
                for source in MailTexts.source(of: name, in: language) {
                    let target = "\(path)/\(language.rawValue)/\(source.file)"
                    let file = try NewFile(target)
                    try file.write(Array(source.text.utf8))
                    try file.commit()
                    // The programs that read the file may run as another user.
                    guard chmod(target, 0o644) == 0 else { throw WriteError(target, errno: errno) }
                    count += 1
                }
            }
        }
        values.output.done("wrote \(count) files to \(path)") {
            $0.member("folder", path)
            $0.member("files", count)
        }
        return ExitCode.success
    }

    private static let folder = Parameter<String>.argument(
        "FOLDER", .folder, "The folder. It must not exist yet.")

    private static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 else { throw WriteError(path, errno: errno) }
    }
}
