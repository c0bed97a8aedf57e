/**
 * The endpoint that people write by hand: Express, multer and SQLite, in one file. It stores as durably as Inlet: write-ahead
 * log with full sync, and each file and its folder are synced before the row is committed. It does nothing else: no access
 * checks, no rate limit, no search, no webhooks. Uses PORT and DATA_DIR, and resolves its packages from PEER_FOLDER.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { PORT, DATA_DIR, PEER_FOLDER } = process.env;
const require = createRequire(join(PEER_FOLDER, 'package.json'));
const express = require('express');
const multer = require('multer');
const Database = require('better-sqlite3');

const uploads = join(DATA_DIR, 'uploads');
mkdirSync(uploads, { recursive: true });

const db = new Database(join(DATA_DIR, 'forms.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  CREATE TABLE submissions (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    data TEXT NOT NULL,
    ip TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX submissions_by_form ON submissions (form, created_at);
  CREATE TABLE files (
    id TEXT PRIMARY KEY,
    submission_id TEXT NOT NULL REFERENCES submissions (id),
    field TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    path TEXT NOT NULL
  );
  CREATE INDEX files_by_submission ON files (submission_id);
`);
const insertSubmission = db.prepare('INSERT INTO submissions VALUES (?, ?, ?, ?, ?, ?)');
const insertFile = db.prepare('INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)');
const store = db.transaction((submission, files) => {
  insertSubmission.run(submission);
  for (const file of files) insertFile.run(file);
});

async function syncToDisk(path) {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const app = express();
app.disable('x-powered-by');
const upload = multer({
  storage: multer.diskStorage({
    destination: uploads,
    filename: (_request, _file, done) => done(null, randomUUID()),
  }),
  limits: { fileSize: 10 * 1024 * 1024, files: 10 },
});

app.get('/health', (_request, response) => response.json({ ok: true }));

app.post(
  '/f/:form',
  express.json({ limit: '1mb' }),
  express.urlencoded({ extended: false, limit: '1mb' }),
  upload.any(),
  async (request, response) => {
    const id = randomUUID();
    const uploaded = request.files ?? [];
    for (const file of uploaded) await syncToDisk(file.path);
    if (uploaded.length > 0) await syncToDisk(uploads);
    const files = uploaded.map((file) => [
      file.filename,
      id,
      file.fieldname,
      file.originalname,
      file.mimetype,
      file.size,
      file.path,
    ]);
    const { form } = request.params;
    const userAgent = request.get('user-agent') ?? '';
    store([id, form, JSON.stringify(request.body), request.ip, userAgent, Date.now()], files);
    response.json({ success: true, submission_id: id, files: files.map(([fileId]) => ({ id: fileId })) });
  },
);

app.listen(Number(PORT), '127.0.0.1');
