/** Calls operations of a running instance by their ids, and records the first request and response of each. */

const sessionCookie = 'inlet_session';
/** The user agent of a visitor. It is not shown in the request. */
export const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** Response headers that readers need. The others are the same everywhere, or change with every request. */
const shownHeaders = ['location', 'content-disposition', 'retry-after'];
const mostItems = 2;
const mostCharacters = 900;

const operationsOf = ({ paths }) =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, security }]) => [
        operationId,
        {
          path,
          method: method.toUpperCase(),
          isPublic: security?.length === 0,
          isSession: isForPeople(security),
        },
      ]),
    ),
  );
const isForPeople = (security) => security?.length === 1 && 'session' in security[0];

/** Shortens long lists and texts, which would hide what the reader looks for. */
function shortened(value) {
  if (typeof value === 'string')
    return value.length > mostCharacters ? `${value.slice(0, mostCharacters)}…` : value;
  if (Array.isArray(value)) return value.slice(0, mostItems).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

async function contentOf(response) {
  const type = response.headers.get('content-type')?.split(';')[0] ?? null;
  if (type === 'application/json' || type === 'application/schema+json')
    return { type, body: await response.json() };
  if (type === null || type.startsWith('text/') || type === 'application/x-ndjson')
    return { type, body: await response.text() };
  return { type, bytes: (await response.arrayBuffer()).byteLength };
}

export function createRecorder({ url, document, apiKey }) {
  const operations = operationsOf(document);
  const recorded = new Map();
  let session = '';

  const credentialsOf = ({ isPublic, isSession }, as) => {
    const caller = as ?? (isPublic ? 'nobody' : isSession ? 'session' : 'key');
    return {
      caller,
      headers: {
        ...(caller === 'key' && { authorization: `Bearer ${apiKey}` }),
        ...(caller === 'session' && {
          cookie: `${sessionCookie}=${session}`,
          origin: 'http://localhost:3000',
        }),
      },
    };
  };

  /** Returns the body of the response, or where it redirects to. */
  async function call(
    operationId,
    { as, params = {}, query = {}, headers = {}, type, body, keep = true } = {},
  ) {
    const operation = operations.get(operationId);
    if (!operation) throw new Error(`There is no operation ${operationId}`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]));
    const search = new URLSearchParams(query).toString();
    const credentials = credentialsOf(operation, as);
    const sent = type !== undefined || body === undefined ? body : JSON.stringify(body);
    const contentType = type ?? (body === undefined ? undefined : 'application/json');
    const response = await fetch(`${url}${path}${search && `?${search}`}`, {
      method: operation.method,
      redirect: 'manual',
      headers: {
        'user-agent': userAgent,
        ...credentials.headers,
        ...headers,
        ...(contentType && { 'content-type': contentType }),
      },
      body: sent,
    });
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith(`${sessionCookie}=`));
    if (cookie) session = cookie.slice(sessionCookie.length + 1).split(';')[0];
    const content = await contentOf(response);
    if (response.status >= 400)
      throw new Error(`${operationId}: ${response.status} ${JSON.stringify(content.body)}`);
    if (keep && !recorded.has(operationId)) {
      recorded.set(operationId, {
        request: {
          caller: credentials.caller,
          params,
          query,
          headers,
          ...(contentType && { type: contentType, body }),
        },
        response: {
          status: response.status,
          headers: Object.fromEntries(
            shownHeaders
              .filter((name) => response.headers.has(name))
              .map((name) => [name, response.headers.get(name)]),
          ),
          ...content,
        },
      });
    }
    return response.headers.get('location') ?? content.body;
  }

  return {
    call,
    /** For responses that do not end. */
    note: (operationId, exchange) => recorded.set(operationId, exchange),
    missing: () => [...operations.keys()].filter((id) => !recorded.has(id)),
    /** In the order of the document. */
    exchanges: () =>
      Object.fromEntries(
        [...operations.keys()]
          .filter((id) => recorded.has(id))
          .map((id) => {
            const { request, response } = recorded.get(id);
            return [
              id,
              {
                request,
                response: { ...response, ...('body' in response && { body: shortened(response.body) }) },
              },
            ];
          }),
      ),
  };
}
