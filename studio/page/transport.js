// How requests are answered: by the server, or in a site that augmix studio --static wrote by workers that run the server's handlers as
// WebAssembly.

const meta = document.querySelector("meta[name=augmix-wasm]"), note = document.getElementById("local");
export const local = meta !== null; // there is no server

// send is fetch.
export const send = (address, options) => (local ? compute(address, options) : fetch(address, options));

let loaded = null;
const waiting = [], idle = [];

async function compute(address, { method = "GET", body, signal } = {}) {
  if (address === "api/info") return fetch("info.json", { signal });
  loaded ??= load().catch((e) => { note.textContent = e.message; throw e; });
  const workers = await loaded;
  if (method === "POST") { // each worker keeps its own images
    const file = new Uint8Array(await body.arrayBuffer());
    return (await Promise.all(workers.map((worker) => enqueue({ method, address, body: file }, null, worker))))[0];
  }
  return enqueue({ method, address, body: new Uint8Array() }, signal);
}

// load begins with the first image that is asked for.
async function load() {
  const { file, bytes, data, split } = meta.dataset;
  note.textContent = `Loading the program, ${(bytes / 1e6).toFixed(1)} MB…`;
  const r = await fetch(file);
  if (!r.ok) throw new Error(`${file} cannot be loaded: ${r.status} ${r.statusText}`);
  let module = await r.arrayBuffer();
  if (new Uint8Array(module)[0] === 0x1f) { // some servers decompress what ends in .gz, some do not
    module = await new Response(new Response(module).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  module = await WebAssembly.compile(module);
  const count = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
  const workers = await Promise.all(Array.from({ length: count }, () => launch({ module, data, split })));
  note.textContent = "Computed in this page: images that you open or drop stay on this machine.";
  setTimeout(compare); // after the images that wait for the module
  return workers;
}

// compare says when the module was built from another version of augmix than the page.
async function compare() {
  const r = await enqueue({ method: "GET", address: "api/sign", body: new Uint8Array() });
  const sign = r.ok ? (await r.json()).sign : null; // an older module does not know it
  if (sign !== meta.dataset.sign) {
    note.textContent = `${meta.dataset.file} is of another version of augmix than this page: images may have other bytes than the commands make, ` +
      "or be missing. Write the site again, with the module of the same version.";
  }
}

// launch starts a worker, which answers one request at a time.
function launch(settings) {
  return new Promise((resolve, reject) => {
    const worker = new Worker("worker.js");
    worker.onmessage = () => {
      worker.onmessage = ({ data }) => finish(worker, (job) => {
        job.resolve(new Response(data.body, { status: data.status, headers: { "Content-Type": data.type } }));
      });
      finish(worker, () => {});
      resolve(worker);
    };
    worker.onerror = (e) => {
      const error = new Error(`The program stopped: ${e.message}`);
      reject(error);
      finish(worker, (job) => job.reject(error));
    };
    worker.postMessage(settings);
  });
}

function enqueue(message, signal, worker) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    signal?.addEventListener("abort", () => reject(signal.reason));
    waiting.push({ message, signal, worker, resolve, reject });
    for (const free of idle.splice(0)) next(free);
  });
}

function finish(worker, say) {
  if (worker.job) say(worker.job);
  worker.job = null;
  next(worker);
}

// next gives a worker what waits for it or for any; what nobody waits for any more is dropped.
function next(worker) {
  let at;
  do {
    at = waiting.findIndex((job) => !job.worker || job.worker === worker);
    worker.job = at < 0 ? null : waiting.splice(at, 1)[0];
  } while (worker.job?.signal?.aborted);
  if (worker.job) worker.postMessage(worker.job.message);
  else idle.push(worker);
}
