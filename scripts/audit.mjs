/**
 * Fails when code that we ship has a known vulnerability of level high or critical: production dependencies, and packages that
 * the build bundles into our own files, which npm treats as development dependencies. Not every registry supports audits
 * (mirrors often do not), and any can be down. Then it says so in one line and passes, because nothing was found.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const limitMs = 60_000;
const failing = ['high', 'critical'];

const json = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const bundled = json('dist/bundled.json');
const locked = json('package-lock.json').packages;
const isShipped = (path) => path in bundled || !locked[path]?.dev;

const ran = spawnSync('npm', ['audit', '--audit-level=high', '--json'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
  timeout: limitMs,
  maxBuffer: 64 * 1024 * 1024,
  // By default npm waits five minutes for a response, three times.
  env: { npm_config_fetch_timeout: '20000', npm_config_fetch_retries: '0', ...process.env },
});

/** A vulnerable package with its own advisories. `via` also names the packages through which it is vulnerable. */
const linesOf = ({ name, severity, via }) => {
  const advisories = via.filter((cause) => typeof cause === 'object');
  const from = via.filter((cause) => typeof cause === 'string');
  return [
    `${name}: ${severity}${from.length > 0 ? `, through ${from.join(', ')}` : ''}`,
    ...advisories.map(({ title, url }) => `  ${title} ${url}`),
  ];
};

function judge() {
  if (ran.error?.code === 'ETIMEDOUT') return skipped(`no answer within ${limitMs / 1000} seconds`);
  if (ran.error) return failed(String(ran.error));
  let report;
  try {
    report = JSON.parse(ran.stdout);
  } catch {
    return failed(`npm audit: ${ran.stdout}${ran.stderr}`);
  }
  if (report.metadata?.vulnerabilities) {
    const found = Object.values(report.vulnerabilities).filter(
      ({ severity, nodes }) => failing.includes(severity) && nodes.some(isShipped),
    );
    return found.length === 0
      ? { code: 0, lines: ['No package that we ship has a known vulnerability of level high or critical.'] }
      : failed(...found.flatMap(linesOf));
  }
  // The registry's refusal, or why it could not be reached. Errors on our side, such as a missing lock file, have no message.
  return typeof report.message === 'string' ? skipped(report.message) : failed(ran.stdout);
}

const skipped = (reason) => ({
  code: 0,
  lines: [`Audit skipped, the registry does not answer it: ${reason.split('\n', 1)[0]}`],
});
const failed = (...lines) => ({ code: 1, lines });

const { code, lines } = judge();
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = code;
