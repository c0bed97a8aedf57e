/** Fastify, wired by hand: hooks, error handler, groups of routes. No autoload, no decorators. */
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { Subscriptions } from '../domain/mail/subscriptions.js';
import { rateKey } from '../kernel/addresses.js';
import type { Logger } from '../kernel/log.js';
import { Refusal, refuse } from '../model/errors.js';
import { accountRoutes, type UploadLimits } from './api/account.js';
import { aliasRoutes } from './api/aliases.js';
import { auditRoutes } from './api/audit.js';
import { deliveryRoutes } from './api/deliveries.js';
import { destinationRoutes } from './api/destinations.js';
import { createEventStreams, eventRoutes } from './api/events.js';
import { fileRoutes } from './api/files.js';
import { formRoutes } from './api/forms.js';
import { identityProviderRoutes } from './api/identity-providers.js';
import { importRoutes } from './api/import.js';
import { inboxRoutes } from './api/inbox.js';
import { invitationRoutes } from './api/invitations.js';
import { labelRoutes } from './api/labels.js';
import { mailDraftRoutes } from './api/mail-drafts.js';
import { noteRoutes } from './api/notes.js';
import { numberRoutes } from './api/numbers.js';
import { passkeyRoutes } from './api/passkeys.js';
import { personRoutes } from './api/persons.js';
import { projectRoutes } from './api/projects.js';
import { rejectionRoutes } from './api/rejections.js';
import { sessionRoutes } from './api/session.js';
import { signInRoutes } from './api/sign-in.js';
import { singleSignOnRoutes } from './api/single-sign-on.js';
import { spamRoutes } from './api/spam.js';
import { submissionRoutes } from './api/submissions.js';
import { suppressionRoutes } from './api/suppressions.js';
import { userRoutes } from './api/users.js';
import { viewRoutes } from './api/views.js';
import { assetRoutes } from './assets.js';
import { clientScriptRoutes } from './client-script.js';
import { type ConfirmDeps, confirmRoutes } from './confirm.js';
import { createBrokenRequestListener } from './connection/broken-request.js';
import { Connections } from './connection/connections.js';
import { guardLines, guardsFor } from './connection/guards.js';
import { sendInPieces } from './connection/large-payload.js';
import { createRequestIds } from './connection/request-ids.js';
import { dashboardRoutes } from './dashboard.js';
import { createDenialLog } from './denial-log.js';
import { docsRoutes } from './docs-site.js';
import { createFaultLog } from './fault-log.js';
import { createFrontDoor, isSubmission, pathIn, readableHeaders } from './front-door.js';
import { mailFrameRoutes } from './mail-frame.js';
import { installBodyParsers } from './management-body.js';
import { installOpenApi } from './openapi/document.js';
import type { OpsAccess } from './ops/access.js';
import type { Metrics } from './ops/metrics.js';
import type { Readiness } from './ops/readiness.js';
import { opsRoutes } from './ops/routes.js';
import { requesterOf } from './principal.js';
import { frameworkRefusal, isClientFault, refusalOf, sendProblem, statusOf } from './problem.js';
import { createSubmitHandler, type SubmitDeps } from './submit/handler.js';
import { createVisitorPages } from './submit/pages.js';
import { createAnswers } from './submit/respond.js';
import { UploadPool, uploadPoolDefaults } from './submit/upload-pool.js';
import { unsubscribeRoutes } from './unsubscribe.js';
import { createValidatorCompiler } from './validation.js';

type ApiDeps = Parameters<typeof projectRoutes>[1] &
  Parameters<typeof formRoutes>[1] &
  Parameters<typeof aliasRoutes>[1] &
  Parameters<typeof destinationRoutes>[1] &
  Parameters<typeof submissionRoutes>[1] &
  Parameters<typeof inboxRoutes>[1] &
  Parameters<typeof labelRoutes>[1] &
  Parameters<typeof noteRoutes>[1] &
  Parameters<typeof viewRoutes>[1] &
  Parameters<typeof importRoutes>[1] &
  Parameters<typeof deliveryRoutes>[1] &
  Parameters<typeof fileRoutes>[1] &
  Parameters<typeof spamRoutes>[1] &
  Parameters<typeof rejectionRoutes>[1] &
  Parameters<typeof suppressionRoutes>[1] &
  Parameters<typeof personRoutes>[1] &
  Parameters<typeof mailDraftRoutes>[1] &
  Parameters<typeof sessionRoutes>[1] &
  Parameters<typeof identityProviderRoutes>[1] &
  Parameters<typeof singleSignOnRoutes>[1] &
  Parameters<typeof userRoutes>[1] &
  Parameters<typeof invitationRoutes>[1] &
  Parameters<typeof signInRoutes>[1] &
  Parameters<typeof passkeyRoutes>[1] &
  Parameters<typeof auditRoutes>[1] &
  Parameters<typeof numberRoutes>[1] &
  Omit<Parameters<typeof eventRoutes>[1], 'streams'> &
  Omit<Parameters<typeof accountRoutes>[1], 'limits'>;

export interface HttpOptions {
  readonly submit: Omit<SubmitDeps, 'observer' | 'baseUrl' | 'answers' | 'uploads'>;
  readonly api: ApiDeps;
  readonly confirm: Omit<ConfirmDeps, 'baseUrl' | 'addressOf'>;
  readonly uploadLimits: UploadLimits;
  readonly subscriptions: Subscriptions;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly opsAccess: OpsAccess;
  readonly baseUrl: string;
  /** Other origins that pages of the dashboard may load images from. */
  readonly pictureOrigins?: readonly string[];
  readonly version: string;
  readonly log: Logger;
}

export interface ClosingTimes {
  /** Requests in flight get this long to finish. */
  readonly graceMs: number;
  /** Part of the above: idle connections stay open this long, for a request that is already on its way. */
  readonly idleMs: number;
}

export interface HttpServer {
  /** Resolves with the port that the server listens on. */
  listen(host: string, port: number): Promise<number>;
  /** Accepts no new connections. Each response closes its connection, and what is left after these times is ended. */
  close(times: ClosingTimes): Promise<void>;
}

export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { log, metrics, baseUrl } = options;
  const ids = createRequestIds(options.submit.trusted);
  const onFault = createFaultLog(log, ids);
  const onDenied = createDenialLog(log);
  const answers = createAnswers(baseUrl);
  const streams = createEventStreams();
  metrics.watch('inlet_event_streams', 'Connected live streams of the dashboard', () => streams.open);
  const uploads = new UploadPool({ ...uploadPoolDefaults, onEvict: metrics.uploadEvicted });
  metrics.watch('inlet_uploads_reading', 'Uploads that are being read', () => uploads.uploading);
  metrics.watch('inlet_uploads_waiting', 'Uploads that wait for a slot', () => uploads.waiting);
  const submit = createSubmitHandler({
    ...options.submit,
    uploads,
    baseUrl,
    answers,
    observer: {
      answered(request, publicId, outcome, durationMs) {
        metrics.submission(outcome, durationMs);
        if (log.isLevelEnabled('debug'))
          log.debug({ form: publicId, outcome, ...ids.marks(request) }, 'submission');
      },
      served: (request, route, status, durationMs) =>
        metrics.request(request.method ?? '', route, status, durationMs),
      failed: (request, error) => onFault(error, pathIn(request), request),
    },
  });

  /** Responses that are sent below all routes are counted like the rest. */
  const onRejected = (request: IncomingMessage | null, refusal: Refusal): void => {
    if (request && isSubmission(request)) metrics.submission(refusal.code, 0);
    else metrics.request(request?.method ?? 'unknown', 'unknown', statusOf(refusal), 0);
    if (request && log.isLevelEnabled('debug'))
      log.debug({ method: request.method, outcome: refusal.code, ...ids.marks(request) }, 'request rejected');
  };

  // More than one when a host name resolves to several addresses, as `localhost` does.
  const servers: Server[] = [];
  const connections = new Connections();
  const guards = guardsFor({ isHttps: baseUrl.startsWith('https:') });
  const app = Fastify({
    // Ours from the start: the framework would first load and set up its own, which is a tenth of the startup.
    schemaController: {
      compilersFactory: {
        // Never called: the type of this option only knows the framework's own compilers, so ours is set below.
        buildValidator: () => () => {
          throw new Error('No validator compiler is set');
        },
        // Responses are built field by field from typed values. A serializer for each schema took 50 ms more.
        buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
      },
    },
    serverFactory(framework) {
      const server = createFrontDoor(framework, {
        ...{ submit, answers, onFault, onRejected, connections, guards, ids },
      });
      servers.push(server);
      return server;
    },
    // The framework logs warnings and above only: the CLI prints where we listen, and requests are logged below.
    loggerInstance: log.child({}, { level: quietLevel(log.level) }) as FastifyBaseLogger,
    // The framework's lines would contain the whole URL, including tokens. Ours are written below.
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: createBrokenRequestListener({
      ...{ guards, ids, onRejected },
      linesFor: (request) => guardLines(readableHeaders(request)),
    }),
    // The header limit bounds the URL. An id that is too long is simply unknown.
    routerOptions: { maxParamLength: 16 * 1024, ignoreTrailingSlash: true },
    forceCloseConnections: false,
    // A late request on an open connection gets a normal response, not the framework's.
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) => sendProblem(reply as FastifyReply, refuse.pathNotFound()),
  });

  app.setValidatorCompiler(createValidatorCompiler());
  app.addHook('onSend', sendInPieces);
  // Before the body: the body of an unknown path is not read.
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw refuse.pathNotFound();
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.request(request.method, route, reply.statusCode, reply.elapsedTime);
    // The path without its query, which may contain a token. If the path contains one, the pattern of the route is logged.
    const path = route.endsWith('/:token') ? route : request.url.split('?', 1)[0]?.slice(0, 200);
    const fields = {
      method: request.method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (!route.startsWith('/api/')) {
      if (log.isLevelEnabled('debug')) log.debug({ ...fields, ...ids.marks(request.raw) }, 'request');
      return;
    }
    const ip = options.api.addressOf(request);
    const whole = { ...fields, ip, ...requesterOf(request), ...ids.marks(request.raw) };
    if (reply.statusCode === 401) onDenied(rateKey(ip), whole);
    else log.info(whole, 'request');
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error) ?? frameworkRefusal(error);
    if (!(error instanceof Refusal) && !isClientFault(error))
      onFault(error, request.routeOptions.url ?? 'unknown', request.raw);
    return sendProblem(reply, refusal ?? refuse.internal());
  });
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, refuse.pathNotFound()));

  installBodyParsers(app);
  installOpenApi(app, options);
  await clientScriptRoutes(app);
  await dashboardRoutes(app, { baseUrl, pictureOrigins: options.pictureOrigins ?? [] });
  mailFrameRoutes(app);
  opsRoutes(app, { ...options, access: options.opsAccess });
  // The path of the public address, which a proxy strips.
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  app.get('/', (_request, reply) => reply.redirect(`${basePath}/dashboard`, 302));
  docsRoutes(app, { basePath });
  assetRoutes(app);
  await unsubscribeRoutes(app, {
    subscriptions: options.subscriptions,
    pages: createVisitorPages(baseUrl),
    basePath,
    counters: options.confirm.counters,
    clock: options.confirm.clock,
  });
  confirmRoutes(app, { ...options.confirm, baseUrl, addressOf: options.api.addressOf });
  await app.register(
    async (api) => {
      projectRoutes(api, options.api);
      formRoutes(api, options.api);
      aliasRoutes(api, options.api);
      destinationRoutes(api, options.api);
      submissionRoutes(api, options.api);
      inboxRoutes(api, options.api);
      labelRoutes(api, options.api);
      noteRoutes(api, options.api);
      viewRoutes(api, options.api);
      importRoutes(api, options.api);
      deliveryRoutes(api, options.api);
      fileRoutes(api, options.api);
      spamRoutes(api, options.api);
      rejectionRoutes(api, options.api);
      suppressionRoutes(api, options.api);
      personRoutes(api, options.api);
      mailDraftRoutes(api, options.api);
      numberRoutes(api, options.api);
      eventRoutes(api, { ...options.api, streams });
      accountRoutes(api, { ...options.api, limits: options.uploadLimits });
      sessionRoutes(api, options.api);
      identityProviderRoutes(api, options.api);
      singleSignOnRoutes(api, options.api);
      userRoutes(api, options.api);
      invitationRoutes(api, options.api);
      signInRoutes(api, options.api);
      passkeyRoutes(api, options.api);
      auditRoutes(api, options.api);
    },
    { prefix: '/api/v1' },
  );
  await app.ready();

  return {
    async listen(host, port) {
      await app.listen({ host, port });
      const address = app.server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    async close({ graceMs, idleMs }) {
      connections.isClosing = true;
      // They never end by themselves, and closing would wait for them.
      streams.end();
      const cut = setTimeout(() => servers.forEach((server) => void server.closeAllConnections()), graceMs);
      // The close of `node:http` also closes idle connections, on which a proxy may be sending a request at this moment.
      for (const server of servers) NetServer.prototype.close.call(server);
      await connections.untilNone(Math.min(idleMs, graceMs));
      // Otherwise closing would wait for a connection that becomes idle after its last response until it times out.
      const sweep = setInterval(() => servers.forEach((server) => void server.closeIdleConnections()), 50);
      await app.close();
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

const quietLevel = (level: string): string => (['trace', 'debug', 'info'].includes(level) ? 'warn' : level);
