#!/usr/bin/env bash
# llama.cpp's server (in xllamacpp 2026.10.11549): a completion of several prompts counts the tokens of the first one.
#
# Guess that it breaks: `usage.prompt_tokens` of POST /v1/completions is the sum over the prompts. Seen, with a made
# model of random weights whose tokens are bytes:
#   one prompt of 20 letters: 24
#   the same and one of 40 letters: 24, and 2 choices
# So who books a request with several prompts by its usage books too little.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet xllamacpp==2026.10.11549 gguf==0.18.0 numpy
cd "$folder"
"$folder/venv/bin/python" - <<'PY' 2> /dev/null
import json
import urllib.request

import gguf
import numpy
import xllamacpp

width, hidden, heads = 32, 64, 4
kind = gguf.TokenType
pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
writer = gguf.GGUFWriter("made.gguf", "llama")
writer.add_context_length(512)
writer.add_embedding_length(width)
writer.add_block_count(1)
writer.add_feed_forward_length(hidden)
writer.add_head_count(heads)
writer.add_head_count_kv(heads)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(width // heads)
writer.add_vocab_size(len(pieces))
writer.add_tokenizer_model("llama")
writer.add_token_list(pieces)
writer.add_token_scores([0.0] * len(pieces))
writer.add_token_types([kind.UNKNOWN, kind.CONTROL, kind.CONTROL, *[kind.BYTE] * 256])
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)
writer.add_unk_token_id(0)
draw = numpy.random.default_rng(7)
shapes = {"token_embd": (len(pieces), width), "output": (len(pieces), width)}
shapes |= {f"blk.0.attn_{name}": (width, width) for name in ("q", "k", "v", "output")}
shapes |= {"blk.0.ffn_gate": (hidden, width), "blk.0.ffn_up": (hidden, width), "blk.0.ffn_down": (width, hidden)}
tensors = {name: draw.normal(0, 0.1, shape).astype(numpy.float32) for name, shape in shapes.items()}
tensors |= dict.fromkeys(("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"), numpy.ones(width, numpy.float32))
for name, values in tensors.items():
    writer.add_tensor(f"{name}.weight", values)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()

params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx, params.n_parallel = "made.gguf", 0, 512, 1
server = xllamacpp.Server(params)


def complete(prompts):
    body = json.dumps({"prompt": prompts, "max_tokens": 1}).encode()
    url = f"{server.listening_address}/v1/completions"
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    reply = json.load(urllib.request.urlopen(request))
    return reply["usage"]["prompt_tokens"], len(reply["choices"])


one, both = complete(["a" * 20]), complete(["a" * 20, "b" * 40])
print("one prompt of 20 letters:", one[0])
print(f"the same and one of 40 letters: {both[0]}, and {both[1]} choices", flush=True)
assert both == (one[0], 2), "llama.cpp has changed"
PY
