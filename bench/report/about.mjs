/**
 * What stands beside the numbers of each figure on the page: what was done, and what the numbers do not say. `bounded` is
 * shown when a goal was not met: what stands in the way, as a profile showed it.
 */
export const about = {
  ingest: {
    title: 'Taking submissions',
    method:
      'The same contact form is posted as JSON, urlencoded, and as multipart with a text file of 100 kB. Inlet does all it ' +
      'always does: rate limit, access checks, limits, and a commit (and for files a sync of the file and of its folder) that is ' +
      'on disk before the answer. `bare node:http` reads the same bytes, parses JSON and urlencoded fields, stores ' +
      'nothing and answers as much: no server in Node.js can do better. The peers store with the same durability: ' +
      'write-ahead log, full sync, one transaction for each submission. Each round takes every server in turn and begins with ' +
      'another one. At 64 connections JSON and urlencoded forms are sent for a second before the time begins, to each. The sustained row is one long run, in which the search index is written under load too.',
    limits:
      'The load is a closed loop: a connection sends its next request when the last one was answered, so a slow server is asked ' +
      'less often, and the percentiles are those of answers, not of visitors who arrive at their own pace. A request that is not answered when its round ends, after one to three seconds, is not counted, so latencies near that are too low. Load and server share ' +
      'the cores. The hand-written endpoint does less than Inlet: it checks nobody, limits nothing, searches nothing and delivers ' +
      'nothing. Directus does much more than take forms; it is here because people use it for that, and its answer to the public has no body.',
    bounded:
      'Against bare node:http the request thread is the bound: it takes 105 to 115 µs for a submission, the bare server 78 to 84 for ' +
      'reading and answering alone. By `perf`, most of what lies between them are our own functions, none of which takes more than 1.3 µs ' +
      '(JSON read and bounded, limits, access, the batch handed over, the answer), and what V8 does for them (promises and async ' +
      'functions, access to properties, strings); 7 µs are the kernel, which finds its caches colder and wakes the writer’s thread; the rest ' +
      'is Node’s own. Garbage costs no more than in the bare server. The writer takes another 25 µs on the second core, which the load ' +
      'generator shares. Processes of one build differ by a tenth, some of them for as long as they live: seven took from 106 to 116 µs.',
  },
  images: {
    title: 'Pictures',
    method:
      'Two drawn pictures with grain, a JPEG of 4000 x 3000 and a PNG of 1600 x 1200. Made anew: nobody has asked for that width or ' +
      'quality before; held against the bare call of sharp in a process of its own, and, with eight clients at once, against ipx. ' +
      'Both servers have made a thousand tiny pictures before. ' +
      'Kept: the same address again and again, held against the same bytes as a plain file by `@fastify/static`. Submissions beside: ' +
      '200 a second leave at a fixed pace while eight clients have pictures made.',
    limits:
      'ipx brings a sharp of its own, and keeps nothing that it has made: a cache before it would serve repeated requests. ' +
      'How long a picture takes depends on the picture.',
    bounded:
      'Beside the codec’s 52 ms a picture of 320 px costs 4 to 6 ms of processor time in the service and more than 1 in the client: ' +
      'the download and its redirect are two requests, the codec is another process, and what was made is synced to disk, ' +
      'after it was shown. For larger pictures that is lost in the codec’s time. ' +
      'Throughput for 320 px is therefore little more than that of ipx: 1.007 to 1.045 in three runs.',
  },
  delivery: {
    title: 'Delivering webhooks',
    method:
      'A backlog of deliveries of about 1 kB is written while the server is stopped; the rate is taken at the receiver, from the end of the ' +
      'warm-up to the last one. The bare loop posts the same bytes and headers with undici and does nothing else, ' +
      '64 at once. Inlet signs each, and syncs each claim and each result to disk. First byte: single submissions ' +
      'to an idle receiver; the goal counts from sending the request, which is longer than from its commit. Isolation: fifty receivers get two submissions a second each while another hangs with a long line.',
    limits:
      'The receiver answers at once and on the same machine. With a real receiver its own time decides. Inlet sends a bounded number ' +
      'at once to one receiver, so many receivers together get more than one.',
    bounded:
      'A delivery takes 235 µs of processor time, 160 of them in the request thread and 75 in the writer’s, and the receiver some 70; the bare ' +
      'loop takes 92, and the receiver the same 70. All of them share two cores, which so allow at most 0.57 of the bare loop. By profile more than half ' +
      'of the request thread’s part is the HTTP client and the socket, 20 µs are the two signatures; the writer rewrites ' +
      'each delivery twice (claimed, delivered) and adds the attempt, each synced to disk. A build that neither signs nor counts takes 23 µs less and ' +
      'sends 18 % more: what is ours alone is not what stands between here and the bare loop.',
  },
  postgres: {
    title: 'On PostgreSQL',
    method:
      'A PostgreSQL of its own on the same machine, full sync, otherwise as it comes. `pgbench` has 64 clients with prepared statements ' +
      'and one row of the real table in each transaction.',
    limits:
      'Database, server and load share the cores, which punishes a second process; it is there for when they do not. ' +
      'Inlet may be faster than pgbench because submissions that wait at the same time share a commit.',
    bounded: '',
  },
  'upload-memory': {
    title: 'Memory during a large upload',
    method:
      'One file is sent at the pace of the server, and the stored bytes are compared with what was sent.',
    limits: 'It is one upload. Several at once take their buffers each.',
    bounded: '',
  },
  growth: {
    title: 'A store that grows',
    method:
      'One data folder is grown step by step, with rows and a search index made by the store’s own statements. At each size pages of 25 are ' +
      'asked for over HTTP, one after the other on one connection; the form is exported; and new submissions are sent in turns to ' +
      'this store and to an empty one.',
    limits:
      'The database is in the file cache of the system. The first page after a cold start takes longer on a slow disk. ' +
      'A search is slow where a word is common in old submissions and absent from the newest, or where common words never meet in one. ' +
      'Ten million are measured by hand (`npm run bench -- growth --rows 10000000`, eight minutes here; ' +
      '`bench/results/2026-11-16T08-40-36.099Z.json`): a page of the list in 3.7 ms, a search in 6 to 26 ms, new submissions at ' +
      '1.06 of an empty store, 614 bytes of disk for each and 122 for the search. A CSV export reads everything once before its first ' +
      'line, which takes 4 seconds for a million and 49 for ten, longer than some proxies wait; JSON Lines begin at once.',
    bounded:
      'New submissions at the largest size: the three rounds differ by a factor of nearly two, so that their median says little. In processor time ' +
      'a submission costs a tenth more than on an empty store, the index included.',
  },
  memory: {
    title: 'Memory',
    method:
      'Resident memory of the server’s process: after its start, with nothing asked of it; the highest at 64 connections; five seconds later.',
    limits: 'Program and libraries are in it, which other processes of the same program share.',
    bounded: '',
  },
  'event-loop': {
    title: 'The event loop',
    method:
      'Everything at once: submissions in all formats (also of 1 MB), files, lists, searches, exports, pictures, sign-ins, numbers, and webhooks to ' +
      'receivers that answer, hang, fail and drip. The service watches its own loop; what it was held up by our work, by the ' +
      'collector of garbage and by waiting for a processor is told apart (`inlet_event_loop_blocked_seconds_max` of `/metrics`).',
    limits: 'Load, receivers and server share two cores, so the loop often waits for a processor.',
    bounded:
      'What is counted is one turn of the loop, not one handler: where submissions of 1 MB, exports and pictures fall into the ' +
      'same turn they add up, and on two cores that load and receivers share the loop comes late and then has more to do at once.',
  },
  'start-up': {
    title: 'Start-up',
    method:
      'From starting the process to the first 200 of `/healthz`, five times on an empty folder and on the data of the figure above.',
    limits: 'The program’s files are in the file cache of the system.',
    bounded: '',
  },
  scaling: {
    title: 'More processes',
    method:
      'On PostgreSQL, with a quarter of a core for each process of Inlet, by a control group of Linux; database and load have the rest.',
    limits:
      'It shows that processes add up as long as the database and the load keep pace, not how fast one is.',
    bounded: '',
  },
};
