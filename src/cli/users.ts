/**
 * `inlet users`: people who sign in to the dashboard. A password never stands on the command line, where every user of
 * the machine can read it: it comes through a pipe, or one is made and shown once.
 */
import { email as emailSetting } from '../config/addresses.js';
import { options } from '../config/options.js';
import { newPassword, UserAmbiguous, UserExists, UserUnknown } from '../domain/accounts/users.js';
import { type Arguments, CannotRun, type Command, WrongUsage } from './command.js';
import { requireAccount, requireConfig, withFoundation } from './foundation.js';
import { printable } from './terminal.js';

const passwordOption = {
  doc: 'Read the password from standard input. Without it one is made and shown once.',
};
const emailOption = { value: 'ADDRESS', required: true, doc: 'The e-mail address of the person.' };

function requireEmail(text: string, words: readonly string[]): string {
  const parsed = emailSetting.parse(text.trim());
  if (!parsed.ok) throw new WrongUsage(`--email "${text}" ${parsed.wrong}.`, words);
  return parsed.value;
}

interface ChosenPassword {
  readonly password: string;
  /** Nobody knows it yet. */
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
  summary: 'Let a person sign in to the dashboard.',
  options: {
    email: emailOption,
    account: { value: 'ID', doc: 'The account; may be left out when there is only one.' },
    'password-stdin': passwordOption,
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), create.words);
    const chosen = await choosePassword(args, create.words);
    return withFoundation(config, 'existing', async (foundation) => {
      const account = await requireAccount(foundation, args.text('account'), create.words);
      const { password } = chosen;
      const user = await foundation.users
        .create({ accountId: account.id, email, password })
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
          ...shownPassword(chosen),
        });
      } else {
        terminal.say(
          `User      ${printable(user.email)}`,
          `Account   ${account.id}`,
          ...passwordLines(chosen),
        );
      }
      return 0;
    });
  },
};

const resetPassword: Command = {
  words: ['users', 'reset-password'],
  summary: 'Give a person a new password.',
  options: {
    email: emailOption,
    account: { value: 'ID', doc: 'The account; needed when several have a user with this address.' },
    'password-stdin': passwordOption,
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const email = requireEmail(args.required('email'), resetPassword.words);
    const chosen = await choosePassword(args, resetPassword.words);
    return withFoundation(config, 'existing', async (foundation) => {
      const named = args.text('account');
      const account = named === null ? null : await requireAccount(foundation, named, resetPassword.words);
      const accountId = account?.id ?? null;
      await foundation.users.resetPassword({ email, accountId }, chosen.password).catch((error: unknown) => {
        if (error instanceof UserAmbiguous) {
          throw new CannotRun(
            `Several accounts have a user ${email}. Choose one with --account ID; inlet accounts list shows the ids.`,
          );
        }
        if (!(error instanceof UserUnknown)) throw error;
        const where = account === null ? '' : ` --account ${account.id}`;
        throw new CannotRun(
          `There is no user ${email}. Create one: inlet users create --email ${email}${where}`,
        );
      });
      if (terminal.json) terminal.sayJson({ email, ...shownPassword(chosen) });
      else terminal.say(`User      ${printable(email)}`, ...passwordLines(chosen));
      return 0;
    });
  },
};

export const userCommands: readonly Command[] = [create, resetPassword];
