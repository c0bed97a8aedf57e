/** `inlet config`: the current settings, without secrets. */
import { describeConfig } from '../config/describe.js';
import type { Command } from './command.js';
import { requireConfig } from './foundation.js';
import { table } from './terminal.js';

export const configCommand: Command = {
  words: ['config'],
  summary: 'Show the current settings and where each comes from.',
  options: {},
  async run({ env, terminal }) {
    const described = describeConfig(requireConfig(env), env);
    if (terminal.json) {
      terminal.sayJson(described);
    } else {
      const rows = described.map(({ name, value, source }) => [name, value, source]);
      terminal.say(...table(terminal, ['SETTING', 'VALUE', 'FROM'], rows));
    }
    return 0;
  },
};
