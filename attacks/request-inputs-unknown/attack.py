# attack.txt says what this tries.
def attack(p):
    zeros = {"dtype": "float32", "shape": [1 << 30], "data": {"kind": "fill", "value": 0}}
    p.request = {"inputs": {"a": zeros, "b": zeros}}
