/**
 * Sends POSTs at a fixed pace over 16 connections. Arguments: URL, requests per second, seconds, body. Like visitors, they
 * do not wait for earlier responses, so a slow moment of the server affects every request that arrives in it.
 */
import { Pool } from 'undici';
import { quantile, round } from '../numbers.mjs';

const [address, perSecond, seconds, body] = process.argv.slice(2);
const { origin, pathname } = new URL(address);
const everyMs = 1000 / Number(perSecond);
const count = Number(perSecond) * Number(seconds);
const pool = new Pool(origin, { connections: 16, pipelining: 1 });
const headers = { 'content-type': 'application/json' };
const took = [];
const late = [];

async function post(plannedAt) {
  const sentAt = performance.now();
  late.push(sentAt - plannedAt);
  const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} from ${address}`);
  took.push(performance.now() - sentAt);
}

await Promise.all(Array.from({ length: 16 }, () => post(performance.now())));
took.length = 0;
late.length = 0;
const startedAt = performance.now();
const posts = [];
await new Promise((resolve) => {
  const timer = setInterval(() => {
    const now = performance.now();
    for (let due = startedAt + posts.length * everyMs; due <= now && posts.length < count; due += everyMs)
      posts.push(post(due));
    if (posts.length < count) return;
    clearInterval(timer);
    resolve();
  }, 1);
});
await Promise.all(posts);
await pool.close();
const summary = {
  requests: took.length,
  p50Ms: round(quantile(took, 0.5)),
  p99Ms: round(quantile(took, 0.99)),
  maxMs: round(Math.max(...took)),
  /** How late this process itself sent its requests, because the machine was busy. */
  leftLateP99Ms: round(quantile(late, 0.99)),
};
process.stdout.write(JSON.stringify(summary));
