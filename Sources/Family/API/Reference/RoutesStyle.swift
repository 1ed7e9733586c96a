/// The style of the page that lists all routes: light and dark, on phones and desktops.
enum RoutesStyle {
    static let css = """
        :root {
          color-scheme: light dark;
          --ground: #f6f1ea; --card: #ffffff; --ink: #2a2420; --soft: #6b5f56;
          --line: #e6dcd0; --accent: #a63f17;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #17130f; --card: #221c17; --ink: #f3ebe2; --soft: #b8aa9c;
            --line: #3a3028; --accent: #f08a4b;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; max-width: 60rem; padding: 1.25rem;
          background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
          -webkit-text-size-adjust: 100%;
        }
        a { color: var(--accent); }
        code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        nav ul { display: flex; flex-wrap: wrap; gap: .5rem 1rem; padding: 0; list-style: none; }
        details {
          margin: .5rem 0; padding: .5rem .75rem;
          background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
        }
        summary { cursor: pointer; }
        summary b { display: inline-block; min-width: 4rem; color: var(--accent); }
        summary span { color: var(--soft); }
        table { width: 100%; margin: .75rem 0; border-collapse: collapse; }
        caption { font-weight: 600; text-align: left; }
        th, td {
          padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top;
          border-bottom: 1px solid var(--line);
        }
        h3 { margin: .75rem 0 0; font-size: 1rem; }
        pre {
          overflow-x: auto; margin: .25rem 0; padding: .75rem;
          background: var(--ground); border-radius: .5rem;
        }

        """
}
