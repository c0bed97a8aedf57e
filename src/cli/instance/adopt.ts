/** `inlet adopt`: assigns the stored files to this database. */
import type { Command } from '../command.js';
import { requireConfig, withFoundation } from '../foundation.js';

export const adoptCommand: Command = {
  words: ['adopt'],
  summary: 'Assign the stored files to this database, for example after a restore.',
  notes: [
    'The service does not start if the files belong, or seem to belong, to another instance. Use this command only if they belong',
    'to this database now and no other instance uses them. It changes no file. Check the result: inlet verify',
  ],
  options: {},
  run({ env, terminal }) {
    return withFoundation(requireConfig(env), 'existing', async ({ binding, identity }) => {
      const previous = await binding.adopt();
      const { place } = binding;
      if (terminal.json) terminal.sayJson({ files: place, instance: identity, previous });
      else if (previous === identity)
        terminal.say(`Nothing to do: ${place} belongs to this database already.`);
      else {
        terminal.say(
          `Adopted  ${place}`,
          previous === null
            ? 'Before   it belonged to no instance'
            : `Before   it belonged to instance ${previous.slice(0, 12)}`,
          `Now      it belongs to this database, instance ${identity.slice(0, 12)}`,
        );
      }
      return 0;
    });
  },
};
