/** Images with a few wrong bytes, uploaded and then requested in a smaller size. A codec may reject them, but must not stop the service. */
import { filePart, multipartBody } from '../../support/bodies.js';
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play, Sent } from '../engine.js';
import { exchange, type HttpAnswer } from '../exchange.js';
import { mutateBytes, pick } from '../mutate.js';
import { jsonIn, judgeExchange } from '../rules.js';
import { formats, type World } from '../world.js';
import { submissionAccount } from './submitting.js';

const boundary = 'a-boundary-that-no-picture-holds';
const wishes = ['w=16', 'w=8&h=8&fit=fill&f=webp', 'h=20&f=png', 'w=60&fit=contain&f=jpeg&q=5', 'q=50'];
const deadlineMs = 60_000;

function generate(chance: Chance, world: World): FuzzCase {
  const format = pick(chance, formats);
  const bytes = mutateBytes(chance, world.pictures.get(format) ?? Buffer.alloc(0));
  return plainCase({
    method: 'POST',
    path: `/f/{{form}}?${pick(chance, wishes)}`,
    headers: [`Content-Type: multipart/form-data; boundary=${boundary}`, 'Accept: application/json'],
    body: multipartBody(boundary, [filePart('picture', `a.${format}`, bytes, `image/${format}`)]),
  });
}

/** Valid statuses of the download and of the content that it redirects to. */
const outcomes = new Set([200, 302, 400, 422, 503]);

async function judge(world: World, { fuzzCase, seen }: Sent): Promise<string | null> {
  const body = jsonIn(seen.answers[0]) as { files?: readonly { id: string }[] } | undefined;
  const [file] = body?.files ?? [];
  if (file === undefined) return null;
  const wish = fuzzCase.path.slice(fuzzCase.path.indexOf('?') + 1);
  const ask = async (path: string): Promise<{ answer: HttpAnswer | undefined; fault: string | null }> => {
    const asked = plainCase({ path, headers: [`Authorization: Bearer ${world.values.get('key')}`] });
    const got = await exchange(world.port, asked, deadlineMs);
    return { answer: got.answers[0], fault: judgeExchange(asked, got, { mayBeBusy: true }) };
  };
  const first = await ask(`/api/v1/files/${file.id}/download?${wish}`);
  if (first.fault !== null) return first.fault;
  const { status, headers } = first.answer ?? { status: 0, headers: new Map<string, string>() };
  if (!outcomes.has(status)) return `picture: ${status} on the first leg`;
  const location = headers.get('location');
  if (location === undefined) return null;
  const second = await ask(world.pathOf(location));
  if (second.fault !== null) return second.fault;
  const type = second.answer?.headers.get('content-type') ?? '';
  if (second.answer?.status !== 200)
    return outcomes.has(second.answer?.status ?? 0) ? null : 'picture: second leg';
  return /^image\/(webp|jpeg|png)$/.test(type) ? null : `picture: it came as ${type}`;
}

export const imageBytes = (world: World): Play => ({
  name: 'image-bytes',
  atOnce: 4,
  mayBeBusy: true,
  generate: (chance) => generate(chance, world),
  judge: (sent) => judge(world, sent),
  account: submissionAccount(world),
});
