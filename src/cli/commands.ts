/** Every command of the command line, in the order of the help. */
import { accountCommands } from './accounts/accounts.js';
import { keyCommands } from './accounts/keys.js';
import { userCommands } from './accounts/users.js';
import type { Command } from './command.js';
import { configCommand } from './config.js';
import { demoCommand } from './demo/demo.js';
import { doctorCommand } from './doctor/doctor.js';
import { importCommand } from './import/import.js';
import { adoptCommand } from './instance/adopt.js';
import { backupCommand } from './instance/backup.js';
import { copyCommand } from './instance/copy.js';
import { migrateCommand } from './instance/migrate.js';
import { restoreCommand } from './instance/restore.js';
import { verifyCommand } from './instance/verify.js';
import { serveCommand } from './serve/serve.js';

export const commands: readonly Command[] = [
  serveCommand,
  demoCommand,
  migrateCommand,
  ...accountCommands,
  ...keyCommands,
  ...userCommands,
  importCommand,
  doctorCommand,
  verifyCommand,
  adoptCommand,
  backupCommand,
  restoreCommand,
  copyCommand,
  configCommand,
];
