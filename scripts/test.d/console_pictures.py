"""Takes the README's pictures of the operators' console: the overview, and a family.

usage: console_pictures.py FOLDER LINK

  FOLDER   the folder for the pictures
  LINK     a one-time link of an operator
"""

import sys
import tempfile
from urllib.parse import urlsplit

from browser import Browser, Window

HEIGHT = 900


def main():
    folder, link = sys.argv[1:]
    place = urlsplit(link)

    def store(name):
        with open(f"{folder}/{name}.webp", "wb") as file:
            file.write(window.portrait(HEIGHT, "desktop"))

    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        window = Window(browser, "desktop", "light", "en", False, False)
        window.open(link)
        window.press("main button[type=submit]")
        window.open(f"{place.scheme}://{place.netloc}/")
        store("console-overview")
        window.open(f"{place.scheme}://{place.netloc}/families?list=oldest")
        window.press("main td a[href^='/families/']")
        store("console-family")
        browser.close()


if __name__ == "__main__": main()
