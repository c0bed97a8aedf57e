/**
 * What Inlet's ingest is held against: node:http that takes the same bytes, keeps nothing, and answers as much. JSON and
 * urlencoded fields are parsed, as nobody can do without; of multipart bodies only the end is awaited.
 */
import { createServer } from 'node:http';

const answer = '{"success":true,"submission_id":"01900000-0000-7000-8000-000000000000","files":[]}';
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length };

const parsers = {
  'application/json': (text) => JSON.parse(text),
  'application/x-www-form-urlencoded': (text) => Object.fromEntries(new URLSearchParams(text)),
};

createServer((request, response) => {
  const parse = parsers[request.headers['content-type']];
  const chunks = [];
  request.on('data', (chunk) => {
    if (parse) chunks.push(chunk);
  });
  request.on('end', () => {
    parse?.(Buffer.concat(chunks).toString());
    response.writeHead(200, headers).end(answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
