# attack.txt says what this tries.
def attack(p):
    deep = "(" * 120 + "1.0" + ")" * 120
    chain = " + f32(i)" * 480
    p.body("{ " * 100 + "y[i % 4u] = 1.0;" + "} " * 100 + f"y[i % 4u] = {deep};\ny[i % 4u] = f32(i){chain};"
           + "y[i % 4u] = " + "-" .join([" "] * 900) + "1.0;"
           + "if (i == 1u) { y[0] = 1.0; }" + " else if (i == 2u) { y[0] = 1.0; }" * 900)
