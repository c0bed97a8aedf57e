/** /api/v1/persons and /api/v1/erasures: find, export and erase what is stored about a person. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  ErasureFull,
  ErasureList,
  ErasureReceipt,
  PersonArchive,
  PersonErase,
  PersonFindings,
  PersonQuery,
  ReceiptCheck,
} from '../../contract/person.js';
import { byId } from '../../contract/shapes.js';
import type { ErasureReport, PersonFindings as Found, PersonService } from '../../domain/persons/service.js';
import { isoTime } from '../../kernel/clock.js';
import type { Gate } from '../principal.js';
import { Raw, Reply, routesOf } from '../route.js';

const toFindings = ({ counts, total, examples }: Found): PersonFindings => ({
  counts: { ...counts },
  total,
  examples: examples.map(({ place, formId, submissionId, createdAt }) => ({
    place,
    form_id: formId,
    submission_id: submissionId,
    created_at: createdAt === null ? null : isoTime(createdAt),
  })),
  truncated: total > examples.length,
});

const toErasure = (erasure: ErasureReport): ErasureFull => ({
  id: erasure.id,
  status: erasure.finishedAt === null ? 'running' : 'finished',
  stage: erasure.stage,
  place: erasure.place,
  counts: { ...erasure.counts },
  files_removed: erasure.filesRemoved,
  person_hash: erasure.personHash,
  created_at: isoTime(erasure.createdAt),
  finished_at: erasure.finishedAt === null ? null : isoTime(erasure.finishedAt),
  receipt: erasure.receipt && { ...erasure.receipt, counts: { ...erasure.receipt.counts } },
});

export function personRoutes(
  app: FastifyInstance,
  { gate, persons }: { gate: Gate; persons: PersonService },
): void {
  const add = routesOf(app, 'Persons');

  add({
    method: 'POST',
    path: '/persons/search',
    operationId: 'searchPerson',
    summary: 'Find what is stored of a person, across all forms',
    body: PersonQuery,
    responses: { 200: PersonFindings },
    errors: [409, 422, 503],
    ...gate.may('persons.read'),
    handle: async ({ who, body }) => toFindings(await persons.search(who, body.q)),
  });

  add({
    method: 'POST',
    path: '/persons/export',
    operationId: 'exportPerson',
    summary: 'Export what is stored of a person, as a ZIP',
    body: PersonQuery,
    responses: { 200: PersonArchive },
    errors: [409, 422, 503],
    ...gate.may('persons.read'),
    handle: async ({ who, body }) => {
      const bytes = Readable.from(await persons.export(who, body.q), { objectMode: false });
      return new Reply(200, new Raw('application/zip', bytes), {
        'content-disposition': 'attachment; filename="person.zip"',
      });
    },
  });

  add({
    method: 'POST',
    path: '/persons/erase',
    operationId: 'erasePerson',
    summary: 'Erase what is stored of a person, for good',
    body: PersonErase,
    responses: { 200: PersonFindings, 202: ErasureFull },
    errors: [409, 422, 503],
    ...gate.may('persons.manage'),
    async handle({ who, body: { q, dry_run } }) {
      if (dry_run) return new Reply(200, toFindings(await persons.search(who, q)));
      return new Reply(202, toErasure(await persons.erase(who, q)));
    },
  });

  add({
    method: 'GET',
    path: '/erasures',
    operationId: 'listErasures',
    summary: 'List the newest 100 erasures',
    responses: { 200: ErasureList },
    ...gate.may('persons.read'),
    handle: async ({ who }) => ({ data: (await persons.listErasures(who)).map(toErasure) }),
  });

  add({
    method: 'GET',
    path: '/erasures/:id',
    operationId: 'getErasure',
    summary: 'See how far an erasure has come, and get its receipt',
    params: byId('The erasure.'),
    responses: { 200: ErasureFull },
    ...gate.may('persons.read'),
    handle: async ({ who, params }) => toErasure(await persons.getErasure(who, params.id)),
  });

  add({
    method: 'POST',
    path: '/erasures/check-receipt',
    operationId: 'checkErasureReceipt',
    summary: 'Check that a receipt is genuine',
    body: ErasureReceipt,
    responses: { 200: ReceiptCheck },
    ...gate.may('persons.read'),
    handle: async ({ who, body }) => ({ valid: persons.isGenuine(who, body) }),
  });
}
