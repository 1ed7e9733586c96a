/// The style of the join page: light and dark, on phones and desktops.
enum JoinStyle {
    static let css = """
        :root {
          color-scheme: light dark;
          --ground: #f6f1ea; --card: #ffffff; --ink: #2a2420; --soft: #6b5f56;
          --line: #e6dcd0; --accent: #b3471d; --house: #b3471d; --glow: #f7b24f;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #17130f; --card: #221c17; --ink: #f3ebe2; --soft: #b8aa9c;
            --line: #3a3028; --accent: #f08a4b; --house: #c4562a; --glow: #fbc465;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100vh; padding: 1.25rem;
          display: grid; place-items: center;
          background: var(--ground); color: var(--ink);
          font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
          -webkit-text-size-adjust: 100%;
        }
        main {
          width: 100%; max-width: 34rem; padding: 1.75rem 1.5rem;
          background: var(--card); border: 1px solid var(--line); border-radius: 1.25rem;
          box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 12px 32px rgb(0 0 0 / 8%);
          overflow-wrap: anywhere;
        }
        .emblem { display: block; width: 3.25rem; height: 3.25rem; margin: 0 0 1rem -.25rem; }
        .emblem .house { fill: var(--house); }
        .emblem .fire { fill: var(--glow); }
        .eyebrow {
          margin: 0; color: var(--accent);
          font-size: .8125rem; font-weight: 600; letter-spacing: .08em; text-transform: uppercase;
        }
        h1 { margin: .25rem 0 .5rem; font-size: 1.75rem; line-height: 1.2; text-wrap: balance; }
        h2 { margin: 1.75rem 0 .5rem; font-size: 1.0625rem; }
        .lead { margin: 0; font-size: 1.125rem; text-wrap: pretty; }
        ol { margin: 0; padding-left: 1.5rem; }
        li { padding-left: .25rem; margin: .5rem 0; text-wrap: pretty; }
        li::marker { color: var(--accent); font-weight: 600; }
        .note { margin: 1.25rem 0 0; color: var(--soft); font-size: .9375rem; text-wrap: pretty; }
        time { white-space: nowrap; }
        .code { margin: 1.25rem 0 0; }
        .code code {
          display: inline-block; padding: .5rem .9rem; border-radius: .75rem;
          border: 1px dashed var(--accent); user-select: all;
          font: 600 1.5rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
          letter-spacing: .06em;
        }
        aside { display: none; }
        @media (min-width: 48rem) {
          main { padding: 2.5rem; }
          aside {
            display: flex; align-items: center; gap: 1.25rem;
            margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--line);
            color: var(--soft);
          }
          aside p { margin: 0; }
          .qr {
            flex: none; width: 8rem; height: 8rem; overflow: hidden;
            border: 1px solid var(--line); border-radius: .75rem;
          }
          .qr svg { display: block; width: 100%; height: 100%; }
        }

        """
}
