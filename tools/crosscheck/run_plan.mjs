// Runs plans of `wgk explain --json` on a GPUDevice, in a page or in Node. Nothing here knows an operator.

// Chromium offers experiments to pages that ask for unsafe WebGPU; what users have does not include them.
const isExperimental = (feature) => feature.startsWith('chromium-experimental-');

/** Opens a device with every feature and limit of its adapter, or throws. */
export async function openDevice(gpu) {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('no WebGPU adapter');
  const requiredLimits = {};
  for (const name in adapter.limits) requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = [...adapter.features].filter((feature) => !isExperimental(feature));
  return {adapter, device: await adapter.requestDevice({requiredFeatures, requiredLimits})};
}

/** The device as `wgk explain --limits` reads it (docs/command-line.md, "device profile"). */
export function profileOf(gpu, {adapter, device}) {
  const info = adapter.info;
  const limits = {};
  for (const name in device.limits) {
    const value = device.limits[name];
    // An absent limit is undefined in some implementations; an unlimited one exceeds what the format allows.
    if (typeof value === 'number') limits[name] = Math.min(value, Number.MAX_SAFE_INTEGER);
  }
  const profile = {
    adapter: {
      vendor: info.vendor,
      architecture: info.architecture,
      device: info.device,
      description: info.description,
      isFallbackAdapter: info.isFallbackAdapter === true,
    },
    features: [...device.features],
    wgslLanguageFeatures: [...(gpu.wgslLanguageFeatures ?? [])],
    limits,
  };
  if (device.features.has('subgroups')) {
    profile.adapter.subgroupMinSize = info.subgroupMinSize;
    profile.adapter.subgroupMaxSize = info.subgroupMaxSize;
  }
  return profile;
}

// Cases have megabytes of hexadecimal text: digits are looked up, not parsed.
const kDigit = new Uint8Array(128);
for (let value = 0; value < 16; ++value) kDigit[value.toString(16).charCodeAt(0)] = value;

/** Bytes of lower-case hexadecimal text. */
export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; ++i) {
    bytes[i] = kDigit[text.charCodeAt(2 * i)] << 4 | kDigit[text.charCodeAt(2 * i + 1)];
  }
  return bytes;
}

const kHex = Array.from({length: 256}, (_, value) => value.toString(16).padStart(2, '0'));
export function toHex(bytes) {
  let text = '';
  for (const byte of bytes) text += kHex[byte];
  return text;
}

const passesToRun = (plan) => plan.passes.filter((pass) => !pass.skipped);

const bufferSize = (bytes) => Math.max(4, Math.ceil(bytes / 4) * 4);

/** Runs `work`; whatever the device says about it is thrown. */
async function checked(device, work) {
  const filters = ['validation', 'out-of-memory', 'internal'];
  for (const filter of filters) device.pushErrorScope(filter);
  let failure;
  let result;
  try {
    result = await work();
  } catch (error) {
    failure = error;
  }
  for (const _ of filters) {
    const error = await device.popErrorScope();
    failure ??= error ?? undefined;
  }
  if (failure) throw failure;
  return result;
}

/** Compiles passes, each shader once. */
export class PipelineCache {
  #device;
  #pipelines = new Map();
  /** What compilers remarked without refusing: message -> number of shaders. */
  remarks = new Map();

  constructor(device) {
    this.#device = device;
  }

  get size() {
    return this.#pipelines.size;
  }

  /** A promise of the pipeline. */
  get(pass) {
    const key = JSON.stringify([pass.wgsl, pass.entryPoint, pass.bindings.map((binding) => binding.access)]);
    if (!this.#pipelines.has(key)) {
      const pipeline = this.#compile(pass);
      pipeline.catch(() => {});  // told to whoever awaits it
      this.#pipelines.set(key, pipeline);
    }
    return this.#pipelines.get(key);
  }

  /** Starts compiling the passes of a plan. */
  begin(plan) {
    for (const pass of passesToRun(plan)) this.get(pass);
  }

  // Several run at once. Error scopes are a stack, so none may stay open across an await.
  async #compile(pass) {
    const device = this.#device;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({label: pass.shader, code: pass.wgsl});
    const popped = device.popErrorScope();
    const {messages} = await module.getCompilationInfo();
    const refusal = await popped;
    const texts = messages.map((m) => `${pass.shader}:${m.lineNum}:${m.linePos}: ${m.type}: ${m.message}`);
    if (refusal || messages.some((message) => message.type === 'error')) {
      throw new Error(`shader is refused: ${texts.join('; ') || refusal.message}`);
    }
    for (const text of texts) this.remarks.set(text, (this.remarks.get(text) ?? 0) + 1);
    const entries = pass.bindings.map(
        (binding, index) => ({binding: index, visibility: GPUShaderStage.COMPUTE, buffer: {type: binding.access}}));
    device.pushErrorScope('validation');
    const group = device.createBindGroupLayout({entries});
    const layout = device.createPipelineLayout({bindGroupLayouts: [group]});
    const invalid = device.popErrorScope();
    const compute = device.createComputePipelineAsync({layout, compute: {module, entryPoint: pass.entryPoint}});
    compute.catch(() => {});  // awaited below, unless the layout is what is wrong
    const error = await invalid;
    if (error) throw error;
    return {compute: await compute, group};
  }
}

/** The buffers of one call: tensors and scratch by name, uniforms by position. */
class CallBuffers {
  #device;
  #all = [];
  #tensors = new Map();
  #scratch = new Map();
  #uniforms = [];

  constructor(device, plan, inputs) {
    this.#device = device;
    const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    for (const tensor of plan.tensors) {
      this.#tensors.set(tensor.key, this.#create(tensor.storageBytes, storage, fromHex(inputs[tensor.key] ?? '')));
    }
    // New buffers are zero, which is all that zeroInit asks for.
    for (const scratch of plan.scratch) this.#scratch.set(scratch.id, this.#create(scratch.storageBytes, storage));
    for (const uniform of plan.uniforms) {
      const bytes = fromHex(uniform.bytes.replaceAll(' ', ''));
      this.#uniforms.push(this.#create(bytes.length, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST, bytes));
    }
  }

  of({tensor, scratch, uniform}) {
    if (tensor !== undefined) return this.#tensors.get(tensor);
    return scratch !== undefined ? this.#scratch.get(scratch) : this.#uniforms[uniform];
  }

  async read(key, bytes) {
    const size = bufferSize(bytes);
    const staging = this.#create(size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.#tensors.get(key), 0, staging, 0, size);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    return new Uint8Array(staging.getMappedRange()).slice(0, bytes);
  }

  destroy() {
    for (const buffer of this.#all) buffer.destroy();
  }

  #create(bytes, usage, contents) {
    const buffer = this.#device.createBuffer({size: bufferSize(bytes), usage});
    this.#all.push(buffer);
    if (contents?.length > 0) {
      const padded = new Uint8Array(bufferSize(contents.length));
      padded.set(contents);
      this.#device.queue.writeBuffer(buffer, 0, padded);
    }
    return buffer;
  }
}

/** A pass that copies between two names of one buffer has nothing to do. */
function isAliasNoOp(pass, buffers) {
  const at = (index) => buffers.of(pass.bindings[index].resource);
  return pass.viewAlias.length > 0 && pass.viewAlias.every(([input, output]) => at(input) === at(output));
}

function encodePass(device, encoder, pass, pipeline, buffers) {
  const entries = pass.bindings.map(
      (binding, index) =>
          ({binding: index, resource: {buffer: buffers.of(binding.resource), offset: 0, size: binding.sizeBytes}}));
  const compute = encoder.beginComputePass({label: pass.id});
  compute.setPipeline(pipeline.compute);
  compute.setBindGroup(0, device.createBindGroup({layout: pipeline.group, entries}));
  compute.dispatchWorkgroups(...pass.workgroups);
  compute.end();
}

async function submitPasses(device, passes, pipelines, buffers) {
  let encoder = device.createCommandEncoder();
  for (const [index, pass] of passes.entries()) {
    if (!isAliasNoOp(pass, buffers)) encodePass(device, encoder, pass, pipelines[index], buffers);
    if (!pass.submitAfter) continue;
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    encoder = device.createCommandEncoder();
  }
  device.queue.submit([encoder.finish()]);
}

/** Runs one case; what came out, or why nothing did. */
async function runCase(device, cache, {id, plan, inputs}) {
  let buffers;
  try {
    const passes = passesToRun(plan);
    const pipelines = [];
    for (const pass of passes) pipelines.push(await cache.get(pass));
    const outputs = {};
    await checked(device, async () => {
      buffers = new CallBuffers(device, plan, inputs);
      await submitPasses(device, passes, pipelines, buffers);
      for (const tensor of plan.tensors) {
        if (tensor.output) outputs[tensor.key] = toHex(await buffers.read(tensor.key, tensor.storageBytes));
      }
    });
    return {id, outputs};
  } catch (error) {
    return {id, error: String(error?.message || error)};
  } finally {
    buffers?.destroy();
  }
}

// Compilers have threads of their own: while one case runs, the shaders of the next ones are compiled.
const kAhead = 6;

/** Runs lines of the case file in order; the answers are lines of the result file. */
export async function runCases(device, cache, lines) {
  const cases = lines.map((line) => JSON.parse(line));
  const results = [];
  for (const [index, one] of cases.entries()) {
    for (const {plan} of cases.slice(index, index + kAhead)) cache.begin(plan);
    results.push(JSON.stringify(await runCase(device, cache, one)));
  }
  return results;
}
