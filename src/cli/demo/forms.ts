/** The forms of a demo: a small bookshop, its festival and its team. All people and places are made up. */
import type { CreateDestination } from '../../contract/destination.js';
import type { CreateForm } from '../../contract/form.js';
import type { Chance } from './chance.js';

/** Addresses of the demo's destinations. */
export interface Places {
  /** Accepts everything. */
  readonly good: string;
  /** The same, with the response that Slack gives. */
  readonly slack: string;
  /** Responds with 500. */
  readonly failing: string;
  /** Nothing listens there. */
  readonly dead: string;
  /** Responds with 503 at first. */
  readonly recovering: string;
}

export type DemoFile = 'cv.pdf' | 'portrait.jpg' | 'photo.jpg';

export interface DemoForm {
  readonly settings: CreateForm;
  /** The page it is on. */
  readonly page: string;
  /** Submissions on an ordinary day. */
  readonly perDay: number;
  /** What to try; shown on the page of forms. */
  readonly hint: string;
  fill(chance: Chance, person: Person): Readonly<Record<string, string>>;
  /** The file fields. */
  readonly files?: Readonly<Record<string, DemoFile>>;
  readonly destinations: (places: Places) => readonly CreateDestination[];
}

export interface DemoProject {
  readonly name: string;
  readonly forms: readonly DemoForm[];
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

const names = [
  ...['Amara Okafor', 'Ben Whitlock', 'Chiara Rossi', 'Dmitri Volkov', 'Elif Demir', 'Farid Haddad'],
  ...['Grace Lindqvist', 'Hugo Marchand', 'Ines Carvalho', 'Jonas Weber', 'Keiko Tanaka', 'Liam Byrne'],
  ...['Marta Kowalska', 'Noor Aziz', 'Oscar Nyström', 'Priya Raman', 'Quentin Dubois', 'Rosa Delgado'],
  ...['Sofia Andersen', 'Tomás Herrera', 'Uma Patel', 'Viktor Hansen', 'Wei Zhang', 'Yara Mansour'],
];

export function somebody(chance: Chance): Person {
  const name = chance.pick(names);
  const [first = 'reader'] = name.toLowerCase().split(' ');
  const plain = first.normalize('NFD').replace(/[^a-z]/g, '');
  return { name, email: `${plain}@${chance.pick(['example.com', 'example.net', 'example.org'])}` };
}

const nameField = { name: 'name', type: 'text', label: 'Name', required: true, max_length: 100 } as const;
const emailField = { name: 'email', type: 'email', label: 'E-mail', required: true } as const;
const webhook = (name: string, url: string): CreateDestination => ({
  kind: 'webhook',
  name,
  config: { url },
});

const messages = [
  'Do you have the second edition of the field guide in stock? I can collect it on Saturday.',
  'My order arrived with a torn cover. Could you send another copy?',
  'We would like to order 24 copies for our school. Do you offer a discount?',
  'Is the shop open on public holidays?',
  'I left a green umbrella in the reading room on Tuesday.',
  'I write for the local paper and would like to talk to you about the festival.',
  'Can I change the delivery address of my order?',
  'Thank you for finding that out-of-print novel. My father was delighted.',
];

const contact: DemoForm = {
  settings: {
    name: 'Contact',
    hosted_page: true,
    allowed_origins: ['bookshop.example'],
    notify_emails: ['shop@example.com'],
    fields: [
      nameField,
      emailField,
      { name: 'message', type: 'textarea', label: 'Message', required: true, max_length: 2000 },
    ],
    unknown_fields: 'keep',
    autoresponder: {
      field: 'email',
      subject: 'We have received your message',
      text: 'Hello {{fields.name}},\n\nthank you for writing. We reply within two days.\n\nThe bookshop',
    },
  },
  page: 'https://bookshop.example/contact',
  perDay: 9,
  hint: 'Send a message. It is in the inbox a moment later, and you get a reply by e-mail.',
  fill: (chance, person) => ({ ...person, message: chance.pick(messages) }),
  destinations: ({ good, slack }) => [
    webhook('Customer database', `${good}/customers`),
    { kind: 'slack', name: 'Slack #shop', config: { url: slack } },
  ],
};

const newsletter: DemoForm = {
  settings: {
    name: 'Newsletter',
    hosted_page: true,
    hosted_page_text: 'New books, once a month.',
    fields: [emailField],
    double_opt_in: { field: 'email' },
  },
  page: 'https://bookshop.example/',
  perDay: 4,
  hint: 'Subscribe. The submission counts after you follow the link in the e-mail.',
  fill: (_chance, { email }) => ({ email }),
  destinations: ({ good }) => [webhook('Mailing list', `${good}/subscribers`)],
};

const opinions = [
  'The new search finds everything.',
  'Checkout asked for my address twice.',
  'I miss the staff recommendations on the first page.',
  'Very friendly people at the till.',
  'The pages load slowly on my phone.',
];

const feedback: DemoForm = {
  settings: {
    name: 'Feedback',
    hosted_page: true,
    fields: [
      { name: 'rating', type: 'integer', label: 'Rating from 1 to 5', required: true, min: 1, max: 5 },
      {
        ...{ name: 'about', type: 'choice', label: 'About', required: true },
        choices: ['Website', 'Shop', 'Delivery'],
      },
      { name: 'comment', type: 'textarea', label: 'Comment', min_length: 10, max_length: 1000 },
    ],
    unknown_fields: 'reject',
  },
  page: 'https://bookshop.example/feedback',
  perDay: 5,
  hint: 'Enter a rating of 9 or a short comment: the rules of the form reject it and say why.',
  fill: (chance) => ({
    rating: String(2 + chance.below(4)),
    about: chance.pick(['Website', 'Shop', 'Delivery']),
    comment: chance.pick(opinions),
  }),
  destinations: ({ recovering }) => [webhook('Statistics (recovering)', `${recovering}/feedback`)],
};

const registration = (now: number): DemoForm => ({
  settings: {
    name: 'Festival registration',
    hosted_page: true,
    hosted_page_text: 'Three days of readings by the harbour. Entry is free.',
    closes_at: new Date(now + 9 * 86_400_000).toISOString(),
    max_submissions: 400,
    fields: [
      nameField,
      emailField,
      {
        name: 'day',
        type: 'choice',
        label: 'Day',
        required: true,
        choices: ['Friday', 'Saturday', 'Sunday'],
      },
      { name: 'seats', type: 'integer', label: 'Seats', required: true, min: 1, max: 6 },
    ],
  },
  page: 'https://festival.example/register',
  perDay: 7,
  hint: 'Register. The form closes by itself in nine days, or after 400 registrations.',
  fill: (chance, person) => ({
    ...person,
    day: chance.pick(['Friday', 'Saturday', 'Sunday']),
    seats: String(1 + chance.below(4)),
  }),
  destinations: ({ good, dead }) => [
    {
      kind: 'telegram',
      name: 'Festival team',
      config: { token: `12345:${'demo'.repeat(8)}`, chat_id: '-1001' },
    },
    { kind: 'discord', name: 'Discord #festival', config: { url: `${good}/discord` } },
    webhook('Badge printer (dead)', `${dead}/badges`),
  ],
});

const contest: DemoForm = {
  settings: {
    name: 'Photo contest',
    hosted_page: true,
    hosted_page_text: 'Show us where you read.',
    fields: [
      nameField,
      emailField,
      { name: 'title', type: 'text', label: 'Title of the photo', required: true, max_length: 80 },
      { name: 'photo', type: 'file', label: 'Photo', required: true, accept: ['image/*'] },
    ],
  },
  page: 'https://festival.example/photos',
  perDay: 1,
  hint: 'Upload a photo. The dashboard shows a thumbnail, and the API resizes it.',
  fill: (chance, person) => ({
    ...person,
    title: chance.pick(['Morning tram', 'Window seat', 'Low tide', 'Library steps', 'Two lamps']),
  }),
  files: { photo: 'photo.jpg' },
  destinations: ({ good }) => [webhook('Gallery', `${good}/gallery`)],
};

const jobs: DemoForm = {
  settings: {
    name: 'Job application',
    hosted_page: true,
    fields: [
      nameField,
      emailField,
      {
        ...{ name: 'position', type: 'choice', label: 'Position', required: true },
        choices: ['Bookseller', 'Web developer', 'Festival assistant'],
      },
      { name: 'letter', type: 'textarea', label: 'Letter', required: true, max_length: 5000 },
      { name: 'cv', type: 'file', label: 'CV', required: true, accept: ['.pdf'], max_bytes: 5_000_000 },
      { name: 'portrait', type: 'file', label: 'Portrait', accept: ['image/*'] },
    ],
  },
  page: 'https://bookshop.example/jobs',
  perDay: 1,
  hint: 'Apply with a PDF. Another type of file is rejected.',
  fill: (chance, person) => ({
    ...person,
    position: chance.pick(['Bookseller', 'Web developer', 'Festival assistant']),
    letter:
      'I have been a regular customer for years, and I would like to work with you.\n\nMy CV is attached. I can start next month.',
  }),
  files: { cv: 'cv.pdf', portrait: 'portrait.jpg' },
  destinations: ({ failing }) => [webhook('Applicant system (failing)', `${failing}/applicants`)],
};

const problems = [
  'I cannot sign in. The link in the e-mail says that it has expired.',
  'I was charged twice for order 20418.',
  'The e-book does not open on my reader.',
  'How do I cancel my subscription?',
  'The gift card was not accepted at checkout.',
];

const support: DemoForm = {
  settings: {
    name: 'Support',
    hosted_page: true,
    fields: [
      emailField,
      { name: 'order', type: 'text', label: 'Order number', max_length: 20 },
      { name: 'problem', type: 'textarea', label: 'What went wrong?', required: true, max_length: 3000 },
    ],
  },
  page: 'https://bookshop.example/help',
  perDay: 3,
  hint: 'Report a problem, then label it and assign it to somebody in the inbox.',
  fill: (chance, { email }) => ({
    email,
    order: String(20_000 + chance.below(900)),
    problem: chance.pick(problems),
  }),
  destinations: () => [
    { kind: 'email', name: 'Support team', config: { to: ['support@example.com'], cc: [], bcc: [] } },
  ],
};

export const demoProjects = (now: number): readonly DemoProject[] => [
  { name: 'Bookshop', forms: [contact, newsletter, feedback] },
  { name: 'Reading festival', forms: [registration(now), contest] },
  { name: 'Team', forms: [support, jobs] },
];
