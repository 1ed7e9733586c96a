/// The common form of Hearth's messages: paragraphs, maybe a button, a last line in small print.
struct MailTemplate {
    let subject: String
    let paragraphs: [String]
    var link: (label: String, url: String)?
    let smallPrint: String

    /// Both forms of the message. Everything is plain text here, and escaped on the way to HTML.
    var content: MailContent {
        var text = paragraphs.joined(separator: "\n\n") + "\n\n"
        if let link { text += "\(link.label):\n\(link.url)\n\n" }
        text += "-- \n\(smallPrint)\n"
        return MailContent(subject: subject, text: text, html: html)
    }

    private var html: String {
        let body = paragraphs.map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n")
        var action = ""
        if let link {
            let url = Self.escaped(link.url)
            action = """

                <p><a class="b" href="\(url)">\(Self.escaped(link.label))</a></p>
                <p class="s">\(url)</p>
                """
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.escaped(subject))</title>
            <style>
            body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:2em auto;padding:0 1em}
            .b{display:inline-block;padding:.6em 1.2em;border-radius:.5em;background:#8a3b12;
            color:#fff;text-decoration:none}
            .s{font-size:13px;opacity:.75;overflow-wrap:anywhere}
            </style></head><body>
            \(body)\(action)
            <p class="s">\(Self.escaped(smallPrint))</p>
            </body></html>

            """
    }

    /// Text as HTML shows it, in content and in quoted attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
