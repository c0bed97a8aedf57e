/** Figure: the cost of learning the fields of a form, and of checking submissions against rules. */
import { createFieldLearner } from '#inlet/domain/fields/learner.js';
import { inTurns } from '../load/in-turns.mjs';
import { burst, loadGenerator, payload } from '../load/load.mjs';
import { median, progress, round } from '../numbers.mjs';
import { cpuSeconds, makeForm, removeFolder, startInlet, temporaryFolder } from '../servers/processes.mjs';

const goalRules = 0.95;
const maxLearning = 0.02;
const sizes = {
  // Two halves of one second on the same server differ by 5 %: only the median of many rounds shows a cost of 3 %.
  full: { rounds: 25, seconds: 1, learned: 200_000 },
  quick: { rounds: 1, seconds: 1, learned: 20_000 },
};

/** For the five fields of the body, and for five that are not sent. */
const tenRules = [
  { name: 'name', label: 'Name', type: 'text', required: true, min_length: 2, max_length: 100 },
  { name: 'email', label: 'E-mail', type: 'email', required: true },
  { name: 'message', label: 'Message', type: 'textarea', required: true, max_length: 5_000 },
  { name: 'age', label: 'Age', type: 'integer', min: 18, max: 120 },
  {
    name: 'topics',
    label: 'Topics',
    type: 'choice',
    multiple: true,
    choices: ['engines', 'poetry', 'other'],
  },
  { name: 'website', label: 'Website', type: 'url' },
  { name: 'phone', label: 'Phone', type: 'tel' },
  { name: 'day', label: 'Day', type: 'date' },
  { name: 'terms', label: 'Terms', type: 'boolean' },
  { name: 'campaign', label: 'Campaign', type: 'hidden', max_length: 50 },
];

const row = (figure, value, goal, met) => ({ figure: `fields, ${figure}`, value, goal, met });

async function rules(inlet, size) {
  const { inWords, ...results } = await inTurns(
    inlet,
    [await makeForm(inlet), await makeForm(inlet, { fields: tenRules })],
    size,
  );
  progress(`fields: rules: ${inWords}`);
  const isMet = results.ratio >= goalRules;
  return {
    row: row('submissions with ten rules', `${inWords} of the rate without`, `>= ${goalRules}`, isMet),
    results,
  };
}

/**
 * Does what the server does for each submission with known fields, on parsed values. A build without the call proves less: it
 * differs from ours by some per cent in either direction. One that learned 51 times per submission was 22 % slower (means of
 * 18 rounds), so 0.6 % per call, which agrees with this figure.
 */
async function learningUs(count) {
  const learner = createFieldLearner({ store: { list: async () => [] } });
  const createdAt = Date.now();
  const submissionOf = () => ({ formId: 'form', data: payload, createdAt });
  const bodies = Array.from({ length: 1_000 }, () => JSON.parse(payload));
  learner.stored('form', await learner.newIn(submissionOf(), []));
  const learn = (times) => {
    for (let i = 0; i < times; i += 1)
      if (!learner.knowsAll(submissionOf(), bodies[i % bodies.length], []))
        throw new Error('A field was not known');
  };
  learn(count / 10);
  const startedAt = performance.now();
  learn(count);
  return ((performance.now() - startedAt) * 1000) / count;
}

async function learning(inlet, { rounds, seconds, learned }) {
  const { path } = await makeForm(inlet);
  await burst(inlet.url + path, 64, seconds);
  const raw = { learningUs: [], requestUs: [] };
  for (let i = 0; i < rounds; i += 1) {
    const before = cpuSeconds(inlet.pid).main;
    const { requests } = await burst(inlet.url + path, 64, seconds);
    raw.requestUs.push(round(((cpuSeconds(inlet.pid).main - before) * 1e6) / requests, 1));
    raw.learningUs.push(round(await learningUs(learned), 2));
  }
  const [us, requestUs] = [median(raw.learningUs), median(raw.requestUs)];
  const share = us / requestUs;
  const value = `${round(share * 100, 1)} % of the request thread (${us} µs of ${requestUs} µs)`;
  progress(`fields: learning: ${value}`);
  const isMet = share < maxLearning;
  return {
    row: row('the code that learns them, alone', value, `< ${maxLearning * 100} %`, isMet),
    results: { share, raw },
  };
}

export async function run({ quick }) {
  const size = quick ? sizes.quick : sizes.full;
  const dataDir = await temporaryFolder();
  try {
    const inlet = await startInlet(dataDir);
    try {
      const parts = { rules: await rules(inlet, size), learning: await learning(inlet, size) };
      return {
        rows: Object.values(parts).map((part) => part.row),
        loadGenerator,
        rules: parts.rules.results,
        learning: parts.learning.results,
      };
    } finally {
      await inlet.end('SIGKILL');
    }
  } finally {
    await removeFolder(dataDir);
  }
}
