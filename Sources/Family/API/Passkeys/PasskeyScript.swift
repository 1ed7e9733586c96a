/// The script of pages with passkeys, at `/passkeys.js`.
///
/// A page marks its forms:
///
/// ```html
/// <form method="post" action="/sign-in/passkey" data-passkey="get" hidden>
///   <input type="hidden" name="credential">
///   <button>Sign in with a passkey</button>
///   <p data-passkey-failure hidden>That did not work.</p>
/// </form>
/// <script src="/passkeys.js" defer></script>
/// ```
///
/// `data-passkey` is `create` or `get`; `data-options` has the response of `POST
/// /api/auth/passkeys/options`. Without it, the script requests options to sign in, which needs
/// `connect-src 'self'`. If the browser supports passkeys, the form is shown; when it is sent, the
/// browser asks the person, and `credential` gets the JSON that `register` and `assert` take.
///
/// If the page has a field with `autocomplete="username webauthn"`, the browser offers passkeys
/// there as well, and the form `get` is sent when the person chooses one.
package enum PasskeyScript {
    package static let source = #"""
        // Runs the forms that are marked with data-passkey="create" or "get": asks the person,
        // writes the credential as JSON into the field "credential", and sends the form.
        // data-options has the response of POST api/auth/passkeys/options; without it, the script
        // requests options to sign in. Forms stay hidden until the browser is known to support
        // passkeys. An element with data-passkey-failure is shown after a failure. A field with
        // "webauthn" in its autocomplete attribute offers passkeys too, for the form with "get".
        "use strict";
        (() => {
          const optionsURL = new URL("api/auth/passkeys/options", document.currentScript.src);
          if (!window.PublicKeyCredential || !navigator.credentials) { return; }

          const bytes = (text) => Uint8Array.from(
            atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
          const text = (buffer) => btoa(
            Array.from(new Uint8Array(buffer), (one) => String.fromCharCode(one)).join(""))
            .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
          const listed = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

          const decoded = (options) => {
            const result = { ...options, challenge: bytes(options.challenge) };
            if (options.user) { result.user = { ...options.user, id: bytes(options.user.id) }; }
            for (const name of ["excludeCredentials", "allowCredentials"]) {
              if (options[name]) { result[name] = listed(options[name]); }
            }
            return result;
          };

          const encoded = (credential) => {
            const response = {};
            for (const name of ["clientDataJSON", "attestationObject", "authenticatorData",
              "signature", "userHandle"]) {
              if (credential.response[name]) { response[name] = text(credential.response[name]); }
            }
            if (credential.response.getTransports) {
              response.transports = credential.response.getTransports();
            }
            return { id: credential.id, rawId: text(credential.rawId), type: credential.type,
              response };
          };

          const options = async (form) => {
            if (form.dataset.options) { return JSON.parse(form.dataset.options); }
            const answer = await fetch(optionsURL, {
              method: "POST", headers: { "Content-Type": "application/json" },
              body: JSON.stringify({ purpose: "assert" }), credentials: "omit" });
            if (!answer.ok) { throw new Error(`options: ${answer.status}`); }
            return answer.json();
          };

          const send = (form, credential) => {
            form.elements.namedItem("credential").value = JSON.stringify(encoded(credential));
            form.submit();
          };

          // The request that waits until somebody chooses a passkey in the field.
          let offer = null;
          const withdraw = () => {
            if (offer) { offer.abort(); }
            offer = null;
          };

          const offerInField = async (form) => {
            if (!document.querySelector("input[autocomplete~=webauthn]")
              || !PublicKeyCredential.isConditionalMediationAvailable
              || !await PublicKeyCredential.isConditionalMediationAvailable()) { return; }
            withdraw();
            const mine = new AbortController();
            offer = mine;
            try {
              const answer = await options(form);
              // The challenge is renewed before it expires.
              const renewal = setTimeout(() => { if (offer === mine) { offerInField(form); } },
                (answer.expiresIn || 600) * 900);
              mine.signal.addEventListener("abort", () => clearTimeout(renewal));
              if (mine.signal.aborted) { return; }
              send(form, await navigator.credentials.get({ publicKey: decoded(answer.publicKey),
                mediation: "conditional", signal: mine.signal }));
            } catch (error) {
              if (!mine.signal.aborted) { console.warn(error); }
            }
          };

          const run = async (form) => {
            withdraw();
            const failure = form.querySelector("[data-passkey-failure]");
            const button = form.querySelector("button");
            if (failure) { failure.hidden = true; }
            if (button) { button.disabled = true; }
            try {
              const publicKey = decoded((await options(form)).publicKey);
              send(form, await navigator.credentials[form.dataset.passkey]({ publicKey }));
            } catch (error) {
              console.warn(error);
              if (failure) { failure.hidden = false; }
              if (button) { button.disabled = false; button.focus(); }
            }
          };

          for (const form of document.querySelectorAll("form[data-passkey]")) {
            form.hidden = false;
            form.addEventListener("submit", (event) => {
              event.preventDefault();
              run(form);
            });
            if (form.dataset.passkey === "get") { offerInField(form); }
          }
        })();
        """#
}
