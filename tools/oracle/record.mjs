// Records results of @huggingface/jinja for the case lists, as {"js": …} beside each case.
//   node record.mjs <cases.json> <out.json>      (npm install first; see README.md)
import { readFileSync, writeFileSync } from "node:fs";
import { Environment, Interpreter, Template, parse, tokenize } from "@huggingface/jinja";

const KINDS = { IntegerValue: "Int", FloatValue: "Float", StringValue: "String", BooleanValue: "Bool" };

// One line per value, with its kind: Int 4, Float 0.5, String a, [Int 1, Int 2], {k: Int 1}, Undefined, None.
function encode(value) {
  switch (value.type) {
    case "UndefinedValue": return "Undefined";
    case "NullValue": return "None";
    case "ArrayValue":
    case "TupleValue": return `[${value.value.map(encode).join(", ")}]`;
    case "ObjectValue": return `{${[...value.value].map(([k, v]) => `${k}: ${encode(v)}`).join(", ")}}`;
    case "FunctionValue": return "Function";
    default: return `${KINDS[value.type]} ${String(value.value)}`;
  }
}

const plain = (v) => (v !== null && typeof v === "object" && "type" in v && "value" in v ? plain(v.value)
  : Array.isArray(v) ? v.map(plain) : v);
const wrap = (i, n) => (((i % n) + n) % n);
const product = (list) => list.reduce((a, b) => a * b, 1);

const FUNCTIONS = {
  ceil: Math.ceil, floor: Math.floor, max: Math.max, min: Math.min, pow: Math.pow,
  ceilDiv: (a, b) => Math.ceil(a / b),
  numel: (s) => product(plain(s)),
  dim: (s, i) => plain(s)[wrap(i, s.length)] ?? null,
  rank: (s) => s.length,
  sameShape: (a, b) => JSON.stringify(plain(a)) === JSON.stringify(plain(b)),
  f16Ok: () => true,
};

function makeEnvironment(scope) {
  const env = new Environment();
  for (const [name, value] of Object.entries({ true: true, false: false, none: null, True: true, False: false, None: null,
    ...FUNCTIONS, ...scope })) env.set(name, value);
  return env;
}

function expression(text, scope) {
  const program = parse(tokenize(`{{ ${text} }}`, { trim_blocks: true, lstrip_blocks: true }));
  if (program.body.length !== 1) throw new Error("more than one expression");
  const env = makeEnvironment(scope);
  return encode(new Interpreter(env).evaluate(program.body[0], env));
}

function attempt(run) {
  try {
    return { result: run() };
  } catch (error) {
    return { error: String(error.message).split("\n")[0] };
  }
}

const [, , input, output] = process.argv;
const list = JSON.parse(readFileSync(input, "utf8"));
const seen = existing(output);
function existing(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).cases;
  } catch {
    return [];
  }
}
const cases = list.cases.map((entry, i) => {
  const js = attempt(() => ("expression" in entry ? expression(entry.expression, list.scope)
    : new Template(entry.template).render({ ...FUNCTIONS, ...list.scope })));
  const old = seen[i];
  const same = old && old.expression === entry.expression && old.template === entry.template;
  return { ...entry, js, ...(same && old.jinja2 ? { jinja2: old.jinja2 } : {}) };
});
const record = { ...list, engine: "@huggingface/jinja 0.5.11", cases };
writeFileSync(output, `${JSON.stringify(record, null, 1)}\n`);
