import { describe, expect, it } from 'vitest';
import { aForm, aProject, aSubmission } from '../../../test/support/nouns.js';
import { isUuid } from '../../kernel/ids.js';
import { planMails } from './plan.js';

const plan = (ofForm: readonly string[], ofProject: readonly string[]) => {
  const project = aProject({ notifyEmails: ofProject });
  const form = aForm({ projectId: project.id, notifyEmails: ofForm });
  const submission = aSubmission({ formId: form.id, projectId: project.id });
  return { form, submission, mails: planMails({ form, project, submission }) };
};

describe('planMails', () => {
  it('plans none when nobody is named', () => {
    expect(plan([], []).mails).toEqual([]);
  });

  it('plans one for each person, due at once, the form’s first', () => {
    const { form, submission, mails } = plan(['a@x.test'], ['b@x.test', 'c@x.test']);
    expect(mails.map(({ recipient }) => recipient)).toEqual(['a@x.test', 'b@x.test', 'c@x.test']);
    expect(mails.every(({ id }) => isUuid(id))).toBe(true);
    expect(new Set(mails.map(({ id }) => id)).size).toBe(3);
    expect(mails[0]).toMatchObject({
      submissionId: submission.id,
      formId: form.id,
      state: 'pending',
      attempt: 0,
      nextAttemptAt: submission.createdAt,
      error: null,
      createdAt: submission.createdAt,
    });
  });

  it('plans one for who is named twice, in the first spelling', () => {
    const { mails } = plan(['Ada@x.test', 'ada@X.test'], ['ADA@x.test', 'b@x.test']);
    expect(mails.map(({ recipient }) => recipient)).toEqual(['Ada@x.test', 'b@x.test']);
  });
});
