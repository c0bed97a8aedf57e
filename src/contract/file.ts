import { type Static, Type } from 'typebox';
import { TransformationQuery } from './image.js';
import { exactly, id, instant, Media, shape } from './shapes.js';

export const FileFull = shape('FileFull', {
  id: id('The file.'),
  submission_id: id('Submission the file belongs to.'),
  form_id: id('Form that received the file.'),
  original_filename: Type.String(),
  mime_type: Type.String({ description: 'What the bytes say, else what the client said.' }),
  file_size_bytes: Type.Integer(),
  file_category: Type.Unsafe<'image' | 'document' | 'video' | 'other'>({
    type: 'string',
    enum: ['image', 'document', 'video', 'other'],
  }),
  field_name: Type.String({ description: 'Name of the form field that carried the file.' }),
  uploaded_at: instant('When it was accepted.'),
  download_url: Type.String({ description: 'Signed; good for FILE_TOKEN_TTL.' }),
});
export type FileFull = Static<typeof FileFull>;

const token = Type.Optional(Type.String({ description: 'File access token, instead of an API key.' }));

export const TokenQuery = Type.Object({ token });

/** Accepts no other parameters, so that a misspelt one is rejected instead of returning the original. */
export const ContentQuery = exactly({ token, ...TransformationQuery });
export type ContentQuery = Static<typeof ContentQuery>;

/** Types that no browser executes keep their name; everything else is sent as application/octet-stream. */
export const FileContent = new Media<string>(
  [
    'application/octet-stream',
    'image/*',
    'application/pdf',
    'application/zip',
    'text/plain',
    'video/mp4',
    'audio/mpeg',
  ],
  { type: 'string', format: 'binary' },
  'The bytes of the file.',
  'FileContent',
);

export const FilePreview = new Media<string>(
  ['application/pdf', 'text/plain'],
  { type: 'string', format: 'binary' },
  'The beginning of the text.',
);

/** The path of a file's download, as used in links. Without a token it works for users who are signed in and may read the file. */
export const downloadPath = (id: string, token: string | null): string =>
  `/api/v1/files/${id}/download${token === null ? '' : `?token=${token}`}`;

export const SignedUrl = shape('SignedUrl', {
  url: Type.String({ description: 'Anyone with the link can download until it expires.' }),
  expires_at: instant('When the link ends.'),
});
export type SignedUrl = Static<typeof SignedUrl>;
