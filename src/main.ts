#!/usr/bin/env node
/** The entry of the command line: runs the command, then exits with its code. */
import { runCommandLine } from './cli/run.js';

const code = await runCommandLine(process.argv.slice(2), process.env);
// The empty write is answered after everything before it: `exit` alone may cut what a pipe has not taken yet.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
