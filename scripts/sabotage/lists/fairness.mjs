/** Sabotages of what prevents a few clients from using up what many share. */
const pool = 'src/http/submit/upload-pool.ts';
const shares = 'src/kernel/network-shares.ts';
const crowds = 'test/http/hostile/crowds.test.ts';

export const fairness = [
  {
    name: 'slow-uploads-never-evicted',
    breaks: 'Slow uploads give up their place when another waits',
    patches: [{ file: pool, find: 'if (rate < this.options.minBytesPerSecond) return rate;', put: '' }],
    test: {
      file: crowds,
      name: 'from 256 networks, text passes, slow uploads make way, and fast ones do not',
    },
    because: /503/,
  },
  {
    name: 'fast-uploads-evicted',
    breaks: 'A fast upload keeps its place, even if others wait',
    patches: [
      { file: pool, find: 'if (rate < this.options.minBytesPerSecond) return rate;', put: 'return rate;' },
    ],
    test: {
      file: 'src/http/submit/upload-pool.test.ts',
      name: 'never evicts fast uploads, nor one that waits for our disk: who waits too long is refused',
    },
    because: /AssertionError/,
  },
  {
    name: 'lightest-network-evicted',
    breaks: 'The network with the most uploads loses a place first',
    patches: [
      {
        file: pool,
        find: 'more > 0 || (more === 0 && found && rate < found.rate)',
        put: '!found || more < 0',
      },
    ],
    test: {
      file: 'src/http/submit/upload-pool.test.ts',
      name: 'evicts from the network that holds most, before a slower upload of anybody else',
    },
    because: /AssertionError/,
  },
  {
    name: 'evicted-while-places-are-free',
    breaks: 'No upload is evicted while places are free',
    patches: [
      {
        file: pool,
        find: 'waiting.filter(({ networks }) => this.#places.isExhausted(networks, 1))',
        put: 'waiting',
      },
    ],
    test: {
      file: 'src/http/submit/upload-pool.test.ts',
      name: 'evicts nobody while places are free, for a network that holds too many for what is left',
    },
    because: /AssertionError/,
  },
  {
    name: 'evicted-for-nothing',
    breaks: 'An upload is evicted only if that admits a waiting one',
    patches: [
      {
        file: pool,
        find: '      if (!this.#places.fits(waiter.networks, 1, upload.networks)) continue;\n',
        put: '',
      },
    ],
    test: {
      file: 'src/http/submit/upload-pool.test.ts',
      name: 'evicts nobody whose place would not let in the one who waits, also of the same network',
    },
    because: /AssertionError/,
  },
  {
    name: 'place-before-first-file',
    breaks: 'A submission without files needs no upload place',
    patches: [
      {
        file: 'src/http/submit/body/read-multipart.ts',
        find: "    if (header.kind === 'text') {\n",
        put: "    if (header.kind === 'text') {\n      void this.#enter();\n",
      },
    ],
    test: {
      file: 'src/http/submit/body/staging-queue.test.ts',
      name: 'is asked for once at most: only text',
    },
    because: /AssertionError/,
  },
  {
    name: 'networks-counted-by-64-only',
    breaks: 'The /64s of one /48 share one allotment of upload places',
    patches: [{ file: 'src/kernel/addresses.ts', find: '[64, 56, 48].map', put: '[64].map' }],
    test: { file: crowds, name: 'from one /48, its part is bounded' },
    because: /AssertionError/,
  },
  {
    name: 'greedy-networks-leave-nothing',
    breaks: 'A few networks with slow text bodies leave memory for everyone else',
    patches: [{ file: shares, find: 'const timesLeft = 4;', put: 'const timesLeft = 0;' }],
    test: {
      file: crowds,
      name: 'from 8 networks with 32 connections each, everybody else submits',
    },
    because: /503/,
  },
  {
    name: 'unknown-ids-unlimited',
    breaks: 'Guessing form ids is rate-limited',
    patches: [
      {
        file: 'src/domain/submissions/form-lookup.ts',
        find: 'if (!over) return',
        put: 'if (!over || over) return',
      },
    ],
    test: {
      file: 'test/http/submit/unknown-forms.test.ts',
      name: 'gets 429 for the next one, however it asks, and its forms work on',
    },
    because: /AssertionError/,
  },
  {
    name: 'guesser-fills-the-queue',
    breaks: 'An address that guesses ids leaves room in the lookup queue for others',
    patches: [
      {
        file: 'src/domain/submissions/form-lookup.ts',
        find: 'maxPerKey: 64',
        put: 'maxPerKey: 1_000',
      },
    ],
    test: {
      file: 'src/domain/submissions/admission.test.ts',
      name: 'from one address, however many at once, keep no other address over its limit from its form',
    },
    because: /AssertionError/,
  },
  {
    name: 'guesses-crowd-the-database',
    breaks: 'From an address over its limit, unknown ids are looked up one at a time',
    patches: [
      {
        file: 'src/domain/submissions/form-lookup.ts',
        find: 'if (guesser !== null) return findInTurn(publicId, ip, guesser);',
        put: '',
      },
    ],
    test: {
      file: 'src/domain/submissions/admission.test.ts',
      name: 'from an address over its limit are looked up one at a time, the forms that exist among them',
    },
    because: /AssertionError/,
  },
];
