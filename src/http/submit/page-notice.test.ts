import { describe, expect, it } from 'vitest';
import { type Language, languageTags } from '../../kernel/language.js';
import { type Refusal, refuse } from '../../model/errors.js';
import { noticeOf } from './page-notice.js';
import { pageWords } from './page-words.js';

const MiB = 1024 * 1024;
const english = (refusal: Refusal) => noticeOf(refusal, 'en');

describe('noticeOf', () => {
  it('says when, to those who must wait', () => {
    expect(english(refuse.submissionRateLimited(42))).toMatchObject({
      mark: 'wait',
      text: expect.stringContaining('send again in 42 seconds.'),
    });
    expect(english(refuse.submissionRateLimited(90)).text).toContain('in 2 minutes.');
    expect(english(refuse.busy())).toMatchObject({
      mark: 'wait',
      text: expect.stringContaining('in 5 seconds.'),
    });
    expect(english(refuse.storageFull())).toMatchObject({
      mark: 'wait',
      text: expect.stringContaining('in 1 minute.'),
    });
    expect(english(refuse.captchaUnavailable()).text).toContain('in 30 seconds.');
  });

  it('names the limit that was passed', () => {
    expect(english(refuse.tooManyBytes('file', 10 * MiB)).text).toBe(
      'The file is larger than 10 MB. Choose a smaller one and send again.',
    );
    expect(english(refuse.tooManyBytes('body', MiB)).text).toMatch(/^What you sent is larger than 1 MB\./);
    expect(english(refuse.tooMany('files', 10)).text).toContain('more than 10 files.');
    expect(english(refuse.tooMany('files', 1)).text).toContain('more than 1 file.');
    expect(english(refuse.tooMany('fields', 1_000)).text).toContain('more than 1,000 parts.');
  });

  it.each([
    [refuse.captchaFailed(), pageWords.en.captchaFailed],
    [refuse.bodyTooSlow(), pageWords.en.tooSlow],
    [refuse.idempotencyConflict(), pageWords.en.conflict],
    [refuse.formNotFound(), pageWords.en.notFound],
    [refuse.pathNotFound(), pageWords.en.notFound],
    [refuse.methodNotAllowed(), pageWords.en.methodNotAllowed],
  ])('says of "%s" what the visitor can do, and nothing technical', (refusal, words) => {
    expect(english(refusal)).toEqual({ ...words, mark: 'stop', detail: null });
  });

  it('says that there are no files here, and to the builder that it is the plan', () => {
    expect(english(refuse.uploadsNeedPlan('https://example.com/upgrade'))).toEqual({
      ...pageWords.en.noFiles,
      mark: 'stop',
      detail: 'File uploads require a paid plan',
    });
  });

  it('says of a closed form that it is closed', () => {
    expect(noticeOf(refuse.formInactive(), 'de')).toEqual({
      ...pageWords.de.closed,
      mark: 'stop',
      detail: 'Form is not active',
    });
  });

  it.each([
    refuse.originNotAllowed(),
    refuse.localhostInLiveMode(),
    refuse.ipNotRegistered('203.0.113.7'),
    refuse.ipBlocked(),
    refuse.invalidServiceKey(),
  ])('says of "%s" that it is not from here, and to the builder which setting it was', (refusal) => {
    expect(noticeOf(refusal, 'de')).toEqual({
      ...pageWords.de.notFromHere,
      mark: 'stop',
      detail: refusal.message,
    });
  });

  it.each([
    [refuse.invalidSubmission('Missing multipart boundary'), 'Missing multipart boundary'],
    [refuse.malformedRequest(), 'There must be one Host header, and no Transfer-Encoding but chunked'],
    [refuse.unknownExpectation(), 'Unknown expectation'],
    [refuse.tooManyHeaders(100), 'The request has too many headers'],
  ])('keeps the technical cause of "%s" in English', (refusal, detail) => {
    expect(noticeOf(refusal, 'fr')).toEqual({ ...pageWords.fr.invalid, mark: 'stop', detail });
  });

  it('quotes a bounded part of a cause', () => {
    expect(english(refuse.invalidSubmission('x'.repeat(10_000))).detail).toHaveLength(300);
  });

  it('speaks every language', () => {
    const texts = (Object.keys(languageTags) as Language[]).map(
      (language) => noticeOf(refuse.submissionRateLimited(42), language).text,
    );
    expect(new Set(texts).size).toBe(5);
    for (const text of texts) expect(text).toContain('42');
  });
});
