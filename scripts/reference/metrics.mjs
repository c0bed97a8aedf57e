/** Reads a response of /metrics: every metric with its type, meaning and labels. Also generates docs/reference/metrics.md. */

/** Labels that only distinguish the buckets or quantiles of one metric. */
const ownLabels = new Set(['le', 'quantile']);
const mostValues = 8;

export function metricsIn(text) {
  const metrics = new Map();
  for (const [, name, help] of text.matchAll(/^# HELP (\S+) (.*)$/gm))
    metrics.set(name, { name, help, labels: {} });
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (.*)$/gm)) metrics.get(name).type = type;
  for (const [, sample, labels] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const metric = metrics.get(sample) ?? metrics.get(sample.replace(/_(bucket|sum|count)$/, ''));
    for (const [, label, value] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      if (ownLabels.has(label)) continue;
      metric.labels[label] ??= new Set();
      metric.labels[label].add(value);
    }
  }
  return [...metrics.values()]
    .map(({ labels, ...metric }) => ({
      ...metric,
      labels: Object.fromEntries(
        Object.entries(labels).map(([label, values]) => [label, [...values].sort()]),
      ),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Labels whose values show what is possible. Versions, paths and sizes only show what was recorded. */
const tellingLabels = new Set(['outcome', 'part', 'role', 'kind', 'state', 'method']);

const labelText = ([label, values]) => {
  if (!tellingLabels.has(label)) return `\`${label}\``;
  const shown = values.slice(0, mostValues).map((value) => `\`${value}\``);
  return `\`${label}\` (such as ${shown.join(', ')})`;
};

const section = ({ name, type, help, labels }) => [
  `### ${name}`,
  '',
  `${help.replace(/[.:]$/, '')}.`,
  '',
  `Type: ${type}.${Object.keys(labels).length > 0 ? ` Labels: ${Object.entries(labels).map(labelText).join(', ')}.` : ''}`,
  '',
];

export function metricsMarkdown(metrics) {
  const ours = metrics.filter(({ name }) => name.startsWith('inlet_'));
  const runtime = metrics.filter(({ name }) => !name.startsWith('inlet_'));
  return [
    '---',
    'title: Metrics',
    'description: Every metric of /metrics with its type, its labels and its meaning.',
    'order: 4',
    '---',
    '',
    '<!-- Generated from docs/reference/examples.json by npm run docs; do not edit. -->',
    '',
    '# Metrics',
    '',
    '`GET /metrics` returns the numbers of an instance in the format of Prometheus.',
    '',
    'On a public instance, set `OPS_TOKEN` and send it as bearer token, or set `OPS_PORT`: see [settings](settings.md#ops_token). Alerts for these metrics are in `deploy/`, and each has a [runbook](../runbooks/InletDown.md).',
    '',
    '## Inlet',
    '',
    ...ours.flatMap(section),
    '## Process and runtime',
    '',
    'These come from the client library of Prometheus for Node.js.',
    '',
    ...runtime.map(({ name, type, help }) => `- \`${name}\` *${type}*\\\n  ${help.replace(/[.:]$/, '')}.`),
    '',
    'Next: [monitor an instance](../guides/monitoring.md), [all settings](settings.md).',
    '',
  ].join('\n');
}
