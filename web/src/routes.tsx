/**
 * Every page and its path. A page is a component of its own file under pages/<route>/, loaded when it is first opened;
 * it gets the parameters of its path. To add one: write it, add a row here, and a link in ui/sidebar.tsx if it has one.
 */
import type { ComponentType } from 'react';
import { lazyPart, type PageProps } from './ui/lazy-part.js';

export const SignInPage = lazyPart(() => import('./pages/sign-in/sign-in-page.js'), 'SignInPage');
/** Over a page; loaded after it, for it is seldom needed. */
export const SignInAgain = lazyPart(() => import('./pages/sign-in/sign-in-again.js'), 'SignInAgain');
export const SetupPage = lazyPart(() => import('./pages/setup/setup-page.js'), 'SetupPage');
export const NotFoundPage = lazyPart(() => import('./pages/not-found/not-found-page.js'), 'NotFoundPage');

const OverviewPage = lazyPart(() => import('./pages/overview/overview-page.js'), 'OverviewPage');
const FirstRunPage = lazyPart(() => import('./pages/first-run/first-run-page.js'), 'FirstRunPage');
const InboxPage = lazyPart(() => import('./pages/inbox/inbox-page.js'), 'InboxPage');
const ProjectsPage = lazyPart(() => import('./pages/projects/projects-page.js'), 'ProjectsPage');
const ProjectPage = lazyPart(() => import('./pages/project/project-page.js'), 'ProjectPage');
const FormPage = lazyPart(() => import('./pages/form/form-page.js'), 'FormPage');
const AddDestinationPage = lazyPart(
  () => import('./pages/destinations/add-destination-page.js'),
  'AddDestinationPage',
);
const DestinationPage = lazyPart(() => import('./pages/destinations/destination-page.js'), 'DestinationPage');
const ImportPage = lazyPart(() => import('./pages/import/import-page.js'), 'ImportPage');
const SubmissionPage = lazyPart(() => import('./pages/submission/submission-page.js'), 'SubmissionPage');
const QuarantinePage = lazyPart(() => import('./pages/quarantine/quarantine-page.js'), 'QuarantinePage');
const ApiKeysPage = lazyPart(() => import('./pages/api-keys/api-keys-page.js'), 'ApiKeysPage');
const UsersPage = lazyPart(() => import('./pages/users/users-page.js'), 'UsersPage');
const SuppressedAddressesPage = lazyPart(
  () => import('./pages/suppressed-addresses/suppressed-addresses-page.js'),
  'SuppressedAddressesPage',
);
const PlanPage = lazyPart(() => import('./pages/plan/plan-page.js'), 'PlanPage');
const InstancePage = lazyPart(() => import('./pages/instance/instance-page.js'), 'InstancePage');

export const pages: readonly { readonly path: string; readonly page: ComponentType<PageProps> }[] = [
  { path: '/', page: OverviewPage },
  { path: '/first-run', page: FirstRunPage },
  { path: '/inbox', page: InboxPage },
  { path: '/projects', page: ProjectsPage },
  { path: '/projects/:projectId/destinations/new', page: AddDestinationPage },
  { path: '/projects/:id/:tab?', page: ProjectPage },
  { path: '/forms/:formId/destinations/new', page: AddDestinationPage },
  { path: '/destinations/:id', page: DestinationPage },
  { path: '/forms/:id/import', page: ImportPage },
  { path: '/forms/:id/:tab?', page: FormPage },
  { path: '/submissions/:id', page: SubmissionPage },
  { path: '/quarantine', page: QuarantinePage },
  { path: '/api-keys', page: ApiKeysPage },
  { path: '/users', page: UsersPage },
  { path: '/suppressed-addresses', page: SuppressedAddressesPage },
  { path: '/plan', page: PlanPage },
  { path: '/instance', page: InstancePage },
];
