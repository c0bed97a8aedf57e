/**
 * All pages and their paths. A page is a component in its own file under pages/<route>/, loaded on first use; it receives the
 * parameters of its path. To add one: write it, add a row here, and a link in ui/sidebar.tsx if it needs one.
 */
import type { ComponentType } from 'react';
import { lazyPart, type PageProps } from './ui/lazy-part.js';

export const SignInPage = lazyPart(() => import('./pages/sign-in/sign-in-page.js'), 'SignInPage');
/** Shown over a page, and loaded after it because it is rarely needed. */
export const SignInAgain = lazyPart(() => import('./pages/sign-in/sign-in-again.js'), 'SignInAgain');
const SetupPage = lazyPart(() => import('./pages/setup/setup-page.js'), 'SetupPage');
const ForgotPasswordPage = lazyPart(
  () => import('./pages/entrance/forgot-password-page.js'),
  'ForgotPasswordPage',
);
const ResetPasswordPage = lazyPart(
  () => import('./pages/entrance/reset-password-page.js'),
  'ResetPasswordPage',
);
const ConfirmEmailPage = lazyPart(() => import('./pages/entrance/confirm-email-page.js'), 'ConfirmEmailPage');
const AcceptInvitationPage = lazyPart(
  () => import('./pages/entrance/accept-invitation-page.js'),
  'AcceptInvitationPage',
);
/** Replaces all pages until the user has a second factor. */
export const AddFactorPage = lazyPart(() => import('./pages/entrance/add-factor-page.js'), 'AddFactorPage');
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
const YourAccountPage = lazyPart(
  () => import('./pages/your-account/your-account-page.js'),
  'YourAccountPage',
);
const SingleSignOnPage = lazyPart(
  () => import('./pages/single-sign-on/single-sign-on-page.js'),
  'SingleSignOnPage',
);
const SuppressedAddressesPage = lazyPart(
  () => import('./pages/suppressed-addresses/suppressed-addresses-page.js'),
  'SuppressedAddressesPage',
);
const PersonPage = lazyPart(() => import('./pages/person/person-page.js'), 'PersonPage');
const AuditPage = lazyPart(() => import('./pages/audit/audit-page.js'), 'AuditPage');
const PlanPage = lazyPart(() => import('./pages/plan/plan-page.js'), 'PlanPage');
const InstancePage = lazyPart(() => import('./pages/instance/instance-page.js'), 'InstancePage');

/** Available without a session, in the frame of the sign-in page. */
export const entrances: readonly { readonly path: string; readonly page: ComponentType }[] = [
  { path: '/setup', page: SetupPage },
  { path: '/forgot-password', page: ForgotPasswordPage },
  { path: '/reset-password', page: ResetPasswordPage },
  { path: '/confirm-email', page: ConfirmEmailPage },
  { path: '/accept-invitation', page: AcceptInvitationPage },
];

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
  { path: '/your-account', page: YourAccountPage },
  { path: '/single-sign-on', page: SingleSignOnPage },
  { path: '/suppressed-addresses', page: SuppressedAddressesPage },
  { path: '/person', page: PersonPage },
  { path: '/audit', page: AuditPage },
  { path: '/plan', page: PlanPage },
  { path: '/instance', page: InstancePage },
];
