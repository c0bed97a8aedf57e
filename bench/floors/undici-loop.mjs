/**
 * The baseline for deliveries. Arguments: URL, count, warm-up requests before them, concurrency, body. Sends the same bytes and
 * headers with undici over keep-alive connections, as fast as the endpoint takes them. Looks up, signs and records nothing.
 */
import { Pool } from 'undici';

const [address, count, warmUp, atOnce, body] = process.argv.slice(2);
const { origin, pathname } = new URL(address);
const pool = new Pool(origin, { connections: Number(atOnce), pipelining: 1 });
const id = '01900000-0000-7000-8000-000000000000';
const headers = {
  'content-type': 'application/json',
  'user-agent': 'Inlet/1.0.0',
  'x-webhook-signature': `sha256=${'0'.repeat(64)}`,
  'x-webhook-attempt': '1',
  'x-submission-id': id,
  'webhook-id': id,
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
};

let left = Number(warmUp) + Number(count);
let before = process.cpuUsage();
async function loop() {
  while (left > 0) {
    left -= 1;
    if (left === Number(count)) before = process.cpuUsage();
    const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} from ${address}`);
  }
}
await Promise.all(Array.from({ length: Number(atOnce) }, loop));
await pool.close();
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ cpuUsPerDelivery: (user + system) / Number(count) }));
