import API

/// The script of the console, at `/console.js`: passkeys, the key of the search, and the renewal of
/// pages.
///
/// Pages are complete without it, except for passkeys.
enum ConsoleScript {
    /// Maximum size in bytes.
    static let sizeLimit = 15_000

    static let source = [PasskeyScript.source, search, renewal].joined(separator: "\n") + "\n"

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

    /// Renews the content of a page when its part of the console has changed, unless it is hidden,
    /// paused, or somebody is typing in it.
    private static let renewal = #"""
        const followed = document.querySelector("[data-live]");
        const renewalButton = document.getElementById("renewal");
        if (followed && renewalButton && window.EventSource) {
          const part = followed.dataset.live;
          let stream = null;
          let isPaused = sessionStorage.getItem("renewal") === "paused";
          let isBusy = false;
          let isDue = false;
          const controls = () => [...followed.querySelectorAll("a, button, summary, [tabindex]")];
          const renew = async () => {
            const active = document.activeElement;
            if (isBusy || followed.contains(active) && active.matches("input, select, textarea")) {
              isDue = true;
              return;
            }
            isBusy = true;
            isDue = false;
            try {
              const reply = await fetch(location.href, { redirect: "error" });
              const page = new DOMParser().parseFromString(await reply.text(), "text/html");
              const fresh = page.querySelector("[data-live]");
              if (reply.ok && fresh) {
                const focused = controls().indexOf(active);
                const open = [...followed.querySelectorAll("details")].map((one) => one.open);
                followed.replaceChildren(...fresh.childNodes);
                followed.querySelectorAll("details").forEach((one, index) => {
                  one.open = Boolean(open[index]);
                });
                if (focused >= 0) { controls()[focused]?.focus({ preventScroll: true }); }
              }
            } catch { isDue = true; }
            isBusy = false;
          };
          const connect = () => {
            if (stream || isPaused || document.hidden) { return; }
            stream = new EventSource("/live");
            stream.addEventListener("change", (event) => {
              if (event.data.split(" ").includes(part)) { renew(); }
            });
            stream.addEventListener("ended", () => { location.reload(); });
            if (isDue) { renew(); }
          };
          const disconnect = () => {
            stream?.close();
            stream = null;
          };
          const show = () => {
            renewalButton.hidden = false;
            renewalButton.textContent = isPaused ? "Resume renewal" : "Pause renewal";
          };
          renewalButton.addEventListener("click", () => {
            isPaused = !isPaused;
            sessionStorage.setItem("renewal", isPaused ? "paused" : "");
            show();
            if (isPaused) { disconnect(); } else { renew(); connect(); }
          });
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) { disconnect(); isDue = true; } else { connect(); }
          });
          addEventListener("pagehide", disconnect);
          show();
          connect();
        }
        """#
}
