# attack.txt says what this tries.
def attack(p):
    p.flags = ["--max-memory", "1024"]
    p.variant["intermediates"] = [{"id": f"s{i}", "dtype": "float32", "shape": "[31457280]"} for i in range(80)]
    one = p.run
    p.variant["passes"] = [
        dict(one, id=f"p{k}", bindings=one["bindings"] + [f"s{5 * k + i}" for i in range(5)]) for k in range(16)
    ]
