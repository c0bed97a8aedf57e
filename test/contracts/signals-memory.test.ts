import { memorySignals } from '../../src/adapters/signals/memory.js';
import { signalsContract } from './signals.js';

signalsContract('memory', async () => {
  const signals = memorySignals();
  return { signals, dispose: () => signals.close() };
});
