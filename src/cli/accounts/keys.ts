/** `inlet keys`: API keys. A key is shown once, when it is made. */
import { isoTime } from '../../kernel/clock.js';
import { type ApiKey, keyScopes } from '../../model/account.js';
import { CannotRun, type Command } from '../command.js';
import { accountsMeant, requireAccount, requireConfig, requireName, withFoundation } from '../foundation.js';
import { table } from '../terminal.js';

const accountOption = { value: 'ID', doc: 'The account. Optional if there is only one.' };

const create: Command = {
  words: ['keys', 'create'],
  summary: 'Create an API key, which is shown once.',
  options: {
    account: accountOption,
    name: { value: 'NAME', required: true, doc: 'Name of the key, such as what it is used for.' },
    scope: { value: 'SCOPE', choices: keyScopes, doc: 'full (default), or read for read-only access.' },
  },
  run({ args, env, terminal }) {
    const config = requireConfig(env);
    const name = requireName(args.required('name'), create.words);
    const scope = keyScopes.find((word) => word === args.text('scope')) ?? 'full';
    return withFoundation(config, 'existing', async (foundation) => {
      const account = await requireAccount(foundation, args.text('account'), create.words);
      const { key, secret } = await foundation.accounts.createKey(account.id, { name, scope });
      if (terminal.json) {
        terminal.sayJson({ id: key.id, account_id: account.id, name, scope, api_key: secret });
      } else {
        terminal.say(`Key      ${key.id}`, `Scope    ${scope}`, `API key  ${secret}`);
        terminal.say('', 'Keep the key now: it is not shown again.');
      }
      return 0;
    });
  },
};

const toItem = (key: ApiKey) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  scope: key.scope,
  prefix: key.prefix,
  created_at: isoTime(key.createdAt),
  last_used_at: key.lastUsedAt === null ? null : isoTime(key.lastUsedAt),
});

const list: Command = {
  words: ['keys', 'list'],
  summary: 'List API keys by their first characters. The keys themselves are not stored.',
  options: { account: { value: 'ID', doc: 'List only the keys of this account.' } },
  run: ({ args, env, terminal }) =>
    withFoundation(requireConfig(env), 'existing', async (foundation) => {
      const owners = await accountsMeant(foundation, args.text('account'), list.words);
      const keys = await Promise.all(owners.map((owner) => foundation.accounts.listKeys(owner.id)));
      const items = keys.flat().map(toItem);
      if (terminal.json) {
        terminal.sayJson(items);
      } else {
        const rows = items.map((item) =>
          Object.values({ ...item, last_used_at: item.last_used_at ?? 'never' }),
        );
        const head = ['ID', 'ACCOUNT', 'NAME', 'SCOPE', 'BEGINS WITH', 'CREATED', 'LAST USED'];
        terminal.say(...table(terminal, head, rows));
      }
      return 0;
    }),
};

const revoke: Command = {
  words: ['keys', 'revoke'],
  summary: 'Revoke an API key immediately.',
  argument: { name: 'ID', required: true, doc: 'Id of the key, from "inlet keys list".' },
  options: {},
  run: ({ args, env, terminal }) =>
    withFoundation(requireConfig(env), 'existing', async ({ accounts }) => {
      const keys = await Promise.all((await accounts.list()).map((account) => accounts.listKeys(account.id)));
      const key = keys.flat().find((candidate) => candidate.id === args.argument);
      if (!key) throw new CannotRun(`There is no key ${args.argument}. See them all: inlet keys list`);
      await accounts.revokeKey(key.accountId, key.id);
      if (terminal.json) terminal.sayJson({ id: key.id, account_id: key.accountId, revoked: true });
      else terminal.say(`Key ${key.id} (${key.prefix}…) is revoked.`);
      return 0;
    }),
};

export const keyCommands: readonly Command[] = [create, list, revoke];
