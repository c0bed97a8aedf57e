/**
 * PBKDF2 with HMAC-SHA-256 (RFC 8018, FIPS 180-4), for pages on plain HTTP: there a browser has no `crypto.subtle`.
 * Only for puzzles; it makes no effort to hide what it computes.
 */
const words = (hex: string): Int32Array =>
  Int32Array.from(hex.split(' '), (word) => Number.parseInt(word, 16));

const start = words('6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19');
const constants = words(
  '428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 ' +
    '72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da ' +
    '983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 ' +
    '650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 ' +
    '19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 ' +
    '90befffa a4506ceb bef9a3f7 c67178f2',
);

const blockBytes = 64;
const hashBytes = 32;
/** The message schedule of the block in hand; its first 16 words are the block. */
const schedule = new Int32Array(64);

const at = (list: Int32Array, index: number): number => list[index] as number;
const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Takes the block in `schedule` into `state`. Written out, because all the time goes in here. */
function compress(state: Int32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const early = at(schedule, i - 15);
    const late = at(schedule, i - 2);
    schedule[i] =
      at(schedule, i - 16) +
      (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) +
      at(schedule, i - 7) +
      (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
  }
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let i = 0; i < 64; i += 1) {
    const first =
      (h +
        (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
        ((e & f) ^ (~e & g)) +
        at(constants, i) +
        at(schedule, i)) |
      0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

/** Takes the whole message in and ends it; `before` bytes have been taken into `state` already. */
function finish(state: Int32Array, message: Uint8Array, before: number): void {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / blockBytes) * blockBytes);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  // Messages here are far shorter than the 512 MiB that would need the upper half of the length.
  view.setUint32(padded.length - 4, (before + message.length) * 8);
  for (let block = 0; block < padded.length; block += blockBytes) {
    for (let i = 0; i < 16; i += 1) schedule[i] = view.getInt32(block + 4 * i);
    compress(state);
  }
}

/** Ends `state`, into which one block has gone, with a hash: the step that is repeated `iterations` times. */
function finishHash(state: Int32Array, hash: Int32Array): void {
  schedule.fill(0, hash.length, 15);
  schedule.set(hash);
  schedule[hash.length] = 0x80000000;
  schedule[15] = (blockBytes + hashBytes) * 8;
  compress(state);
}

const bytesOf = (hash: Int32Array): Uint8Array => {
  const view = new DataView(new ArrayBuffer(hashBytes));
  hash.forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return new Uint8Array(view.buffer);
};

/** The state after one block: the key of an HMAC, mixed with its pad. */
function keyed(key: Uint8Array, pad: number): Int32Array {
  const block = new Uint8Array(blockBytes);
  block.set(key);
  const view = new DataView(block.map((byte) => byte ^ pad).buffer);
  for (let i = 0; i < 16; i += 1) schedule[i] = view.getInt32(4 * i);
  const state = start.slice();
  compress(state);
  return state;
}

export function pbkdf2(
  password: Uint8Array,
  salt: Uint8Array,
  iterations: number,
  keyLength: number,
): Uint8Array {
  let key = password;
  if (key.length > blockBytes) {
    const hash = start.slice();
    finish(hash, password, 0);
    key = bytesOf(hash);
  }
  const inner = keyed(key, 0x36);
  const outer = keyed(key, 0x5c);
  const derived = new Uint8Array(Math.ceil(keyLength / hashBytes) * hashBytes);
  const message = new Uint8Array(salt.length + 4);
  message.set(salt);
  let hash = inner.slice();
  let next = outer.slice();
  for (let block = 0; block * hashBytes < keyLength; block += 1) {
    new DataView(message.buffer).setUint32(salt.length, block + 1);
    hash = inner.slice();
    finish(hash, message, blockBytes);
    next = outer.slice();
    finishHash(next, hash);
    const sum = next.slice();
    for (let i = 1; i < iterations; i += 1) {
      hash.set(inner);
      finishHash(hash, next);
      next.set(outer);
      finishHash(next, hash);
      for (let word = 0; word < sum.length; word += 1) sum[word] = at(sum, word) ^ at(next, word);
    }
    derived.set(bytesOf(sum), block * hashBytes);
  }
  return derived.slice(0, keyLength);
}
