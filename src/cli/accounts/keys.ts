/** `inlet keys`: API keys. A key is shown once, when it is created. */
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import { type ApiKey, keyScopes } from '../../model/account.js';
import { commandLine } from '../../model/audit.js';
import { Refusal } from '../../model/errors.js';
import { CannotRun, type Command } from '../command.js';
import { accountsMeant, requireAccount, requireConfig, requireName, withFoundation } from '../foundation.js';
import { table } from '../terminal.js';

const accountOption = { value: 'ID', doc: 'The account. Optional if there is only one.' };

const dayMs = 86_400_000;
const maxDays = 3_650;

function expiryAfter(days: string | null): number | null {
  if (days === null) return null;
  if (!/^[1-9]\d*$/.test(days) || Number(days) > maxDays)
    throw new CannotRun(`--days is a whole number from 1 to ${maxDays}, not "${days}"`);
  return Date.now() + Number(days) * dayMs;
}

/** The only part of the request that the options cannot check. */
function unknownProject(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  throw new CannotRun(
    'A --project is not a project of this account. The dashboard shows the id of each project in its address.',
  );
}

const create: Command = {
  words: ['keys', 'create'],
  summary: 'Create an API key, which is shown once.',
  options: {
    account: accountOption,
    name: { value: 'NAME', required: true, doc: 'Name of the key, such as what it is used for.' },
    scope: { value: 'SCOPE', choices: keyScopes, doc: 'full (default), or read for read-only access.' },
    project: {
      value: 'ID',
      isRepeatable: true,
      doc: 'Limit the key to this project. May be given several times. Without it, the key reaches the whole account.',
    },
    days: { value: 'N', doc: 'The key expires after this many days. It does not expire by default.' },
  },
  run({ args, env, terminal }) {
    const config = requireConfig(env);
    const name = requireName(args.required('name'), create.words);
    const scope = keyScopes.find((word) => word === args.text('scope')) ?? 'full';
    const expiresAt = expiryAfter(args.text('days'));
    const projects = [...new Set(args.all('project'))];
    const projectIds = projects.length > 0 ? projects : null;
    return withFoundation(config, 'existing', async (foundation) => {
      const account = await requireAccount(foundation, args.text('account'), create.words);
      const { key, secret } = await foundation.accounts
        .createKey({ accountId: account.id, actor: commandLine }, { name, scope, expiresAt, projectIds })
        .catch(unknownProject);
      if (terminal.json) {
        terminal.sayJson({
          id: key.id,
          account_id: account.id,
          name,
          scope,
          expires_at: isoTimeOrNull(expiresAt),
          project_ids: projectIds,
          api_key: secret,
        });
      } else {
        terminal.say(`Key      ${key.id}`, `Scope    ${scope}`);
        if (projectIds !== null) terminal.say(`Projects ${projectIds.join(', ')}`);
        if (expiresAt !== null) terminal.say(`Expires  ${isoTime(expiresAt)}`);
        terminal.say(`API key  ${secret}`);
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
  expires_at: isoTimeOrNull(key.expiresAt),
  last_used_at: isoTimeOrNull(key.lastUsedAt),
  project_ids: key.projectIds,
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
          Object.values({
            ...item,
            expires_at: item.expires_at ?? 'never',
            last_used_at: item.last_used_at ?? 'never',
            project_ids: item.project_ids?.join(', ') ?? 'all',
          }),
        );
        const head = [
          'ID',
          'ACCOUNT',
          'NAME',
          'SCOPE',
          'BEGINS WITH',
          'CREATED',
          'EXPIRES',
          'LAST USED',
          'PROJECTS',
        ];
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
      await accounts.revokeKey({ accountId: key.accountId, actor: commandLine }, key.id);
      if (terminal.json) terminal.sayJson({ id: key.id, account_id: key.accountId, revoked: true });
      else terminal.say(`Key ${key.id} (${key.prefix}…) is revoked.`);
      return 0;
    }),
};

export const keyCommands: readonly Command[] = [create, list, revoke];
