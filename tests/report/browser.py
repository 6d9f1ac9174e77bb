"""A real browser without a screen, for what only a browser can tell of a page."""

import shutil
from contextlib import contextmanager

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium():
    """Chromium through playwright; the test is skipped where one of them is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is in the extra `test`")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """A page that is open in a browser, and what went wrong on the way."""

    def __init__(self, browser, path, width, scheme):
        self.said, self.asked = [], []
        self.page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()

    def get(self, script):
        return self.page.evaluate(script)
