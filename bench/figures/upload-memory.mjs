/** Figure: how much the server's memory grows while one very large file is uploaded. Checks the stored bytes. */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { mebibytes, progress, round } from '../numbers.mjs';
import {
  api,
  apiKey,
  makeForm,
  removeFolder,
  residentBytes,
  startInlet,
  temporaryFolder,
} from '../servers/processes.mjs';

const goalGrowthBytes = 64 * 2 ** 20;
const blockBytes = 2 ** 20;
const boundary = 'inlet-bench-boundary';
const head =
  `--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="talk.mp4"\r\n` +
  'Content-Type: video/mp4\r\n\r\n';
const tail = `\r\n--${boundary}--\r\n`;

/** Blocks that all differ and contain line ends, dashes and parts of the boundary, as real files may. */
function* blocks(totalBytes) {
  const block = Buffer.alloc(blockBytes);
  for (let i = 0; i < blockBytes; i += 4) block.writeUInt32LE(Math.imul(i, 2654435761) >>> 0, i);
  block.write(`\r\n--${boundary.slice(0, -1)}`, blockBytes / 2);
  for (let sent = 0; sent < totalBytes; sent += blockBytes) {
    block.writeDoubleLE(sent, 0);
    // A copy, because the socket may still be sending the previous block.
    yield Buffer.from(block.subarray(0, Math.min(blockBytes, totalBytes - sent)));
  }
}

/** Posts the file at the server's pace. Resolves with the file in the response, the hash and the time. */
function upload(url, totalBytes, onSent) {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    const startedAt = performance.now();
    const post = request(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': head.length + totalBytes + tail.length,
      },
    });
    post.once('error', reject);
    post.once('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      if (response.statusCode !== 200) reject(new Error(`upload: ${response.statusCode} ${text}`));
      else {
        const ms = performance.now() - startedAt;
        resolve({ file: JSON.parse(text).files[0], sha256: hash.digest('hex'), ms });
      }
    });
    const send = async () => {
      post.write(head);
      let sent = 0;
      for (const block of blocks(totalBytes)) {
        hash.update(block);
        sent += block.length;
        if (!post.write(block)) await new Promise((drained) => post.once('drain', drained));
        onSent(sent);
      }
      post.end(tail);
    };
    send().catch(reject);
  });
}

async function storedHash(server, fileId) {
  const hash = createHash('sha256');
  let bytes = 0;
  const response = await fetch(`${server.url}/api/v1/files/${fileId}/download`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!response.ok) throw new Error(`download: ${response.status} ${await response.text()}`);
  for await (const chunk of response.body) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Runs the work and samples the resident memory meanwhile. */
async function peakDuring(pid, work) {
  const samples = [];
  let running = true;
  const sampling = (async () => {
    while (running) {
      samples.push(residentBytes(pid));
      await pause(50);
    }
  })();
  try {
    return { result: await work(), samples };
  } finally {
    running = false;
    await sampling;
  }
}

export async function run({ quick }) {
  const totalBytes = (quick ? 64 : 1024) * 2 ** 20;
  const dataDir = await temporaryFolder();
  const server = await startInlet(dataDir, { MAX_FILE_BYTES: '2 GiB', MAX_BODY_BYTES: '3 GiB' });
  try {
    const { path } = await makeForm(server);
    // One small file first: code that is loaded and compiled once must not count as growth.
    await upload(server.url + path, 2 * blockBytes, () => {});
    const before = residentBytes(server.pid);
    let next = 0.25;
    const { result, samples } = await peakDuring(server.pid, () =>
      upload(server.url + path, totalBytes, (sent) => {
        if (sent < totalBytes * next) return;
        progress(
          `upload-memory: ${Math.round(next * 100)} % sent, ${mebibytes(residentBytes(server.pid))} MiB`,
        );
        next += 0.25;
      }),
    );
    const download = await peakDuring(server.pid, () => storedHash(server, result.file.id));
    const stored = download.result;
    const metadata = await api(server, 'GET', `/api/v1/files/${result.file.id}`);
    const intact =
      stored.sha256 === result.sha256 &&
      stored.bytes === totalBytes &&
      metadata.file_size_bytes === totalBytes;
    if (!intact) throw new Error(`stored ${JSON.stringify(stored)}, sent ${totalBytes} of ${result.sha256}`);
    const growth = Math.max(...samples) - before;
    const mbPerSecond = round(totalBytes / 1e6 / (result.ms / 1000), 0);
    return {
      rows: [
        {
          figure: `upload-memory, one file of ${mebibytes(totalBytes)} MiB`,
          value: `grew by ${mebibytes(growth)} MiB from ${mebibytes(before)} MiB; ${mbPerSecond} MB/s; stored bytes intact`,
          goal: `< ${mebibytes(goalGrowthBytes)} MiB`,
          met: growth < goalGrowthBytes,
        },
      ],
      totalBytes,
      beforeBytes: before,
      peakBytes: Math.max(...samples),
      growthBytes: growth,
      afterBytes: residentBytes(server.pid),
      downloadPeakBytes: Math.max(...download.samples),
      mbPerSecond,
      sha256: result.sha256,
    };
  } finally {
    await server.end();
    await removeFolder(dataDir);
  }
}
