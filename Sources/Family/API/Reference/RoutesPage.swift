import HTTPServer
import JSON
import Basics

/// The page that lists all routes, generated from their declarations. It has no script.
struct RoutesPage {
    private let table: [Endpoint]
    private let examples: ExampleMaker

    /// Returns the page of these routes.
    static func text(of table: [Endpoint]) -> String {
        RoutesPage(
            table: table,
            examples: ExampleMaker(components: APIDescription.schemas(of: table))
        ).page.text
    }

    private var page: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Hearth: routes</title>
        <link rel="stylesheet" href="docs.css">
        </head>
        <body>
        <header>
        <h1>Hearth&rsquo;s routes</h1>
        <p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        <nav aria-label="Groups of routes"><ul>
        \(join(groups) { tag, _ in
            "<li><a href=\"#\(anchor(tag))\">\(tag.rawValue)</a></li>\n"
        })</ul></nav>
        </header>
        <main>
        \(join(groups, section))</main>
        </body>
        </html>

        """
    }

    private var groups: [(Tag, [Endpoint])] {
        Tag.allCases.map { tag in (tag, table.filter { Tag.of($0) == tag }) }
            .filter { !$0.1.isEmpty }
    }

    private func anchor(_ tag: Tag) -> String {
        tag.rawValue.lowercased().replacing(" ", with: "-")
    }

    private func section(_ tag: Tag, _ endpoints: [Endpoint]) -> HTML {
        """
        <section id="\(anchor(tag))">
        <h2>\(tag.rawValue)</h2>
        <p>\(prose(tag.help))</p>
        \(join(endpoints, route))</section>

        """
    }

    private func route(_ endpoint: Endpoint) -> HTML {
        let operation = endpoint.operation
        return """
            <details id="\(operation.name)">
            <summary><b>\(endpoint.method.name)</b> <code>\(endpoint.pathTemplate)</code>
            <span>\(prose(operation.summary))</span></summary>
            <p>\(endpoint.needsKey
                ? "Needs an API key."
                : endpoint.needsCaller ? "Needs a token." : "Open to everybody.")</p>
            \(inputs(of: endpoint))\(responses(of: endpoint))\(problems(of: endpoint))</details>

            """
    }

    private func inputs(of endpoint: Endpoint) -> HTML {
        let inputs = endpoint.operation.inputs.map(\.declaration)
        if inputs.isEmpty { return "" }
        return """
            <table><caption>Request</caption>
            <tr><th>Field</th><th>In</th><th>Meaning</th></tr>
            \(join(inputs) { input in
                """
                <tr><td><code>\(input.name)</code></td>\
                <td>\(input.location.rawValue)\(input.isRequired ? "" : ", optional")</td>\
                <td>\(prose(input.explanation))</td></tr>

                """
            })</table>

            """
    }

    private func responses(of endpoint: Endpoint) -> HTML {
        join(endpoint.operation.responses) { answer in
            """
            <h3>\("\(answer.status)") <small>\(answer.mediaType)</small></h3>
            <p>\(prose(answer.help))</p>
            \(example(of: answer))
            """
        }
    }

    private func example(of answer: DeclaredResponse) -> HTML {
        guard answer.mediaType.hasSuffix("json") else { return "" }
        var json = JSONWriter(.pretty)
        json.element(answer.example ?? examples.example(of: answer.schema.value))
        return "<pre>\(String(decoding: json.bytes, as: UTF8.self))</pre>\n"
    }

    private func problems(of endpoint: Endpoint) -> HTML {
        """
        <table><caption>Problems</caption>
        <tr><th>Status</th><th>Code</th><th>What to do</th></tr>
        \(join(endpoint.problems.sorted { $0.status < $1.status }) { code in
            """
            <tr><td>\("\(code.status)")</td><td><code>\(code.rawValue)</code></td>\
            <td>\(prose(code.advice))</td></tr>

            """
        })</table>

        """
    }

    /// Formats a sentence in which words between backquotes are code.
    private func prose(_ text: String) -> HTML {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        return join(Array(parts)) { index, part in
            index % 2 == 1 ? "<code>\(String(part))</code>" : "\(String(part))"
        }
    }

    private func join<Element>(_ elements: [Element], _ body: (Element) -> HTML) -> HTML {
        HTML(markup: elements.map { body($0).text }.joined())
    }
}
