import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger } from './log.js';

/** A logger that collects its lines instead of writing them. */
function listening(level: string): { log: Logger; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const stream = { write: (line: string) => void written.push(line) };
  const log = Object.assign(createLogger(level), { [pino.symbols.streamSym]: stream });
  return { log, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const secretNames = [
  'authorization',
  'cookie',
  'token',
  'api_key',
  'apiKey',
  'password',
  'secret',
  'webhookSecret',
];

describe('createLogger', () => {
  it.each(secretNames)('hides a value named %s, alone and inside an object', (name) => {
    const { log, lines } = listening('info');
    log.info({ [name]: 'hunter2', project: { [name]: 'hunter2', id: 'p1' } }, 'saved');
    expect(lines()[0]).toMatchObject({ [name]: '[hidden]', project: { [name]: '[hidden]', id: 'p1' } });
    expect(JSON.stringify(lines())).not.toContain('hunter2');
  });

  it('writes one JSON object a line with an ISO time, and nothing about the machine', () => {
    const { log, lines } = listening('info');
    log.warn({ path: '/f/x' }, 'two\nlines');
    const [line] = lines();
    expect(line).toEqual({ level: 40, time: expect.any(String), path: '/f/x', msg: 'two\nlines' });
    expect(line?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('keeps the stack of an error', () => {
    const { log, lines } = listening('error');
    log.error({ err: new Error('disk') }, 'failed');
    expect(lines()[0]).toMatchObject({
      err: { message: 'disk', stack: expect.stringContaining('log.test.ts') },
    });
  });

  it('says nothing below its level', () => {
    const { log, lines } = listening('warn');
    log.info('quiet');
    log.warn('loud');
    expect(lines().map(({ msg }) => msg)).toEqual(['loud']);
  });
});
