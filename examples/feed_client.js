// A client of the feed for Node.js, written from docs/feed.md alone: batches through the pipe.
//
//   node examples/feed_client.js cifar-10-batches-bin --mix augmix-m3-w3-d-1 --batch 64 --epochs 1
//
// Prints each batch's number, labels and a checksum of its images. AUGMIX_BIN names the program.
"use strict";
const { spawn } = require("child_process");

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});

function crc32(...buffers) {
  let c = 0xffffffff;
  for (const b of buffers) for (const byte of b) c = table[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const arrays = { uint8: Uint8Array, int64: BigInt64Array, float32: Float32Array, float16: Uint16Array, bfloat16: Uint16Array };

// Returns a function that reads exactly n bytes of a stream.
function reader(stream) {
  const chunks = stream[Symbol.asyncIterator]();
  let have = [], size = 0;
  return async function take(n) {
    while (size < n) {
      const { value, done } = await chunks.next();
      if (done) throw new Error("the child ended" + (size ? " in the middle of a message" : ""));
      have.push(value);
      size += value.length;
    }
    const all = Buffer.concat(have);
    have = [all.subarray(n)];
    size -= n;
    return all.subarray(0, n);
  };
}

// The messages of the child: {kind, n, epoch, batch, checksum, body, slot}.
async function* messages(stream) {
  const take = reader(stream);
  for (let expected = 0n; ; expected++) {
    const head = await take(64);
    if (head.toString("latin1", 0, 4) !== "AMXF") throw new Error("this is not the protocol of the feed");
    if (head.readUInt16LE(4) !== 1) throw new Error(`protocol ${head.readUInt16LE(4)}, this client knows 1`);
    if (head.readBigUInt64LE(32) !== expected) throw new Error("messages were lost");
    const length = head.readBigUInt64LE(40);
    const payload = head.readBigUInt64LE(48);
    if (length > 16n << 20n || payload > 1n << 31n) throw new Error(`a message of ${length} and ${payload} bytes`);
    const body = await take(Number(length));
    if (crc32(head.subarray(0, 60), body) !== head.readUInt32LE(60)) throw new Error("a message is damaged");
    yield {
      kind: String.fromCharCode(head[6]), n: head.readUInt32LE(12), epoch: head.readBigUInt64LE(16), batch: head.readBigUInt64LE(24),
      sequence: expected, checksum: head.readUInt32LE(56), body: body.length ? JSON.parse(body) : {},
      slot: await take(Number(payload)),
    };
  }
}

// The arrays of a batch, after the checks of its slot.
function open(hello, m) {
  const { slot } = m;
  if (slot.length !== hello.slot_bytes || slot.toString("latin1", 0, 4) !== "AMXS") throw new Error("this is no slot");
  if (slot.readBigUInt64LE(32) !== m.sequence || slot.readBigUInt64LE(slot.length - 8) !== m.sequence) throw new Error("the slot is another's");
  if (m.checksum && crc32(slot.subarray(64, slot.length - 8)) !== m.checksum) throw new Error("the slot is damaged");
  const batch = {};
  for (const f of hello.fields) {
    const count = f.shape.reduce((product, length, axis) => product * (axis === f.axis ? m.n : length), 1);
    const size = count * arrays[f.dtype].BYTES_PER_ELEMENT;
    const bytes = Uint8Array.from(slot.subarray(f.offset, f.offset + size)); // a copy begins where every type may
    batch[f.name] = new arrays[f.dtype](bytes.buffer, 0, count);
  }
  return batch;
}

async function main() {
  const [data, ...options] = process.argv.slice(2);
  const child = spawn(process.env.AUGMIX_BIN || "augmix", ["feed", ...options, "--", data], { stdio: ["pipe", "pipe", "inherit"] });
  let hello;
  for await (const m of messages(child.stdout)) {
    if (m.kind === "H") hello = m.body;
    else if (m.kind === "B") {
      const { images, labels } = open(hello, m);
      const bytes = new Uint8Array(images.buffer);
      console.log(`${m.epoch} ${m.batch} ${Array.from(labels.subarray(0, 4))} ${crc32(bytes).toString(16).padStart(8, "0")}`);
    } else if (m.kind === "W") console.error(`refused: ${m.body.file || m.body.key}: ${m.body.reason}`);
    else if (m.kind === "X") throw new Error(m.body.message);
    else if (m.kind === "Z") break;
  }
  child.stdin.end();
}

main().catch((err) => {
  console.error(`feed_client: ${err.message}`);
  process.exit(1);
});
