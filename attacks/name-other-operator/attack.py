# attack.txt says what this tries.
def attack(p):
    p.metadata = {"name": "ai.onnx.RotaryEmbedding"}
