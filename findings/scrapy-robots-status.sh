#!/usr/bin/env bash
# Scrapy 2.19.0: the status of robots.txt does not count, only its body.
#
# Guess that it breaks: with ROBOTSTXT_OBEY a robots.txt that fails with 503 forbids the site, and one that is missing
# (404) allows it (RFC 9309, 2.3.1.3 and 2.3.1.4). Seen:
#   robots.txt 503, an error page: the page is requested
#   robots.txt 404, an error page with "Disallow: /": the page is not requested
# So who relies on the setting reads a site whose rules are unknown for the moment.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet scrapy==2.19.0
cd "$folder"
cat > crawl.py <<'PY'
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import scrapy
from scrapy.crawler import CrawlerProcess

status, body = int(sys.argv[1]), sys.argv[2].encode()
pages = []


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        is_rules = self.path == "/robots.txt"
        if not is_rules:
            pages.append(self.path)
        self.send_response(status if is_rules else 200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(body if is_rules else b"A page.")

    def log_message(self, *words):
        pass


server = HTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [f"http://127.0.0.1:{server.server_port}/page"]

    def parse(self, response):
        return None


process = CrawlerProcess({"ROBOTSTXT_OBEY": True, "RETRY_ENABLED": False, "LOG_ENABLED": False})
process.crawl(Pages)
process.start()
print("requested" if pages else "not requested")
PY
unavailable=$("$folder/venv/bin/python" crawl.py 503 "Busy: try again later.")
missing=$("$folder/venv/bin/python" crawl.py 404 $'User-agent: *\nDisallow: /')
echo "robots.txt 503: the page is $unavailable; robots.txt 404 with rules in its body: the page is $missing"
[ "$unavailable" = "requested" ] && [ "$missing" = "not requested" ]
