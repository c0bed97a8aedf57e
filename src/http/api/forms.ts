/** /api/v1/projects/{id}/forms and /api/v1/forms/{id} */
import type { FastifyInstance } from 'fastify';
import {
  CheckFields,
  CreateForm,
  DuplicateForm,
  FieldsChecked,
  FormCreated,
  FormDuplicated,
  FormFields,
  FormFull,
  FormListQuery,
  FormPage,
  FormSchema,
  FormSnippets,
  FormSources,
  FormTypes,
  MoveForm,
  PatchForm,
} from '../../contract/form.js';
import { byId } from '../../contract/shapes.js';
import type { AuditTrail } from '../../domain/audit/trail.js';
import { schemaOf } from '../../domain/fields/schema.js';
import { typesOf } from '../../domain/fields/types.js';
import type { FormService } from '../../domain/forms/service.js';
import { fieldsFor } from '../../domain/forms/snippets/fields.js';
import { snippetsOf } from '../../domain/forms/snippets/snippets.js';
import type { FieldsOf } from '../../domain/submissions/field-report.js';
import type { RuleCheck } from '../../domain/submissions/rule-check.js';
import type { SourcesOf } from '../../domain/submissions/sources.js';
import { isoTime } from '../../kernel/clock.js';
import type { FormListItem } from '../../model/form.js';
import { plans } from '../../model/plans.js';
import type { Gate } from '../principal.js';
import { Raw, routesOf } from '../route.js';
import { createFormShapes, toInput } from './form-shapes.js';
import { optionalPage, pageOf } from './paging.js';

/**
 * The longest valid settings as indented JSON: two lists of 1,000 networks, 100 origins and the rest are 222 kB, the field rules
 * 128 kB, the templates of a reply 33 kB and more if they are escaped.
 */
const maxBodyBytes = 448 * 1024;
/** For rules alone. */
const maxRulesBytes = 160 * 1024;

const ById = byId('The id or the public_id of the form.');
const ByProject = byId('The project.');

export function formRoutes(
  app: FastifyInstance,
  deps: {
    gate: Gate;
    forms: FormService;
    sources: SourcesOf;
    fields: FieldsOf;
    checkRules: RuleCheck;
    trail: AuditTrail;
    baseUrl: string;
  },
): void {
  const { gate, forms, sources, fields, checkRules, trail, baseUrl } = deps;
  const { toCreated, toItem, toFull } = createFormShapes(baseUrl);
  const add = routesOf(app, 'Forms');

  add({
    method: 'GET',
    path: '/projects/:id/forms',
    operationId: 'listForms',
    summary: 'List the forms of a project',
    params: ByProject,
    query: FormListQuery,
    responses: { 200: FormPage },
    ...gate.may('forms.read'),
    async handle({ who, params, query }) {
      const page = optionalPage(query);
      const found = await forms.list(who, params.id, page, query.include_archived);
      const { items, next } = pageOf(page, found, (item) => item.form.id);
      const archived = ({ form }: FormListItem) => query.include_archived && { is_archived: form.isArchived };
      return { data: items.map((item) => ({ ...toItem(item), ...archived(item) })), ...next };
    },
  });

  add({
    method: 'POST',
    path: '/projects/:id/forms',
    operationId: 'createForm',
    summary: 'Create a form',
    params: ByProject,
    body: CreateForm,
    maxBodyBytes,
    responses: { 201: FormCreated },
    ...gate.may('forms.manage'),
    async handle({ who, params, body }) {
      const input = { ...toInput(body), name: body.name.trim() };
      return toCreated(await forms.create(who, params.id, input));
    },
  });

  add({
    method: 'GET',
    path: '/forms/:id',
    operationId: 'getForm',
    summary: 'Get a form with all its settings',
    params: ById,
    responses: { 200: FormFull },
    ...gate.may('forms.read'),
    handle: async ({ who, params }) => toFull(who, await forms.get(who, params.id)),
  });

  add({
    method: 'GET',
    path: '/forms/:id/snippets',
    operationId: 'getFormSnippets',
    summary: 'Get ready code for pages and programs that use the form',
    params: ById,
    responses: { 200: FormSnippets },
    ...gate.may('forms.read'),
    async handle({ who, params }) {
      const { form } = await forms.get(who, params.id);
      const endpoint = `${baseUrl}/f/${form.publicId}`;
      const scriptUrl = `${baseUrl}/inlet.js`;
      const arrived = form.fields.length > 0 ? [] : (await fields(who, form.id)).fields;
      const shown = fieldsFor(form.fields, arrived, plans[who.plan].fileUploads);
      const data = await snippetsOf({ form, endpoint, scriptUrl, fields: shown });
      return { endpoint, script_url: scriptUrl, data: data.map((snippet) => ({ ...snippet })) };
    },
  });

  add({
    method: 'GET',
    path: '/forms/:id/sources',
    operationId: 'getFormSources',
    summary: 'See which pages and sites the submissions of a form came from',
    params: ById,
    responses: { 200: FormSources },
    ...gate.may('submissions.read'),
    async handle({ who, params }) {
      const found = await sources(who, params.id);
      return {
        days: found.days,
        submissions: found.submissions,
        is_complete: found.isComplete,
        pages: found.pages.map(({ name, count }) => ({ page: name, count })),
        referrers: found.hosts.map(({ name, count }) => ({ host: name, count })),
      };
    },
  });

  add({
    method: 'GET',
    path: '/forms/:id/fields',
    operationId: 'getFormFields',
    summary: 'See which fields the submissions of a form have had',
    params: ById,
    responses: { 200: FormFields },
    ...gate.may('submissions.read'),
    async handle({ who, params }) {
      const { form } = await forms.get(who, params.id);
      // The response contains values from many submissions.
      await trail.viewed(who, 'submissions.listed', { kind: 'form', id: form.id, name: form.name });
      const found = await fields(who, form.id);
      return {
        data: found.fields.map(({ firstSeenAt, lastSeenAt, kinds, values, suggested, ...field }) => ({
          ...field,
          kinds: [...kinds],
          values: [...values],
          first_seen_at: isoTime(firstSeenAt),
          last_seen_at: isoTime(lastSeenAt),
          ...(suggested && { suggested }),
        })),
        sample: found.sample,
        is_truncated: found.isTruncated,
        is_complete: found.isComplete,
      };
    },
  });

  add({
    method: 'POST',
    path: '/forms/:id/fields/check',
    operationId: 'checkFormFields',
    summary: 'Check the newest submissions of a form against rules before you set them',
    params: ById,
    body: CheckFields,
    maxBodyBytes: maxRulesBytes,
    responses: { 200: FieldsChecked },
    ...gate.may('submissions.read'),
    async handle({ who, params, body }) {
      const { checked, valid, violations } = await checkRules(who, params.id, {
        fields: body.fields,
        unknownFields: body.unknown_fields ?? 'keep',
      });
      return {
        checked,
        valid,
        violations: violations.map(({ submissionId, ...violation }) => ({
          ...violation,
          submission_id: submissionId,
        })),
      };
    },
  });

  add({
    method: 'GET',
    path: '/forms/:id/schema',
    operationId: 'getFormSchema',
    summary: 'Get the rules of the fields as a JSON Schema (2020-12) of the data',
    params: ById,
    responses: { 200: FormSchema },
    ...gate.may('forms.read'),
    async handle({ who, params }) {
      const { form } = await forms.get(who, params.id);
      return new Raw('application/json; charset=utf-8', JSON.stringify(schemaOf(form)));
    },
  });

  add({
    method: 'GET',
    path: '/forms/:id/types.ts',
    operationId: 'getFormTypes',
    summary: 'Get TypeScript types of the data and of the webhook body',
    params: ById,
    responses: { 200: FormTypes },
    ...gate.may('forms.read'),
    async handle({ who, params }) {
      const { form } = await forms.get(who, params.id);
      return new Raw('text/plain; charset=utf-8', typesOf(form));
    },
  });

  add({
    method: 'POST',
    path: '/forms/:id/duplicate',
    operationId: 'duplicateForm',
    summary: 'Duplicate a form with its settings and destinations, without submissions, aliases and secrets',
    params: ById,
    body: DuplicateForm,
    bodyMayBeAbsent: true,
    responses: { 201: FormDuplicated },
    ...gate.may('forms.manage'),
    async handle({ who, params, body }) {
      const made = await forms.duplicate(who, params.id, body.name?.trim());
      return {
        ...toCreated(made.form),
        captcha_turned_off: made.captchaTurnedOff,
        secrets_left_out: made.secretsLeftOut.map(({ kind, name, isCopied }) => ({
          ...{ kind, name },
          is_copied: isCopied,
        })),
      };
    },
  });

  add({
    method: 'POST',
    path: '/forms/:id/move',
    operationId: 'moveForm',
    summary: 'Move a form to another project, with its destinations and submissions',
    params: ById,
    body: MoveForm,
    responses: { 200: FormFull },
    ...gate.may('forms.manage'),
    handle: async ({ who, params, body }) => toFull(who, await forms.move(who, params.id, body.project_id)),
  });

  add({
    method: 'PATCH',
    path: '/forms/:id',
    operationId: 'updateForm',
    summary: 'Change a form',
    params: ById,
    body: PatchForm,
    maxBodyBytes,
    responses: { 200: FormFull },
    ...gate.may('forms.manage'),
    handle: async ({ who, params, body }) => toFull(who, await forms.update(who, params.id, toInput(body))),
  });

  add({
    method: 'DELETE',
    path: '/forms/:id',
    operationId: 'deleteForm',
    summary: 'Delete a form with all its submissions and files',
    params: ById,
    responses: { 204: null },
    ...gate.may('forms.manage'),
    handle: ({ who, params }) => forms.delete(who, params.id),
  });
}
