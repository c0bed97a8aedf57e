/** Writes the result of each test, with its message and diff, to the file that SABOTAGE_RESULTS names. */
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const textOf = ({ message = '', diff = '', stack = '' }) =>
  stripVTControlCharacters([message, diff, stack].join('\n'));

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default class Results {
  onTestRunEnd(modules, unhandled) {
    const results = modules.flatMap((module) => {
      const file = module.relativeModuleId;
      const entry = (name, errors) => ({
        file,
        name: name.replaceAll(' > ', ' '),
        passed: errors.length === 0,
        said: errors.map(textOf).join('\n'),
      });
      const tests = [...module.children.allTests()]
        .filter((test) => ['passed', 'failed'].includes(test.result().state))
        .map((test) => entry(test.fullName, test.result().errors ?? []));
      // When a hook failed, no test of its suite ran, so the suite is reported instead.
      const suites = [...module.children.allSuites()]
        .filter((suite) => suite.errors().length > 0)
        .map((suite) => entry(suite.fullName, suite.errors()));
      const own = module.errors().length > 0 ? [entry('(the file)', module.errors())] : [];
      return [...tests, ...suites, ...own];
    });
    writeFileSync(
      process.env.SABOTAGE_RESULTS,
      JSON.stringify({ results, unhandled: unhandled.map(textOf) }),
    );
  }
}
