"""Runs in openpyxl's environment: writes tables into a workbook, a sheet for each."""

import json
import sys

from openpyxl import Workbook

told = json.load(sys.stdin)
book = Workbook()
book.remove(book.active)
for number, table in enumerate(told["tables"], start=1):
    sheet = book.create_sheet(f"Table {number}")
    for row in table:
        sheet.append([int(value) if value.isascii() and value.isdigit() else value or None for value in row])
book.save(told["path"])
