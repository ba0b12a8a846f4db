# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Small drawings as SVG: boxes, arrows, text and bars, readable on light and on dark pages.

A drawing on its own has both sets of colors and uses the one that the reader's system prefers; in
the book the page's colors replace them (assets/book.css names the same classes).
"""

from dataclasses import dataclass, field
from xml.sax.saxutils import escape

FONT = 13
LIGHT = {
    "ink": "#1c2733", "faint": "#5d6b79", "line": "#7b8996", "paper": "#f2f6f9", "first": "#1d6fa8",
    "second": "#b9c4ce", "third": "#b5541c",
}
DARK = {
    "ink": "#e4ebf1", "faint": "#a4b1bd", "line": "#7b8996", "paper": "#262b37", "first": "#5aa9dd",
    "second": "#5c6976", "third": "#f0a070",
}
RULES = (
    "text{{fill:{ink};font-family:sans-serif}}.faint{{fill:{faint}}}.box{{fill:{paper};stroke:{line}}}"
    ".strong{{stroke:{first}}}.line{{fill:none;stroke:{line}}}.head{{fill:{line}}}.first{{fill:{first}}}"
    ".second{{fill:{second}}}.third{{fill:{third}}}"
)


def number(value: float) -> str:
    """Formats a coordinate with one decimal."""
    return f"{value:.1f}".removesuffix(".0")


@dataclass
class Drawing:
    """A drawing of a width and a height, in pixels."""

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, text: str, anchor: str = "start", size: int = FONT, kind: str = "",
        bold: bool = False,
    ) -> None:
        """Adds text with its baseline at y."""
        weight = ' font-weight="bold"' if bold else ""
        style = f' class="{kind}"' if kind else ""
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" text-anchor="{anchor}"{weight}{style}>'
            f"{escape(text)}</text>"
        )

    def box(
        self, x: float, y: float, width: float, height: float, lines: list[str], strong: bool = False
    ) -> None:
        """Adds a box with centered lines of text; the first line is bold, the others are faint."""
        kind = "box strong" if strong else "box"
        self.parts.append(
            f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}" rx="5"/>'
        )
        middle = y + height / 2 - (len(lines) - 1) * 8 + 4.5
        for place, line in enumerate(lines):
            self.text(
                x + width / 2, middle + place * 16, line, "middle", FONT if place == 0 else 11,
                "" if place == 0 else "faint", bold=place == 0,
            )

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Adds a filled bar."""
        self.parts.append(
            f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}"/>'
        )

    def line(self, *points: tuple[float, float], dashed: bool = False) -> None:
        """Adds a line through points."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<polyline class="line" points="{path}" stroke-width="1.4"{dashes}/>')

    def arrow(self, *points: tuple[float, float]) -> None:
        """Adds an arrow through points. Its last segment must be horizontal or vertical."""
        self.line(*points)
        (x0, y0), (x, y) = points[-2:]
        across, along = ((0, 1), (1, 0)) if x != x0 else ((1, 0), (0, 1))
        sign = 1 if x + y > x0 + y0 else -1
        corners = [(x, y)] + [
            (x - 8 * sign * along[0] + side * across[0], y - 8 * sign * along[1] + side * across[1])
            for side in (-4, 4)
        ]
        path = " ".join(f"{number(a)},{number(b)}" for a, b in corners)
        self.parts.append(f'<polygon class="head" points="{path}"/>')

    def svg(self) -> str:
        """Returns the drawing as SVG."""
        style = RULES.format(**LIGHT) + "@media(prefers-color-scheme:dark){" + RULES.format(**DARK) + "}"
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        box = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>', f"<title>{escape(self.title)}</title>",
            f"<style>{style}</style>", *self.parts, "</svg>",
        ]
        return "\n".join(lines) + "\n"
