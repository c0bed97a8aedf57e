/** docs/reference/events.md: every live event and every webhook, as a real instance sent them. */

const liveEvents = {
  'submission.created': 'A submission was accepted.',
  'submission.changed':
    'Someone moved, read, starred, assigned, labelled or annotated submissions. `ids` is empty if more than 100 changed, or if all were marked as read.',
  'delivery.changed':
    'The deliveries of a submission moved on. `webhook_state` is `pending`, `delivered` or `failed`.',
  'destination.failing': 'A destination began to fail. `form_id` is `null` for a destination of a project.',
  'destination.recovered': 'A failing destination works again.',
  'destination.disabled': 'A destination failed for as long as `DESTINATION_DISABLE_AFTER` and was disabled.',
  'audit.recorded':
    'The audit log has another entry. Only owners get it: users who are owners, and API keys with the scope `full`.',
  heartbeat: 'Sent every 15 seconds. If none arrives for a while, the connection is dead: connect again.',
};

const webhookEvents = {
  'submission.created':
    'Sent for every accepted submission. `data` is what the visitor submitted, unchanged.',
  'webhook.test': 'Sent when you test a webhook. It has the same shape, with sample data.',
};

const headers = {
  'content-type': 'Type of the body.',
  'user-agent': 'Inlet and its version.',
  'x-webhook-signature': 'HMAC-SHA256 of the body, in hex. The key is the whole secret as text.',
  'x-webhook-signature-previous': 'The same with the previous secret, for 24 hours after a rotation.',
  'x-webhook-attempt': 'Number of the attempt, starting at 1.',
  'x-submission-id': 'Id of the submission.',
  'x-inlet-instance': 'Id of the sending instance, which stops loops.',
  'webhook-id': 'Id of the delivery, the same for all its attempts.',
  'webhook-timestamp': 'When this attempt was signed, in seconds since 1970.',
  'webhook-signature': 'Signature of the Standard Webhooks scheme.',
};

const json = (value) => ['```json', JSON.stringify(value, null, 2), '```', ''];

/** Everything recorded must be described, and everything described recorded. */
function demandSame(what, recorded, described) {
  const missing = Object.keys(described).filter((name) => !(name in recorded));
  const unknown = Object.keys(recorded).filter((name) => !(name in described));
  if (missing.length + unknown.length > 0)
    throw new Error(`${what}: not recorded ${missing.join(', ')}; not described ${unknown.join(', ')}`);
}

export function eventsMarkdown({ events, webhooks }) {
  demandSame('events', events, liveEvents);
  demandSame('webhooks', webhooks, webhookEvents);
  const shown = webhooks['submission.created'].headers;
  return [
    '---',
    'title: Events',
    'description: Every live event and every webhook, with a real example of each.',
    'order: 3',
    '---',
    '',
    '<!-- Generated from docs/reference/examples.json by npm run docs; do not edit. -->',
    '',
    '# Events',
    '',
    'Inlet reports what happens in two ways: as a stream of live events, and as webhooks. The examples come from a real instance.',
    '',
    '## Live events',
    '',
    '[`GET /api/v1/events`](api/statistics.md#followEvents) is a stream of server-sent events. Each has a name and JSON as data. Missed events are not repeated: read the lists again after connecting.',
    '',
    ...Object.entries(liveEvents).flatMap(([name, when]) => [
      `### ${name}`,
      '',
      when,
      '',
      ...json(events[name]),
    ]),
    '## Webhooks',
    '',
    'A webhook is an HTTP `POST` to a URL of yours. Verify its signature before you trust it: [Verify a webhook](../guides/webhooks.md#verify-a-webhook).',
    '',
    '### Headers',
    '',
    ...Object.entries(headers)
      .filter(([name]) => name in shown || name === 'x-webhook-signature-previous')
      .map(
        ([name, meaning]) => `- \`${name}\`${name in shown ? `: \`${shown[name]}\`` : ''}\\\n  ${meaning}`,
      ),
    '',
    ...Object.entries(webhookEvents).flatMap(([name, when]) => [
      `### Payload of ${name}`,
      '',
      when,
      '',
      ...json(webhooks[name].body),
    ]),
    'Next: [receive webhooks](../guides/webhooks.md), [destinations](../guides/destinations/index.md).',
    '',
  ].join('\n');
}
