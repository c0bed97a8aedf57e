/**
 * Preloaded into a server (`--import`): kills the process without warning at a named point of a delivery, the first time that it is
 * reached. The points are the messages to and from the database thread that writes, so nothing in the program knows about this.
 */
import { Worker } from 'node:worker_threads';

const point = new URL(import.meta.url).searchParams.get('at');
/** Whether a confirmation is being stored. The next commit is its own, because only one transaction writes at a time. */
let isConfirming = false;
const die = () => process.kill(process.pid, 'SIGKILL');

/** What a message to the database does, as far as it matters here. */
function stepsOf(message) {
  const confirms = /^update "opt_ins" set "confirmed_at"/.test(message?.sql ?? '');
  isConfirming ||= confirms;
  const has = (text) =>
    (message?.statements ?? []).some(({ sql, rows }) => rows.length > 0 && sql.startsWith(text));
  return [
    ...(has('UPDATE deliveries SET lease_token') ? ['claim'] : []),
    ...(has('UPDATE deliveries SET state') ? ['record'] : []),
    ...(has('INSERT INTO submissions') ? ['submission'] : []),
    ...(confirms ? ['confirm'] : []),
    ...(isConfirming && /^commit/i.test(message?.sql ?? '') ? ['commit'] : []),
  ];
}

const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function postMessage(message, ...rest) {
  for (const step of stepsOf(message)) {
    if (point === `before-${step}`) die();
    if (point !== `after-${step}`) continue;
    // The database's own listener was added earlier. This one goes before it and ends the process before any promise resolves.
    this.prependListener('message', (answer) => {
      if (answer.id === message.id) die();
    });
  }
  return send.call(this, message, ...rest);
};
