/// The script of Hearth's pages, at `/pages.js`: passkeys, and buttons that show a password.
///
/// Pages are complete without it, except for passkeys.
enum PageScript {
    static let source = PasskeyScript.source + "\n" + reveal + "\n"

    /// Runs the buttons with `data-reveal`, which names the field of a password.
    private static let reveal = #"""
        (() => {
          for (const button of document.querySelectorAll("button[data-reveal]")) {
            const field = document.getElementById(button.dataset.reveal);
            if (!field || !field.form) { continue; }
            const show = (isShown) => {
              field.type = isShown ? "text" : "password";
              button.setAttribute("aria-pressed", String(isShown));
            };
            button.hidden = false;
            button.addEventListener("click", () => show(field.type === "password"));
            // Browsers offer to store only what is in a field for passwords.
            field.form.addEventListener("submit", () => show(false));
          }
        })();
        """#
}
