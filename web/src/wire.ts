/** The data exchanged with /api/v1: types only, all from the contract. */
import type { DeliveryItem } from '../../src/contract/delivery.js';
import type { AttentionItem, Stats } from '../../src/contract/numbers.js';
import type { SubmissionFull } from '../../src/contract/submission.js';

export type {
  AccountFull,
  ApiKeyCreated,
  ApiKeyItem,
  ApiKeyList,
  CreateApiKey,
  UpdateAccount,
} from '../../src/contract/account.js';
export type { AuditEntry, AuditPage } from '../../src/contract/audit.js';
export type {
  AttemptFull,
  DeliveriesQueued,
  DeliveryItem,
  DeliveryItems,
  DeliveryList,
  DeliveryListed as DeliveryRow,
  WebhookTestResult,
} from '../../src/contract/delivery.js';
export type {
  BackfillRequest,
  CreateDestination,
  DestinationFull as Destination,
  DestinationPreview,
  DestinationTest,
  DigestSchedule,
  KindName,
  MailRoute,
  PatchDestination,
  PreviewRequest,
} from '../../src/contract/destination.js';
export type { DeliveryChanged, SubmissionCreated, SubmissionsTouched } from '../../src/contract/events.js';
export type { FieldRule, FieldType, UnknownFields } from '../../src/contract/field-rule.js';
export type { SignedUrl } from '../../src/contract/file.js';
export type {
  AliasItem,
  AliasPage,
  FieldsChecked,
  FormBody,
  FormCreated,
  FormDuplicated,
  FormFields,
  FormFull,
  FormItem,
  FormPage,
  FormSnippets as Snippets,
  FormSources,
} from '../../src/contract/form.js';
export type {
  CreateIdentityProvider,
  IdentityProviderFull as IdentityProvider,
  IdentityProviderTest,
  OfferedProviders,
} from '../../src/contract/identity-provider.js';
export type { ImportReport } from '../../src/contract/import.js';
export type {
  CreateLabel,
  Folder,
  Label,
  LabelColor,
  LabelList,
  MovableFolder,
  Note,
  NoteList,
  PatchLabel,
  SubmissionsChange,
  SubmissionsChanged,
  Unread,
} from '../../src/contract/inbox.js';
export type { MailDraft, MailPreview } from '../../src/contract/mail-draft.js';
export type {
  AttentionItem as Attention,
  AttentionList,
  InstanceFull as Instance,
  Stats,
} from '../../src/contract/numbers.js';
export type { ErasureFull as Erasure, ErasureList, PersonFindings } from '../../src/contract/person.js';
export type { Problem } from '../../src/contract/problem.js';
export type {
  ProjectBody,
  ProjectCreated,
  ProjectFull,
  ProjectItem,
  ProjectPage,
} from '../../src/contract/project.js';
export type {
  QuarantinedItem as SpamItem,
  QuarantineEmptied,
  QuarantineList,
  QuarantineReleased,
} from '../../src/contract/quarantine.js';
export type { RejectionReport as Rejections } from '../../src/contract/rejections.js';
export type { ReplayCount, ReplayFull, ReplayList, ReplayRequest } from '../../src/contract/replay.js';
export type {
  ChangePassword,
  ChangeUser,
  CreateUser,
  SessionFull as Session,
  SetupState,
  UserItem as User,
  UserList,
} from '../../src/contract/session.js';
export type {
  AuthenticatorSecret,
  ChangeEmail,
  CreateInvitation,
  FactorState,
  InvitationCreated,
  InvitationFound,
  InvitationList,
  LoginEmail,
  PasskeyChallenge,
  PasskeyItem,
  RecoveryCodes,
  SessionItem,
  SessionList,
} from '../../src/contract/sign-in.js';
export type {
  Neighbours,
  SubmissionAccepted,
  SubmissionFilters,
  SubmissionFull as Submission,
  SubmissionList as SubmissionPage,
} from '../../src/contract/submission.js';
export type { CreateView, PatchView, View, ViewList } from '../../src/contract/view.js';

export type AttentionKind = AttentionItem['kind'];
export type StatsDay = Stats['days'][number];
export type SubmissionFile = SubmissionFull['files'][number];
export type WebhookState = Exclude<DeliveryItem['state'], 'suppressed'>;
export type {
  SuppressedAddressItem as SuppressedAddress,
  SuppressedAddressList,
  SuppressedReplies,
  SuppressedReplyReason,
} from '../../src/contract/suppression.js';
