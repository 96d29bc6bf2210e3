"""Web sites as sources of documents: pages are fetched, and read as the files of a directory are."""
