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
    /// paused, or somebody is typing in it. What fails is repeated after a pause, which grows.
    private static let renewal = #"""
        const followed = document.querySelector("[data-live]");
        const renewalButton = document.getElementById("renewal");
        const renewalState = document.getElementById("renewal-state");
        if (followed && renewalButton && window.EventSource) {
          const shortest = 5;
          const longest = 60;
          let stream = null;
          let isOpen = false;
          let isLost = false;
          let isFresh = true;
          let isPaused = sessionStorage.getItem("renewal") === "paused";
          let isBusy = false;
          let isDue = false;
          let timer = 0;
          let pause = shortest;
          const controls = () => [...followed.querySelectorAll("a, button, summary, [tabindex]")];
          const isTyping = () => {
            const active = document.activeElement;
            return followed.contains(active) && active.matches("input, select, textarea");
          };
          const show = () => {
            renewalButton.hidden = false;
            renewalButton.textContent =
              isPaused ? "Start automatic refresh" : "Stop automatic refresh";
            renewalState.textContent = isLost && !isPaused ? "Not refreshed" : "";
          };
          const goOn = () => {
            connect();
            if (isDue) { renew(); }
          };
          const retry = () => {
            isLost = true;
            if (!timer) {
              timer = setTimeout(() => { timer = 0; goOn(); show(); }, pause * 1000);
              pause = Math.min(pause * 2, longest);
            }
            show();
          };
          const renew = async () => {
            isDue = true;
            if (isBusy || timer || isPaused || document.hidden || isTyping()) { return; }
            isBusy = true;
            isDue = false;
            let isRenewed = false;
            try {
              const reply = await fetch(location.href, { redirect: "error" });
              const page = new DOMParser().parseFromString(await reply.text(), "text/html");
              const fresh = page.querySelector("[data-live]");
              if (isTyping()) {
                isDue = true;
                isRenewed = true;
              } else if (reply.ok && fresh) {
                const focused = controls().indexOf(document.activeElement);
                const open = [...followed.querySelectorAll("details")].map((one) => one.open);
                followed.replaceChildren(...fresh.childNodes);
                followed.querySelectorAll("details").forEach((one, index) => {
                  one.open = Boolean(open[index]);
                });
                if (focused >= 0) { controls()[focused]?.focus({ preventScroll: true }); }
                isRenewed = true;
              }
            } catch { isRenewed = false; }
            isBusy = false;
            if (!isRenewed) {
              isDue = true;
              retry();
            } else {
              if (isOpen) {
                isLost = false;
                pause = shortest;
                show();
              }
              if (isDue) { renew(); }
            }
          };
          const connect = () => {
            if (stream || isPaused || document.hidden) { return; }
            stream = new EventSource("/live?part=" + followed.dataset.live);
            stream.addEventListener("open", () => {
              isOpen = true;
              isLost = Boolean(timer);
              isDue = isDue || !isFresh;
              isFresh = false;
              show();
              goOn();
            });
            stream.addEventListener("error", () => {
              isOpen = isFresh = false;
              isLost = isDue = true;
              if (stream?.readyState === EventSource.CLOSED) {
                stream = null;
                retry();
              }
              show();
            });
            stream.addEventListener("change", () => { renew(); });
            stream.addEventListener("ended", () => { location.reload(); });
          };
          const disconnect = () => {
            stream?.close();
            stream = null;
            isOpen = isFresh = false;
            isDue = true;
          };
          renewalButton.addEventListener("click", () => {
            isPaused = !isPaused;
            sessionStorage.setItem("renewal", isPaused ? "paused" : "");
            if (isPaused) { disconnect(); } else { goOn(); }
            show();
          });
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) { disconnect(); } else { goOn(); }
          });
          followed.addEventListener("focusout", () => {
            setTimeout(() => { if (isDue && !isTyping()) { renew(); } });
          });
          addEventListener("pagehide", disconnect);
          addEventListener("pageshow", () => { goOn(); });
          connect();
          show();
        }
        """#
}
