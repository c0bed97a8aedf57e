/** Instances that send no mail do not pay for the mail library: the first send loads it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
/** A folder from which no library can be found. */
const bare = mkdtempSync(join(tmpdir(), 'inlet-mailer-'));
afterAll(() => rmSync(bare, { recursive: true, force: true }));

const program = `
import { createSmtpMailer } from './adapters/mailer/smtp.js';
const mailer = createSmtpMailer({ url: 'smtp://127.0.0.1:9', from: 'a@inlet.example' });
const message = { id: '1', to: 'b@example.com', replyTo: null, subject: 's', text: 't', html: 'h' };
console.log(JSON.stringify(await mailer.send(message)));
await mailer.close();
`;

it('is made where the mail library is missing, and only sending needs it', () => {
  mkdirSync(join(bare, 'adapters'));
  cpSync(join(dist, 'kernel'), join(bare, 'kernel'), { recursive: true });
  cpSync(join(dist, 'adapters', 'mailer'), join(bare, 'adapters', 'mailer'), { recursive: true });
  writeFileSync(join(bare, 'package.json'), '{"type":"module"}');
  writeFileSync(join(bare, 'program.js'), program);
  const output = execFileSync(process.execPath, [join(bare, 'program.js')], { encoding: 'utf8' });
  const outcome = JSON.parse(output) as { detail: string };
  expect(outcome).toMatchObject({ kind: 'refused', permanent: false });
  expect(outcome.detail).toMatch(/^The mail could not be sent: Cannot find package 'nodemailer'/);
});
