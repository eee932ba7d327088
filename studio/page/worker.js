// A worker of a site that augmix studio --static wrote: it runs the module, which sets answer.
importScripts("wasm_exec.js");
const none = (path, ...rest) => rest.at(-1)(Object.assign(new Error(path), { code: "ENOENT" })); // a browser has no files
Object.assign(self.fs, { stat: none, lstat: none, open: none });

onmessage = async ({ data: { module, data, split } }) => {
  onmessage = ({ data: { method, address, body } }) => {
    self.answer(method, address, body, (status, type, bytes) => postMessage({ status, type, body: bytes }, [bytes.buffer]));
  };
  const go = new Go();
  go.argv = ["studio", data, split];
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  setTimeout(() => { throw new Error("it ended"); }); // to the page's onerror
};
