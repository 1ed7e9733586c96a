/// The style of Hearth's pages: light and dark, on phones and desktops.
enum PageStyle {
    static let css = """
        :root {
          color-scheme: light dark;
          --ground: #f6f1ea; --card: #ffffff; --ink: #2a2420; --soft: #6b5f56;
          --line: #e6dcd0; --accent: #b3471d; --house: #b3471d; --glow: #f7b24f;
          --edge: #8d7f73; --press: #b3471d; --on-press: #ffffff; --wrong: #a3160f;
          --right: #2b6a33;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #17130f; --card: #221c17; --ink: #f3ebe2; --soft: #b8aa9c;
            --line: #3a3028; --accent: #f08a4b; --house: #c4562a; --glow: #fbc465;
            --edge: #8d7f73; --press: #f08a4b; --on-press: #22150c; --wrong: #ff9d8f;
            --right: #8fd19a;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100vh; padding: 1.25rem;
          display: grid; grid-template-columns: minmax(0, 1fr); place-items: center;
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
        .logo { width: auto; max-width: 100%; object-fit: contain; margin-left: 0; }
        .emblem .house { fill: var(--house); }
        .emblem .fire { fill: var(--glow); }
        .eyebrow {
          margin: 0; color: var(--accent);
          font-size: .8125rem; font-weight: 600; letter-spacing: .08em; text-transform: uppercase;
        }
        h1 { margin: .25rem 0 .5rem; font-size: 1.75rem; line-height: 1.2; text-wrap: balance; }
        h2 { margin: 1.75rem 0 .5rem; font-size: 1.0625rem; }
        h3 { margin: 1.5rem 0 .5rem; font-size: 1.0625rem; }
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
        a { color: var(--accent); }
        p { text-wrap: pretty; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        form { margin: 1.25rem 0 0; }
        .field { margin: 0 0 1rem; }
        label, legend { display: block; padding: 0; font-weight: 600; }
        fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; }
        .choice { display: flex; gap: .625rem; padding: .375rem 0; font-weight: 400; }
        .choice input { flex: none; width: 1.25rem; height: 1.25rem; accent-color: var(--press); }
        .choice > span { flex: 1; min-width: 0; }
        .choice .hint { display: block; margin: 0; }
        .choice + button, section + button { margin-top: .75rem; }
        .field input {
          display: block; width: 100%; min-height: 3rem; margin-top: .25rem; padding: .5rem .75rem;
          border: 1px solid var(--edge); border-radius: .75rem;
          background: var(--card); color: var(--ink); font: inherit;
        }
        .field [aria-invalid] { border-color: var(--wrong); border-width: 2px; }
        #code { font-size: 1.375rem; letter-spacing: .15em; max-width: 12rem; }
        button, .button {
          display: inline-flex; align-items: center; justify-content: center;
          width: 100%; min-height: 3rem; padding: .5rem 1.25rem;
          border: 1px solid var(--press); border-radius: .75rem;
          background: var(--press); color: var(--on-press);
          font: inherit; font-weight: 600; text-align: center; text-decoration: none;
          cursor: pointer;
        }
        button[aria-busy] { cursor: progress; }
        button[aria-busy]::after {
          content: ""; width: 1em; height: 1em; margin-left: .5em;
          border: 2px solid; border-right-color: transparent; border-radius: 50%;
          animation: turn 1s linear infinite;
        }
        @keyframes turn { to { rotate: 1turn; } }
        @media (prefers-reduced-motion) { button[aria-busy]::after { animation: none; } }
        .plain { background: transparent; border-color: var(--edge); color: var(--ink); }
        .danger { background: transparent; border-color: var(--wrong); color: var(--wrong); }
        .link {
          min-height: 2.75rem; padding: 0; border: 0; background: transparent;
          color: var(--accent); font-weight: 400; text-decoration: underline;
        }
        [hidden] { display: none; }
        .passkey { margin-top: .75rem; }
        #ways > .passkey { margin-top: 2rem; }
        [data-reveal] { width: auto; }
        .answer { display: grid; gap: .75rem; }
        .answer .field { margin: 0; }
        .inline { min-width: 0; max-width: 100%; margin: 0; }
        .inline button { width: auto; }
        .or {
          display: flex; align-items: center; gap: .75rem; margin: 1rem 0; color: var(--soft);
        }
        .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
        .hint { margin: .375rem 0 0; color: var(--soft); font-size: .9375rem; }
        .links, .stores, .rows { margin: 1rem 0 0; padding: 0; list-style: none; }
        .links li, .stores li { margin: 0; padding: 0; }
        .links a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        .stores { display: grid; gap: .5rem; }
        .rows > li {
          display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
          justify-content: space-between; margin: 0; padding: .75rem 0;
          border-top: 1px solid var(--line);
        }
        .rows > li > div { flex: 1 1 12rem; }
        .rows em {
          display: inline-block; color: var(--right); font-style: normal; font-weight: 600;
        }
        .rows .answer { flex: 1 1 16rem; grid-template-columns: 1fr 1fr; margin: 0; }
        .who {
          display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center;
          justify-content: space-between; margin-top: 1rem;
        }
        .who p { margin: .5rem 0; }
        .alert, .done {
          margin: 1rem 0 0; padding: .75rem 1rem; border-radius: .75rem;
          border: 1px solid currentColor; font-weight: 600;
        }
        .warning {
          margin: 1.25rem 0 0; padding: .75rem 1rem; border-radius: .75rem;
          border: 1px solid var(--wrong);
        }
        .warning p { margin: 0; }
        .warning ul { margin: .25rem 0 0; padding-left: 1.25rem; }
        .warning li a { display: inline-block; margin: 0 -.625rem; padding: .625rem; }
        .group { border-top: 1px solid var(--line); padding-top: 1.5rem; }
        .group > h2 { font-size: 1.3125rem; }
        .rows .plain { width: auto; }
        .alert + .lead, .done + .lead { margin-top: 1rem; }
        .alert { color: var(--wrong); }
        .done { color: var(--right); }
        section { margin-top: 2rem; }
        section h2 { margin: 0 0 .5rem; }
        details { margin-top: 1.25rem; border-top: 1px solid var(--line); }
        summary {
          display: flex; align-items: center; min-height: 3rem;
          color: var(--accent); font-weight: 600; cursor: pointer;
        }
        summary::before { content: "+"; width: 1.25rem; }
        details[open] > summary::before { content: "\u{2212}"; }
        .leads-back { margin: 1.5rem 0 0; }
        footer {
          margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line);
          color: var(--soft); font-size: .9375rem;
        }
        footer p { margin: 0; }
        footer ul {
          display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: .25rem 0 0; padding: 0;
          list-style: none;
        }
        footer li { margin: 0; padding: 0; }
        .note > a, .rows strong a, footer p a, footer li a {
          display: inline-flex; align-items: center; min-height: 2.75rem;
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
