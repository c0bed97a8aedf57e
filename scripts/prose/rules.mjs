/**
 * How Inlet writes English, as rules that a program can check. What it cannot check is as important: use the ordinary word, one
 * idea per sentence, the answer first.
 */

/** A longer sentence should be two. Code names do not count, because a list of them is easy to read. */
export const mostWords = 35;

/** Phrases not to use, and what to write instead. Matches ignore case, and only whole words count. */
export const phrases = [
  // One word per concept
  ['turned away', 'rejected'],
  ['turn away', 'reject'],
  ['held for review', 'quarantined'],
  ['kept pictures?', 'image variant'],
  ['surprises?', 'internal error, failure'],
  ['faults? of ours', 'internal error, failure'],
  ['receivers?', 'destination; the server of a webhook is an endpoint'],
  ['answers?|answered|answering', 'response, respond; people reply'],
  ['strangers?', 'other people, third parties'],
  ['robots', 'bots'],
  ['whoever', 'anyone who, the person who'],
  ['come again', 'retry'],
  ['comes again', 'is retried'],
  ['ends? by itself', 'expires'],
  ['given away', 'shared'],
  ['and away with it', 'delete it'],
  ['the interface of the service', 'the API'],
  // The ordinary word
  ['told', 'reported, notified'],
  ['mend(?:s|ed|ing)?', 'fix'],
  ['wish(?:es)?', 'option, request'],
  ['stands? here', 'appears here'],
  ['for good measure', 'leave it out'],
  ['utili[sz]e[sd]?', 'use'],
  ['in order to', 'to'],
  ['oops', 'say what happened'],
  ['sorry', 'say what happened and what to do'],
  ['please note(?: that)?', 'leave it out'],
  ['there is (?:a|an) \\w+ with this [\\w -]+ already', '… already exists'],
  ['log ?in to', 'sign in to'],
  ['emails|(?:an|the|by|your|each|every|our) email', 'e-mail'],
  ['back ?end', 'back-end'],
  ['web ?hooks? receivers?', 'endpoint'],
];

/** Names that keep their capitals inside a heading. */
export const properNames = [
  ...['Inlet', 'Node', 'PostgreSQL', 'Redis', 'Docker', 'Compose', 'Kubernetes', 'Helm', 'Caddy', 'Traefik'],
  ...[
    'Cloudflare',
    'Debian',
    'Linux',
    'Prometheus',
    'Grafana',
    'React Hook Form',
    'React',
    'Vue',
    'Svelte',
    'Astro',
  ],
  ...[
    'Next',
    'Hugo',
    'Alpine',
    'Uppy',
    'Dropzone',
    'Turbo',
    'Express',
    'Slack',
    'Discord',
    'Microsoft Teams',
  ],
  ...[
    'Teams',
    'Telegram',
    'Google Sheets',
    'Google Sheet',
    'Google Workspace',
    'Google',
    'Microsoft Entra',
    'Zapier',
    'Formspree',
    'Basin',
    'Netlify Forms',
  ],
  ...[
    'Netlify',
    'Formbricks',
    'Formspark',
    'Forminit',
    'Getform',
    'Python',
    'Ruby',
    'Go',
    'Markdown',
    'Turnstile',
  ],
  ...['jQuery Form Plugin', 'Content Security Policy', 'Standard Webhooks', 'JSON Schema', 'English'],
];
