/** `inlet doctor`: checks what an instance depends on, and says how to fix what is wrong. */
import { loadConfig } from '../../config/load.js';
import { isPlainAddress } from '../../kernel/email-address.js';
import { type Command, WrongUsage } from '../command.js';
import { alignedRows, type Colour, type Progress, printable, type Terminal } from '../terminal.js';
import { type Check, fail } from './check.js';
import { dataChecks } from './data.js';
import { mailChecks } from './mail.js';
import { partChecks } from './parts.js';
import { settingsChecks } from './settings.js';

const colours: Readonly<Record<Check['state'], Colour>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  skip: 'yellow',
};

async function allChecks(
  env: NodeJS.ProcessEnv,
  mailTo: string | null,
  progress: Progress,
): Promise<readonly Check[]> {
  const loaded = loadConfig(env);
  if (!loaded.ok) {
    return loaded.faults.map((fault) =>
      fail('settings', fault, 'Set it right, then run inlet doctor again.'),
    );
  }
  const { config } = loaded;
  return [
    ...settingsChecks(config, env),
    ...(await partChecks(config)),
    ...(await dataChecks(config, progress)),
    ...(mailTo === null ? [] : await mailChecks(config, mailTo)),
  ];
}

function linesOf(terminal: Terminal, checks: readonly Check[]): string[] {
  const rows = checks.map(({ state, name, message }) => [state.padEnd(4), name, printable(message)]);
  return alignedRows(rows).flatMap((line, index) => {
    const check = checks[index];
    if (!check) return [];
    const coloured = terminal.styled(colours[check.state], line.slice(0, 4)) + line.slice(4);
    return check.next === null ? [coloured] : [coloured, `      → ${check.next}`];
  });
}

export const doctorCommand: Command = {
  words: ['doctor'],
  summary: 'Check settings, mail server, images, disk, database and files, and say how to fix problems.',
  notes: [
    'Exits with code 1 if a check fails. Warnings and skipped checks are not failures.',
    'It reads the settings from the environment of this shell: run it with the same settings as the service.',
  ],
  options: {
    mail: {
      value: 'ADDRESS',
      doc: 'Also send a test mail to ADDRESS, and check the SPF, DKIM and DMARC records of the domain of MAIL_FROM.',
    },
  },
  async run({ args, env, terminal }) {
    const mailTo = args.text('mail');
    if (mailTo !== null && !isPlainAddress(mailTo))
      throw new WrongUsage('--mail must be an e-mail address, such as you@example.com.', ['doctor']);
    const checks = await allChecks(env, mailTo, terminal.progress);
    const isWell = checks.every((check) => check.state !== 'fail');
    if (terminal.json) terminal.sayJson({ ok: isWell, checks });
    else terminal.say(...linesOf(terminal, checks));
    return isWell ? 0 : 1;
  },
};
