/** Everything stored about a person, as a ZIP: `data.json`, `submissions.csv` and the files. */
import { stringify } from 'csv-stringify/sync';
import { type Clock, isoTime } from '../../kernel/clock.js';
import { safeFilename } from '../../kernel/file-name.js';
import { membersOf } from '../../kernel/json-outline.js';
import { shownText } from '../../kernel/value-text.js';
import { maxZipBytes, type ZipEntry, zipOf } from '../../kernel/zip.js';
import { type PersonPlace, personPlaces } from '../../model/erasure.js';
import type { StoredFile } from '../../model/file.js';
import { wholeAccount } from '../../model/reach.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';
import { safeCell } from '../submissions/spreadsheet-cell.js';
import { findPerson, type Wanted } from './finding.js';

interface Export {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly accountId: string;
  readonly wanted: Wanted;
  readonly page: <T>(read: () => Promise<T>) => Promise<T>;
}

/** A match in these places is a submission, which is exported as a whole. */
const submissionPlaces: readonly PersonPlace[] = ['submissions', 'files', 'confirmations'];
/** Each may have 1 MiB. */
const submissionsAtOnce = 20;
/** A ZIP counts its entries in 16 bits. */
const maxFiles = 60_000;

export async function* exportPerson(work: Export): AsyncGenerator<Buffer> {
  // Before the first byte, so that a failed read is still an error response.
  const ids = await submissionIds(work);
  yield* zipOf(entries(work, ids));
}

async function submissionIds({ store, accountId, wanted, page }: Export): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const { rows } of findPerson(store, accountId, wanted, page, submissionPlaces))
    for (const { submissionId } of rows) if (submissionId !== null) ids.add(submissionId);
  return [...ids].sort();
}

async function* submissionsOf(
  { store, accountId, page }: Export,
  ids: readonly string[],
): AsyncGenerator<SubmissionWithFiles> {
  for (let from = 0; from < ids.length; from += submissionsAtOnce) {
    const some = ids.slice(from, from + submissionsAtOnce);
    yield* await page(() => store.submissions.findSome(wholeAccount(accountId), some));
  }
}

async function* entries(work: Export, ids: readonly string[]): AsyncGenerator<ZipEntry> {
  yield { name: 'data.json', content: dataJson(work, ids) };
  yield { name: 'submissions.csv', content: submissionsCsv(work, ids) };
  let bytes = 0;
  let count = 0;
  for await (const { files } of submissionsOf(work, ids)) {
    for (const file of files) {
      bytes += file.sizeBytes;
      count += 1;
      if (bytes > maxZipBytes || count > maxFiles) return;
      yield { name: fileName(file), content: fileContent(work.blobs, file) };
    }
  }
}

/** The path of a file in the export. The id distinguishes files of the same name. */
const fileName = ({ id, filename }: Pick<StoredFile, 'id' | 'filename'>): string =>
  `files/${id}/${safeFilename(filename)}`;

async function* fileContent(blobs: BlobStore, { blobKey }: StoredFile): AsyncGenerator<Uint8Array> {
  const bytes = await blobs.open(blobKey);
  if (bytes) yield* bytes as AsyncIterable<Uint8Array>;
}

const submissionJson = ({ id, formId, createdAt, data, metadata, files }: SubmissionWithFiles): string =>
  `{"id":${JSON.stringify(id)},"form_id":${JSON.stringify(formId)},"created_at":"${isoTime(createdAt)}","data":${data},` +
  `"ip":${JSON.stringify(metadata.ip)},"user_agent":${JSON.stringify(metadata.userAgent)},` +
  `"submitted_from":${JSON.stringify(metadata.submittedFrom)},"files":${JSON.stringify(files.map(fileName))}}`;

async function* dataJson(work: Export, ids: readonly string[]): AsyncGenerator<string> {
  const { store, clock, accountId, wanted, page } = work;
  yield `{"exported_at":"${isoTime(clock.now())}","submissions":[`;
  let separator = '\n';
  for await (const submission of submissionsOf(work, ids)) {
    yield separator + submissionJson(submission);
    separator = ',\n';
  }
  yield ']';
  const others = personPlaces.filter((place) => !submissionPlaces.includes(place));
  for (const place of others) {
    yield `,\n${JSON.stringify(place)}:[`;
    separator = '\n';
    for await (const { rows } of findPerson(store, accountId, wanted, page, [place])) {
      for (const { formId, submissionId, createdAt, texts } of rows) {
        const at = createdAt === null ? null : isoTime(createdAt);
        const stored = texts.filter((text) => text !== null && text !== '');
        yield separator +
          JSON.stringify({ form_id: formId, submission_id: submissionId, created_at: at, stored });
        separator = ',\n';
      }
    }
    yield ']';
  }
  yield '}\n';
}

/** One line per field: forms have different fields. */
async function* submissionsCsv(work: Export, ids: readonly string[]): AsyncGenerator<string> {
  yield 'submission_id,form_id,created_at,field,value\n';
  for await (const { id, formId, createdAt, data, files } of submissionsOf(work, ids)) {
    const fields = Array.from(membersOf(data), ({ name, value }) => [name, shownText(value)]);
    const uploads = files.map((file) => [file.fieldName, fileName(file)]);
    const lines = [...fields, ...uploads].map((cells) => [id, formId, isoTime(createdAt), ...cells]);
    yield stringify(lines.map((cells) => cells.map((cell) => safeCell(cell ?? ''))));
  }
}
