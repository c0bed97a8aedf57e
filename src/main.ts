#!/usr/bin/env node
/** The entry of the command line: runs the command, then exits with its code. */
import { runCommandLine } from './cli/run.js';

// The S3 client says at every start that its versions of 2027 will need a newer Node; the version is pinned.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

const code = await runCommandLine(process.argv.slice(2), process.env);
// The empty write is answered after everything before it: `exit` alone may cut what a pipe has not taken yet.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
