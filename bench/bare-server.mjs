/** What Inlet's ingest is held against: node:http that parses the same JSON, keeps nothing, and answers as much. */
import { createServer } from 'node:http';

const answer = '{"success":true,"submission_id":"01900000-0000-7000-8000-000000000000","files":[]}';
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length };

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, headers).end(answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
