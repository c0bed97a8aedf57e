/**
 * The text next to the numbers of each figure on the page: what was done, and what the numbers do not show. `bounded`, the
 * limit that a profile found, is shown if a goal was not met.
 */
export const about = {
  ingest: {
    title: 'Accepting submissions',
    method:
      'The same contact form is posted as JSON, urlencoded, and as multipart with a text file of 100 kB. Inlet does everything it ' +
      'always does: rate limit, access checks, limits, and a commit (and for files a sync of the file and its folder) that is ' +
      'on disk before the response. `bare node:http` reads the same bytes, parses JSON and urlencoded fields, stores ' +
      'nothing and responds with as much: no server in Node.js can do better. The peers store with the same durability: ' +
      'write-ahead log, full sync, one transaction per submission. Each round measures every server and starts with ' +
      'a different one. At 64 connections, JSON and urlencoded forms are sent to each for a second before the measurement starts. The sustained row is one long run, in which the search index is also written under load.',
    limits:
      'The load is a closed loop: a connection sends its next request after the last response, so a slow server gets ' +
      'fewer requests, and the percentiles are those of responses, not of visitors who arrive at their own pace. A request without a response when its round ends, after one to three seconds, is not counted, so latencies near that are too low. Load and server share ' +
      'the cores. The hand-written endpoint does less than Inlet: no access checks, no limits, no search and no ' +
      'deliveries. Directus does much more than accept forms; it is here because people use it for that, and its response to the public has no body.',
    bounded:
      'Compared with bare node:http, the request thread is the limit: it takes 106 µs per submission, the bare server 50 for ' +
      'reading and responding alone. On an Arm machine (Neoverse-N1, three days before) it was 134 and 83, and JSON came to 0.72 of the bare rate. According to `perf` there, most of the difference is our own functions, none of which takes more than 1.3 µs ' +
      '(parsing and limiting JSON, limits, access, handing over the batch, the response), and what V8 does for them (promises and async ' +
      'functions, property access, strings); 7 µs are the kernel, which has colder caches and wakes the writer’s thread; the rest ' +
      'is Node’s own. Garbage collection costs no more than in the bare server. The writer takes another 25 µs on the second core, which the load ' +
      'generator shares. Processes of one build differ by a tenth, some of them for their whole life: seven took from 106 to 116 µs.',
  },
  images: {
    title: 'Images',
    method:
      'Two drawn images with grain, a JPEG of 4000 x 3000 and a PNG of 1600 x 1200. New variants: a width or quality that was never ' +
      'requested before; compared with the bare sharp call in a separate process, and, with eight clients at once, with ipx. ' +
      'Both servers have created a thousand tiny images before. ' +
      'Cached: the same URL again and again, compared with the same bytes as a plain file from `@fastify/static`. Submissions during image processing: ' +
      '200 per second are sent at a fixed pace while eight clients request new variants.',
    limits:
      'ipx brings its own sharp and caches nothing: a cache in front of it would serve repeated requests. ' +
      'How long an image takes depends on the image.',
    bounded:
      'In addition to the codec’s 52 ms, an image of 320 px costs 4 to 6 ms of CPU time in the service and more than 1 in the client: ' +
      'the download and its redirect are two requests, the codec is another process, and the variant is synced to disk ' +
      'after it was sent. For larger images the codec’s time dominates. ' +
      'Throughput is therefore about that of ipx: 1.007 to 1.045 for 320 px in four runs, 0.93 to 1.17 for 1600 px, ' +
      'where a round has few images.',
  },
  delivery: {
    title: 'Delivering webhooks',
    method:
      'A backlog of deliveries of about 1 kB is written while the server is stopped; the rate is measured at the endpoint, from the end of the ' +
      'warm-up to the last one. The bare loop posts the same bytes and headers with undici and does nothing else, ' +
      '64 at once. Inlet signs each, and syncs each claim and each result to disk. First byte: single submissions ' +
      'to an idle endpoint; the goal counts from sending the request, which is longer than from its commit. Isolation: fifty endpoints get two submissions per second each while another hangs with a long queue.',
    limits:
      'The endpoint responds immediately and runs on the same machine. With a real endpoint, its own time dominates. Inlet sends a limited number ' +
      'at once to one endpoint, so many endpoints together get more than one.',
    bounded:
      'A delivery takes 252 µs of CPU time, the bare loop 48, and both share two cores with the endpoint. On an Arm machine, before each attempt was ' +
      'recorded as it was sent, it was 235 µs (160 in the request thread, 75 in the writer’s) and 92. According to a profile there, more than half ' +
      'of the request thread’s part is the HTTP client and the socket, and 20 µs are the two signatures; the writer rewrites ' +
      'each delivery twice (claimed, delivered) and adds the attempt, each synced to disk. A build that neither signs nor counts takes 23 µs less and ' +
      'sends 18 % more: our own work alone does not explain the distance to the bare loop.',
  },
  postgres: {
    title: 'On PostgreSQL',
    method:
      'A separate PostgreSQL on the same machine, full sync, otherwise default settings. `pgbench` has 64 clients with prepared statements ' +
      'and one row of the real table per transaction.',
    limits:
      'Database, server and load share the cores, which penalises a second process; with separate machines it would help. ' +
      'Inlet can be faster than pgbench because submissions that wait at the same time share a commit.',
    bounded: '',
  },
  'upload-memory': {
    title: 'Memory during a large upload',
    method: 'One file is sent at the server’s pace, and the stored bytes are compared with what was sent.',
    limits: 'It is one upload. Several at once need buffers each.',
    bounded: '',
  },
  fields: {
    title: 'Fields',
    method:
      'Rules: submissions are sent in turns to two forms of one server, one with ten rules and one without. Learning can’t be switched off, so ' +
      'its own code is timed for the same submission, outside the server, and compared with the CPU time of a request there.',
    limits:
      'Once in a submission is too little to be measured in the server. A build that learned each submission 51 times stored 22 % fewer ' +
      'per second than one that never learned: 0.6 % for each time.',
    bounded: '',
  },
  growth: {
    title: 'A growing store',
    method:
      'One data folder grows step by step, with rows and a search index created by the store’s own statements. At each size, pages of 25 are ' +
      'requested over HTTP, one after the other on one connection; the form is exported; and new submissions are sent alternately to ' +
      'this store and to an empty one.',
    limits:
      'The database is in the system’s file cache. The first page after a cold start takes longer on a slow disk. ' +
      'A search is slow if a word is common in old submissions and absent from the newest, or if common words never occur together. ' +
      'Ten million are measured manually (`npm run bench -- growth --rows 10000000`, eight minutes here; ' +
      '`bench/results/2026-11-16T08-40-36.099Z.json`): a page of the list in 3.7 ms, a search in 6 to 26 ms, new submissions at ' +
      '1.06 of an empty store, 614 bytes of disk for each and 122 for the search.',
    bounded:
      'A search for two words that are both in every row takes 10 ms. New submissions: the rounds differ by a factor of nearly two, so their ' +
      'median says little. In CPU time a submission costs a quarter more than on an empty store, including the index.',
  },
  memory: {
    title: 'Memory',
    method:
      'Resident memory of the server’s process: idle after its start; the highest at 64 connections; five seconds later.',
    limits: 'It includes the program and libraries, which other processes of the same program share.',
    bounded:
      'The program has grown: it and its libraries take 56 MB and the JavaScript heap 27, where they took 45 and 22 in the run of ' +
      '16 November (on an Arm machine), before automatic replies, digests, roles, single sign-on and the documentation came.',
  },
  'event-loop': {
    title: 'The event loop',
    method:
      'Mixed load: submissions in all formats (some of 1 MB), files, lists, searches, exports, images, sign-ins, statistics, and webhooks to ' +
      'endpoints that respond, hang, fail and drip. The service watches its own loop and distinguishes blocks by our own work, by ' +
      'garbage collection and by waiting for a CPU (`inlet_event_loop_blocked_seconds_max` of `/metrics`).',
    limits: 'Load, endpoints and server share two cores, so the loop often waits for a CPU.',
    bounded:
      'The measured unit is one iteration of the loop, not one handler: if submissions of 1 MB, exports and images fall into the ' +
      'same iteration, they add up, and on two cores shared with load and endpoints the loop runs late and then has more to do at once.',
  },
  'start-up': {
    title: 'Start-up',
    method:
      'From starting the process to the first 200 of `/healthz`, five times on an empty folder and on the data of the figure above.',
    limits: 'The program’s files are in the system’s file cache.',
    bounded:
      'Most of it is reading the program: the main thread computes 550 ms. In the run of 16 November (on an Arm machine), when the program ' +
      'was smaller, it was 480.',
  },
  scaling: {
    title: 'More processes',
    method:
      'On PostgreSQL, with a quarter of a core per process of Inlet (a Linux control group); database and load have the rest.',
    limits:
      'It shows that processes add up as long as the database and the load keep pace, not how fast one is.',
    bounded: '',
  },
};
