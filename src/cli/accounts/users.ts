/**
 * `inlet users`: users who sign in to the dashboard. A password is never passed on the command line, where every user of
 * the machine can read it: it comes through a pipe, or one is generated and shown once.
 */
import type { Foundation } from '../../compose/foundation.js';
import { email as emailSetting } from '../../config/addresses.js';
import { options } from '../../config/options.js';
import { newPassword, UserAmbiguous, UserExists, UserUnknown } from '../../domain/accounts/users.js';
import { isoTime } from '../../kernel/clock.js';
import type { User } from '../../model/account.js';
import { commandLine } from '../../model/audit.js';
import { Refusal } from '../../model/errors.js';
import { roles } from '../../model/permission.js';
import { type Arguments, CannotRun, type Command, WrongUsage } from '../command.js';
import { accountsMeant, requireAccount, requireConfig, withFoundation } from '../foundation.js';
import { printable, table } from '../terminal.js';

const passwordOption = {
  doc: 'Read the password from standard input. Otherwise one is generated and shown once.',
};
const whichAccount = {
  value: 'ID',
  doc: 'The account. Required if several accounts have a user with this address.',
};
const emailOption = { value: 'ADDRESS', required: true, doc: 'E-mail address of the user.' };

function requireEmail(text: string, words: readonly string[]): string {
  const parsed = emailSetting.parse(text.trim());
  if (!parsed.ok) throw new WrongUsage(`--email "${text}" ${parsed.wrong}.`, words);
  return parsed.value;
}

interface ChosenPassword {
  readonly password: string;
  /** It was generated and has not been shown yet. */
  readonly made: boolean;
}

const longestInput = 4096;

async function choosePassword(args: Arguments, words: readonly string[]): Promise<ChosenPassword> {
  if (!args.isOn('password-stdin')) return { password: newPassword(), made: true };
  if (process.stdin.isTTY) {
    throw new WrongUsage('--password-stdin reads from a pipe or a file; there is none.', words);
  }
  let input = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    input += chunk;
    if (input.length > longestInput) break;
  }
  const parsed = options.adminPassword.type.parse(input.replace(/\r?\n$/, ''));
  if (!parsed.ok) {
    throw new CannotRun(`The password ${parsed.wrong}; expected ${options.adminPassword.type.expects}`);
  }
  return { password: parsed.value, made: false };
}

const shownPassword = ({ password, made }: ChosenPassword) => (made ? { password } : {});
const passwordLines = ({ password, made }: ChosenPassword): string[] =>
  made ? [`Password  ${password}`, '', 'Keep the password now: it is not shown again.'] : [];

const create: Command = {
  words: ['users', 'create'],
  summary: 'Create a user who can sign in to the dashboard.',
  options: {
    email: emailOption,
    account: { value: 'ID', doc: 'The account. Optional if there is only one.' },
    role: { value: 'ROLE', choices: roles, doc: 'owner (default), editor or viewer.' },
    'password-stdin': passwordOption,
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), create.words);
    const chosen = await choosePassword(args, create.words);
    return withFoundation(config, 'existing', async (foundation) => {
      const account = await requireAccount(foundation, args.text('account'), create.words);
      const { password } = chosen;
      const role = roles.find((word) => word === args.text('role')) ?? 'owner';
      const user = await foundation.users
        .create(
          { accountId: account.id, actor: commandLine },
          { email, password, access: { role, projects: [] } },
        )
        .catch((error: unknown) => {
          if (!(error instanceof UserExists)) throw error;
          const remedy = `inlet users reset-password --email ${email} --account ${account.id}`;
          throw new CannotRun(`The account already has a user ${email}. To set a new password: ${remedy}`);
        });
      if (terminal.json) {
        terminal.sayJson({
          id: user.id,
          account_id: user.accountId,
          email: user.email,
          role,
          ...shownPassword(chosen),
        });
      } else {
        terminal.say(
          `User      ${printable(user.email)}`,
          `Account   ${account.id}`,
          `Role      ${role}`,
          ...passwordLines(chosen),
        );
      }
      return 0;
    });
  },
};

const toItem = (user: User) => ({
  id: user.id,
  account_id: user.accountId,
  email: user.email,
  role: user.role,
  projects: user.projects.map((one) => ({ project_id: one.projectId, role: one.role })),
  created_at: isoTime(user.createdAt),
});

const list: Command = {
  words: ['users', 'list'],
  summary: 'List users.',
  options: { account: { value: 'ID', doc: 'List only the users of this account.' } },
  run: ({ args, env, terminal }) =>
    withFoundation(requireConfig(env), 'existing', async (foundation) => {
      const owners = await accountsMeant(foundation, args.text('account'), list.words);
      const users = await Promise.all(owners.map((owner) => foundation.users.list(owner.id)));
      const items = users.flat().map(toItem);
      const rows = items.map(({ role, projects, ...item }) =>
        Object.values({ ...item, role: role ?? `in ${projects.length} projects` }),
      );
      if (terminal.json) terminal.sayJson(items);
      else terminal.say(...table(terminal, ['ID', 'ACCOUNT', 'E-MAIL', 'CREATED', 'ROLE'], rows));
      return 0;
    }),
};

/** The user in this account, or in the only account that has a user with this address. */
async function requireUser(
  foundation: Foundation,
  email: string,
  accountId: string | null,
  words: readonly string[],
): Promise<User> {
  if (accountId !== null) await requireAccount(foundation, accountId, words);
  return foundation.users.get({ email, accountId }).catch((error: unknown) => {
    if (error instanceof UserAmbiguous) {
      throw new CannotRun(
        `Several accounts have a user ${email}. Choose one with --account ID; inlet accounts list shows the ids.`,
      );
    }
    if (!(error instanceof UserUnknown)) throw error;
    const where = accountId === null ? '' : ` --account ${accountId}`;
    throw new CannotRun(`There is no user ${email}. Create one: inlet users create --email ${email}${where}`);
  });
}

const remove: Command = {
  words: ['users', 'remove'],
  summary: 'Remove a user and end their sessions, within 5 seconds in a running service.',
  notes: ['The last user of an account cannot be removed. Create another one first.'],
  options: { email: emailOption, account: whichAccount },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), remove.words);
    return withFoundation(config, 'existing', async (foundation) => {
      const user = await requireUser(foundation, email, args.text('account'), remove.words);
      const { id, accountId } = user;
      await foundation.users
        .delete({ accountId, userId: null, actor: commandLine }, id)
        .catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
          throw new CannotRun(`${error.message}. Create another one first: inlet users create`);
        });
      if (terminal.json) terminal.sayJson({ id, account_id: accountId, email: user.email, removed: true });
      else terminal.say(`User ${printable(user.email)} is removed.`);
      return 0;
    });
  },
};

const setRole: Command = {
  words: ['users', 'set-role'],
  summary: 'Give a user another role in the whole account.',
  notes: ['It counts within a second in a running service. The last owner of an account keeps that role.'],
  options: {
    email: emailOption,
    account: whichAccount,
    role: { value: 'ROLE', required: true, choices: roles, doc: 'owner, editor or viewer.' },
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), setRole.words);
    const role = roles.find((word) => word === args.required('role')) ?? 'viewer';
    return withFoundation(config, 'existing', async (foundation) => {
      const { id, accountId } = await requireUser(foundation, email, args.text('account'), setRole.words);
      await foundation.users
        .setAccess({ accountId, actor: commandLine }, id, { role, projects: [] })
        .catch((error: unknown) => {
          throw error instanceof Refusal ? new CannotRun(`${error.message}.`) : error;
        });
      if (terminal.json) terminal.sayJson({ id, account_id: accountId, email, role });
      else terminal.say(`User      ${printable(email)}`, `Role      ${role}`);
      return 0;
    });
  },
};

const resetPassword: Command = {
  words: ['users', 'reset-password'],
  summary: 'Set a new password for a user.',
  options: {
    email: emailOption,
    account: whichAccount,
    'password-stdin': passwordOption,
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), resetPassword.words);
    const chosen = await choosePassword(args, resetPassword.words);
    return withFoundation(config, 'existing', async (foundation) => {
      const user = await requireUser(foundation, email, args.text('account'), resetPassword.words);
      await foundation.users.resetPassword(commandLine, user, chosen.password);
      if (terminal.json) terminal.sayJson({ email, ...shownPassword(chosen) });
      else terminal.say(`User      ${printable(email)}`, ...passwordLines(chosen));
      return 0;
    });
  },
};

const resetTwoFactors: Command = {
  words: ['users', 'reset-two-factors'],
  summary:
    'Remove the authenticator app, the passkeys and the recovery codes of a user, who then signs in with the password alone.',
  options: { email: emailOption, account: whichAccount },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), resetTwoFactors.words);
    return withFoundation(config, 'existing', async (foundation) => {
      const user = await requireUser(foundation, email, args.text('account'), resetTwoFactors.words);
      const hadOne = await foundation.users.resetTwoFactors(commandLine, user);
      if (terminal.json) terminal.sayJson({ email, reset: hadOne });
      else if (hadOne) terminal.say(`User ${printable(email)} signs in with the password alone.`);
      else terminal.say(`User ${printable(email)} had no second factor.`);
      return 0;
    });
  },
};

export const userCommands: readonly Command[] = [
  create,
  list,
  setRole,
  remove,
  resetPassword,
  resetTwoFactors,
];
