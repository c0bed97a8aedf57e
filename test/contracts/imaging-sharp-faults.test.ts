/** The codec processes of the sharp adapter when they die, hang, pile up, or lose their parent. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createSharpImaging,
  imagingDefaults,
  type SharpImagingOptions,
} from '#inlet/adapters/imaging/sharp.js';
import { type ImagingOutcome, maxWholeBytes } from '../../src/ports/imaging.js';
import { look, noisyPicture, quadrantPicture, red, solid } from '../support/pixels.js';
import {
  childrenOf,
  classesOf,
  environmentOf,
  idleClass,
  isAlive,
  until,
  untilChildDecodes,
  untilGone,
  untilReaped,
} from '../support/processes.js';
import { anyRecipe, type ImagingBench, imagingBench, type Read } from './imaging-bench.js';

/** Takes more than a second, which leaves time to interfere. */
let heavy: Buffer;
let light: Buffer;
/** Its result is far larger than a pipe's buffer. */
let noisy: Buffer;
beforeAll(async () => {
  heavy = await solid(7000, 7000).png().toBuffer();
  light = await quadrantPicture().png().toBuffer();
  noisy = await noisyPicture(1000, 1000).jpeg().toBuffer();
});

const benches: ImagingBench[] = [];
let crashes = 0;
async function openBench(more: Partial<SharpImagingOptions> = {}): Promise<ImagingBench> {
  crashes = 0;
  const options = { ...imagingDefaults, processes: 1, timeoutMs: 60_000, maxWaitMs: 60_000, ...more };
  const onCrash = (): void => {
    crashes += 1;
  };
  const bench = await imagingBench(createSharpImaging({ ...options, onCrash }));
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.dispose();
  expect(codecs()).toEqual([]);
});

let others: readonly number[] = [];
beforeAll(() => {
  others = childrenOf(process.pid);
});
const codecs = (): number[] => childrenOf(process.pid).filter((pid) => !others.includes(pid));
const theCodec = (): number => {
  const [pid, ...more] = codecs();
  if (pid === undefined || more.length > 0) throw new Error(`Not one codec but ${codecs().length}`);
  return pid;
};

const expectLight = async (result: Read): Promise<void> => {
  if (result.kind !== 'made') throw new Error(`No picture: ${JSON.stringify(result)}`);
  const picture = await look(result.bytes);
  expect(picture).toMatchObject({ width: 64, height: 32 });
  expect(picture.at(3, 3)).toEqual([...red, 255]);
};

const startHeavy = async (bench: ImagingBench) => {
  const before = codecs();
  const outcome = bench.run(await bench.lay(heavy), 'image/png', { format: 'webp' });
  return { outcome, codec: await untilChildDecodes(process.pid, before) };
};

describe('a codec that is killed', () => {
  it('in the middle of its work costs that one answer', async () => {
    const bench = await openBench();
    const { outcome, codec } = await startHeavy(bench);
    const next = bench.try(light, 'image/png');
    process.kill(codec, 'SIGKILL');
    expect(await outcome).toEqual({ kind: 'crashed' });
    await expectLight(await next);
    expect(crashes).toBe(1);
    expect(isAlive(codec)).toBe(false);
  });

  it('while its result is read breaks the stream off, so that no half picture is taken for a whole', async () => {
    const bench = await openBench();
    const outcome = await bench.run(await bench.lay(noisy), 'image/jpeg');
    expect(outcome.kind).toBe('made');
    process.kill(theCodec(), 'SIGKILL');
    await expect(bench.read(outcome)).rejects.toThrow();
    await expectLight(await bench.try(light, 'image/png'));
  });

  it('while it has nothing to do is replaced', async () => {
    const bench = await openBench();
    await expectLight(await bench.try(light, 'image/png'));
    const codec = theCodec();
    process.kill(codec, 'SIGKILL');
    await untilReaped(codec);
    await expectLight(await bench.try(light, 'image/png'));
    expect(crashes).toBe(0);
  });

  it('again and again never stops the queue', async () => {
    const bench = await openBench({ processes: 2 });
    const jobs = Array.from({ length: 8 }, () => bench.try(light, 'image/png'));
    for (let round = 0; round < 4; round += 1) {
      const [codec] = await until('there is a codec', () => codecs().length > 0 && codecs());
      if (codec !== undefined) process.kill(codec, 'SIGKILL');
    }
    for (const result of await Promise.all(jobs)) {
      if (result.kind === 'made') await expectLight(result);
      else expect(result).toEqual({ kind: 'crashed' });
    }
    await expectLight(await bench.try(light, 'image/png'));
  });
});

it('a folder that takes no source is reported once, until a picture was made again', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'inlet-sources-')), 'missing');
  const reported: unknown[] = [];
  const bench = await openBench({ folder, onFailure: (error) => void reported.push(error) });
  const path = await bench.lay(light);
  try {
    for (let round = 1; round <= 2; round += 1) {
      for (let tries = 0; tries < 2; tries += 1)
        expect((await bench.run(path, 'image/png')).kind).toBe('busy');
      expect(reported).toMatchObject(Array.from({ length: round }, () => ({ code: 'ENOENT' })));
      await mkdir(folder);
      await expectLight(await bench.read(await bench.run(path, 'image/png')));
      await rm(folder, { recursive: true });
      const codec = theCodec();
      process.kill(codec, 'SIGKILL');
      await untilReaped(codec);
    }
  } finally {
    await rm(dirname(folder), { recursive: true });
  }
});

describe('a codec that hangs', () => {
  it('is given up at the deadline, and the next picture is made', async () => {
    const bench = await openBench({ timeoutMs: 2_000 });
    await expectLight(await persist(bench));
    const codec = theCodec();
    process.kill(codec, 'SIGSTOP');
    const refused = { kind: 'refused', reason: 'too_slow' };
    expect(await bench.try(light, 'image/png')).toEqual(refused);
    await untilGone(codec);
    await expectLight(await persist(bench));
  });

  /** On a busy machine, starting a codec alone may take longer than a short deadline. */
  const persist = async (bench: ImagingBench): Promise<Read> => {
    const result = await bench.try(light, 'image/png');
    return result.kind === 'refused' ? persist(bench) : result;
  };

  it('while its result is read is given up too', async () => {
    const bench = await openBench({ timeoutMs: 5_000 });
    await expectLight(await persist(bench));
    const outcome = await bench.run(await bench.lay(noisy), 'image/jpeg');
    process.kill(theCodec(), 'SIGSTOP');
    if (outcome.kind !== 'made') throw new Error('The machine is too slow for this test');
    await expect(bench.read(outcome)).rejects.toThrow();
  });
});

describe('a result', () => {
  it('that nobody wants is never taken for the next one', async () => {
    const bench = await openBench();
    const unread = await bench.run(await bench.lay(noisy), 'image/jpeg');
    const next = bench.try(light, 'image/png');
    if (unread.kind === 'made' && !Buffer.isBuffer(unread.bytes)) unread.bytes.destroy();
    await expectLight(await next);
  });

  it('of which only the beginning was read is never taken for the next one', async () => {
    const bench = await openBench();
    const begun = await bench.run(await bench.lay(noisy), 'image/jpeg');
    if (begun.kind !== 'made') throw new Error(begun.kind);
    const next = bench.try(light, 'image/png');
    for await (const chunk of begun.bytes) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await expectLight(await next);
  });

  it('that is small is whole at once, and holds up nobody who comes after it', async () => {
    const bench = await openBench();
    const path = await bench.lay(light);
    const first = await bench.run(path, 'image/png');
    const second = await bench.run(path, 'image/png', { width: 10 });
    if (first.kind !== 'made' || second.kind !== 'made') throw new Error('No picture');
    expect([first.bytes, second.bytes].map((bytes) => Buffer.isBuffer(bytes))).toEqual([true, true]);
    await expectLight(await bench.read(first));
    expect(codecs()).toHaveLength(1);
  });

  it('is whole up to the limit, and a stream beyond it', async () => {
    const bench = await openBench();
    const sizes = [];
    // Noise as PNG: slightly more than three bytes per pixel.
    for (const side of [100, 250, 280, 290, 295, 300, 310, 320, 350, 400]) {
      const source = await bench.lay(await noisyPicture(side, side).jpeg().toBuffer());
      const made = await bench.run(source, 'image/jpeg');
      if (made.kind !== 'made') throw new Error(made.kind);
      expect(Buffer.isBuffer(made.bytes), `${made.sizeBytes} bytes`).toBe(made.sizeBytes <= maxWholeBytes);
      const read = await bench.read(made);
      expect(read.kind === 'made' && read.bytes.length).toBe(made.sizeBytes);
      sizes.push(made.sizeBytes);
    }
    expect(Math.min(...sizes)).toBeLessThan(maxWholeBytes);
    expect(Math.max(...sizes)).toBeGreaterThan(maxWholeBytes);
    expect(codecs()).toHaveLength(1);
  });

  it('belongs to its job, with many at once', async () => {
    const bench = await openBench({ processes: 2 });
    const widths = Array.from({ length: 30 }, (_, index) => index + 1);
    const results = await Promise.all(
      widths.map((width) => bench.make(noisy, 'image/jpeg', { width, height: 1, fit: 'fill' })),
    );
    const found = await Promise.all(results.map(async ({ bytes }) => (await look(bytes)).width));
    expect(found).toEqual(widths);
    expect(codecs().length).toBeLessThanOrEqual(2);
  });
});

describe('the queue', () => {
  it('lets no owner fill it, and serves owners in turn', async () => {
    const bench = await openBench({ processes: 1, maxWaiting: 6, maxWaitingPerOwner: 4 });
    const path = await bench.lay(noisy);
    const order: string[] = [];
    const ask = (owner: string, width: number) =>
      bench.imaging
        .transform({ path, sourceType: 'image/jpeg', owner, recipe: anyRecipe({ width }) })
        .then(async (outcome) => {
          if (outcome.kind === 'made') for await (const _ of outcome.bytes);
          if (outcome.kind === 'made') order.push(owner);
          return outcome.kind;
        });
    const greedy = Array.from({ length: 8 }, (_, index) => ask('greedy', index + 1));
    const modest = ask('modest', 20);
    expect((await Promise.all(greedy)).filter((kind) => kind === 'busy')).toHaveLength(3);
    expect(await modest).toBe('made');
    // One was already being made. Then it is the other owner's turn.
    expect(order.indexOf('modest')).toBe(1);
  });

  it('refuses at once what is beyond it', async () => {
    const bench = await openBench({ maxWaiting: 2 });
    const { outcome, codec } = await startHeavy(bench);
    const waiting = [bench.try(light, 'image/png'), bench.try(light, 'image/png')];
    await until('both wait', () => bench.imaging.waiting === 2);
    expect(await bench.run('/any', 'image/png')).toEqual({ kind: 'busy' });
    // Refused while the first still runs, not after it.
    expect(isAlive(codec)).toBe(true);
    process.kill(codec, 'SIGKILL');
    expect(await outcome).toEqual({ kind: 'crashed' });
    for (const result of await Promise.all(waiting)) await expectLight(result);
    expect(bench.imaging.waiting).toBe(0);
  });

  it('lets nobody wait for longer than is bearable', async () => {
    const bench = await openBench({ maxWaitMs: 100 });
    const { outcome, codec } = await startHeavy(bench);
    process.kill(codec, 'SIGSTOP');
    expect(await bench.try(light, 'image/png')).toEqual({ kind: 'busy' });
    expect(bench.imaging.waiting).toBe(0);
    process.kill(codec, 'SIGCONT');
    const heavyResult = await bench.read(await outcome);
    expect(heavyResult.kind).toBe('made');
    await expectLight(await bench.try(light, 'image/png'));
  });
});

describe('under pressure', () => {
  it('fewer codecs work, and all of them again when it is over', async () => {
    let isPressed = true;
    const bench = await openBench({
      processes: 2,
      processesUnderPressure: 1,
      isUnderPressure: () => isPressed,
    });
    const { outcome, codec } = await startHeavy(bench);
    const waiting = [await startLater(bench), await startLater(bench)];
    expect(bench.imaging.waiting).toBe(2);
    expect(theCodec()).toBe(codec);
    isPressed = false;
    // Ends the first: the waiting ones get both codecs now.
    process.kill(codec, 'SIGKILL');
    expect(await outcome).toEqual({ kind: 'crashed' });
    const first = await untilChildDecodes(process.pid);
    const second = await untilChildDecodes(process.pid, [first]);
    for (const pid of [first, second]) process.kill(pid, 'SIGKILL');
    for (const one of waiting) expect(await one.outcome).toEqual({ kind: 'crashed' });
  });

  const startLater = async (bench: ImagingBench) => {
    return { outcome: bench.run(await bench.lay(heavy), 'image/png', { format: 'webp' }) };
  };

  it('one codec works in any case', () => {
    expect(imagingDefaults.processesUnderPressure).toBeGreaterThanOrEqual(1);
    expect(imagingDefaults.processesUnderPressure).toBeLessThanOrEqual(imagingDefaults.processes);
  });
});

describe('close', () => {
  it('ends all codecs and settles all who wait', async () => {
    const bench = await openBench({ processes: 2 });
    const running = [await startHeavy(bench), await startHeavy(bench)];
    const waiting = [bench.try(light, 'image/png'), bench.try(light, 'image/png')];
    await until('both wait', () => bench.imaging.waiting === 2);
    await bench.imaging.close();
    expect(codecs()).toEqual([]);
    const outcomes: readonly (ImagingOutcome | Read)[] = await Promise.all([
      ...running.map(({ outcome }) => outcome),
      ...waiting,
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['crashed', 'crashed', 'busy', 'busy']);
    expect(bench.imaging.waiting).toBe(0);
    // Codecs that we end ourselves are not crashes.
    expect(crashes).toBe(0);
  });

  it('breaks a result off that is still read', async () => {
    const bench = await openBench();
    const outcome = await bench.run(await bench.lay(noisy), 'image/jpeg');
    await bench.imaging.close();
    await expect(bench.read(outcome)).rejects.toThrow();
  });

  it('may be called twice, and takes no more work', async () => {
    const bench = await openBench();
    await bench.imaging.close();
    await bench.imaging.close();
    expect(await bench.run('/any', 'image/png')).toEqual({ kind: 'busy' });
    expect(codecs()).toEqual([]);
  });
});

describe('codec processes', () => {
  it('end when nothing has come for a while, and come back', async () => {
    const bench = await openBench({ idleMs: 50 });
    await expectLight(await bench.try(light, 'image/png'));
    await until('there is no codec', () => codecs().length === 0);
    await expectLight(await bench.try(light, 'image/png'));
  });

  it('are not there before they are needed; one can be asked for', async () => {
    const bench = await openBench();
    expect(codecs()).toEqual([]);
    await bench.imaging.check();
    expect(codecs()).toHaveLength(1);
  });

  it('are the first to go when memory runs out', async () => {
    const bench = await openBench();
    await bench.imaging.check();
    expect(readFileSync(`/proc/${theCodec()}/oom_score_adj`, 'utf8').trim()).toBe('1000');
  });

  it('give way to everybody else from their start, once it is known that they can', async () => {
    const bench = await openBench();
    await bench.imaging.check();
    await until('the first one gives way', () => classesOf(theCodec()).every((one) => one === idleClass));
    const first = theCodec();
    process.kill(first, 'SIGKILL');
    await untilReaped(first);
    await bench.imaging.check();
    // From its start: there is no second process that changes it.
    expect(classesOf(theCodec()).every((one) => one === idleClass)).toBe(true);
  });

  it('know nothing of our settings', async () => {
    process.env.INLET_SECRET = 'a-secret-that-nobody-may-see';
    try {
      const bench = await openBench();
      await bench.imaging.check();
      const environment = environmentOf(theCodec());
      expect(environment.filter((line) => /secret|inlet|home|path/i.test(line))).toEqual([]);
    } finally {
      delete process.env.INLET_SECRET;
    }
  });
});

describe('in a process of its own', () => {
  const module = new URL('../../dist/adapters/imaging/sharp.js', import.meta.url).href;
  let bench: ImagingBench;
  beforeAll(async () => {
    bench = await imagingBench(createSharpImaging({ ...imagingDefaults, onCrash() {} }));
  });
  afterAll(() => bench.dispose());

  const recipe = "{ width: null, height: null, fit: 'cover', quality: 80, format: 'webp' }";
  const program = (text: string): string =>
    `import { createSharpImaging, imagingDefaults } from ${JSON.stringify(module)};
    const imaging = createSharpImaging({ ...imagingDefaults, onCrash() {} });
    const transform = (path) => imaging.transform({ path, sourceType: 'image/png', recipe: ${recipe} });
    ${text}`;
  const start = (text: string, shell: readonly string[] = []) => {
    const [command = '', ...values] = [
      ...shell,
      process.execPath,
      '--input-type=module',
      '-e',
      program(text),
    ];
    return spawn(command, values, {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };

  const lastWords = async (child: ReturnType<typeof start>) => {
    let said = '';
    let warned = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.stderr.on('data', (chunk) => {
      warned += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, said, warned };
  };

  it('what a picture makes the libraries complain about stays out of the log', async () => {
    const picture = await quadrantPicture().avif({ effort: 0 }).toBuffer();
    // GLib writes a line for each height that it cannot represent.
    picture.writeUInt32BE(1_761_607_740, picture.indexOf('ispe') + 12);
    const path = await bench.lay(picture);
    const job = `{ path: '${path}', sourceType: 'image/avif', recipe: ${recipe} }`;
    const text = `process.stdout.write((await imaging.transform(${job})).kind); await imaging.close();`;
    expect(await lastWords(start(text))).toEqual({ code: 0, said: 'refused', warned: '' });
  });

  it('a codec ends with its parent, whether it works or rests', async () => {
    const path = await bench.lay(heavy);
    const working = start(`await transform(${JSON.stringify(path)})`);
    const parent = working.pid ?? 0;
    const codec = await untilChildDecodes(parent);
    working.kill('SIGKILL');
    await once(working, 'exit');
    await untilGone(codec);

    const resting = start(
      `await imaging.check(); process.stdout.write('resting'); setInterval(() => {}, 1000);`,
    );
    await once(resting.stdout, 'data');
    const [idle = 0] = childrenOf(resting.pid ?? 0);
    expect(isAlive(idle)).toBe(true);
    resting.kill('SIGKILL');
    await once(resting, 'exit');
    await untilGone(idle);
  });

  it('when no process can be started, the answer is busy and nothing falls over', async () => {
    const path = await bench.lay(light);
    const poor = start(
      `import { closeSync, openSync } from 'node:fs';
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch {}
      const kinds = (await Promise.all([1, 2, 3, 4].map(() => transform('${path}')))).map(({ kind }) => kind);
      for (const fd of held) closeSync(fd);
      const after = await transform('${path}');
      if (!Buffer.isBuffer(after.bytes)) await after.bytes.toArray();
      process.stdout.write(JSON.stringify([...kinds, after.kind]));
      await imaging.close();`,
      ['sh', '-c', 'ulimit -n 128; exec "$0" "$@"'],
    );
    expect(await lastWords(poor)).toEqual({
      code: 0,
      said: '["busy","busy","busy","busy","made"]',
      warned: '',
    });
  });
});
