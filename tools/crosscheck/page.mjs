// The page: fetches plans from the driver, runs them, and posts what came out.
import {openDevice, PipelineCache, profileOf, runCases} from './run_plan.mjs';

async function answered(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function post(path, body) {
  const response = await answered(path, {method: 'POST', body});
  return response.json();
}

/** As many lines of the case file as the driver gives at once. */
async function casesFrom(index) {
  const response = await answered(`/cases/${index}`);
  return (await response.text()).split('\n');
}

async function runAll(device, cache, count) {
  let next = casesFrom(0);
  for (let done = 0; done < count;) {
    const lines = await next;
    done += lines.length;
    if (done < count) next = casesFrom(done);
    await post('/results', (await runCases(device, cache, lines)).join('\n'));
  }
}

async function main() {
  if (!navigator.gpu) throw new Error('this browser has no WebGPU');
  const opened = await openDevice(navigator.gpu);
  const {cases} = await post('/profile', JSON.stringify(profileOf(navigator.gpu, opened)));
  const cache = new PipelineCache(opened.device);
  await runAll(opened.device, cache, cases);
  await post('/done', JSON.stringify({shaders: cache.size, remarks: [...cache.remarks]}));
}

main().catch((error) => post('/failed', JSON.stringify({message: String(error?.message || error)})));
