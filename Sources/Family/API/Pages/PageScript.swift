/// The script of Hearth's pages, at `/pages.js`: passkeys, buttons that show a password, that copy,
/// share and print, forms that are sent once, questions in a dialog, and renewal of what others
/// have changed.
///
/// Pages are complete without it, except for passkeys.
enum PageScript {
    /// Maximum size in bytes.
    static let sizeLimit = 10_000

    static let source =
        [PasskeyScript.source, reveal, buttons, sending, questions, renewal].map { compact($0) }
        .joined(separator: "\n") + "\n"

    /// Returns a script without comments and indentation. The scripts must have no string literal
    /// that spans lines.
    private static func compact(_ script: String) -> String {
        script.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { !$0.hasPrefix("//") && !$0.isEmpty }.joined(separator: "\n")
    }

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

    /// Runs the buttons with `data-copy`, `data-share` and `data-print`. They are hidden in
    /// browsers without the function. The status element after a button then shows the text of
    /// `data-done`.
    private static let buttons = #"""
        const prepare = (root) => {
          const able = { copy: navigator.clipboard, share: navigator.share, print: true };
          for (const what in able) {
            for (const button of root.querySelectorAll(`[data-${what}]`)) {
              button.hidden = !able[what];
            }
          }
        };
        prepare(document);
        document.addEventListener("click", async (event) => {
          const button = event.target.closest("button");
          const { copy, share, print, title, done } = button ? button.dataset : {};
          try {
            if (copy) {
              await navigator.clipboard.writeText(copy);
              const status = button.parentElement.querySelector("[role=status]");
              status.textContent = done;
              setTimeout(() => { status.textContent = ""; }, 3000);
            } else if (share) {
              await navigator.share({ title, url: share });
            } else if (print !== undefined) {
              window.print();
            }
          } catch (error) {
            // Closing the list of apps is not an error.
            if (error.name !== "AbortError") { console.warn(error); }
          }
        });
        """#

    /// Shows that a form is being sent, and ignores further presses until the next page.
    private static let sending = #"""
        (() => {
          const rest = (form) => {
            delete form.dataset.sent;
            for (const one of form.querySelectorAll("[aria-busy]")) {
              one.removeAttribute("aria-busy");
            }
          };
          document.addEventListener("submit", (event) => {
            const form = event.target;
            if (event.defaultPrevented) { return; }
            if ("sent" in form.dataset) { event.preventDefault(); return; }
            form.dataset.sent = "";
            if (event.submitter) { event.submitter.setAttribute("aria-busy", "true"); }
            // A download leaves the page as it is.
            setTimeout(rest, 8000, form);
          });
          addEventListener("pageshow", () => {
            document.querySelectorAll("[data-sent]").forEach(rest);
          });
        })();
        """#

    /// Shows the questions behind links with `data-ask` in a dialog. Their forms are sent as if
    /// from a separate page.
    private static let questions = #"""
        const load = async (url) => {
          const answer = await fetch(url, { headers: { Accept: "text/html" } });
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          return { answer, main: page.querySelector("main"), title: page.title };
        };
        document.addEventListener("click", async (event) => {
          const link = event.target.closest("a");
          if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) { return; }
          const open = link.closest("dialog");
          if (open && link.closest(".back")) {
            event.preventDefault();
            open.close();
          } else if ("ask" in link.dataset && window.HTMLDialogElement) {
            event.preventDefault();
            try {
              const { answer, main } = await load(link.href);
              if (!answer.ok || answer.redirected) { throw new Error(answer.status); }
              const dialog = document.createElement("dialog");
              dialog.append(...main.querySelectorAll(":scope > :not(.emblem, footer)"));
              dialog.setAttribute("aria-label", dialog.querySelector("h1").textContent);
              const back = dialog.querySelector(".back a");
              if (back) { back.autofocus = true; }
              dialog.addEventListener("close", () => { dialog.remove(); link.focus(); });
              document.body.append(dialog);
              prepare(dialog);
              dialog.showModal();
            } catch (error) {
              location.href = link.href;
            }
          }
        });
        """#

    /// Renews the parts of a page, marked by `data-part`, when something has changed since
    /// `data-live`. A part that the person is using is renewed later.
    private static let renewal = #"""
        (() => {
          const main = document.querySelector("main[data-live]");
          if (!main || !window.EventSource) { return; }
          const address = new URL("family/live", document.currentScript.src);
          // The page of a refused form is at the form's address, which is not about its family.
          const page = main.dataset.page || location.href;
          let [known, wanted, isRunning, isBehind] = [main.dataset.live, null, false, false];

          const isTyped = (field) => {
            if (field.options) {
              const first = [...field.options].findIndex((one) => one.defaultSelected);
              return field.selectedIndex !== Math.max(0, first);
            }
            return field.checked !== field.defaultChecked || field.value !== field.defaultValue;
          };
          const isBusy = (part) => part.contains(document.activeElement)
            || part.querySelector("details[open]")
            || [...part.querySelectorAll("input, select, textarea")].some(isTyped);
          // Idempotency keys and statuses differ between renderings without a change of the data.
          const content = (part) => {
            const copy = part.cloneNode(true);
            copy.querySelectorAll("[name=key], [name=form_token]").forEach((one) => one.remove());
            copy.querySelectorAll("[role=status]").forEach((one) => one.replaceChildren());
            return copy.innerHTML;
          };

          const replace = (fresh) => {
            const parts = (root) => [...root.querySelectorAll(":scope > [data-part]")];
            const find = (root, part) =>
              parts(root).find((one) => one.dataset.part === part.dataset.part);
            const names = parts(fresh).map((part) => part.dataset.part);
            isBehind = false;
            prepare(fresh);
            let last = null;
            for (const part of parts(fresh)) {
              let old = find(main, part);
              if (!old) {
                last ? last.after(part) : main.prepend(part);
                old = part;
              } else if (content(old) !== content(part)) {
                if (isBusy(old)) {
                  isBehind = true;
                } else {
                  old.replaceWith(part);
                  old = part;
                }
              }
              last = old;
            }
            for (const old of parts(main)) {
              if (!names.includes(old.dataset.part) && !isBusy(old)) { old.remove(); }
            }
          };

          const renew = async () => {
            if (isRunning) { return; }
            isRunning = true;
            try {
              do {
                const asked = wanted;
                const { answer, main: fresh, title } = await load(page);
                if (answer.status >= 500) { break; }
                if (answer.redirected || !fresh.dataset.live) {
                  if (isBusy(main)) { break; }
                  // Another tab has signed out, which the sign-in page then says.
                  const { url } = answer;
                  const to = url.includes("/sign-in?") ? url + "&ended" : main.dataset.page;
                  to ? location.replace(to) : location.reload();
                  break;
                }
                replace(fresh);
                document.title = title;
                known = fresh.dataset.live;
                if (wanted === asked) { break; }
              } while (wanted !== known);
            } catch (error) {
              console.warn(error);
            } finally {
              isRunning = false;
            }
          };

          let [stream, timer, tries] = [null, 0, 0];
          const close = () => {
            clearTimeout(timer);
            if (stream) { stream.close(); }
            stream = null;
          };
          const open = () => {
            close();
            stream = new EventSource(address);
            stream.addEventListener("change", (event) => {
              tries = 0;
              wanted = event.data;
              if (wanted !== known) { renew(); }
            });
            // The account has too many streams. This page reconnects when it is shown again.
            stream.addEventListener("displaced", close);
            stream.addEventListener("expired", () => { close(); renew(); });
            stream.onerror = () => {
              close();
              const seconds = Math.min(60, 2 ** tries) * (0.5 + Math.random() / 2);
              tries += 1;
              timer = setTimeout(() => { if (tries > 2) { renew(); } open(); }, seconds * 1000);
            };
          };
          const show = () => {
            if (document.hidden) { close(); } else if (!stream) { tries = 0; open(); }
          };
          document.addEventListener("visibilitychange", show);
          addEventListener("pageshow", show);
          addEventListener("pagehide", close);
          for (const event of ["focusout", "toggle"]) {
            main.addEventListener(event, () => {
              if (isBehind) { setTimeout(renew); }
            }, true);
          }
        })();
        """#
}
