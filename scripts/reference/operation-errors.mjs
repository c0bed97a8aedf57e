/**
 * Which errors of the catalogue each operation can return. The test client checks every error response of every test against
 * it (test/support/document-check.ts), so a code that is missing here fails the test that sees it.
 */

/** Errors of the management API: of every operation, of requests with a session, and of operations that change something. */
export const usual = {
  every: ['invalid_body', 'invalid_api_key', 'rate_limited', 'service_busy', 'internal_error'],
  session: ['not_signed_in', 'cross_site_request', 'second_factor_missing'],
  writing: ['read_only_api_key', 'role_not_sufficient', 'body_too_large', 'body_too_slow', 'storage_full'],
};

/** Before a request reaches an operation: it is not HTTP, or no operation has its path and method. */
export const beforeOperations = [
  'malformed_request',
  'too_many_headers',
  'headers_too_large',
  'request_timeout',
  'unknown_expectation',
  'path_not_found',
  'method_not_allowed',
];

/** Not available to a user or key that is limited to projects. */
const wholeAccount = ['account_access_required'];
const project = ['project_not_found'];
const form = ['form_not_found'];
const submission = ['submission_not_found'];
const destination = ['destination_not_found'];
const person = [...wholeAccount, 'person_too_vague', 'person_search_running'];
const ofOwners = [...wholeAccount, 'read_only_api_key', 'role_not_sufficient'];
const listing = ['too_many_to_sort'];
const file = ['file_access_denied', 'file_not_found', 'file_deleted'];
const image = ['not_an_image', 'image_too_large', 'image_broken', 'image_too_slow', 'imaging_failed'];
const sending = ['no_webhook_url', 'delivery_in_flight', 'submission_set_aside', 'submission_unconfirmed'];
const changing = ['submission_unconfirmed', 'too_many_labels_on_submission'];
const access = [
  'origin_not_allowed',
  'origin_hidden',
  'localhost_not_allowed',
  'ip_not_registered',
  'form_inactive',
  'form_closed',
  'ip_blocked',
  'invalid_service_key',
];
const ownPassword = ['wrong_password', 'too_many_attempts'];
const visitor = ['form_not_found', 'too_many_submissions', 'service_busy', 'internal_error'];

export const ownErrors = {
  showHostedPage: [...visitor, 'form_inactive', 'form_closed', 'ip_blocked', 'method_not_allowed'],
  submitForm: [
    ...visitor,
    'invalid_content_type',
    'content_encoding_not_supported',
    'invalid_encoding',
    'invalid_json',
    'invalid_multipart',
    'invalid_idempotency_key',
    'form_not_named',
    'too_many_chunks',
    'file_uploads_not_in_plan',
    ...access,
    'captcha_failed',
    'webhook_loop',
    'body_too_slow',
    'upload_too_slow',
    'idempotency_key_reused',
    'body_too_large',
    'text_too_large',
    'file_too_large',
    'field_name_too_large',
    'field_value_too_large',
    'part_header_too_large',
    'too_many_files',
    'too_many_fields',
    'too_many_parts',
    'too_many_part_headers',
    'too_many_containers',
    'too_many_levels',
    'submission_empty',
    'invalid_email',
    'invalid_fields',
    'captcha_unavailable',
    'storage_full',
  ],
  getChallenge: [...visitor, ...access, 'no_challenge'],
  getFormAccess: visitor,
  showSuccessPage: visitor,

  listProjects: [],
  createProject: [...wholeAccount, 'project_limit_reached'],
  getProject: project,
  updateProject: project,
  deleteProject: project,
  rotateWebhookSecret: project,

  listForms: project,
  createForm: project,
  getForm: form,
  updateForm: form,
  deleteForm: form,
  getFormSnippets: form,
  getFormSources: form,
  getFormFields: form,
  checkFormFields: form,
  getFormSchema: form,
  getFormTypes: form,
  duplicateForm: form,
  moveForm: [...form, ...project],
  listAliases: form,
  addAlias: [...form, 'alias_taken', 'too_many_aliases'],
  removeAlias: [...form, 'alias_not_found'],

  listFormDestinations: form,
  createFormDestination: [...form, 'too_many_destinations'],
  listProjectDestinations: project,
  createProjectDestination: [...project, 'too_many_destinations'],
  getDestination: destination,
  updateDestination: [...destination, 'built_in_destination'],
  deleteDestination: [...destination, 'built_in_destination'],
  previewFormDestination: form,
  previewProjectDestination: project,
  testDestination: [...destination, 'no_webhook_url'],
  backfillDestination: [...destination, 'too_many_replays'],

  listFormSubmissions: [...form, ...listing],
  listProjectSubmissions: [...project, ...listing],
  listSubmissions: listing,
  exportSubmissions: form,
  exportSelectedSubmissions: [],
  getSubmission: submission,
  deleteSubmission: submission,
  getSubmissionNeighbours: [...submission, ...form, ...project, ...listing],
  deleteSubmissions: [],
  importSubmissions: [...form, 'import_rejected', 'import_running'],

  updateSubmission: [...submission, ...changing],
  updateSubmissions: changing,
  readAllSubmissions: [...form, ...project],
  countUnread: [],
  listLabels: [],
  createLabel: [...wholeAccount, 'label_exists', 'too_many_labels'],
  updateLabel: [...wholeAccount, 'label_not_found', 'label_exists'],
  deleteLabel: [...wholeAccount, 'label_not_found'],
  listNotes: submission,
  createNote: [...submission, 'too_many_notes'],
  updateNote: ['note_not_found', 'not_the_author'],
  deleteNote: ['note_not_found', 'not_the_author'],
  listViews: [],
  createView: [...wholeAccount, ...form, ...project, 'too_many_views'],
  updateView: [...wholeAccount, 'view_not_found', ...form, ...project],
  deleteView: ['view_not_found'],

  listSubmissionDeliveries: submission,
  retrySubmissionWebhooks: [...submission, ...sending],
  getDelivery: ['delivery_not_found'],
  getDeliveryAttempt: ['delivery_not_found', 'attempt_not_found'],
  listFormDeliveries: form,
  listProjectDeliveries: project,
  testFormWebhook: [...form, 'no_webhook_url'],
  testProjectWebhook: [...project, 'no_webhook_url'],
  replayDeliveries: [...form, ...project, 'too_many_replays'],
  retryDeliveries: [],
  listReplays: [],
  getReplay: ['replay_not_found'],
  cancelReplay: ['replay_not_found', 'replay_ended'],

  getFile: file,
  deleteFile: file,
  downloadFile: [...file, ...image, 'image_transformation_not_in_plan'],
  createSignedUrl: [...file, 'image_transformation_not_in_plan', 'not_an_image'],
  getFileContent: [...file, ...image, 'precondition_failed', 'range_not_satisfiable'],
  previewFile: [...file, 'no_preview'],

  listFormQuarantine: form,
  listQuarantine: [],
  releaseQuarantined: ['quarantined_not_found', 'invalid_fields', ...form],
  releaseManyQuarantined: [],
  deleteManyQuarantined: [],
  emptyQuarantine: form,
  deleteQuarantined: ['quarantined_not_found'],

  searchPerson: person,
  exportPerson: person,
  erasePerson: [...person, 'too_many_erasures'],
  listErasures: ofOwners,
  getErasure: [...ofOwners, 'erasure_not_found'],
  checkErasureReceipt: wholeAccount,

  listSuppressedAddresses: wholeAccount,
  liftSuppressedAddress: [...wholeAccount, 'suppressed_address_not_found'],
  listIdentityProviders: wholeAccount,
  createIdentityProvider: [...wholeAccount, 'too_many_identity_providers'],
  getIdentityProvider: [...wholeAccount, 'identity_provider_not_found'],
  updateIdentityProvider: [...wholeAccount, 'identity_provider_not_found'],
  deleteIdentityProvider: [...wholeAccount, 'identity_provider_not_found'],
  testIdentityProvider: [...wholeAccount, 'identity_provider_not_found'],
  startProviderSignIn: ['identity_provider_not_found', 'too_many_attempts'],
  finishProviderSignIn: ['identity_provider_not_found', 'too_many_attempts'],
  getSuppressedReplies: form,
  previewMail: [...form, ...submission],
  testMail: [...form, ...submission, 'too_many_test_mails'],

  getFormRejections: form,
  getStats: [...form, ...project],
  listAttention: [],
  getInstance: [],
  followEvents: [...form, ...project, 'too_many_event_streams'],

  getAccount: [],
  updateAccount: wholeAccount,
  listApiKeys: wholeAccount,
  createApiKey: wholeAccount,
  revokeApiKey: [...wholeAccount, 'api_key_not_found'],
  listUsers: wholeAccount,
  createUser: [...wholeAccount, 'user_exists'],
  listInvitations: wholeAccount,
  createInvitation: [...wholeAccount, 'user_exists', 'too_many_invitations', 'too_many_attempts'],
  revokeInvitation: [...wholeAccount, 'invitation_not_found'],
  updateUser: [...wholeAccount, 'user_not_found', 'last_owner'],
  deleteUser: [...wholeAccount, 'user_not_found', 'own_user', 'last_user', 'last_owner'],
  listAuditEntries: ofOwners,
  exportAuditEntries: [...ofOwners, 'storage_full'],

  signIn: ['invalid_credentials', 'second_factor_required', 'too_many_attempts', 'single_sign_on_required'],
  showSecondFactor: [
    'sign_in_expired',
    'wrong_second_factor',
    'too_many_attempts',
    'single_sign_on_required',
  ],
  requestPasswordReset: ['too_many_attempts'],
  completePasswordReset: ['invalid_link', 'too_many_attempts'],
  requestEmailChange: [
    ...ownPassword,
    'user_exists',
    'no_mail_server',
    'mail_not_sent',
    'single_sign_on_required',
  ],
  confirmEmailChange: ['invalid_link', 'user_exists', 'single_sign_on_required', 'too_many_attempts'],
  endSession: ['session_not_found'],
  beginPasskey: [...ownPassword, 'too_many_passkeys'],
  addPasskey: ['sign_in_expired', 'wrong_passkey', 'too_many_passkeys'],
  renamePasskey: ['passkey_not_found'],
  removePasskey: [...ownPassword, 'passkey_not_found'],
  signInWithPasskey: ['sign_in_expired', 'wrong_passkey', 'too_many_attempts', 'single_sign_on_required'],
  beginAuthenticator: [...ownPassword, 'authenticator_exists'],
  confirmAuthenticator: ['wrong_second_factor', 'authenticator_exists', 'too_many_attempts'],
  removeAuthenticator: [...ownPassword, 'no_second_factor'],
  renewRecoveryCodes: [...ownPassword, 'no_second_factor'],
  findInvitation: ['invalid_invitation', 'too_many_attempts'],
  acceptInvitation: [
    'invalid_invitation',
    'invitation_for_another_address',
    'too_many_attempts',
    'single_sign_on_required',
  ],
  getSession: [],
  listSessions: [],
  endOtherSessions: [],
  getFactors: [],
  beginPasskeySignIn: [],
  listSignInProviders: [],
  signOutOfProvider: ['identity_provider_not_found', 'too_many_attempts'],
  switchAccount: ['account_not_found', 'single_sign_on_required'],
  signOut: [],
  changePassword: ownPassword,
  getSetup: [],
  completeSetup: ['invalid_setup_link', 'too_many_attempts'],
};

/** Open to anyone, without identifying the caller. */
const openToAll = new Set([
  'getSetup',
  'listSignInProviders',
  'startProviderSignIn',
  'finishProviderSignIn',
  'signOutOfProvider',
]);

/** `operation` has its id and method, and whether it belongs to the endpoint for visitors. */
export function errorsOf({ operationId, method, isForVisitors }) {
  const own = ownErrors[operationId] ?? [];
  if (isForVisitors) return { own, usual: [] };
  if (openToAll.has(operationId))
    return { own, usual: usual.every.filter((code) => code !== 'invalid_api_key') };
  const common = [...usual.every, ...usual.session, ...(method === 'GET' ? [] : usual.writing)];
  return { own, usual: common.filter((code) => !own.includes(code)) };
}
