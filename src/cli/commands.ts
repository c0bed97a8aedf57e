/** Every command of the command line, in the order of the help. */
import { accountCommands } from './accounts.js';
import { adoptCommand } from './adopt.js';
import { backupCommand } from './backup.js';
import type { Command } from './command.js';
import { configCommand } from './config.js';
import { copyCommand } from './copy.js';
import { doctorCommand } from './doctor.js';
import { keyCommands } from './keys.js';
import { migrateCommand } from './migrate.js';
import { restoreCommand } from './restore.js';
import { serveCommand } from './serve.js';
import { userCommands } from './users.js';
import { verifyCommand } from './verify.js';

export const commands: readonly Command[] = [
  serveCommand,
  migrateCommand,
  ...accountCommands,
  ...keyCommands,
  ...userCommands,
  doctorCommand,
  verifyCommand,
  adoptCommand,
  backupCommand,
  restoreCommand,
  copyCommand,
  configCommand,
];
