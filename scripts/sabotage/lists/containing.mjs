/** Sabotages of what prevents secrets, internal addresses and deliveries from reaching the wrong place. */
const policy = 'src/domain/webhooks/address-policy.ts';
const connect = 'src/adapters/outbound/connect.ts';
const ownEndpoints = 'test/http/webhooks/own-endpoints.test.ts';
const outbound = 'test/contracts/outbound-undici.test.ts';

export const containing = [
  {
    name: 'read-key-sees-secrets',
    breaks: 'A read-only API key sees no secrets',
    patches: [
      {
        file: 'src/model/account.ts',
        find: "isAllowed(role, 'secrets.read') ? secret : null;",
        put: "isAllowed(role, 'secrets.read') ? secret : secret;",
      },
    ],
    test: { file: 'test/http/management/read-keys.test.ts', name: 'a read key is shown no secret' },
    because: /AssertionError/,
  },
  {
    name: 'expired-key-still-opens',
    breaks: 'An API key opens nothing once it has expired',
    patches: [
      {
        file: 'src/domain/accounts/service.ts',
        find: 'if (key.expiresAt !== null && key.expiresAt <= now) return null;',
        put: '',
      },
    ],
    test: { file: 'test/http/management/api-keys.test.ts', name: 'opens nothing from then on' },
    because: /expected 200 to be 401/,
  },
  {
    name: 'address-stored-anyway',
    breaks: 'A form that stores no addresses leaves none in the data folder',
    patches: [
      {
        file: 'src/domain/tallies/seen.ts',
        find: "ip: form.storeIp ? visit.ip : '',",
        put: 'ip: visit.ip,',
      },
    ],
    test: { file: 'test/http/submit/privacy.test.ts', name: 'keeps neither where the form says so' },
    because: /AssertionError/,
  },
  {
    name: 'gone-is-tried-again',
    breaks: 'An endpoint that responds 410 Gone gets no further attempt of that delivery',
    patches: [
      {
        file: 'src/model/delivery.ts',
        find: "if (end !== 'failed' || dueAt === null",
        put: "if (end === 'cancelled' || dueAt === null",
      },
    ],
    test: { file: 'test/http/webhooks/schedule.test.ts', name: 'makes no more attempts after 410 Gone' },
    because: /AssertionError/,
  },
  {
    name: 'own-endpoint-can-be-saved',
    breaks: 'A webhook URL that leads to Inlet, or to a service it uses, is not saved',
    patches: [
      {
        file: 'src/compose/own-endpoints.ts',
        find: "    { host: config.host, port: config.port, by: 'any-address' },\n",
        put: '',
      },
    ],
    test: { file: ownEndpoints, name: 'refuses where this service listens, as 127.0.0.1' },
    because: /AssertionError/,
  },
  {
    name: 'own-endpoint-connected-to',
    breaks: 'No webhook connects to Inlet or to a service it uses, whatever is allowed',
    patches: [
      {
        file: policy,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '  return isOwn ? `${canonical} port ${port} ${leadsBack}` : null;\n}\n\n/** Returns why the URL',
        put: '  return isOwn && port < 0 ? leadsBack : null;\n}\n\n/** Returns why the URL',
      },
    ],
    test: { file: ownEndpoints, name: 'refuses a URL that was saved before' },
    because: /AssertionError/,
  },
  {
    name: 'own-names-not-looked-up',
    breaks: 'A service that Inlet uses cannot be reached by its IP address either',
    patches: [
      {
        file: connect,
        find: 'if (asking !== undefined) await',
        put: 'if (asking !== undefined && false) await',
      },
      {
        file: 'src/adapters/outbound/endpoint-names.ts',
        find: '        guarded.learn(host, addresses);\n',
        put: '',
      },
    ],
    test: { file: outbound, name: 'are refused wherever their names lead' },
    because: /AssertionError/,
  },
  {
    name: 'unknown-own-names-reached',
    breaks:
      'While the address of a service that Inlet uses is unknown, no internal address at its port can be reached',
    patches: [
      {
        file: 'src/adapters/outbound/endpoint-names.ts',
        find: 'if (!entry.isKnown) guarded.learn(host, null);',
        put: '',
      },
    ],
    test: { file: outbound, name: 'whose names were never looked up may be at any inside address' },
    because: /AssertionError/,
  },
  {
    name: 'local-services-have-one-address',
    breaks: 'A service on localhost cannot be reached at another address of the machine',
    patches: [
      {
        file: 'src/domain/webhooks/own-endpoints.ts',
        find: '([...addresses].some(isLoopback) && this.#isThisMachine(address))',
        put: "(addresses.has('0.0.0.0') && this.#isThisMachine(address))",
      },
    ],
    test: {
      file: ownEndpoints,
      name: 'refuses the port of operations, mail server, Redis, bucket and database',
    },
    because: /AssertionError/,
  },
  {
    name: 'returned-delivery-accepted',
    breaks: 'A delivery that comes back is rejected before anything is stored',
    patches: [
      {
        file: 'src/domain/submissions/admission.ts',
        find: 'visit.instance?.includes(deps.instanceMark)',
        put: "visit.instance?.includes('nobody')",
      },
    ],
    test: { file: ownEndpoints, name: 'rejects a delivery that comes back before anything is stored' },
    because: /AssertionError/,
  },
  {
    name: 'inside-address-named',
    breaks: 'An owner does not see which internal address a host name resolves to',
    patches: [
      {
        file: connect,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '      `${target.host} resolves to an address that is not allowed`,\n',
        put: '',
      },
    ],
    test: { file: outbound, name: 'tells the operator where a refused name leads' },
    because: /AssertionError/,
  },
  {
    name: 'inside-remote-address-shown',
    breaks: 'The internal address behind a host name is not shown with an attempt',
    patches: [
      {
        file: policy,
        find: "if (address === null || classify(address) === 'public') return address;",
        put: 'if (address !== null || URL.canParse(url)) return address;',
      },
    ],
    test: {
      file: 'src/domain/webhooks/address-policy.test.ts',
      name: 'of http://n8n.example.com/ at 10.0.0.7',
    },
    because: /AssertionError/,
  },
];
