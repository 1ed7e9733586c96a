import API

/// The script of the console, at `/console.js`: passkeys, and the key of the search.
///
/// Pages are complete without it, except for passkeys.
enum ConsoleScript {
    /// Maximum size in bytes.
    static let sizeLimit = 15_000

    static let source = [PasskeyScript.source, search].joined(separator: "\n") + "\n"

    /// Moves the focus to the search field on the key `/`, except while text is typed.
    private static let search = #"""
        document.addEventListener("keydown", (event) => {
          const field = document.getElementById("q");
          if (!field || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey
            || event.target.closest("input, select, textarea, [contenteditable]")) { return; }
          event.preventDefault();
          field.focus();
          field.select();
        });
        """#
}
