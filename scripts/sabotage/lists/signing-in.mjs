/** Sabotages of signing in: fair under pressure, no owner locked out, nothing revealed to other accounts. */
const throttle = 'test/http/session/throttle.test.ts';
const pressure = 'test/http/session/pressure.test.ts';
const attempts = 'src/domain/accounts/attempts.ts';
const fairSlots = 'src/kernel/fair-slots.ts';
const sameAddress = 'test/http/session/same-address.test.ts';

export const signingIn = [
  {
    name: 'sign-in-room-too-small',
    breaks: 'Forty simultaneous sign-ins from forty networks are all checked',
    patches: [
      {
        file: 'src/domain/accounts/passwords.ts',
        find: '  slots: 2,\n  maxWaiting: 1_000,',
        put: '  slots: 2,\n  maxWaiting: 16,',
      },
    ],
    test: { file: pressure, name: 'judges forty attempts at once from forty networks' },
    because: /AssertionError/,
  },
  {
    name: 'sign-in-first-come-first-served',
    breaks: 'A flood of sign-in attempts delays only itself',
    patches: [{ file: fairSlots, find: 'compare(served, next.served) < 0', put: 'next.served.length < 0' }],
    test: { file: pressure, name: 'serves others before a flood that came first' },
    because: /AssertionError/,
  },
  {
    name: 'many-networks-lock-an-owner-out',
    breaks: 'Attempts from many networks slow down a sign-in but never reject it',
    patches: [
      {
        file: attempts,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '    return delayOf((await hit(`email:${emailKey}`)).count);\n',
        put: '    await demand({ key: emailKey, most: attemptsPerMinute });\n    return delayOf((await hit(emailKey)).count);\n',
      },
    ],
    test: { file: throttle, name: 'lets the owner in from a new network while fifty others guess' },
    because: /AssertionError/,
  },
  {
    name: 'known-device-counted-as-any',
    breaks: 'A known device can sign in even if an attacker shares its network',
    patches: [{ file: attempts, find: 'if (await isWithinLimits(device))', put: "if (device.id === '')" }],
    test: { file: throttle, name: 'lets a device in that signed in before, from the attacker’s own network' },
    because: /AssertionError/,
  },
  {
    name: 'device-cookie-not-checked',
    breaks: 'The cookie of a known device cannot be forged',
    patches: [
      {
        file: 'src/domain/accounts/devices.ts',
        find: "const isOurs = id !== '' && sameSecret(signature, sign(who, id, expiry));",
        put: "const isOurs = id !== '' && signature.length === sign(who, id, expiry).length;",
      },
    ],
    test: { file: throttle, name: 'lets a device in that signed in before, from the attacker’s own network' },
    because: /AssertionError/,
  },
  {
    name: 'known-device-good-for-other-users',
    breaks: 'A device known for one user gets no exemption for another user with the same e-mail address',
    patches: [
      {
        file: 'src/domain/accounts/sessions.ts',
        find: 'matching.filter(({ user }) => user.id === id))[0];',
        put: "matching.filter(() => id !== ''))[0];",
      },
    ],
    test: {
      file: 'test/accounts/sessions.test.ts',
      name: 'keeps its limits for a device that another user of the address signed in on',
    },
    because: /instead of rejecting/,
  },
  {
    name: 'known-device-guesses-uncounted',
    breaks: 'A wrong password from a known device is counted before other users of the address are compared',
    patches: [
      {
        file: attempts,
        find: 'delayForOthers: () => countAsUnknown(email, address) }',
        put: 'delayForOthers: async () => 0 }',
      },
    ],
    test: {
      file: 'test/accounts/sessions.test.ts',
      name: 'keeps its limits for a device that another user of the address signed in on',
    },
    because: /instead of rejecting/,
  },
  {
    name: 'one-network-guesses-on',
    breaks: 'One network has five attempts per minute on an e-mail address',
    patches: [{ file: attempts, find: 'most: limit.each }', put: 'most: limit.all }' }],
    test: {
      file: throttle,
      name: 'gives one network five attempts a minute on one e-mail address, and says nothing about the sixth',
    },
    because: /AssertionError/,
  },
  {
    name: 'address-of-another-account-refused',
    breaks: 'POST /users does not reveal whether an e-mail address exists in another account',
    patches: [
      {
        file: 'src/domain/accounts/users.ts',
        find: '        await tx.users.create(user, passwordHash);\n',
        put: '        if (salt !== null) throw new UserExists(user.email);\n        await tx.users.create(user, passwordHash);\n',
      },
    ],
    test: { file: sameAddress, name: 'is taken as any other, and only once in an account' },
    because: /AssertionError/,
  },
  {
    name: 'salts-of-their-own',
    breaks: 'Signing in costs one hash, however many accounts have the e-mail address',
    patches: [
      {
        file: 'src/domain/accounts/users.ts',
        find: '        const like = saltIn(await store.users.listByEmail(normal));\n',
        put: '        const like = null;\n',
      },
      {
        file: 'src/domain/accounts/users.ts',
        find: '        if (salt !== null && !haveSameSalt(salt, passwordHash)) return false;\n        await requireOwn',
        put: '        if (salt !== null && haveSameSalt(salt, passwordHash)) return false;\n        await requireOwn',
      },
    ],
    test: {
      file: 'test/accounts/sessions.test.ts',
      name: 'is identified by the password, after one computation',
    },
    because: /AssertionError|Invalid e-mail address or password/,
  },
  {
    name: 'instance-told-to-everybody',
    breaks: 'Only the operator sees the size of the database, the free disk and the queue of all accounts',
    patches: [
      {
        file: 'src/domain/instance/report.ts',
        find: 'const isOperator = projectIds === null && oldest?.id === accountId;',
        put: 'const isOperator = projectIds === null && oldest !== null && accountId !== null;',
      },
    ],
    test: {
      file: 'test/http/management/numbers.test.ts',
      name: 'tells sizes and the queue to the oldest account only: they are the operator’s',
    },
    because: /AssertionError/,
  },
  {
    name: 'disk-told-to-everybody',
    breaks: 'Only the operator sees that the disk is nearly full',
    patches: [
      {
        file: 'src/domain/tallies/attention.ts',
        find: 'if (projectIds !== null || (await store.accounts.findOldest())?.id !== accountId) return [];',
        put: "if (projectIds !== null || accountId === '') return [];",
      },
    ],
    test: {
      file: 'src/domain/tallies/attention.test.ts',
      name: 'tells nobody of the disk but the operator, whose account is the oldest',
    },
    because: /AssertionError/,
  },
  {
    name: 'reset-link-works-twice',
    breaks: 'A link for a new password works once',
    patches: [
      {
        file: 'src/domain/signing-in/password-reset.ts',
        find: "if (!(await tx.loginLinks.take(tokenHash, 'reset'))) throw refuse.invalidLink();",
        put: '',
      },
    ],
    test: {
      file: 'test/http/session/reset.test.ts',
      name: 'is set by one of many who open the link at the same moment',
    },
    because: /AssertionError/,
  },
  {
    name: 'code-counts-twice',
    breaks: 'A code of an authenticator app counts once',
    patches: [
      {
        file: 'src/adapters/sql/rows/factors.ts',
        find: ".where('last_step', '<', step)",
        put: ".where('last_step', '<=', step)",
      },
    ],
    test: {
      file: 'test/http/session/second-factor.test.ts',
      name: 'is asked for after the password, and its code counts once',
    },
    because: /AssertionError/,
  },
  {
    name: 'invitation-joins-another-login',
    breaks: 'An invitation is accepted only by the address that it is for',
    patches: [
      {
        file: 'src/domain/signing-in/invitations.ts',
        find: 'session.user.email !== invitation.email',
        put: "session.user.email === ''",
      },
    ],
    test: {
      file: 'test/http/session/invitations.test.ts',
      name: 'is not for the session of another address, and needs a password without one',
    },
    because: /AssertionError/,
  },
  {
    name: 'two-factors-not-demanded',
    breaks: 'Without a required second factor, a session does nothing but set one up',
    patches: [
      {
        file: 'src/http/principal.ts',
        find: 'return principalOf(withFactor(await bySession(request, token)));',
        put: 'return principalOf(await bySession(request, token));',
      },
    ],
    test: {
      file: 'test/http/session/two-factors-required.test.ts',
      name: 'lets a session that is open do nothing but set one up, owners too; keys go on',
    },
    because: /AssertionError/,
  },
  {
    name: 'two-factors-not-demanded-of-readers',
    breaks: 'Also what only a person may do needs the required second factor',
    patches: [
      {
        file: 'src/http/principal.ts',
        find: 'withFactor(await person(request))',
        put: 'await person(request)',
      },
    ],
    test: {
      file: 'test/http/session/two-factors-required.test.ts',
      name: 'lets a session that is open do nothing but set one up, owners too; keys go on',
    },
    because: /AssertionError/,
  },
  {
    name: 'password-in-spite-of-single-sign-on',
    breaks: 'Addresses of a domain that requires single sign-on cannot sign in with a password',
    patches: [
      {
        file: 'src/domain/accounts/sessions.ts',
        find: 'if (await isProviderRequired(tx, now.user)) throw refuse.singleSignOnRequired();',
        put: '',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'is the only way for addresses of a domain that requires it, except for owners',
    },
    because: /AssertionError/,
  },
  {
    name: 'invitation-in-spite-of-single-sign-on',
    breaks: 'An invitation is no way around required single sign-on',
    patches: [
      {
        file: 'src/domain/signing-in/invitations.ts',
        find: 'if (await isProviderRequired(tx, user)) throw refuse.singleSignOnRequired();',
        put: '',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'is the only way for addresses of a domain that requires it, except for owners',
    },
    because: /AssertionError/,
  },
  {
    name: 'switch-in-spite-of-single-sign-on',
    breaks: 'Switching accounts is no way around required single sign-on',
    patches: [
      {
        file: 'src/domain/accounts/sessions.ts',
        find: 'if (await isProviderRequired(tx, found.user)) throw refuse.singleSignOnRequired();',
        put: '',
      },
    ],
    test: {
      file: 'test/http/management/roles.test.ts',
      name: 'does not switch to an account that requires single sign-on',
    },
    because: /AssertionError/,
  },
  {
    name: 'providers-shown-to-other-accounts',
    breaks: 'With several accounts, an identity provider is offered to addresses of its domains only',
    patches: [
      {
        file: 'src/adapters/sql/rows/identity-providers.ts',
        find: "is.not(is.exists(others.whereRef('accounts.id', '<>', 'identity_providers.account_id'))),",
        put: '',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'beside other accounts, a provider is offered by domain only',
    },
    because: /AssertionError/,
  },
  {
    name: 'sign-ins-lead-out-of-the-dashboard',
    breaks: 'Signing in with a provider ends at a page of the dashboard',
    patches: [
      {
        file: 'src/http/api/single-sign-on.ts',
        find: 'return href.startsWith(new URL(dashboardUrl).href) ? href : dashboardUrl;',
        put: 'return href;',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'makes a user at the first one, and finds them at the next',
    },
    because: /Error/,
  },
  {
    name: 'other-sites-begin-sign-ins',
    breaks: 'Another website signs nobody in with a provider of its choice',
    patches: [
      {
        file: 'src/http/api/single-sign-on.ts',
        find: 'if (sameOrigin.isForeign(request)) return',
        put: 'if (sameOrigin.isForeign(request) && returnTo === null) return',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'begins on our own pages: another site signs nobody in as somebody else',
    },
    because: /AssertionError/,
  },
  {
    name: 'provider-reaches-joined-accounts',
    breaks: 'A provider has no say about a login that joined another account later',
    patches: [
      {
        file: 'src/domain/accounts/sessions.ts',
        find: 'session.providerId !== null && (await store.users.listOfLogin(user.loginId)).length > 1;',
        put: 'session.providerId !== null && (await store.users.listOfLogin(user.loginId)).length > 9;',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'vouches for nobody in an account that they joined later',
    },
    because: /AssertionError/,
  },
  {
    name: 'codes-guessed-for-weeks',
    breaks: 'Nobody who knows a password finds the code of its app',
    patches: [{ file: attempts, find: 'most: codesPerDay }', put: 'most: codesPerDay * 100 }' }],
    test: {
      file: 'test/accounts/guessing.test.ts',
      name: 'are tried fifty times a day, so that nobody who knows the password finds one',
    },
    because: /to match object/,
  },
  {
    name: 'time-tells-of-other-accounts',
    breaks: 'Changing an e-mail address takes the same work for every address',
    patches: [
      {
        file: 'src/domain/signing-in/email-change.ts',
        find: '    return passwords.hash(password, { like: salt ?? passwordHash,',
        put: "    if (salt === null) return passwordHash ?? '';\n    return passwords.hash(password, { like: salt,",
      },
    ],
    test: {
      file: 'test/accounts/guessing.test.ts',
      name: 'takes the same work, whether another account has a user with it or not',
    },
    because: /AssertionError/,
  },
  {
    name: 'invitations-last-for-ever',
    breaks: 'An invitation expires',
    patches: [
      {
        file: 'src/domain/signing-in/invitations.ts',
        find: '!account || invitation.expiresAt <= clock.now()',
        put: '!account',
      },
    ],
    test: {
      file: 'test/http/session/invitations.test.ts',
      name: 'opens nothing once it has expired',
    },
    because: /AssertionError/,
  },
  {
    name: 'reset-links-last-for-ever',
    breaks: 'A link for a new password expires',
    patches: [
      {
        file: 'src/domain/signing-in/password-reset.ts',
        find: '!link || link.expiresAt <= clock.now()',
        put: '!link',
      },
    ],
    test: {
      file: 'test/http/session/reset.test.ts',
      name: 'is not set with a link that has expired',
    },
    because: /AssertionError/,
  },
  {
    name: 'address-links-last-for-ever',
    breaks: 'A link that confirms a new e-mail address expires',
    patches: [
      {
        file: 'src/domain/signing-in/email-change.ts',
        find: '!isOurs || link.expiresAt <= clock.now()',
        put: '!isOurs',
      },
    ],
    test: {
      file: 'test/http/session/email-change.test.ts',
      name: 'does not count once its link has expired',
    },
    because: /AssertionError/,
  },
  {
    name: 'second-factor-shown-much-later',
    breaks: 'The second factor must follow the password within five minutes',
    patches: [
      {
        file: 'src/domain/accounts/second-factor.ts',
        find: 'if (!(Number(expiresAt) > clock.now())) return null;',
        put: 'if (!(Number(expiresAt) > 0)) return null;',
      },
    ],
    test: {
      file: 'test/accounts/sessions.test.ts',
      name: 'a right password waits five minutes for the second factor',
    },
    because: /AssertionError/,
  },
  {
    name: 'passkey-challenges-last-for-ever',
    breaks: 'A challenge for a passkey is good for five minutes',
    patches: [
      {
        file: 'src/domain/signing-in/passkeys.ts',
        find: 'Number(expiresAt) > clock.now()',
        put: 'Number(expiresAt) > 0',
      },
    ],
    test: {
      file: 'test/http/session/passkeys.test.ts',
      name: 'a challenge is good for five minutes',
    },
    because: /AssertionError/,
  },
  {
    name: 'absences-last-for-ever',
    breaks: 'A sign-in with a provider takes ten minutes at most',
    patches: [
      {
        file: 'src/domain/accounts/provider-sign-in.ts',
        find: 'clock.now() < absence.expiresAt',
        put: 'absence.expiresAt > 0',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'who takes longer than ten minutes at the provider begins again',
    },
    because: /AssertionError/,
  },
  {
    name: 'sign-in-finished-with-another-provider',
    breaks: 'A sign-in ends with the provider that it began with',
    patches: [
      {
        file: 'src/domain/accounts/provider-sign-in.ts',
        find: 'absence.providerId === id',
        put: "absence.providerId !== ''",
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'is not finished with another provider than the one that it began with',
    },
    because: /AssertionError/,
  },
  {
    name: 'provider-shares-a-login',
    breaks: 'A user for whom a provider vouches is parted from users of the same login elsewhere',
    patches: [
      {
        file: 'src/domain/accounts/provider-sign-in.ts',
        find: 'return alone(tx, found);',
        put: 'return found;',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'parts the user of the account of the provider from the others',
    },
    because: /AssertionError/,
  },
  {
    name: 'provider-opens-other-accounts',
    breaks: 'A session by a provider opens the account of that provider only',
    patches: [
      {
        file: 'src/domain/accounts/sessions.ts',
        find: 'if (providerId) throw refuse.accountNotFound();',
        put: '',
      },
    ],
    test: {
      file: 'test/accounts/sessions.test.ts',
      name: 'with a provider opens no other account of the login',
    },
    because: /instead of rejecting/,
  },
  {
    name: 'invitation-accepted-by-a-provider',
    breaks: 'A session by a provider accepts no invitation of another account',
    patches: [
      {
        file: 'src/domain/signing-in/invitations.ts',
        find: 'shown?.providerId ? null : shown',
        put: 'shown',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'opens no account that the same login has joined with its password',
    },
    because: /AssertionError/,
  },
  {
    name: 'links-to-sign-out-lead-anywhere',
    breaks: 'Only a browser that has just signed out is sent to the provider',
    patches: [
      {
        file: 'src/domain/accounts/provider-sign-in.ts',
        find: 'if (!hasParted(parting, id)) return null;',
        put: 'hasParted(parting, id);',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'ends at the provider too, and nobody else is sent there',
    },
    because: /AssertionError/,
  },
];
