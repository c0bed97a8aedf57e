/** Lists the files that take the most processor time (processor-time.ts measures it). */
import type { Reporter, TestModule } from 'vitest/node';

const listed = 20;

export class ProcessorTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map((module) => ({
      name: `${module.project.name} ${module.relativeModuleId}`,
      seconds: module.meta().processorSeconds ?? 0,
    }));
    const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
    const lines = rows
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, listed)
      .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)}  ${name}`);
    process.stdout.write(`\nProcessor seconds\n${lines.join('\n')}\n${total.toFixed(1).padStart(8)}  all\n`);
  }
}
