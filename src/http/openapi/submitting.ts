/** The submission endpoint does not run in the framework (docs/adr/0004), so its entries are written here. */
import type { TSchema } from 'typebox';
import { Media } from '../../contract/shapes.js';
import { FormAccess, SubmissionAccepted } from '../../contract/submission.js';
import type { DraftPaths } from './operation.js';
import { responsesOf } from './responses.js';
import type { Schemas } from './schemas.js';
import type { Json, Part } from './shared.js';

const formId: Part = {
  name: 'form_id',
  value: {
    name: 'form_id',
    in: 'path',
    required: true,
    description: 'The public_id of the form, or one of its aliases.',
    schema: { type: 'string' },
  },
};
const header = (name: string, description: string, schema: Json = {}): Part => ({
  name: null,
  value: { name, in: 'header', description, schema: { type: 'string', ...schema } },
});

const Challenge: TSchema = {
  type: 'object',
  required: ['parameters', 'signature'],
  properties: {
    parameters: { type: 'object', additionalProperties: true },
    signature: { type: 'string' },
  },
};

const fields = { type: 'object', additionalProperties: true };
const HostedPage = new Media(['text/html'], { type: 'string' }, '<!doctype html><title>Contact</title>');
const SuccessPage = new Media(['text/html'], { type: 'string' }, '<!doctype html><title>Thank you</title>');

export function submittingPaths(schemas: Schemas): DraftPaths {
  const errors = [400, 402, 403, 404, 408, 409, 413, 422, 429, 503];
  return {
    '/f/{form_id}': {
      get: {
        operationId: 'showHostedPage',
        tags: ['Submitting'],
        summary: 'Show the hosted page of a form',
        description:
          'A page with the form, made from its `fields`; only if `hosted_page` is on. Query parameters with the names of fields fill ' +
          'them in, and `_language` chooses the language.',
        parameters: [formId],
        responses: responsesOf(schemas, { 200: HostedPage }, [403, 404, 405, 429, 503], {
          page: true,
          eachAlone: true,
        }),
        security: [],
      },
      post: {
        operationId: 'submitForm',
        tags: ['Submitting'],
        summary: 'Submit a form',
        description:
          'The response is JSON if the request has `Accept: application/json` or `Content-Type: application/json`, ' +
          'or comes from a script (`Sec-Fetch-Mode: cors`). A script that accepts `text/html` gets a fragment of HTML. ' +
          'Every other browser is redirected.',
        parameters: [
          formId,
          header('X-Service-Key', 'The sandbox key of the form.'),
          header('Idempotency-Key', 'The same key and body get the first result again for 24 hours.', {
            maxLength: 255,
          }),
        ],
        requestBody: {
          required: true,
          content: Object.fromEntries(
            ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
              type,
              { schema: fields, example: { name: 'Ada', message: 'Hello' } },
            ]),
          ),
        },
        responses: responsesOf(schemas, { 200: SubmissionAccepted, 303: null }, errors, {
          page: true,
          eachAlone: true,
        }),
        security: [],
      },
    },
    '/f/{form_id}/challenge': {
      get: {
        operationId: 'getChallenge',
        tags: ['Submitting'],
        summary: 'Get a challenge to solve, for a form with the CAPTCHA provider altcha',
        description:
          'The `challenge` address of an ALTCHA widget, which solves it and sends the solution with the form. ' +
          'A solution is valid for this form, once, for ten minutes.',
        parameters: [formId],
        responses: responsesOf(schemas, { 200: Challenge }, [403, 404, 429, 503], { eachAlone: true }),
        security: [],
      },
    },
    '/f/{form_id}/access': {
      get: {
        operationId: 'getFormAccess',
        tags: ['Submitting'],
        summary: 'Ask whether a form accepts submissions from your origin',
        description:
          'For a script whose submission failed without a response: browsers hide the response of a form that does not ' +
          'allow the origin. Every origin may read this.',
        parameters: [formId],
        responses: responsesOf(schemas, { 200: FormAccess }, [404, 429, 503], { eachAlone: true }),
        security: [],
      },
    },
    '/f/{form_id}/success': {
      get: {
        operationId: 'showSuccessPage',
        tags: ['Submitting'],
        summary: 'Show the default success page of a form',
        parameters: [formId],
        responses: responsesOf(schemas, { 200: SuccessPage }, [404, 429, 503], {
          page: true,
          eachAlone: true,
        }),
        security: [],
      },
    },
  };
}
