// Dawn in Node (npm package `webgpu`): writes its device profile, or runs a file of cases.
//
// usage: node dawn.mjs profile OUTPUT
//        node dawn.mjs run CASES OUTPUT
// WGK_DAWN: folder of the package `webgpu`, where Node does not find it by itself.
import {closeSync, createReadStream, openSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

import {openDevice, PipelineCache, profileOf, runCases} from './run_plan.mjs';

async function loadDawn() {
  const folder = process.env.WGK_DAWN;
  const {create, globals} = await import(folder ? pathToFileURL(join(folder, 'index.js')).href : 'webgpu');
  Object.assign(globalThis, globals);
  return create([]);
}

// Some lines at a time: all cases together are longer than a string may be.
const kLines = 32;

async function* batchesOf(file) {
  let batch = [];
  for await (const line of createInterface({input: createReadStream(file)})) {
    batch.push(line);
    if (batch.length < kLines) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function runAll(device, casesFile, output) {
  const cache = new PipelineCache(device);
  const results = openSync(output, 'w');
  let count = 0;
  for await (const lines of batchesOf(casesFile)) {
    for (const result of await runCases(device, cache, lines)) writeSync(results, result + '\n');
    count += lines.length;
  }
  closeSync(results);
  console.log(`${count} plans, ${cache.size} shaders`);
  for (const [text, count] of cache.remarks) console.log(`remark (${count} shaders): ${text}`);
}

async function main([command, ...files]) {
  const gpu = await loadDawn();
  const opened = await openDevice(gpu);
  if (command === 'profile' && files.length === 1) {
    writeFileSync(files[0], JSON.stringify(profileOf(gpu, opened), null, 2));
  } else if (command === 'run' && files.length === 2) {
    await runAll(opened.device, ...files);
  } else {
    throw new Error('usage: dawn.mjs profile OUTPUT | run CASES OUTPUT');
  }
}

// The open device would keep the process alive.
main(process.argv.slice(2)).then(() => process.exit(0), (error) => {
  console.error(`dawn.mjs: ${error?.message || error}`);
  process.exit(1);
});
