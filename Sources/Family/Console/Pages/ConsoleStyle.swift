/// The style sheet of the console: light and dark, for desktops, usable on phones. Its colours are
/// those of the pages for families.
enum ConsoleStyle {
    static let css = """
        :root {
          color-scheme: light dark;
          --ground: #f6f1ea; --card: #ffffff; --ink: #2a2420; --soft: #6b5f56;
          --line: #e6dcd0; --accent: #b3471d; --edge: #8d7f73; --press: #b3471d;
          --on-press: #ffffff; --wrong: #a3160f; --right: #2b6a33; --tint: #fbf7f1;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #17130f; --card: #221c17; --ink: #f3ebe2; --soft: #b8aa9c;
            --line: #3a3028; --accent: #f08a4b; --edge: #8d7f73; --press: #f08a4b;
            --on-press: #22150c; --wrong: #ff9d8f; --right: #8fd19a; --tint: #1d1813;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
          font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
          display: grid; grid-template-columns: 13rem minmax(0, 1fr);
          -webkit-text-size-adjust: 100%;
        }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem; z-index: 1; }
        .rail {
          position: sticky; top: 0; height: 100vh; padding: 1.25rem 1rem; display: flex;
          flex-direction: column; gap: 1rem; background: var(--card);
          border-right: 1px solid var(--line);
        }
        .brand { display: flex; align-items: center; gap: .5rem; margin: 0; font-weight: 700; }
        .emblem { width: 2rem; height: 2rem; }
        .rail ul { list-style: none; margin: 0; padding: 0; }
        .rail nav a {
          display: block; padding: .5rem .75rem; border-radius: .5rem; color: var(--ink);
          text-decoration: none;
        }
        .rail nav a:hover { background: var(--tint); }
        .rail nav a[aria-current] {
          background: var(--tint); color: var(--accent); font-weight: 600;
        }
        .whoami { margin-top: auto; font-size: .875rem; }
        .whoami p { margin: 0 0 .25rem; }
        .name { overflow-wrap: anywhere; }
        .work { padding: 1rem 1.5rem 3rem; min-width: 0; }
        .search { display: flex; gap: .5rem; margin: 0 0 1.25rem; max-width: 40rem; }
        .search input { flex: 1; }
        .renewal { margin: 0 0 .5rem; text-align: right; font-size: .875rem; }
        .alone {
          grid-column: 1 / -1; place-self: center; width: min(34rem, 100% - 2rem); padding: 2rem;
          background: var(--card); border: 1px solid var(--line); border-radius: 1.25rem;
        }
        main:focus { outline: none; }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; overflow-wrap: anywhere; }
        h2 { margin: 2rem 0 .5rem; font-size: 1.0625rem; }
        h3 { margin: 1.25rem 0 .5rem; font-size: .9375rem; }
        a { color: var(--accent); }
        code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        pre {
          margin: 0; padding: .75rem; overflow-x: auto; background: var(--tint);
          border: 1px solid var(--line); border-radius: .5rem;
        }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .hidden {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
        }
        [hidden] { display: none; }
        .scroll {
          overflow-x: auto; border: 1px solid var(--line); border-radius: .75rem;
          /* A shadow at each side on which columns are out of sight: what scrolls covers it. */
          background:
            linear-gradient(90deg, var(--card) 40%, transparent) left / 2rem 100% no-repeat local,
            linear-gradient(270deg, var(--card) 40%, transparent) right / 2rem 100% no-repeat local,
            linear-gradient(90deg, var(--line), transparent) left / .75rem 100% no-repeat,
            linear-gradient(270deg, var(--line), transparent) right / .75rem 100% no-repeat,
            var(--card);
        }
        table { border-collapse: collapse; width: 100%; }
        th, td { padding: .5rem .75rem; text-align: left; vertical-align: top; }
        th { color: var(--soft); font-weight: 600; white-space: nowrap; }
        tbody tr { border-top: 1px solid var(--line); }
        tr:has(:target) { background: var(--tint); }
        td :target { scroll-margin-top: 4rem; }
        .long, .narrow { overflow-wrap: anywhere; }
        .narrow { min-width: 8rem; max-width: 14rem; }
        .wide { min-width: 18rem; }
        time { white-space: nowrap; font-variant-numeric: tabular-nums; }
        .facts {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .75rem;
          margin: 0; padding: 1rem; background: var(--card); border: 1px solid var(--line);
          border-radius: .75rem;
        }
        dt { color: var(--soft); font-size: .8125rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        .facts + details { margin-top: 1rem; }
        .badge {
          display: inline-block; padding: 0 .5rem; border: 1px solid var(--edge);
          border-radius: 1rem; font-size: .8125rem; white-space: nowrap;
        }
        .bad { border-color: var(--wrong); color: var(--wrong); font-weight: 600; }
        .good { border-color: var(--right); color: var(--right); }
        .empty, .hint { color: var(--soft); }
        .hint { margin: .25rem 0 0; font-size: .875rem; }
        .alert, .done {
          margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid currentColor;
          border-radius: .75rem; font-weight: 600;
        }
        .alert { color: var(--wrong); }
        .done { color: var(--right); }
        .actions {
          display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; padding: 0; list-style: none;
        }
        td .actions { margin: 0; }
        .menu summary {
          padding: .25rem 0; color: var(--accent); cursor: pointer; white-space: nowrap;
        }
        .menu .actions { margin-top: .5rem; }
        .troubles { margin: 0; padding: 0; list-style: none; }
        .troubles li {
          margin: 0 0 .5rem; padding: .75rem 1rem; background: var(--card);
          border: 1px solid var(--wrong); border-radius: .75rem;
        }
        button, .button {
          display: inline-flex; align-items: center; min-height: 2.25rem; padding: .25rem .875rem;
          border: 1px solid var(--press); border-radius: .5rem; background: var(--press);
          color: var(--on-press); font: inherit; font-weight: 600; text-decoration: none;
          cursor: pointer;
        }
        .plain { background: transparent; border-color: var(--edge); color: var(--ink); }
        .danger { background: transparent; border-color: var(--wrong); color: var(--wrong); }
        .link {
          min-height: 0; padding: 0; border: 0; background: transparent; color: var(--accent);
          font-weight: 400; text-decoration: underline;
        }
        form { margin: 0; }
        .question { max-width: 36rem; }
        .qr svg { display: block; width: 12rem; height: 12rem; }
        .actions a[aria-current] { font-weight: 700; }
        .field { margin: 0 0 1rem; }
        label { display: block; font-weight: 600; }
        .check { display: flex; gap: .5rem; font-weight: 400; }
        input, select, textarea {
          min-height: 2.25rem; padding: .25rem .625rem; border: 1px solid var(--edge);
          border-radius: .5rem; background: var(--card); color: var(--ink); font: inherit;
        }
        .field input, .field select, .field textarea { width: 100%; margin-top: .25rem; }
        .check input { width: 1.25rem; min-height: 1.25rem; margin: 0; accent-color: var(--press); }
        .filters {
          display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: 0 0 1rem;
        }
        .filters label { font-size: .8125rem; }
        .filters input { display: block; max-width: 15rem; }
        .plots {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1rem;
        }
        .plot {
          margin: 0; padding: 1rem; background: var(--card); border: 1px solid var(--line);
          border-radius: .75rem;
        }
        .plot figcaption { font-weight: 600; }
        .plot svg { display: block; width: 100%; height: 7rem; margin-top: .5rem; }
        .plot .bar { fill: var(--accent); }
        .plot .axis { stroke: var(--line); }
        .plot text { fill: var(--soft); font-size: 11px; }
        .plot summary { color: var(--accent); cursor: pointer; font-size: .875rem; }
        @media (max-width: 48rem) {
          body { display: block; }
          .rail { position: static; height: auto; }
          .rail ul { display: flex; flex-wrap: wrap; }
          .rail nav a, button, .button {
            min-height: 2.75rem; display: inline-flex; align-items: center;
          }
          .link, .whoami a { min-height: 2.75rem; display: inline-flex; align-items: center; }
          .whoami { margin-top: 0; }
          .work { padding: 1rem; }
        }

        """
}
