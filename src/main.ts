#!/usr/bin/env node
/**
 * The entry point of the command line: checks the version of Node, then runs the command and exits with its code.
 *
 * An old Node must be able to run this file, or it would fail with a stack trace instead of a message: no static import, and
 * no syntax newer than ES2015 except `import()`.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 20 || (major === 20 && minor >= 20)) {
  void run();
} else {
  process.stderr.write(
    `Inlet needs Node 20.20 or newer, and this is Node ${process.versions.node}. Install a newer one: https://nodejs.org/en/download\n`,
  );
  process.exitCode = 1;
}

function run(): Promise<void> {
  // The S3 client warns at every start that its versions of 2027 will need a newer Node; our version is pinned.
  if (process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED === undefined) {
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  }
  return import('./cli/run.js')
    .then(({ runCommandLine }) => runCommandLine(process.argv.slice(2), process.env))
    .then((code) => {
      // The empty write completes after all earlier ones: `exit` alone may lose what a pipe has not taken yet.
      process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
    });
}
