/** Replaces what differs between runs with stable values, so that a recording changes only when the program does. */
import { hostname } from 'node:os';

const startOfStory = Date.parse('2026-11-16T09:30:00.000Z');
const startSeconds = startOfStory / 1000;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** Times further away than this were chosen by the story, and stay. Quarantined submissions expire after 30 days. */
const nearMs = 31 * dayMs;
const letters = 'abcdefghjkmnpqrstuvwxyz';

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;
const httpDate = /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const hex = /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-f])/g;

/** What depends on the machine or the moment, by the name of its field. */
const byName = {
  duration_ms: 38,
  connect_ms: 4,
  first_byte_ms: 37,
  uptime_s: 86_400,
  pid: 4711,
  size_bytes: 1_466_368,
  free_bytes: 48_318_382_080,
  age_ms: 0,
  p50: 38,
  p95: 121,
  expiresAt: startSeconds + 600,
  node: '20.20.2',
  'webhook-timestamp': String(startSeconds),
};

/** Letters that look random but are not. */
const scrambled = (n, length) =>
  Array.from({ length }, (_, i) => letters[(n * 7 + i * 5) % letters.length]).join('');

/**
 * `known` maps what only the recorder can know (addresses, keys) to what is shown. Everything else is found by its shape:
 * ids are numbered in order of appearance, and times keep their distance from the start in minutes.
 */
export function createStable({ startedAt, known }) {
  const numbers = new Map();
  const numbered = (kind, value, shown) => {
    const values = numbers.get(kind) ?? numbers.set(kind, new Map()).get(kind);
    if (!values.has(value)) values.set(value, shown(values.size + 1));
    return values.get(value);
  };
  const token = (value) => numbered('token', value, (n) => `${scrambled(n, 8)}.${scrambled(n + 1, 22)}`);
  const time = (text) => {
    const distance = Date.parse(text) - startedAt;
    if (Math.abs(distance) > nearMs) return text;
    const at = new Date(startOfStory + Math.floor(distance / minuteMs) * minuteMs).toISOString();
    return text.includes('.') ? at : at.replace('.000', '');
  };
  const day = (text) => {
    const days = Math.ceil((Date.parse(text) - startedAt) / dayMs);
    return new Date(startOfStory + days * dayMs).toISOString().slice(0, 10);
  };
  const text = (given) => {
    let shown = given;
    for (const [real, stable] of known) shown = shown.replaceAll(real, stable);
    return shown
      .replace(uuid, (id) =>
        numbered('id', id, (n) => `01935a3e-7c00-7000-8000-${String(n).padStart(12, '0')}`),
      )
      .replace(instant, time)
      .replace(httpDate, new Date(startOfStory).toUTCString())
      .replace(/whsec_[A-Za-z0-9+/]{32,}=*/g, (secret) =>
        numbered('secret', secret, (n) => `whsec_${Buffer.from(scrambled(n, 24)).toString('base64')}`),
      )
      .replace(/inlet_sandbox_\w+/g, `inlet_sandbox_${scrambled(2, 24)}`)
      .replace(/v1,[A-Za-z0-9+/]{43}=/g, `v1,${scrambled(3, 43)}=`)
      .replace(hex, (digits) => `${'5f2bc0d97e31a846'.repeat(4)}`.slice(0, digits.length))
      .replace(/token=([\w.~%-]+)/g, (_, value) => `token=${token(value)}`);
  };
  const named = (given, name) => {
    if (name === 'token') return token(given);
    if (name === 'day') return day(given);
    if (name === 'next_cursor' && given !== null)
      return Buffer.from(text(Buffer.from(given, 'base64url').toString())).toString('base64url');
    if (name in byName && typeof given === typeof byName[name]) return byName[name];
    if (typeof given === 'string') return given === hostname() ? 'inlet-1' : text(given);
    return given;
  };
  const value = (given, name = '') => {
    if (Array.isArray(given)) return given.map((one) => value(one, name));
    if (typeof given !== 'object' || given === null) return named(given, name);
    return Object.fromEntries(Object.entries(given).map(([key, inner]) => [text(key), value(inner, key)]));
  };
  return value;
}
