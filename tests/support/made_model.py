"""A tiny llama model with random weights whose tokenizer has the reflection tokens: its verdicts are nonsense."""

from pathlib import Path
from typing import Any

from tests.support.doubles.completions import TOKENS

_WIDTH, _HIDDEN, _HEADS = 32, 64, 4
# The first feature of each hidden state is as large as this, and only the reflection tokens are scored by it.
_SURE = 4.0


def write_model(path: Path) -> None:
    """Write the model as GGUF; the packages gguf and numpy are needed."""
    import gguf
    import numpy

    draw = numpy.random.default_rng(7)
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", *TOKENS]
    kind = gguf.TokenType
    kinds = [
        kind.UNKNOWN,
        kind.CONTROL,
        kind.CONTROL,
        *[kind.BYTE] * 256,
        kind.NORMAL,
        *[kind.USER_DEFINED] * len(TOKENS),
    ]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(2048)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_HIDDEN)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(pieces)
    writer.add_token_scores([0.0] * len(pieces))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def weights(*shape: int, spread: float = 0.05) -> Any:
        return draw.normal(0, spread, shape).astype(numpy.float32)

    embeddings, scores = (weights(len(pieces), _WIDTH, spread=0.4) for _ in range(2))
    embeddings[:, 0], scores[:, 0] = _SURE, 0.0
    scores[-len(TOKENS) :, 0] = _SURE / 2
    ones = numpy.ones(_WIDTH, numpy.float32)
    tensors = {"token_embd": embeddings, "output_norm": ones, "output": scores}
    shapes = {"attn_q": (_WIDTH, _WIDTH), "attn_k": (_WIDTH, _WIDTH), "attn_v": (_WIDTH, _WIDTH)}
    shapes |= {"attn_output": (_WIDTH, _WIDTH), "ffn_gate": (_HIDDEN, _WIDTH), "ffn_up": (_HIDDEN, _WIDTH)}
    for name, shape in {**shapes, "ffn_down": (_WIDTH, _HIDDEN)}.items():
        tensors[f"blk.0.{name}"] = weights(*shape)
    for name in ("attn_output", "ffn_down"):
        tensors[f"blk.0.{name}"][0] = 0.0  # the first feature stays
    tensors |= {"blk.0.attn_norm": ones, "blk.0.ffn_norm": ones}
    for name, values in tensors.items():
        writer.add_tensor(f"{name}.weight", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
