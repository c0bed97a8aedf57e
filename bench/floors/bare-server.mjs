/**
 * The baseline for ingest: node:http that reads the same bytes, stores nothing, and responds with as much. It parses JSON
 * and urlencoded fields, as any server must; of multipart bodies it only awaits the end.
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
