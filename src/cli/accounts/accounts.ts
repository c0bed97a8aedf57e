/** `inlet accounts`: the accounts of this instance, and their plans. */

import { isoTime } from '../../kernel/clock.js';
import { commandLine } from '../../model/audit.js';
import { isPlanName, type PlanName, planNames } from '../../model/plans.js';
import { wholeAccount } from '../../model/reach.js';
import { type Command, WrongUsage } from '../command.js';
import { requireAccount, requireConfig, requireName, withFoundation } from '../foundation.js';
import { table } from '../terminal.js';

function requirePlan(text: string): PlanName {
  if (!isPlanName(text)) throw new WrongUsage(`There is no plan "${text}".`);
  return text;
}

const create: Command = {
  words: ['accounts', 'create'],
  summary: 'Create an account and its first API key, which is shown once.',
  options: {
    name: { value: 'NAME', required: true, doc: 'Name of the account.' },
    plan: { value: 'PLAN', choices: planNames, doc: 'Plan of the account. Default: DEFAULT_PLAN.' },
  },
  run({ args, env, terminal }) {
    const config = requireConfig(env);
    const name = requireName(args.required('name'), create.words);
    const plan = requirePlan(args.text('plan') ?? config.defaultPlan);
    return withFoundation(config, 'create', async ({ accounts }) => {
      const { account, made } = await accounts.create(commandLine, { name, plan });
      if (terminal.json) {
        terminal.sayJson({ id: account.id, name: account.name, plan: account.plan, api_key: made.secret });
      } else {
        terminal.say(
          `Account  ${account.id}`,
          `Plan     ${account.plan}`,
          `API key  ${made.secret}`,
          '',
          'Keep the key now: it is not shown again.',
          `To let a person sign in to it: inlet users create --account ${account.id} --email ADDRESS`,
        );
      }
      return 0;
    });
  },
};

const list: Command = {
  words: ['accounts', 'list'],
  summary: 'List accounts and their usage.',
  options: {},
  run: ({ env, terminal }) =>
    withFoundation(requireConfig(env), 'existing', async ({ accounts }) => {
      const listed = await Promise.all(
        (await accounts.list()).map(async ({ id, name, plan, createdAt }) => ({
          id,
          name,
          plan,
          ...(await accounts.usage(wholeAccount(id))),
          created_at: isoTime(createdAt),
        })),
      );
      if (terminal.json) {
        terminal.sayJson(listed);
      } else {
        const rows = listed.map((item) => Object.values(item).map(String));
        const head = ['ID', 'NAME', 'PLAN', 'PROJECTS', 'FORMS', 'SUBMISSIONS', 'CREATED'];
        terminal.say(...table(terminal, head, rows));
      }
      return 0;
    }),
};

const setPlan: Command = {
  words: ['accounts', 'set-plan'],
  summary: 'Change the plan of an account. A running service applies it within 2 seconds.',
  argument: { name: 'ID', required: false, doc: 'The account. Optional if there is only one.' },
  options: {
    account: { value: 'ID', doc: 'The account, instead of the argument.' },
    plan: { value: 'PLAN', choices: planNames, required: true, doc: 'The new plan.' },
  },
  run({ args, env, terminal }) {
    const config = requireConfig(env);
    const plan = requirePlan(args.required('plan'));
    const named = args.text('account');
    if (named !== null && args.argument !== null && named !== args.argument) {
      throw new WrongUsage('The account is named twice, differently.', setPlan.words);
    }
    return withFoundation(config, 'existing', async (foundation) => {
      const account = await requireAccount(foundation, named ?? args.argument, setPlan.words);
      await foundation.accounts.setPlan({ accountId: account.id, actor: commandLine }, plan);
      if (terminal.json) terminal.sayJson({ id: account.id, name: account.name, plan });
      else terminal.say(`Account ${account.id} is on the plan ${plan} (before: ${account.plan}).`);
      return 0;
    });
  },
};

export const accountCommands: readonly Command[] = [create, list, setPlan];
