import Domain
import Basics

/// The common form of Hearth's messages: paragraphs, an optional code, an optional button, a last
/// line in small print.
struct MailTemplate {
    let subject: String
    let paragraphs: [String]
    /// Code to enter, on a line of its own; nil if there is none.
    var code: String?
    /// Paragraphs after the code.
    var afterCode: [String] = []
    var link: (label: String, url: String)?
    let smallPrint: String
    /// Sentence that names the sender and the recipient.
    var sender = ""
    /// Link to refuse further messages of this kind.
    var refusal: (label: String, url: String)?

    /// Returns the message as text and HTML. All parts are plain text, which is escaped in the
    /// HTML.
    ///
    /// - Parameters:
    ///   - language: The language of the texts.
    ///   - accent: The colour of the button; nil for Hearth's own.
    func content(in language: Language, accent: AccentColors? = nil) -> MailContent {
        let blocks = paragraphs + (code.map { ["    \($0)"] } ?? []) + afterCode
        var text = blocks.joined(separator: "\n\n") + "\n\n"
        if let link { text += "\(link.label):\n\(link.url)\n\n" }
        text += "-- \n\(smallPrint) \(sender)\n"
        if let refusal { text += "\(refusal.label): \(refusal.url)\n" }
        return MailContent(
            subject: subject, text: text, html: html(in: language, accent),
            unsubscribePage: refusal?.url)
    }

    private func html(in language: Language, _ accent: AccentColors?) -> String {
        let (light, dark) = (accent?.light.hex ?? "#b3471d", accent?.dark.hex ?? "#f08a4b")
        let blocks: [HTML] =
            paragraphs.map { "<p>\($0)</p>" } + (code.map { ["<p class=\"c\">\($0)</p>"] } ?? [])
            + afterCode.map { "<p>\($0)</p>" }
        let body = HTML(markup: blocks.map(\.text).joined(separator: "\n"))
        var action: HTML = ""
        if let link {
            action = """

                <p><a class="b" href="\(link.url)">\(link.label)</a></p>
                <p class="s">\(link.url)</p>
                """
        }
        var refusing: HTML = ""
        if let refusal {
            refusing = """

                <p class="s"><a href="\(refusal.url)">\(refusal.label)</a></p>
                """
        }
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(subject)</title>
            <style>
            body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:2em auto;padding:0 1em}
            .b{display:inline-block;padding:.75em 1.5em;border-radius:.75em;background:\(light);
            color:#fff;font-weight:600;text-decoration:none}
            .c{margin:1em 0;font:600 32px/1.25 ui-monospace,Menlo,Consolas,monospace;
            letter-spacing:.15em}
            @media (prefers-color-scheme:dark){.b{background:\(dark);color:#22150c} }
            .s{font-size:13px;opacity:.75;overflow-wrap:anywhere}
            </style></head><body>
            \(body)\(action)
            <p class="s">\(smallPrint) \(sender)</p>\(refusing)
            </body></html>

            """
        return page.text
    }
}
