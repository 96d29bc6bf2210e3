"""Pictures of the page's states, a sheet for each: three widths, light above dark.

python -m tests.support.page.pictures docs/page
"""

import base64
import sys
from pathlib import Path

from tests.support.page.browsing import Tab, browsing
from tests.support.page.scenes import SCENES, WITHOUT_MODEL, telling

WIDTHS, HIGH = (390, 768, 1280), 900
SCALE, QUALITY = 0.5, 60


def sheets(folder: Path) -> None:
    """Write a sheet of each state into a folder, as WebP."""
    folder.mkdir(parents=True, exist_ok=True)
    with telling() as url, telling(offline=True) as offline:
        for name in SCENES:
            taken = [taken_at(offline if name in WITHOUT_MODEL else url, name, width) for width in WIDTHS]
            rows = ["".join(f"<img src='data:image/png;base64,{one[at]}'>" for one in taken) for at in (0, 1)]
            (folder / f"{name}.webp").write_bytes(sheet_of(rows))


def taken_at(url: str, name: str, width: int) -> list[str]:
    """Return the pictures of a state at a width, light and dark, as PNG in base64."""
    with browsing() as tab:
        SCENES[name](tab, url, width)
        # A clock that runs would differ each time.
        tab.run("for (const one of document.querySelectorAll('.time')) one.style.visibility = 'hidden'")
        return [_picture(tab, scheme) for scheme in ("light", "dark")]


def _picture(tab: Tab, scheme: str) -> str:
    tab.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    return base64.b64encode(tab.picture()).decode()


def sheet_of(rows: list[str]) -> bytes:
    """Return rows of images, each half as large as it was, as one picture."""
    style = f"body {{ margin: 8px; background: #8886; }} img {{ zoom: {SCALE}; margin: 8px; }} div {{ display: flex; }}"
    with browsing() as tab:
        wide, high = round(SCALE * (sum(WIDTHS) + 48) + 16), round(SCALE * 2 * (HIGH + 16) + 16)
        tab.page.set_viewport_size({"width": wide, "height": high})
        tab.page.set_content(f"<style>{style}</style>{''.join(f'<div>{row}</div>' for row in rows)}")
        taken = tab.tell("Page.captureScreenshot", format="webp", quality=QUALITY)
        return base64.b64decode(taken["data"])


if __name__ == "__main__":
    sheets(Path(sys.argv[1]))
