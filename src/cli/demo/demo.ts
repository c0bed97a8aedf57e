/** `inlet demo`: an instance with made-up data in a temporary folder, which is deleted when the demo stops. */
import type { Command } from '../command.js';

export const demoCommand: Command = {
  words: ['demo'],
  summary: 'Start a demo with made-up data, which is deleted when you stop it.',
  notes: [
    'It has forms to try, submissions of the last 30 days, and destinations that work, fail and recover. Nothing leaves this machine: the demo shows its e-mail on a page.',
    'HOST, PORT and LOG_LEVEL apply. Without PORT, it picks a free port. All other settings are ignored.',
  ],
  options: {},
  // Loaded on demand: no other command uses it.
  run: async (input) => (await import('./run.js')).runDemo(input),
};
