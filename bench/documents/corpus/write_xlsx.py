"""Runs in openpyxl's environment: writes tables into a workbook, a sheet for each."""

import json
import sys

from openpyxl import Workbook


def _is_number(value: str) -> bool:
    """Return whether it is written as the number is: a code such as 00042 is text."""
    return value.isascii() and value.isdigit() and str(int(value)) == value


told = json.load(sys.stdin)
book = Workbook()
book.remove(book.active)
for number, table in enumerate(told["tables"], start=1):
    sheet = book.create_sheet(f"Table {number}")
    for row in table:
        sheet.append([int(value) if _is_number(value) else value or None for value in row])
book.save(told["path"])
