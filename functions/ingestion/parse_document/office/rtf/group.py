"""What an RTF file says of the words in a group."""

from dataclasses import dataclass


@dataclass
class Group:
    """What holds until the group ends."""

    into: str = "text"  # where its words go
    font: int = 0
    bytes_for_number: int = 1
    hidden: bool = False
    bold: bool = False
    in_table: bool = False
    style: int = 0
    outline: int = -1
    starred: bool = False  # an asterisk stood before the next word

    def look_plain(self) -> None:
        """Its words look like those of any other group."""
        self.bold = self.hidden = False

    def be_like_others(self) -> None:
        """Its paragraphs are like any other."""
        self.in_table, self.style, self.outline = False, 0, -1
