"""Pictures and checks of pages, on each screen, light and dark."""

from urllib.parse import urlsplit

from browser import SCHEMES, SCREENS

# The rules of axe-core that depend on colours. The others find the same in light and dark.
COLOURS = ["color-contrast", "link-in-text-block"]


class Looks:
    """Takes a picture of each page, and notes what is wrong with it.

    alone: A selector of links that stand alone, which must be large enough to be touched.
    """

    def __init__(self, folder, axe, alone=""):
        self.folder, self.alone, self.axe = folder, alone, ""
        if axe:
            with open(axe, encoding="utf-8") as file:
                self.axe = file.read()
        # Number of looks that axe-core did not check, and the paths of all pages that were seen.
        self.unchecked, self.paths = 0, set()

    def look(self, window, name, what):
        """The faults of the page in a window, which must have scripts. Pictures begin with the
        name."""
        self.paths.add(urlsplit(window.url).path)
        faults = []
        if self.axe:
            window.value(self.axe + "; 0")
        for screen in SCREENS:
            for scheme in SCHEMES:
                window.look(screen, scheme)
                with open(f"{self.folder}/{name}-{screen}-{scheme}.png", "wb") as file:
                    file.write(window.picture())
                found = self._faults(window, scheme)
                faults += [f"{what}, {screen}, {scheme}: {fault}" for fault in found]
        return faults

    def _faults(self, window, scheme):
        faults = []
        if window.value("document.documentElement.scrollWidth > innerWidth"):
            faults.append("can be scrolled sideways")
        small = self.alone and window.value(
            f"[...document.querySelectorAll({self.alone!r})]"
            ".filter(a => a.getClientRects().length && "
            "a.getBoundingClientRect().height < 43.9).map(a => a.outerHTML).join(' | ')")
        if small:
            faults.append(f"too small to be touched: {small}")
        if not self.axe:
            self.unchecked += 1
            return faults
        rules = "" if scheme == SCHEMES[0] else f", runOnly: {COLOURS}"
        # Closed parts are opened, so that they are checked as well. If they stayed closed, axe-core
        # would take their positions on an earlier screen for the background of what is there now.
        window.value("folded = [...document.querySelectorAll('details:not([open])')];"
                     "folded.forEach(d => { d.open = true; }); 0")
        found = window.value(
            f"axe.run(document, {{resultTypes: ['violations']{rules}}}).then(r => r.violations.map("
            # HTML has the token webauthn, which axe-core does not know yet.
            "v => [v.id, v.nodes.map(n => n.html + ': ' + n.any.map(c => c.message).join(' '))"
            ".filter(h => v.id != 'autocomplete-valid'"
            " || !h.includes('autocomplete=\"username webauthn\"'))])"
            ".filter(v => v[1].length).map(v => v[0] + ': ' + v[1].join(' | ')))",
            waits=True)
        window.value("folded.forEach(d => { d.open = false; }); 0")
        return faults + [f"axe-core: {finding}" for finding in found]
