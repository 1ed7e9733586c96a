/// The style of the pages of families, in addition to that of all pages.
enum FamilyStyle {
    static let css = """
        h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
        .family-code code { font-size: clamp(1.625rem, 8vw, 2.25rem); }
        .code .shared-link { font-size: 1rem; letter-spacing: 0; }
        #code.typed-code {
          max-width: 16rem; text-transform: uppercase; letter-spacing: .08em;
        }
        .notice {
          margin: 1rem 0 0; padding: .75rem 1rem; border-radius: .75rem;
          border: 1px solid var(--edge); border-left: .375rem solid var(--accent);
        }
        .notice p { margin: 0; }
        .notice .inline { margin-top: .5rem; }
        .spoken {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap;
        }
        dialog {
          width: min(34rem, calc(100% - 2rem)); padding: 1.75rem 1.5rem;
          border: 1px solid var(--line); border-radius: 1.25rem; overflow-wrap: anywhere;
          background: var(--card); color: var(--ink); box-shadow: 0 12px 48px rgb(0 0 0 / 24%);
        }
        dialog::backdrop { background: rgb(0 0 0 / 45%); }
        .actions [role="status"] { align-self: center; margin: 0; }
        .actions [role="status"]:empty { display: none; }
        .typed-code::placeholder { color: var(--soft); opacity: 1; }
        .members { margin: .5rem 0 0; padding: 0; list-style: none; }
        .members > li {
          display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
          margin: 0; padding: .875rem 0; border-top: 1px solid var(--line);
        }
        .members > li > div:first-of-type { flex: 1 1 11rem; }
        .members p { margin: .125rem 0; }
        .avatar {
          flex: none; display: grid; place-items: center;
          width: 2.75rem; height: 2.75rem; border-radius: 50%; color: #ffffff; font-weight: 600;
        }
        .avatar svg { width: 100%; fill: currentColor; } .avatar .dark { fill: #1b1b1b; }
        .hue-0 { background: #9a3412; } .hue-1 { background: #1d5f8a; }
        .hue-2 { background: #2b6a33; } .hue-3 { background: #7a3b8f; }
        .hue-4 { background: #8a5a00; } .hue-5 { background: #a02356; }
        .portrait { display: flex; align-items: center; gap: .75rem; }
        .badge {
          display: inline-block; padding: .0625rem .5rem; border-radius: 1rem;
          border: 1px solid var(--edge); color: var(--soft); font-size: .8125rem;
        }
        .badge.you { border-color: var(--accent); color: var(--accent); font-weight: 600; }
        .badge.waits { border-style: dashed; color: var(--ink); }
        .badge.failed { border-color: var(--wrong); color: var(--wrong); }
        .actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .5rem; }
        .members .actions, .rows .actions { flex: 0 1 auto; min-width: 0; margin: 0; }
        section > .button + .button, section > form + .inline { margin-top: .75rem; }
        .actions .button, .actions button { width: auto; min-height: 2.75rem; }
        .start { margin-top: 1.25rem; }
        .lead + .button { margin-top: 1.25rem; }
        form + .member-links { margin-top: 2rem; }
        .empty { color: var(--soft); }
        .switcher { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
        .switcher .field { flex: 1 1 12rem; margin: 0; }
        .switcher button { width: auto; }
        .field select {
          display: block; width: 100%; min-height: 3rem; margin-top: .25rem; padding: .5rem .75rem;
          border: 1px solid var(--edge); border-radius: .75rem;
          background: var(--card); color: var(--ink); font: inherit;
        }
        .choice { min-height: 2.75rem; align-items: center; }
        .back a { display: inline-flex; align-items: center; min-height: 2.75rem; }
        .done p { margin: 0; }
        .done .hint, .done .code { font-weight: 400; }
        .done .inline { margin-top: .5rem; }
        .sheet-qr { width: min(100%, 16rem); margin: 1rem 0; }
        .sheet-qr svg { display: block; width: 100%; height: auto; }
        @media print {
          @page { margin: 2cm; }
          body { display: block; padding: 0; background: #ffffff; }
          main {
            max-width: none; padding: 0; border: 0; box-shadow: none;
            background: #ffffff; color: #000000;
          }
          .eyebrow, li::marker { color: #000000; }
          .family-code code {
            border: 2px solid #000000; background: #ffffff; color: #000000; font-size: 3rem;
          }
          .sheet-qr { width: 9cm; margin: 1cm 0; break-inside: avoid; }
          ol { padding-left: 1.5em; font-size: 1.25rem; }
          footer, .note, .actions, .emblem { display: none; }
        }

        """
}
