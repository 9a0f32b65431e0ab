// The page: fetches plans from the driver, runs them, and posts what came out.
import {openDevice, PipelineCache, profileOf, runCase} from './run_plan.mjs';

async function post(path, value) {
  const response = await fetch(path, {method: 'POST', body: JSON.stringify(value)});
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function main() {
  if (!navigator.gpu) throw new Error('this browser has no WebGPU');
  const opened = await openDevice(navigator.gpu);
  const {cases} = await post('/profile', profileOf(navigator.gpu, opened));
  const cache = new PipelineCache(opened.device);
  for (let i = 0; i < cases; ++i) {
    const response = await fetch(`/cases/${i}`);
    await post('/results', await runCase(opened.device, cache, await response.json()));
  }
  await post('/done', {shaders: cache.size, remarks: [...cache.remarks]});
}

main().catch((error) => post('/failed', {message: String(error?.message || error)}));
