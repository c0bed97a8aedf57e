/** Sabotages of what keeps secrets, inside addresses and deliveries from going where they must not. */
export const containing = [
  {
    name: 'read-key-sees-secrets',
    breaks: 'A read-only API key is shown no secret',
    patches: [
      {
        file: 'src/model/account.ts',
        find: "scope === 'full' ? secret : null;",
        put: "scope === 'full' ? secret : secret;",
      },
    ],
    test: { file: 'test/http/management/read-keys.test.ts', name: 'a read key is shown no secret' },
    because: /AssertionError/,
  },
  {
    name: 'gone-is-tried-again',
    breaks: 'An endpoint that responds 410 Gone gets no further attempt of that delivery',
    patches: [
      {
        file: 'src/model/delivery.ts',
        find: "end === 'failed' && delivery.trigger === 'auto'",
        put: "end !== 'cancelled' && delivery.trigger === 'auto'",
      },
    ],
    test: { file: 'test/http/webhooks/schedule.test.ts', name: 'makes no more attempts after 410 Gone' },
    because: /AssertionError/,
  },
];
