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
];
